//! Ten lives with everything in them that goes wrong elsewhere, each killed after every commit. Whatever the moment: nothing runs by
//! itself, no effect happens twice, and whoever finds the conversation can bring it to its end.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use countersign_core::agent::ToolSet;
use countersign_core::answer::{Answer, AnswerBody, AnyCommand, Reach};
use countersign_core::call::{CallState, Settled};
use countersign_core::ids::ConversationId;
use countersign_core::input::{Input, Loss, RunInput, Verdict};
use countersign_core::mode::{Mode, Until};
use countersign_core::policy::{AskFirst, Switches};
use countersign_core::request::RequestKind;
use countersign_core::run::RunEnd;
use countersign_core::step::call_digest;
use countersign_engine::engine::AfterCommit;

use crate::house::{
    DIVER, HELPER, House, SCOUT, Turn, call, calling, calls, conversation, effects, guard, plan, starting, text_input,
    words,
};

const FOLDER: &str = "COUNTERSIGN_SCENARIO_FOLDER";
const LAST: &str = "COUNTERSIGN_SCENARIO_LAST_COMMIT";
const NAME: &str = "COUNTERSIGN_SCENARIO";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scenario {
    /// A call that a rule rejects, a bystander, and two that ask, of which one is answered.
    MixedBatch,
    /// A sub-agent two levels down asks, is answered, and asks again.
    TwoLevelsDown,
    /// The person says something between the end of the stream and the question.
    WordsBeforeTheAsk,
    /// A background agent asks while the run executes a batch.
    AsksBesideABatch,
    /// A plan into Auto until its run ends, whose run asks for input.
    PlanThatAsksForInput,
    /// The mode becomes stricter in the middle of five writes.
    TightenedInTheMiddle,
    /// Two answers that would pass each other by are queued.
    TwoQueuedAnswers,
    /// Ten calls that may run beside each other.
    TenSideBySide,
    /// An approval for exactly this call, inside a sub-agent.
    ExactBelow,
    /// A Quick task whose tool becomes one that asks.
    QuickTask,
}

const ALL: [Scenario; 10] = [
    Scenario::MixedBatch,
    Scenario::TwoLevelsDown,
    Scenario::WordsBeforeTheAsk,
    Scenario::AsksBesideABatch,
    Scenario::PlanThatAsksForInput,
    Scenario::TightenedInTheMiddle,
    Scenario::TwoQueuedAnswers,
    Scenario::TenSideBySide,
    Scenario::ExactBelow,
    Scenario::QuickTask,
];

/// The conversation that a life is about.
fn about(scenario: Scenario) -> ConversationId {
    conversation(if scenario == Scenario::QuickTask { 99 } else { 1 })
}

fn write(n: u32) -> countersign_core::input::ProposedCall {
    call("write", &format!("{{\"n\":{n}}}"))
}

fn lines(numbers: &[u32]) -> Vec<String> {
    numbers.iter().map(|n| format!("{{\"n\":{n}}}")).collect()
}

fn exactly() -> AnswerBody {
    AnswerBody::ApproveForConversation { reach: Reach::Exact, any_command: AnyCommand::NotAsked }
}

/// Plays the whole life. What it must have led to is asserted on the way.
async fn live(scenario: Scenario, folder: &Path, after_commit: Option<AfterCommit>) {
    let mut house = House::at(folder, after_commit).await;
    house.hire().await;
    let starts_in = match scenario {
        Scenario::PlanThatAsksForInput => Mode::Plan,
        Scenario::TightenedInTheMiddle => Mode::Auto,
        _ => Mode::Default,
    };
    house.create(1, starts_in).await;
    let happened = match scenario {
        Scenario::MixedBatch => mixed_batch(&mut house).await,
        Scenario::TwoLevelsDown => two_levels_down(&mut house).await,
        Scenario::WordsBeforeTheAsk => words_before_the_ask(&mut house).await,
        Scenario::AsksBesideABatch => asks_beside_a_batch(&mut house).await,
        Scenario::PlanThatAsksForInput => plan_that_asks_for_input(&mut house).await,
        Scenario::TightenedInTheMiddle => tightened_in_the_middle(&mut house).await,
        Scenario::TwoQueuedAnswers => two_queued_answers(&mut house).await,
        Scenario::TenSideBySide => ten_side_by_side(&mut house).await,
        Scenario::ExactBelow => exact_below(&mut house).await,
        Scenario::QuickTask => quick_task(&mut house).await,
    };
    let ends = match scenario {
        Scenario::QuickTask => RunEnd::WouldAsk { tool: "read".to_owned(), rounds: 1 },
        _ => RunEnd::Completed,
    };
    assert_eq!(effects(folder), lines(&happened), "{scenario:?}");
    assert_eq!(house.last_end().await, Some(ends), "{scenario:?}");
    // What was stored last is carried out before the process may end.
    house.engine.close().await;
}

