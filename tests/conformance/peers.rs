//! E: what a neighbouring project's approval suite expects, with our outcome.

use countersign_core::answer::AnswerBody;
use countersign_core::call::{Dropped, Settled};
use countersign_core::change::{Act, OfferedTools};
use countersign_core::mode::Mode;
use countersign_core::run::RunEnd;
use countersign_core::transcript::ViewItem;

use crate::house::{self, House, calls};
use crate::play::{Play, call, names, reject};

fn asked(calls: &[countersign_core::input::ProposedCall]) -> Play {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(calls);
    play
}

fn run_out(play: &mut Play) {
    while !play.started().is_empty() {
        play.finish_first();
    }
}

/// The results of the first turn that had calls.
fn results(play: &Play) -> Vec<String> {
    let found = play.view().into_iter().find_map(|item| match item {
        ViewItem::Results(results) => Some(results.into_iter().map(|result| result.text).collect()),
        ViewItem::User { .. } | ViewItem::Assistant { .. } => None,
    });
    found.expect("there are results")
}

fn kinds(play: &Play) -> Vec<&'static str> {
    let view = play.view();
    let kinds = view.iter().map(|item| match item {
        ViewItem::User { .. } => "user",
        ViewItem::Assistant { .. } => "assistant",
        ViewItem::Results(_) => "results",
    });
    kinds.collect()
}

#[test]
fn e_01_two_bound_calls_are_two_requests() {
    let play = asked(&[call("write", "{\"n\":1}"), call("shell", "{\"n\":2}")]);
    assert_eq!(play.standing_of(), [("write", "waiting"), ("shell", "waiting")]);
    assert!(play.executed().is_empty());
}

#[test]
fn e_02_a_plain_sibling_is_held_and_needs_no_answer() {
    let mut play = asked(&[call("write", "{}"), call("read", "{}")]);
    assert_eq!(play.head.requests.len(), 1);
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    run_out(&mut play);
    assert_eq!(names(&play.executed()), ["write", "read"]);
}

#[test]
fn e_05_an_unknown_tool_is_held_and_doesnt_ask() {
    let mut play = asked(&[call("nobody", "{}"), call("write", "{}")]);
    assert_eq!(play.standing_of(), [("nobody", "held"), ("write", "waiting")]);
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    run_out(&mut play);
    assert!(results(&play)[0].contains("no tool called"));
}

#[test]
fn e_06_the_model_gets_the_turn_and_one_result_a_call() {
    let mut play = asked(&[call("write", "{}"), call("shell", "{}")]);
    play.answer(&[(0, AnswerBody::Approve), (1, AnswerBody::Approve)]).unwrap();
    run_out(&mut play);
    assert_eq!((kinds(&play), results(&play).len()), (vec!["user", "assistant", "results"], 2));
}

#[test]
fn e_07_both_calls_stay_in_one_turn() {
    let mut play = asked(&[call("write", "{}"), call("shell", "{}")]);
    play.answer(&[(0, AnswerBody::Approve), (1, reject("no"))]).unwrap();
    run_out(&mut play);
    let ViewItem::Assistant { calls, .. } = &play.view()[1] else { panic!("a turn was expected") };
    assert_eq!(calls.len(), 2);
}

#[test]
fn e_09_both_rejected_and_the_model_is_called() {
    let mut play = asked(&[call("write", "{}"), call("shell", "{}")]);
    play.answer(&[(0, AnswerBody::Reject { reason: None }), (1, AnswerBody::Reject { reason: None })]).unwrap();
    assert!(play.executed().is_empty() && play.calls_model());
}

#[test]
fn e_10_first_rejected_second_approved() {
    let mut play = asked(&[call("write", "{}"), call("shell", "{}")]);
    play.answer(&[(0, reject("no")), (1, AnswerBody::Approve)]).unwrap();
    run_out(&mut play);
    let results = results(&play);
    assert!(results[0].contains("rejected") && results[1].starts_with("result of"), "{results:?}");
}

#[test]
fn e_11_each_rejection_has_its_own_reason() {
    let mut play = asked(&[call("write", "{}"), call("shell", "{}")]);
    play.answer(&[(0, reject("one")), (1, reject("two"))]).unwrap();
    let results = results(&play);
    assert!(results[0].ends_with("one") && results[1].ends_with("two"), "{results:?}");
}

#[test]
fn e_12_a_reason_only_where_one_was_given() {
    let mut play = asked(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}"), call("write", "{\"n\":3}")]);
    play.answer(&[(0, reject("one")), (1, AnswerBody::Reject { reason: None }), (2, AnswerBody::Approve)]).unwrap();
    run_out(&mut play);
    let results = results(&play);
    assert!(results[0].contains("Reason: one") && !results[1].contains("Reason"), "{results:?}");
    assert_eq!(play.executed().len(), 1);
}

#[test]
fn e_13_a_blank_reason_is_none() {
    let told = |reason: Option<&str>| {
        let mut play = asked(&[call("write", "{}")]);
        play.answer(&[(0, AnswerBody::Reject { reason: reason.map(str::to_owned) })]).unwrap();
        results(&play)
    };
    for blank in ["", " ", "\n\t"] {
        assert_eq!(told(Some(blank)), told(None));
    }
}

