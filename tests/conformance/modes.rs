//! MO, AU and IT: the mode of a conversation, Auto, and the round limit.

use countersign_core::answer::AnswerBody;
use countersign_core::change::{Act, OfferedTools};
use countersign_core::input::{Input, NewConversation, Verdict};
use countersign_core::mode::Mode;
use countersign_core::run::RunEnd;

use crate::house::{self, House, calls, guard};
use crate::play::{Play, call, names};

fn in_mode(mode: Mode) -> Play {
    let mut play = Play::new(mode);
    play.say("Go.").unwrap();
    play
}

fn with_mode(play: &mut Play, mode: Option<Mode>) {
    let mut input = play.input();
    input.text = Some("Go on.".to_owned());
    input.mode = mode;
    play.start(input).unwrap();
}

async fn offered(mode: Mode) -> Vec<String> {
    let mut house = House::new(mode).await;
    house.say("Go.").await;
    house.script.last().tools.iter().map(|tool| tool.identity.name.clone()).collect()
}

#[tokio::test]
async fn mo_2_the_mode_controls_offer_and_asking_and_nothing_else() {
    for mode in [Mode::Plan, Mode::Default, Mode::Auto] {
        let mut play = in_mode(mode);
        play.reply(&[call("read", "{}")]);
        assert_eq!(play.runs_calls(), 1, "a tool without the mark runs in {mode:?}");
    }
}

#[tokio::test]
async fn mo_3_default_offers_all_and_asks() {
    assert!(offered(Mode::Default).await.contains(&"write".to_owned()));
    let mut play = in_mode(Mode::Default);
    play.reply(&[call("write", "{}")]);
    assert_eq!(play.head.requests.len(), 1);
}

#[tokio::test]
async fn mo_4_plan_offers_what_is_marked_read_only() {
    assert_eq!(offered(Mode::Plan).await, ["read", "peek", "ask_user", "exit_plan_mode"]);
    let mut play = in_mode(Mode::Plan);
    play.reply(&[call("peek", "{}")]);
    assert_eq!(play.head.requests.len(), 1, "bound and read-only: it asks");
}

#[tokio::test]
async fn mo_5_auto_offers_all_and_runs() {
    assert!(offered(Mode::Auto).await.contains(&"write".to_owned()));
    let mut play = in_mode(Mode::Auto);
    play.reply(&[call("write", "{}")]);
    assert_eq!(play.runs_calls(), 1);
}

#[test]
fn mo_6_a_conversation_starts_in_the_mode_that_it_is_given() {
    assert_eq!(Mode::default(), Mode::Default);
    for mode in [Mode::Plan, Mode::Default, Mode::Auto] {
        let new = NewConversation {
            id: countersign_core::ids::ConversationId([1; 16]),
            agent: crate::play::AGENT,
            title: "t".to_owned(),
            mode,
            auto_until: None,
        };
        let made = countersign_core::step::create(new, countersign_core::ids::At(1));
        assert_eq!(made.head.conversation.mode, mode);
    }
}

#[tokio::test]
async fn mo_8_the_mode_is_stored() {
    let mut house = House::new(Mode::Default).await;
    let mut input = house::text_input("Go.");
    input.mode = Some(Mode::Auto);
    house.start(input).await.unwrap();
    house.settled().await;
    assert_eq!(house.again().await.head().await.conversation.mode, Mode::Auto);
}

/// Also surface 48.
#[tokio::test]
async fn mo_9_a_changed_profile_moves_no_conversation() {
    let mut house = House::new(Mode::Default).await;
    let mut profile = house::profile();
    profile.start_mode = Mode::Auto;
    profile.revision = 2;
    let record = countersign_store::record::Record::Agent(Box::new(profile));
    house.engine.store().record(record).await.unwrap();
    house.ask(&[house::call("write", "{}")]).await;
    assert_eq!(house.open_requests().await.len(), 1);
}

#[test]
fn mo_10_the_next_run_starts_in_the_mode_of_the_last_ones_end() {
    let mut play = in_mode(Mode::Plan);
    play.reply(&[crate::play::plan("# Plan")]);
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    play.reply(&[]);
    with_mode(&mut play, None);
    assert_eq!(play.head.run.as_ref().unwrap().mode_start, Mode::Default, "not Plan, in which it had started");
}

#[test]
fn mo_11_a_mode_in_the_input_takes_over_and_stays() {
    let mut play = in_mode(Mode::Default);
    play.reply(&[]);
    with_mode(&mut play, Some(Mode::Auto));
    play.reply(&[]);
    with_mode(&mut play, None);
    play.reply(&[call("write", "{}")]);
    assert_eq!(play.runs_calls(), 1);
}

#[test]
fn mo_13_the_way_back_is_a_mode_in_an_input() {
    let mut play = in_mode(Mode::Auto);
    play.reply(&[]);
    with_mode(&mut play, Some(Mode::Default));
    play.reply(&[call("write", "{}")]);
    assert_eq!(play.head.requests.len(), 1);
}

#[test]
fn mo_15_the_first_run_can_start_in_plan() {
    let mut play = Play::new(Mode::Default);
    with_mode(&mut play, Some(Mode::Plan));
    play.reply(&[call("write", "{}")]);
    assert!(play.executed().is_empty() && play.head.requests.is_empty());
}

