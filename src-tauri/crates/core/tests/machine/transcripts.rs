//! What the model is sent, and the checker of every outgoing history.

use std::sync::Arc;

use countersign_core::answer::AnswerBody;
use countersign_core::input::Input;
use countersign_core::mode::Mode;
use countersign_core::transcript::{BadHistory, ViewCall, ViewItem, ViewResult, check};

use crate::play::{Play, call, reject};

type History = Vec<Arc<ViewItem>>;

fn user(text: &str) -> Arc<ViewItem> {
    Arc::new(ViewItem::User { text: text.to_owned() })
}

fn assistant(text: &str, calls: &[&str]) -> Arc<ViewItem> {
    let calls = calls.iter().zip(0..).map(|(id, position)| ViewCall {
        provider_id: (*id).to_owned(),
        position,
        name: "t".to_owned(),
        arguments: "{}".to_owned(),
    });
    Arc::new(ViewItem::Assistant { text: text.to_owned(), raw: None, calls: calls.collect(), dropped: 0 })
}

fn results(ids: &[&str]) -> Arc<ViewItem> {
    let results = ids.iter().map(|id| ViewResult { provider_id: (*id).to_owned(), text: "r".to_owned() });
    Arc::new(ViewItem::Results(results.collect()))
}

/// b.6.6, B-06, L-034.
#[test]
fn the_checker_knows_a_bad_history() {
    let no_result = |id: &str| Err(BadHistory::CallWithoutResult(id.to_owned()));
    let cases: Vec<(&str, History, Result<(), BadHistory>)> = vec![
        ("nothing", vec![], Ok(())),
        ("words", vec![user("a"), assistant("b", &[]), user("c")], Ok(())),
        ("two calls with their results", vec![user("a"), assistant("", &["1", "2"]), results(&["1", "2"])], Ok(())),
        ("the provider repeats an id in one turn", vec![assistant("", &["1", "1"]), results(&["1", "1"])], Ok(())),
        ("a call at the end without a result", vec![user("a"), assistant("b", &["1"])], no_result("1")),
        (
            "words between a call and its result",
            vec![assistant("", &["1"]), user("a"), results(&["1"])],
            no_result("1"),
        ),
        (
            "a turn between a call and its result",
            vec![assistant("", &["1"]), assistant("b", &[]), results(&["1"])],
            no_result("1"),
        ),
        ("a result too few", vec![assistant("", &["1", "2"]), results(&["1"])], Err(BadHistory::ResultsDontMatch)),
        ("a result too many", vec![assistant("", &["1"]), results(&["1", "1"])], Err(BadHistory::ResultsDontMatch)),
        (
            "results in another order",
            vec![assistant("", &["1", "2"]), results(&["2", "1"])],
            Err(BadHistory::ResultsDontMatch),
        ),
        ("a result without a call", vec![user("a"), results(&["1"])], Err(BadHistory::ResultsDontMatch)),
        ("an empty turn", vec![user("a"), assistant(" ", &[])], Err(BadHistory::EmptyTurn)),
    ];
    for (name, items, expected) in cases {
        assert_eq!(check(&items, 0), expected, "{name}");
    }
}

/// CL-5, D-57: a turn whose record holds other calls than the view says can't be sent.
#[test]
fn the_checker_knows_calls_out_of_place() {
    let turn = |places: &[u32], dropped| {
        let calls = places.iter().map(|position| ViewCall {
            provider_id: "1".to_owned(),
            position: *position,
            name: "t".to_owned(),
            arguments: "{}".to_owned(),
        });
        let turn = ViewItem::Assistant { text: String::new(), raw: None, calls: calls.collect(), dropped };
        check(&[Arc::new(turn), results(&vec!["1"; places.len()])], 0)
    };
    for (places, dropped) in [(&[0, 1][..], 0), (&[1], 1), (&[0, 2], 1)] {
        assert_eq!(turn(places, dropped), Ok(()), "{places:?}, {dropped} dropped");
    }
    for (places, dropped) in [(&[1, 0][..], 0), (&[0, 0], 0), (&[1], 0), (&[0, 2], 0)] {
        assert_eq!(turn(places, dropped), Err(BadHistory::CallsOutOfPlace), "{places:?}, {dropped} dropped");
    }
}