async fn mixed_batch(house: &mut House) -> Vec<u32> {
    house.guards(&[guard("no shell", |one| match one.tool.identity.name.as_str() {
        "shell" => Verdict::Reject { reason: "no shell".to_owned() },
        _ => Verdict::Abstain,
    })]);
    house.ask(&[call("shell", "{}"), call("read", "{}"), write(1), write(2)]).await;
    let head = house.answer(&[(0, AnswerBody::Approve)]).await;
    assert!(head.calls.is_empty());
    let messages = house.engine.store().messages(house.conversation, i64::MAX, 10).await.unwrap();
    let ends: Vec<Settled> = messages
        .into_iter()
        .flat_map(|message| message.calls)
        .filter_map(|fact| match fact.call.state {
            CallState::Settled(settled) => Some(settled),
            _ => None,
        })
        .collect();
    assert!(
        matches!(
            &ends[..],
            [Settled::RejectedByRule { .. }, Settled::Succeeded, Settled::Succeeded, Settled::Dropped { .. }]
        ),
        "{ends:?}"
    );
    vec![1]
}

async fn two_levels_down(house: &mut House) -> Vec<u32> {
    house.script.will([calls(&[starting("helper")])]);
    house.wardrobe.script_of(HELPER).will([calls(&[starting("diver")])]);
    house.wardrobe.script_of(DIVER).will([calls(&[write(1)]), calls(&[write(2)])]);
    house.say("Go.").await;
    house.answer(&[(0, AnswerBody::Approve)]).await;
    assert_eq!((house.open_requests().await.len(), house.last_end().await), (1, Some(RunEnd::Asked)));
    house.answer(&[(0, AnswerBody::Approve)]).await;
    vec![1, 2]
}

async fn words_before_the_ask(house: &mut House) -> Vec<u32> {
    house.script.will([Turn::Waits(calling(&[write(1)]))]);
    house.start(text_input("Go.")).await.unwrap();
    house.script.asked.notified().await;
    house.input(Input::Steer { text: "Not that.".to_owned() }).await.unwrap();
    house.script.go.notify_one();
    house.settled().await;
    assert_eq!(house.open_requests().await.len(), 0, "no question is raised that the words would close");
    vec![]
}

async fn asks_beside_a_batch(house: &mut House) -> Vec<u32> {
    house.script.will([calls(&[starting("scout")]), calls(&[call("slow_read", "{}")])]);
    house.wardrobe.script_of(SCOUT).will([Turn::Waits(calling(&[write(1)]))]);
    house.start(text_input("Go.")).await.unwrap();
    house.tools.began.notified().await;
    house.wardrobe.script_of(SCOUT).go.notify_one();
    while house.open_requests().await.is_empty() {
        house.hear().await;
    }
    assert!(house.head().await.run.is_some(), "it asks while the batch is executing");
    house.tools.end.notify_one();
    house.settled().await;
    assert_eq!(house.last_end().await, Some(RunEnd::Asked));
    house.answer(&[(0, AnswerBody::Approve)]).await;
    vec![1]
}

