//! Notifications: one a conversation, replaced, withdrawn on every way out, with no more words than the level of privacy lets
//! them have.

use std::time::Duration;

use countersign_api::commands::request;
use countersign_api::wire::conversation::Send;
use countersign_api::wire::desktop::NoticeCame;
use countersign_api::wire::inbox::{Decision, Mode, SetCard};
use countersign_api::wire::settings::Privacy;
use countersign_api::wire::window::{FeedWhat, Space};
use countersign_core::ids::ConversationId;
use countersign_engine::ports::{Notice, NoticeAction, NoticePress, PressedBy, Tone};

use crate::house::{House, Told, calls, next_event, says};

/// What was shown, in order.
pub(crate) fn shown(told: &[Told]) -> Vec<Notice> {
    told.iter()
        .filter_map(|one| match one {
            Told::Shown(notice) => Some(notice.clone()),
            Told::Withdrawn(_) | Told::Rung(_) => None,
        })
        .collect()
}

/// Whether nothing is on the screen any more.
pub(crate) fn withdrawn(told: &[Told]) -> bool {
    matches!(told.last(), Some(Told::Withdrawn(_)))
}

/// The house asks to run a command, and it is told.
pub(crate) async fn told_of(house: &House) -> (SetCard, Notice) {
    let before = shown(&house.told()).len();
    let set = house.ask("Nightly check").await;
    house.until_told("it is shown", |told| shown(told).len() > before).await;
    (set, shown(&house.told()).remove(before))
}

/// A house whose agent wants to run a command.
pub(crate) async fn wants(command: &str) -> House {
    let arguments = serde_json::json!({ "command": command }).to_string();
    House::new([calls(&[("run_command", &arguments)]), says("ok")]).await
}

/// A press of a button.
pub(crate) fn press(conversation: ConversationId, token: &str, action: NoticeAction) -> NoticePress {
    NoticePress { conversation, token: token.to_owned(), action, by: PressedBy::Button }
}

/// Long enough that what settles has settled.
pub(crate) async fn settle() {
    tokio::time::sleep(Duration::from_millis(700)).await;
}

#[tokio::test]
async fn a_waiting_call_is_told_without_the_agents_words_and_without_the_command() {
    let house = wants("git push --force").await;
    let (_, notice) = told_of(&house).await;
    assert_eq!(notice.title, "Nightly check wants to run a command");
    assert!(!notice.body.contains("git"), "the level Target says what kind, not what: {}", notice.body);
    assert!(notice.body.starts_with("in "), "and where: {}", notice.body);
    assert_eq!(notice.offers, [NoticeAction::Reject], "one call waits, so it can be rejected there");
}