/// D-103: what was checked when it was sent last isn't checked again, and what came behind it is.
#[test]
fn checking_begins_where_it_ended() {
    let good = vec![user("a"), assistant("", &["1"]), results(&["1"]), assistant("", &["2"]), results(&["2"])];
    for from in 0..=good.len() + 1 {
        assert_eq!(check(&good, from), Ok(()), "from {from}");
    }
    let mut bad = good.clone();
    bad.push(assistant("", &["3"]));
    for from in 0..=good.len() {
        assert!(check(&bad, from).is_err(), "from {from}");
    }
}

/// AN-4, CL-5, D-57, E-06, M-21, RT-4.
#[test]
fn the_view_tells_what_happened() {
    let mut play = Play::new(Mode::Default);
    play.say("One.").unwrap();
    play.reply(&[call("write", "{\"n\": 1}"), call("read", "{}")]);
    play.answer(&[(0, reject("not that"))]).unwrap();
    play.finish_first();
    play.reply(&[call("write", "{\"n\": 2}")]);
    play.say("Two.").unwrap();
    let view = play.view();
    let [
        ViewItem::User { text: one },
        ViewItem::Assistant { calls, .. },
        ViewItem::Results(results),
        ViewItem::Assistant { text, calls: none, dropped: 1, .. },
        ViewItem::User { text: two },
    ] = &view[..]
    else {
        panic!("{view:#?}");
    };
    assert_eq!((one.as_str(), two.as_str()), ("One.", "Two."));
    let sent: Vec<(&str, &str)> = calls.iter().map(|call| (call.name.as_str(), call.arguments.as_str())).collect();
    assert_eq!(sent, [("write", "{\"n\": 1}"), ("read", "{}")], "the exact text of both calls");
    assert!(results[0].text.contains("not that"), "the reason reaches the model");
    assert!(results[1].text.starts_with("result of"));
    assert_eq!(text, "Words.", "a passed-by call is gone, its turn's words stay");
    assert_eq!(none, &[]);
}

/// CL-5, D-57: a turn that lost all its calls and had no words was never made.
#[test]
fn an_empty_turn_vanishes() {
    let mut play = Play::new(Mode::Default);
    play.say("One.").unwrap();
    let one = call("write", "{}");
    let judged = vec![crate::play::judge(&play.tools, &one)];
    play.reply_judged(" ", &[one], judged);
    play.say("Two.").unwrap();
    assert_eq!(play.view(), [user("One."), user("Two.")].map(|item| ViewItem::clone(&item)));
}

/// D-05, E-24, E-25: the text of an answering input follows the results.
#[test]
fn text_beside_an_answer_follows_the_results() {
    let mut play = Play::new(Mode::Default);
    play.say("One.").unwrap();
    play.reply(&[call("write", "{}")]);
    let mut input = play.input();
    input.answers = play.answers(&[(0, AnswerBody::Approve)]);
    input.text = Some("And then this.".to_owned());
    play.start(input).unwrap();
    assert!(play.transcript.view(None).is_err(), "nothing is sent while a call runs");
    play.finish_first();
    let kinds: Vec<&str> = play
        .view()
        .iter()
        .map(|item| match item {
            ViewItem::User { .. } => "user",
            ViewItem::Assistant { .. } => "assistant",
            ViewItem::Results(_) => "results",
        })
        .collect();
    assert_eq!(kinds, ["user", "assistant", "results", "user"]);
    assert!(play.calls_model());
}

/// D-103: a round renders what is new, at any length.
#[test]
fn what_is_rendered_stays_rendered() {
    let mut play = Play::new(Mode::Auto);
    play.limit = 200;
    play.say("Go.").unwrap();
    let mut before = play.transcript.settled_len();
    for round in 0..150 {
        play.reply(&[call("read", "{}")]);
        assert_eq!(play.transcript.settled_len(), before, "an open call holds back only its own turn (round {round})");
        play.finish_first();
        assert_eq!(play.transcript.settled_len(), before + 2);
        before = play.transcript.settled_len();
    }
    play.give(Input::Stop).unwrap();
}