#[test]
fn e_14_a_reused_call_id_is_a_new_request() {
    let mut play = asked(&[call("write", "{\"n\":1}")]);
    let first = play.head.requests_in_order()[0].id;
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    play.finish_first();
    play.reply(&[call("write", "{\"n\":2}")]);
    let second = play.head.requests_in_order()[0].id;
    assert_ne!(first, second);
    assert_eq!(play.executed().len(), 1);
}

#[test]
fn e_15_only_the_fresh_call_runs() {
    let mut play = asked(&[call("write", "{\"n\":1}")]);
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    play.finish_first();
    play.reply(&[call("write", "{\"n\":2}")]);
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    let ran: Vec<String> = play.executed().into_iter().map(|call| call.arguments).collect();
    assert_eq!(ran, ["{\"n\":1}", "{\"n\":2}"]);
}

#[test]
fn e_18_a_plain_call_runs_at_once() {
    let play = asked(&[call("read", "{}")]);
    assert_eq!((play.runs_calls(), play.head.requests.len()), (1, 0));
}

#[test]
fn e_19_an_unanswered_request_is_passed_by_and_the_run_goes_on() {
    let mut play = asked(&[call("write", "{}")]);
    play.say("Else.").unwrap();
    assert!(play.calls_model());
    assert_eq!(play.ends()[0].1, Settled::Dropped { why: Dropped::PassedBy });
}

#[test]
fn e_20_an_answer_to_nothing_runs_nothing() {
    let mut play = asked(&[call("write", "{}")]);
    let mut input = play.input();
    input.answers = play.answers(&[(0, AnswerBody::Approve)]);
    input.answers[0].request = countersign_core::ids::RequestId([1; 16]);
    assert!(play.start(input).is_err());
    assert!(play.executed().is_empty());
}

#[test]
fn e_24_call_result_text() {
    let mut play = asked(&[call("write", "{}")]);
    let mut input = play.input();
    input.answers = play.answers(&[(0, AnswerBody::Approve)]);
    input.text = Some("And this.".to_owned());
    play.start(input).unwrap();
    run_out(&mut play);
    assert_eq!(kinds(&play), ["user", "assistant", "results", "user"]);
}

#[test]
fn e_34_tokens_are_kept_for_every_turn() {
    let mut play = asked(&[call("write", "{}")]);
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    play.finish_first();
    play.reply(&[]);
    let tokens: u64 = play
        .log
        .iter()
        .filter_map(|change| match change {
            countersign_core::change::Change::MessageAdded(message) => match &message.body {
                countersign_core::change::MessageBody::Assistant { usage, .. } => usage.map(|usage| usage.input),
                countersign_core::change::MessageBody::User { .. }
                | countersign_core::change::MessageBody::Agent { .. } => None,
            },
            _ => None,
        })
        .sum();
    assert_eq!(tokens, 20);
}

#[test]
fn e_35_being_bound_is_asked_every_round() {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("remote", "{}")]);
    play.finish_first();
    let bound = crate::play::tool("read", countersign_core::tool::Effect::Write, &[]);
    play.tools[0] = bound;
    play.reply(&[call("read", "{}")]);
    assert_eq!((play.executed().len(), play.head.requests.len()), (1, 1));
}

#[tokio::test]
async fn e_37_the_last_call_of_a_limit_is_offered_no_tools() {
    let mut house = House::new(Mode::Auto).await;
    house.script.will((0..20).map(|n| calls(&[house::call("write", &format!("{{\"n\":{n}}}"))])));
    house.say("Go.").await;
    assert_eq!((house.ran().len(), house.script.calls()), (8, 9), "N rounds, N + 1 model calls");
    assert_eq!(house.script.last().tools, []);
    assert_eq!(house.last_end().await, Some(RunEnd::Limit));
}

#[test]
fn e_38_a_call_in_the_last_word_doesnt_run() {
    let mut play = Play::new(Mode::Auto);
    play.limit = 1;
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{}")]);
    play.finish_first();
    assert!(matches!(play.acts[..], [Act::CallModel { tools: OfferedTools::None, .. }]));
    play.reply(&[call("write", "{}")]);
    assert_eq!((play.executed().len(), play.run_ends()), (1, vec![RunEnd::Limit]));
}

#[test]
fn e_39_approved_calls_run_before_the_limit_counts() {
    let mut play = Play::new(Mode::Default);
    play.limit = 1;
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{}")]);
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    play.finish_first();
    play.reply(&[call("read", "{}")]);
    assert_eq!(play.runs_calls(), 1);
}

#[test]
fn e_41_an_unknown_tool_among_others() {
    let mut play = asked(&[call("nobody", "{}"), call("read", "{}")]);
    run_out(&mut play);
    assert_eq!(names(&play.executed()), ["read"]);
    assert!(results(&play)[0].contains("nobody"));
}

#[tokio::test]
async fn e_44_a_broken_tool_says_nothing_of_its_inside() {
    let mut house = House::new(Mode::Auto).await;
    house.ask(&[house::call("breaks", "{}")]).await;
    assert!(!format!("{:?}", house.script.last().messages).contains("the tool breaks"));
}

#[test]
fn e_48_a_blank_id_is_refused() {
    assert!("".parse::<countersign_core::ids::RequestId>().is_err());
    assert!("   ".parse::<countersign_core::digest::Digest>().is_err());
}