/// L-127, L-128.
#[tokio::test]
async fn surface_52_surface_65_field_l_127_each_kind_of_request_is_told_and_a_call_that_runs_is_not() {
    let question =
        r#"{"question":"Which of my secrets?","fields":{"type":"object","properties":{"a":{"type":"string"}}}}"#;
    let plan = r##"{"plan":"# My secret plan\n\n1. One"}"##;
    let batch = [("run_command", r#"{"command":"a"}"#), ("write_file", r#"{"path":"b","content":""}"#)];
    for (reply, title, body) in [
        (calls(&[("ask_user", question)]), "Nightly check asks for input", "Open it to see the question"),
        (calls(&batch), "Nightly check waits for you", "2 requests wait: 1 command, 1 file"),
        (calls(&[("exit_plan_mode", plan)]), "Nightly check proposes a plan", "Open it to see the plan"),
    ] {
        for privacy in [Privacy::Full, Privacy::Target] {
            let house = House::new([calls(&[("read_file", r#"{"path":"x"}"#)]), reply.clone()]).await;
            house.set(|settings| settings.privacy = privacy).await;
            let mode = title.contains("plan").then_some(countersign_api::wire::inbox::Mode::Plan);
            let (agent, text) = (house.agent.clone(), Some("Nightly check".to_owned()));
            house
                .app
                .start_conversation(Space::Main, request::start_conversation { agent, text, mode, auto_until: None })
                .await
                .unwrap();
            house.until_told(title, |told| !shown(told).is_empty()).await;
            settle().await;
            let all = shown(&house.told());
            assert_eq!(all.len(), 1, "one a conversation, and none for what only reads");
            assert_eq!((all[0].title.as_str(), all[0].body.as_str()), (title, body), "{privacy:?}");
            assert!(all[0].offers.is_empty() && all[0].tone == Tone::Normal);
        }
    }
}

#[tokio::test]
async fn surface_67_accept_12_no_level_says_what_is_hidden_secret_or_written_by_an_agent() {
    // A character of every kind that hides or disguises, a secret, and markup.
    let corpus = "\u{202e}\u{2066}\u{200b}\u{feff}\u{2028}\u{e0100}\u{1b}[31m\r\u{8}\u{0}";
    let command = format!("echo <b>{corpus}</b> && TOKEN=hunter2hunter2 ./x\nrm -rf /");
    for privacy in [Privacy::Full, Privacy::Target, Privacy::Private] {
        let house = wants(&command).await;
        house.set(|settings| settings.privacy = privacy).await;
        let set = house.ask(&format!("Check {corpus} ghp_abcdefghijklmnopqrst0123")).await;
        house.until_told("it is shown", |told| !shown(told).is_empty()).await;
        let notice = shown(&house.told()).remove(0);
        let all = format!("{}\n{}", notice.title, notice.body);
        for hidden in corpus.chars().filter(|one| !"[31m".contains(*one)) {
            assert!(!all.contains(hidden), "{privacy:?} has {:04x}: {all:?}", u32::from(hidden));
        }
        assert!(!all.contains("hunter2") && !all.contains("ghp_") && !all.contains("I do this"), "{all}");
        assert_eq!(all.contains("echo"), privacy == Privacy::Full, "{all}");
        assert_eq!(all.contains("Check"), privacy != Privacy::Private, "{all}");
        assert!(!all.contains("rm -rf"), "the first line only: {all}");
        let tray = house.app.tray().await;
        assert!(!tray.rows[0].1.contains("ghp_") && !tray.rows[0].1.contains('\u{202e}'), "{tray:?}");
        assert_eq!(tray.rows[0].0, set.rows[0].id);
    }
}

/// L-140.
#[tokio::test]
async fn field_l_140_three_conversations_that_wait_can_be_told_apart() {
    let wants = |command: &str| calls(&[("run_command", &serde_json::json!({ "command": command }).to_string())]);
    let house = House::new([wants("ls a"), wants("ls b"), wants("ls c")]).await;
    house.set(|settings| settings.privacy = Privacy::Full).await;
    for name in ["First", "Second", "Third"] {
        house.ask(name).await;
    }
    house.until_told("all are told", |told| shown(told).len() == 3).await;
    let mut said: Vec<String> =
        shown(&house.told()).into_iter().map(|one| format!("{} | {}", one.title, one.body)).collect();
    said.sort();
    assert_eq!(
        said,
        [
            "First wants to run a command | ls a",
            "Second wants to run a command | ls b",
            "Third wants to run a command | ls c"
        ]
    );
}

async fn accept_21(way: &str) {
    let house = wants("ls").await;
    let (set, shown_first) = told_of(&house).await;
    let conversation = set.conversation.clone();
    let id = set.rows[0].id.clone();
    match way {
        "answered" => house.answer(&set, &[(0, Decision::Approve)]).await.unwrap(),
        "passed by" => {
            let (answers, mode, text) = (Vec::new(), None, Some("no".to_owned()));
            house
                .send(Send { conversation, answers, text, mode, auto_until: None, passes_by: vec![id] })
                .await
                .unwrap();
        }
        "stopped" => house.app.stop(Space::Main, request::stop { conversation }).await.unwrap(),
        "deleted" => {
            let request = request::delete_conversation { conversation };
            house.app.delete_conversation(Space::Main, request).await.unwrap();
        }
        "opened" => {
            let looking = request::looking { window: "main".to_owned(), focused: true, request: Some(id) };
            house.app.looking(Space::Main, looking).await.unwrap();
        }
        "switched off" => house.set(|settings| settings.notify = false).await,
        "quit" => house.app.quit().await,
        other => panic!("no such way: {other}"),
    }
    house.until_told(way, withdrawn).await;
    settle().await;
    assert_eq!(shown(&house.told()), [shown_first], "{way}: nothing is shown again");
}

macro_rules! accept_21 {
    ($($name:ident $way:literal)*) => {$(
        #[tokio::test]
        async fn $name() {
            accept_21($way).await;
        }
    )*};
}

accept_21! {
    accept_21_withdrawn_when_answered "answered"
    accept_21_withdrawn_when_passed_by "passed by"
    accept_21_withdrawn_when_stopped "stopped"
    accept_21_withdrawn_when_deleted "deleted"
    accept_21_withdrawn_when_opened "opened"
    accept_21_withdrawn_when_switched_off "switched off"
    accept_21_withdrawn_when_the_app_quits "quit"
}

#[tokio::test]
async fn accept_21_surface_04_surface_09_withdrawn_when_another_process_answers() {
    let house = wants("ls").await;
    let (set, _) = told_of(&house).await;
    let other = countersign_api::app::Countersign::open(crate::house::host(&house.folder, &house.stage)).await.unwrap();
    let (request, digest) = (set.rows[0].id.clone(), house.digest(&set.rows[0].id).await);
    let decision = Decision::Reject { reason: None };
    let answers = vec![countersign_api::wire::conversation::SentAnswer { request, digest, decision }];
    let conversation = set.conversation.clone();
    let send = Send { conversation, answers, text: None, mode: None, auto_until: None, passes_by: Vec::new() };
    other.send(Space::Main, request::send { send }).await.unwrap();
    // Nobody tells this process; it looks by itself every few seconds.
    house.app.attend().await;
    house.until_told("it is withdrawn", withdrawn).await;
    other.quit().await;
}

#[tokio::test]
async fn accept_21_withdrawn_when_its_server_takes_the_question_back() {
    let house = House::new([calls(&[("close_ticket", "{}")]), says("ok")]).await;
    house.asked_by_server().await;
    house.until_told("it is shown", |told| !shown(told).is_empty()).await;
    let first = shown(&house.told()).remove(0);
    assert_eq!(first.body, "Open it to see the question", "not in the server's words");
    house.stage.server_stops.notify_one();
    house.until_told("it is withdrawn", withdrawn).await;
}

#[tokio::test]
async fn a_question_that_was_seen_and_is_withdrawn_is_only_in_the_list() {
    let house = House::new([calls(&[("close_ticket", "{}")]), says("ok")]).await;
    let set = house.asked_by_server().await;
    let request = Some(set.rows[0].id.clone());
    house
        .app
        .looking(Space::Main, request::looking { window: "main".to_owned(), focused: true, request })
        .await
        .unwrap();
    house
        .app
        .looking(Space::Main, request::looking { window: "main".to_owned(), focused: false, request: None })
        .await
        .unwrap();
    house.stage.server_stops.notify_one();
    let passive = |notice: &Notice| notice.tone == Tone::Passive && notice.title.contains("doesn't ask any more");
    house.until_told("it is told", |told| shown(told).last().is_some_and(passive)).await;
    let notice = shown(&house.told()).pop().unwrap();
    assert_eq!((notice.sound, notice.offers.len()), (None, 0));
    let mut feed = house.app.subscribe();
    house.app.notice_pressed(press(notice.conversation, &notice.token, NoticeAction::Review)).await;
    let opens = next_event(&mut feed, |what| match what {
        FeedWhat::Show { request } => Some(request.clone()),
        _ => None,
    });
    assert_eq!(opens.await, Some(set.rows[0].id.clone()), "its closed state, with the reason (L-125)");
}

#[tokio::test]
async fn surface_60_a_plan_is_told_only_if_it_is_wanted() {
    let house = House::new([calls(&[("exit_plan_mode", r#"{"plan":"x"}"#)])]).await;
    house.set(|settings| settings.notify_plans = false).await;
    let (agent, text) = (house.agent.clone(), Some("Plan it".to_owned()));
    let mode = Some(countersign_api::wire::inbox::Mode::Plan);
    let row = house
        .app
        .start_conversation(Space::Main, request::start_conversation { agent, text, mode, auto_until: None })
        .await
        .unwrap();
    house.set_of(&row.id).await;
    settle().await;
    assert!(house.told().is_empty(), "{:?}", house.told());
    house.set(|settings| settings.sound = true).await;
    settle().await;
    assert!(house.told().is_empty(), "another setting changes nothing about that");
}

#[tokio::test]
async fn surface_57_accept_10_surface_55_surface_75_five_calls_in_one_batch_are_one_notice() {
    let batch: Vec<(&str, &str)> = vec![("run_command", r#"{"command":"ls"}"#); 12];
    let house = House::new([calls(&batch)]).await;
    let (_, notice) = told_of(&house).await;
    settle().await;
    assert_eq!(shown(&house.told()).len(), 1);
    assert_eq!(notice.body, "12 requests wait: 12 commands");
}

#[tokio::test]
async fn surface_53_the_test_says_on_which_way_a_press_came() {
    let house = wants("ls").await;
    for (by, came) in [(PressedBy::Button, NoticeCame::Button), (PressedBy::Click, NoticeCame::Click)] {
        let before = shown(&house.told()).len();
        let app = std::sync::Arc::clone(&house.app);
        let test = tokio::spawn(async move { app.test_notice(Space::Main, request::test_notice {}).await });
        house.until_told("the test is shown", |told| shown(told).len() > before).await;
        let notice = shown(&house.told()).pop().unwrap();
        let forged = NoticePress { by, ..press(notice.conversation, "forged", NoticeAction::Review) };
        house.app.notice_pressed(forged).await;
        assert!(!test.is_finished(), "a press with another token is no answer");
        house
            .app
            .notice_pressed(NoticePress { by, ..press(notice.conversation, &notice.token, NoticeAction::Review) })
            .await;
        let result = test.await.unwrap().unwrap();
        assert_eq!((result.came, result.server.as_deref(), result.buttons), (came, Some("test"), true));
        house.until_told("the test goes away", withdrawn).await;
    }
    *house.stage.no_notices.lock().unwrap() = true;
    let none = house.app.test_notice(Space::Main, request::test_notice {}).await.unwrap();
    assert_eq!((none.came, none.server), (NoticeCame::Nothing, None));
}

#[tokio::test]
async fn accept_05_surface_08_after_a_restart_what_waits_is_told_again() {
    let house = House::new([calls(&[("run_command", r#"{"command":"ls"}"#)])]).await;
    told_of(&house).await;
    let house = house.restart().await;
    house.until_told("it is told again", |told| shown(told).len() == 2).await;
}

/// Only the very request that is on the screen keeps its notice back.
#[tokio::test]
async fn surface_58_who_looks_at_it_is_not_told_and_who_looks_at_another_is() {
    let ask = || calls(&[("run_command", r#"{"command":"ls"}"#)]);
    let house = House::new([ask(), ask()]).await;
    let set = house.ask("one").await;
    let looking = request::looking { window: "main".to_owned(), focused: true, request: Some(set.rows[0].id.clone()) };
    house.app.looking(Space::Main, looking).await.unwrap();
    settle().await;
    assert_eq!(shown(&house.told()), []);
    let other = house.ask("two").await;
    house.until_told("the other is told", |told| !shown(told).is_empty()).await;
    settle().await;
    let told: Vec<String> = shown(&house.told()).iter().map(|notice| notice.conversation.to_string()).collect();
    assert_eq!(told, [other.conversation]);
}

#[tokio::test]
async fn accept_22_without_a_notification_service_everything_else_works_and_says_so() {
    let house = House::new([calls(&[("run_command", r#"{"command":"ls"}"#)]), says("ok")]).await;
    *house.stage.no_notices.lock().unwrap() = true;
    let set = house.ask("one").await;
    assert!(house.snapshot().await.notices.unwrap().contains("Notifications are off"));
    house.answer(&set, &[(0, Decision::Approve)]).await.unwrap();
    house.rest(&set.conversation).await;
    assert_eq!(house.ran().len(), 1);
}

/// L-128: of a hundred calls only those are told that wait for the person, each set once, and soon after it settled.
#[tokio::test]
async fn field_128_of_a_hundred_mixed_calls_only_what_waits_is_told() {
    let house = House::new([]).await;
    let rule = countersign_rules::rule::Rule {
        name: "git status".to_owned(),
        verdict: countersign_rules::rule::RuleVerdict::Approve,
        conditions: vec![countersign_rules::rule::Condition::Words {
            words: vec!["git".to_owned(), "status".to_owned()],
            flags: Vec::new(),
            further: false,
        }],
        samples: Vec::new(),
        ..countersign_rules::shipped::shipped(0).remove(0)
    };
    let saved = house.app.save_rule(Space::Main, request::save_rule { rule }).await.unwrap();
    assert_eq!(saved.faults, []);
    let write = r#"{"path":"a","content":"x"}"#;
    let kinds = [
        ("read_file", r#"{"path":"a"}"#, None, false),
        ("run_command", r#"{"command":"git status"}"#, None, false),
        ("write_file", write, Some(Mode::Auto), false),
        ("write_file", write, None, true),
    ];
    let mut waiting = Vec::new();
    let mut took = Vec::new();
    for (tool, arguments, mode, waits) in kinds.into_iter().cycle().take(20) {
        house.stage.replies.lock().unwrap().extend([calls(&[(tool, arguments); 5])]);
        if !waits {
            house.stage.replies.lock().unwrap().push_back(says("Done."));
        }
        let agent = house.agent.clone();
        let start = request::start_conversation { agent, text: Some("Go.".to_owned()), mode, auto_until: None };
        let conversation = house.app.start_conversation(Space::Main, start).await.unwrap().id;
        house.rest(&conversation).await;
        if waits {
            house.set_of(&conversation).await;
            let (began, id) = (std::time::Instant::now(), conversation.parse().unwrap());
            let is_told = |told: &[Told]| shown(told).iter().any(|notice| notice.conversation == id);
            house.until_told("what waits is told", is_told).await;
            took.push(began.elapsed());
            waiting.push(id);
        }
    }
    settle().await;
    let told: Vec<ConversationId> = shown(&house.told()).iter().map(|notice| notice.conversation).collect();
    assert_eq!(told, waiting, "each set that waits once, and nothing else");
    took.sort();
    // 400 ms of it are the settling; the rest is small even on a busy machine.
    assert!(took[took.len() / 2] < Duration::from_secs(1), "{took:?}");
}