async fn plan_that_asks_for_input(house: &mut House) -> Vec<u32> {
    let question = r#"{"fields":{"type":"object","properties":{"name":{"type":"string"}}}}"#;
    house.script.will([calls(&[plan("# Write")]), calls(&[write(1), call("ask_user", question)]), calls(&[write(2)])]);
    house.say("Go.").await;
    let head =
        house.answer(&[(0, AnswerBody::ApprovePlan { into: Mode::Auto, until: Until::RunEnds, ends_at: None })]).await;
    assert_eq!((head.conversation.mode, head.requests.len()), (Mode::Auto, 1), "asking doesn't end the chain");
    let head = house.answer(&[(0, AnswerBody::Data { value: r#"{"name":"it"}"#.to_owned() })]).await;
    assert_eq!(head.conversation.mode, Mode::Default, "and its end does");
    vec![1, 2]
}

async fn tightened_in_the_middle(house: &mut House) -> Vec<u32> {
    house.script.will([calls(&[write(1), write(2), call("slow", "{}"), write(3), write(4), write(5)])]);
    house.start(text_input("Go.")).await.unwrap();
    house.tools.began.notified().await;
    house.input(Input::Tighten { mode: Mode::Default }).await.unwrap();
    house.tools.end.notify_one();
    let head = house.settled().await;
    assert_eq!(head.requests.len(), 3, "what only Auto had approved asks, at once");
    house.answer(&[(0, AnswerBody::Approve), (1, AnswerBody::Approve), (2, AnswerBody::Approve)]).await;
    vec![1, 2, 3, 4, 5]
}

async fn two_queued_answers(house: &mut House) -> Vec<u32> {
    house.script.will([calls(&[starting("scout")]), calls(&[write(1), write(2)])]);
    house.wardrobe.script_of(SCOUT).will([Turn::Waits(words("Quiet."))]);
    house.start(text_input("Go.")).await.unwrap();
    while house.open_requests().await.len() < 2 {
        house.hear().await;
    }
    let open = house.open_requests().await;
    for (mine, other) in [(0, 1), (1, 0)] {
        let passes_by = Some(BTreeSet::from([Loss::Request(open[other])]));
        let input = RunInput { passes_by, ..house.answers(&[(mine, AnswerBody::Approve)]).await };
        house.start(input).await.unwrap();
    }
    assert_eq!(house.open_requests().await.len(), 2, "queued answers close nothing");
    house.wardrobe.script_of(SCOUT).go.notify_one();
    while house.open_requests().await.len() == 2 {
        house.hear().await;
    }
    house.settled().await;
    vec![1, 2]
}

async fn ten_side_by_side(house: &mut House) -> Vec<u32> {
    let reads: Vec<_> = (0..10).map(|n| call("read", &format!("{{\"n\":{n}}}"))).collect();
    house.script.will([calls(&reads)]);
    house.say("Go.").await;
    assert_eq!(house.ran().len(), 10);
    vec![]
}

async fn exact_below(house: &mut House) -> Vec<u32> {
    house.script.will([calls(&[starting("helper")])]);
    house.wardrobe.script_of(HELPER).will([calls(&[write(1)]), calls(&[write(1)]), calls(&[write(2)])]);
    house.say("Go.").await;
    house.answer(&[(0, exactly())]).await;
    let head = house.head().await;
    let asks: Vec<&str> = head
        .calls
        .values()
        .filter(|call| matches!(call.state, CallState::Waiting(_)))
        .map(|call| call.arguments.as_str())
        .collect();
    assert_eq!(asks, ["{\"n\":2}"], "the same call ran without asking, another asks");
    house.answer(&[(0, AnswerBody::Approve)]).await;
    vec![1, 1, 2]
}

async fn quick_task(house: &mut House) -> Vec<u32> {
    house
        .script
        .will([calls(&[call("read", "{}")]), Turn::Waits(calling(&[call("read", "{\"n\":2}"), call("peek", "{}")]))]);
    house.start_quick(Mode::Default, ToolSet::All).await.unwrap();
    while house.script.calls() < 2 {
        house.hear().await;
    }
    let ask_first = AskFirst::These { tools: [String::from("read")].into() };
    house.engine.switch(Switches { ask_first, ..Switches::default() }).await.unwrap();
    house.script.go.notify_one();
    house.settled().await;
    assert_eq!((house.ran(), house.open_requests().await.len()), (vec!["read".to_owned()], 0));
    vec![]
}

/// The life that is cut short, in a process of its own; without the variables all of them are whole.
#[tokio::test]
async fn a_life() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        for scenario in ALL {
            let folder = tempfile::tempdir().unwrap();
            live(scenario, folder.path(), None).await;
        }
        return;
    };
    let last: usize = std::env::var(LAST).unwrap().parse().unwrap();
    let name = std::env::var(NAME).unwrap();
    let scenario = ALL.into_iter().find(|one| format!("{one:?}") == name).unwrap();
    let commits = AtomicUsize::new(0);
    let dies: AfterCommit = Arc::new(move |_| {
        if commits.fetch_add(1, Ordering::SeqCst) + 1 == last {
            std::process::abort();
        }
    });
    live(scenario, Path::new(&folder), Some(dies)).await;
}

/// Plays a life up to its nth commit; whether it was cut short.
fn cut(scenario: Scenario, folder: &Path, last: usize) -> bool {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["scenarios::a_life", "--exact", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .env(NAME, format!("{scenario:?}"))
        .env(LAST, last.to_string())
        .output()
        .unwrap();
    let aborted = child.status.code().is_none();
    assert!(aborted || child.status.success(), "{scenario:?}: {}", String::from_utf8_lossy(&child.stderr));
    aborted
}

/// Says yes to whatever waits until nothing waits any more.
async fn go_on(house: &mut House, what: &str) {
    for _ in 0..12 {
        let head = house.head().await;
        let answers = head.requests_in_order().into_iter().map(|request| Answer {
            request: request.id,
            digest: request.digest,
            body: match request.kind {
                RequestKind::Input => AnswerBody::Data { value: r#"{"name":"it"}"#.to_owned() },
                RequestKind::Call | RequestKind::Plan => AnswerBody::Approve,
            },
        });
        let resume = head
            .calls_in_order()
            .into_iter()
            .filter(|call| matches!(call.state, CallState::Approved(_)) && !head.is_behind_suspended(call))
            .map(|call| (call.id, call_digest(call, RequestKind::Call).unwrap()));
        let input = RunInput { answers: answers.collect(), resume: resume.collect(), ..RunInput::default() };
        let nothing_new = !head.conversation.awaits_reply && head.steering.is_empty();
        if input.answers.is_empty() && input.resume.is_empty() && nothing_new {
            assert!(head.calls.is_empty() && head.children.is_empty() && head.queued.is_none(), "{what}: {head:?}");
            return;
        }
        house.start(input).await.unwrap_or_else(|error| panic!("{what}: no way on: {error}"));
        house.settled().await;
    }
    panic!("{what}: there is no end to it: {:?}", house.head().await);
}

async fn killed_at(scenario: Scenario, last: usize) -> bool {
    let what = format!("{scenario:?}, killed after commit {last}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    let aborted = tokio::task::spawn_blocking(move || cut(scenario, &path, last)).await.unwrap();
    if !aborted {
        return false;
    }
    let mut house = House::at(folder.path(), None).await;
    house.conversation = about(scenario);
    let Some(head) = house.engine.store().head(house.conversation).await.unwrap() else {
        assert_eq!((scenario, last), (Scenario::QuickTask, 1), "{what}: it isn't there yet");
        return true;
    };
    assert_eq!(head.run, None, "{what}: nothing runs by itself");
    assert!(head.queued.is_none(), "{what}: queued answers are drafts again");
    if head.conversation.mode == Mode::Auto && scenario == Scenario::PlanThatAsksForInput {
        assert_eq!(house.last_end().await, Some(RunEnd::Asked), "{what}: Auto was for one run");
    }
    let already = effects(folder.path());
    house.engine.close().await;
    house.engine.store().clone().close().await;
    let mut house = House::at(folder.path(), None).await;
    house.conversation = about(scenario);
    assert_eq!(effects(folder.path()), already, "{what}: opening it once more does nothing");
    // Slow tools end by themselves now.
    let tools = Arc::clone(&house.tools);
    let hurry = tokio::spawn(async move {
        loop {
            tools.end.notify_one();
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    });
    if scenario == Scenario::QuickTask {
        // It never waits for anybody, whole or cut short.
        assert!(head.calls.is_empty() && head.requests.is_empty(), "{what}: {head:?}");
    } else {
        go_on(&mut house, &what).await;
    }
    hurry.abort();
    let mut happened = effects(folder.path());
    let total = happened.len();
    happened.sort();
    happened.dedup();
    // Inside `ExactBelow` the same call is made twice, which is two calls.
    let twice = usize::from(scenario == Scenario::ExactBelow && total > happened.len());
    assert_eq!(total - twice, happened.len(), "{what}: an effect happened twice");
    house.engine.store().check_journal().await.unwrap();
    true
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_after_every_commit_of_every_life() {
    let mut lives = tokio::task::JoinSet::new();
    for scenario in ALL {
        lives.spawn(async move {
            let mut last = 1;
            while killed_at(scenario, last).await {
                last += 1;
            }
            assert!(last > 4, "{scenario:?} has too few commits: {last}");
        });
    }
    while let Some(lived) = lives.join_next().await {
        lived.unwrap();
    }
}