#[test]
fn au_1_auto_stores_no_request() {
    let mut play = in_mode(Mode::Auto);
    play.reply(&[call("write", "{}"), call("shell", "{}")]);
    play.finish_first();
    play.finish_first();
    assert_eq!((names(&play.executed()), play.closed.len()), (vec!["write", "shell"], 0));
}

#[tokio::test]
async fn au_2_rules_are_asked_before_auto_runs_anything() {
    let mut house = House::new(Mode::Auto).await;
    let watching = guard("watching", |_| Verdict::Abstain);
    house.guards(std::slice::from_ref(&watching));
    house.ask(&[house::call("write", "{}")]).await;
    assert_eq!((watching.saw.lock().unwrap().len(), house.ran().len()), (1, 1));
}

/// Also accept 16.
#[tokio::test]
async fn au_3_a_rejecting_rule_wins_in_auto() {
    let mut house = House::new(Mode::Auto).await;
    house.guards(&[guard("no", |_| Verdict::Reject { reason: "never this".to_owned() })]);
    house.ask(&[house::call("write", "{}")]).await;
    assert_eq!((house.ran().len(), house.last_end().await), (0, Some(RunEnd::Completed)));
    assert!(format!("{:?}", house.script.last().messages).contains("never this"));
}

#[test]
fn au_5_what_auto_lets_through_uses_up_rounds() {
    let mut play = in_mode(Mode::Auto);
    play.reply(&[call("write", "{}")]);
    play.finish_first();
    assert_eq!(play.head.run.as_ref().unwrap().rounds, 1);
}

#[test]
fn it_1_a_round_is_one_batch() {
    let mut play = in_mode(Mode::Auto);
    play.reply(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}"), call("read", "{}")]);
    while !play.started().is_empty() {
        play.finish_first();
    }
    assert_eq!(play.head.run.as_ref().unwrap().rounds, 1);
}

/// Also field 148.
#[test]
fn it_3_the_answering_run_counts_from_zero() {
    let mut play = Play::new(Mode::Default);
    play.limit = 2;
    play.say("Go.").unwrap();
    play.reply(&[call("read", "{}")]);
    play.finish_first();
    play.reply(&[call("write", "{}")]);
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    play.finish_first();
    assert_eq!(play.head.run.as_ref().unwrap().rounds, 0);
}

#[test]
fn it_4_a_used_up_limit_blocks_no_approved_call() {
    let mut play = Play::new(Mode::Default);
    play.limit = 1;
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{}")]);
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    play.finish_first();
    assert!(matches!(play.acts[..], [Act::CallModel { tools: OfferedTools::OfMode, .. }]), "and one round is left");
    play.reply(&[call("read", "{}")]);
    play.finish_first();
    assert!(matches!(play.acts[..], [Act::CallModel { tools: OfferedTools::None, .. }]));
    assert_eq!(play.executed().len(), 2);
}

#[test]
fn it_6_never_more_than_one_round_beyond_the_limit() {
    for limit in 1..4 {
        let mut play = Play::new(Mode::Auto);
        play.limit = limit;
        play.say("Go.").unwrap();
        for _ in 0..20 {
            if play.head.run.is_none() {
                break;
            }
            play.reply(&[call("write", "{}")]);
            while !play.started().is_empty() {
                play.finish_first();
            }
        }
        assert_eq!(play.run_ends(), [RunEnd::Limit]);
        assert!(play.executed().len() <= usize::try_from(limit).unwrap() + 1);
    }
}

#[test]
fn d_23_a_mode_with_text_releases_nothing_that_waits() {
    let mut play = in_mode(Mode::Default);
    play.reply(&[call("write", "{}")]);
    with_mode(&mut play, Some(Mode::Auto));
    assert!(play.executed().is_empty());
}

#[test]
fn d_24_the_mode_of_the_start_survives_a_failed_run() {
    let mut play = in_mode(Mode::Plan);
    play.reply(&[crate::play::plan("# Plan")]);
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    play.fail_model();
    assert_eq!(play.head.conversation.mode, Mode::Default, "an approved plan needn't be approved again");
}

#[test]
fn d_25_no_mode_changes_no_mode() {
    let mut play = in_mode(Mode::Auto);
    play.reply(&[]);
    with_mode(&mut play, None);
    assert_eq!(play.head.conversation.mode, Mode::Auto);
}

#[tokio::test]
async fn d_82_a_stricter_mode_acts_at_once() {
    let mut house = House::new(Mode::Auto).await;
    house.script.will([calls(&[house::call("slow", "{}"), house::call("write", "{}")])]);
    house.start(house::text_input("Go.")).await.unwrap();
    house.tools.began.notified().await;
    house.input(Input::Tighten { mode: Mode::Default }).await.unwrap();
    assert!(house.input(Input::Tighten { mode: Mode::Auto }).await.is_err(), "a looser one is a draft");
    house.tools.end.notify_one();
    house.settled().await;
    assert_eq!((house.ran(), house.open_requests().await.len()), (vec!["slow".to_owned()], 1));
}

#[test]
fn d_42_a_batch_of_faults_counts_too() {
    let mut play = Play::new(Mode::Default);
    play.limit = 3;
    play.say("Go.").unwrap();
    for _ in 0..3 {
        play.reply(&[call("nobody", "{}")]);
    }
    assert!(matches!(play.acts[..], [Act::CallModel { tools: OfferedTools::None, .. }]), "erring has an end");
}
