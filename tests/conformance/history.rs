//! L, group D and G: histories that a provider accepts, and modes that release nothing.

use std::sync::Arc;

use countersign_core::answer::{AnswerBody, Reach};
use countersign_core::input::{Input, ModelReply};
use countersign_core::mode::{Mode, Until};
use countersign_core::transcript::{ViewItem, check};
use countersign_core::words;

use crate::house::{self, House, Turn, calls, guard};
use crate::play::{Play, call, for_conversation, into, reject};

fn asked(calls: &[countersign_core::input::ProposedCall]) -> Play {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(calls);
    play
}

/// A record of a turn as a provider might send it: signed thinking, signs of every width, and a lone escape.
fn odd_record(bytes: usize) -> String {
    let mut text = "{\"thinking\":\"\\ud83d \u{202e}ä𐍈\u{200b}\",\"signature\":\"".to_owned();
    while text.len() < bytes {
        text.push_str("Zm9v+/=\u{7f}\u{fffd}");
    }
    text + "\"}"
}

fn records(messages: &[Arc<ViewItem>]) -> Vec<String> {
    let raw = messages.iter().filter_map(|item| match item.as_ref() {
        ViewItem::Assistant { raw, .. } => raw.clone(),
        ViewItem::User { .. } | ViewItem::Results(_) => None,
    });
    raw.collect()
}

fn recorded(raw: &str, batch: &[countersign_core::input::ProposedCall]) -> Turn {
    Turn::Says(ModelReply { raw: Some(raw.to_owned()), ..house::calling(batch) })
}

#[tokio::test]
async fn field_l_034_no_id_has_two_results() {
    let mut house = House::new(Mode::Default).await;
    for n in 0..6 {
        house.ask(&[house::call("write", &format!("{{\"n\":{n}}}"))]).await;
        house.answer(&[(0, if n % 2 == 0 { AnswerBody::Approve } else { house::reject("no") })]).await;
    }
    let prompts: Vec<_> = house.script.prompts.lock().unwrap().clone();
    for prompt in prompts {
        check(&prompt.messages, 0).unwrap();
        let mut open = 0;
        for item in &prompt.messages {
            match item.as_ref() {
                ViewItem::Assistant { calls, .. } => open = calls.len(),
                ViewItem::Results(results) => {
                    assert_eq!(results.len(), std::mem::take(&mut open), "each call has one, directly behind it");
                }
                ViewItem::User { .. } => assert_eq!(open, 0),
            }
        }
    }
}

#[test]
fn field_l_049_a_rejection_without_a_reason_says_something() {
    for reason in [None, Some(String::new()), Some("  ".to_owned())] {
        let mut play = asked(&[call("write", "{}")]);
        play.answer(&[(0, AnswerBody::Reject { reason })]).unwrap();
        let ViewItem::Results(results) = &play.view()[2] else { panic!("a result was expected") };
        assert!(results[0].text.trim().len() > 20, "{results:?}");
    }
}

#[test]
fn field_l_050_approving_for_the_conversation_sends_the_same() {
    let sent = |body: AnswerBody| {
        let mut play = asked(&[call("write", "{}"), call("read", "{}")]);
        play.answer(&[(0, body)]).unwrap();
        play.finish_first();
        play.finish_first();
        let view = play.view();
        assert!(play.calls_model());
        view.into_iter().take(2).collect::<Vec<_>>()
    };
    assert_eq!(sent(AnswerBody::Approve), sent(for_conversation(Reach::Tool)));
    assert_eq!(sent(AnswerBody::Approve), sent(for_conversation(Reach::Exact)));
}

#[test]
fn field_l_052_of_a_long_history_only_the_pending_turn_changes() {
    let mut play = Play::new(Mode::Default);
    for n in 0..40 {
        play.say(&format!("Words {n}.")).unwrap();
        play.reply(&[call("read", &format!("{{\"n\":{n}}}"))]);
        play.finish_first();
        play.reply(&[]);
    }
    for n in 0..70 {
        play.say(&format!("Talk {n}.")).unwrap();
        play.reply(&[]);
    }
    let before = play.view();
    assert_eq!(before.len(), 40 * 4 + 70 * 2);
    play.say("Write.").unwrap();
    play.reply(&[call("write", "{}")]);
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    play.finish_first();
    let after = play.transcript.view(None).unwrap();
    check(&after, 0).unwrap();
    assert_eq!(after.len(), before.len() + 3);
    assert!(after.iter().zip(&before).all(|(now, then)| **now == *then));
}

#[tokio::test]
async fn field_l_055_a_turns_record_stays_through_modes_rules_and_a_restart() {
    let raw = odd_record(200);
    let mut house = House::new(Mode::Auto).await;
    house.script.will([recorded(&raw, &[house::call("read", "{}")])]);
    house.say("Go.").await;
    house.input(Input::Tighten { mode: Mode::Default }).await.unwrap();
    house.script.will([recorded(&raw, &[house::call("write", "{}")])]);
    house.say("Go on.").await;
    house.guards(&[guard("new", |_| countersign_core::input::Verdict::Abstain)]);
    let mut house = house.again().await;
    house.answer(&[(0, AnswerBody::Approve)]).await;
    assert_eq!(records(&house.script.last().messages), [raw.clone(), raw]);
}

#[tokio::test]
async fn field_l_056_a_record_comes_back_byte_for_byte() {
    let raw = odd_record(1_000_000);
    let mut house = House::new(Mode::Default).await;
    house.script.will([recorded(&raw, &[house::call("write", "{}")])]);
    house.say("Go.").await;
    let mut house = house.again().await;
    house.answer(&[(0, AnswerBody::Approve)]).await;
    let sent = records(&house.script.last().messages);
    assert!(sent.len() == 1 && sent[0] == raw, "{} bytes of {}", sent[0].len(), raw.len());
}

#[tokio::test]
async fn field_l_058_a_message_while_two_wait_reaches_the_model_without_them() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{\"n\":1}"), house::call("shell", "{\"n\":2}")]).await;
    house.say("Never mind.").await;
    let messages = house.script.last().messages;
    check(&messages, 0).unwrap();
    assert!(!format!("{messages:?}").contains("\\\"n\\\""), "{messages:?}");
    assert_eq!(
        (house.open_requests().await, house.last_end().await),
        (vec![], Some(countersign_core::run::RunEnd::Completed))
    );
}

#[tokio::test]
async fn field_l_059_words_while_something_waits_are_replied_to() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    house.script.will([Turn::Says(house::words("Then not."))]);
    house.commits();
    house.say("Never mind.").await;
    let replied = house.commits().concat().into_iter().any(|change| {
        matches!(change, countersign_core::change::Change::MessageAdded(message)
            if matches!(&message.body, countersign_core::change::MessageBody::Assistant { text, .. } if text == "Then not."))
    });
    assert!(replied);
}

#[test]
fn field_l_061_a_refusal_says_that_a_person_refused_and_not_to_repeat_it() {
    let text = words::rejected_by_person(None);
    assert!(text.contains("person rejected") && text.contains("repeat"), "{text}");
}

/// Also surface 24.
#[test]
fn field_l_062_each_way_not_to_run_has_its_own_words() {
    let mut texts = vec![
        words::rejected_by_person(None),
        words::rejected_by_rule(""),
        words::NO_LONGER_PERMITTED.to_owned(),
        words::OUTCOME_UNKNOWN.to_owned(),
    ];
    texts.dedup();
    assert_eq!(texts.len(), 4);
    let mut play = asked(&[call("write", "{}")]);
    play.say("Else.").unwrap();
    assert_eq!(play.ends()[0].2, None, "what was passed by has no text: the model doesn't see it");
}

/// Also surface 45.
#[test]
fn field_l_103_nothing_but_a_person_approves_a_plan() {
    use countersign_core::input::Verdict;
    let mut play = Play::new(Mode::Plan);
    play.say("Plan.").unwrap();
    let one = crate::play::plan("# Plan");
    let mut judged = vec![crate::play::judge(&play.tools, &one)];
    judged[0].verdicts = crate::play::says(&[Verdict::Approve, Verdict::Approve]);
    play.reply_judged("", &[one], judged);
    assert_eq!((play.head.requests.len(), play.head.conversation.mode), (1, Mode::Plan));
    assert_eq!(play.run_ends(), [countersign_core::run::RunEnd::Asked]);
}

#[test]
fn field_l_104_a_plan_outside_plan_approves_nothing() {
    for mode in [Mode::Default, Mode::Auto] {
        let mut play = Play::new(mode);
        play.say("Go.").unwrap();
        play.reply(&[crate::play::plan("# Plan")]);
        assert!(play.head.requests.is_empty());
        assert_eq!(play.head.conversation.mode, mode);
        assert!(play.ends()[0].2.as_ref().unwrap().contains("not available in this mode"));
    }
}

#[test]
fn field_l_107_a_plan_into_auto_runs_what_a_rule_doesnt_reject() {
    use countersign_core::input::Verdict;
    let mut play = Play::new(Mode::Plan);
    play.say("Plan.").unwrap();
    play.reply(&[crate::play::plan("# Plan")]);
    play.answer(&[(0, into(Mode::Auto, Until::Stays))]).unwrap();
    let batch = [call("write", "{}"), call("shell", "{}")];
    let mut judged: Vec<_> = batch.iter().map(|one| crate::play::judge(&play.tools, one)).collect();
    judged[1].verdicts = crate::play::says(&[Verdict::Reject { reason: "no".to_owned() }]);
    play.reply_judged("", &batch, judged);
    assert_eq!(crate::play::names(&play.executed()), ["write"]);
    assert!(play.head.requests.is_empty());
}

#[tokio::test]
async fn field_l_110_a_hidden_tool_that_the_model_invents_is_refused() {
    let mut house = House::new(Mode::Plan).await;
    house.ask(&[house::call("write", "{}"), house::call("shell", "{}")]).await;
    assert_eq!((house.ran().len(), house.open_requests().await), (0, vec![]));
    assert!(format!("{:?}", house.script.last().messages).contains("not available while planning"));
}

#[tokio::test]
async fn field_l_115_switching_to_auto_releases_nothing_that_waits() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}"), house::call("write", "{}")]).await;
    let asked = house.open_requests().await;
    let looser = house.input(Input::Tighten { mode: Mode::Auto }).await;
    assert!(looser.is_err(), "a looser mode goes with the next input");
    assert_eq!((house.open_requests().await, house.ran().len()), (asked, 0));
    let input = countersign_core::input::RunInput { mode: Some(Mode::Auto), ..house::text_input("Go on.") };
    house.start(input).await.unwrap();
    house.settled().await;
    assert_eq!(house.ran().len(), 0, "they are passed by, not released");
}

#[tokio::test]
async fn field_l_071_a_failure_after_the_tool_sends_the_stored_result_again() {
    let mut house = House::new(Mode::Default).await;
    let turns = [calls(&[house::call("write", "{}")]), Turn::Fails(countersign_core::run::FailureKind::Unreachable)];
    house.script.will(turns);
    house.say("Go.").await;
    house.answer(&[(0, AnswerBody::Approve)]).await;
    house.start(countersign_core::input::RunInput::default()).await.unwrap();
    house.settled().await;
    assert!(format!("{:?}", house.script.last().messages).contains("write is done"));
    assert_eq!(house.effects().len(), 1);
}

#[test]
fn field_l_017_no_rule_can_rewrite_a_call() {
    let text = "{\"a\": 1,  \"b\":2}";
    let mut play = asked(&[call("write", text)]);
    let shown = play.head.requests_in_order()[0].digest;
    play.guards = countersign_core::input::Guards::Some;
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    play.look_again(&countersign_core::input::Verdict::Approve);
    let ran = &play.executed()[0];
    let executed = countersign_core::step::call_digest(ran, countersign_core::request::RequestKind::Call);
    assert_eq!((ran.to_execute(), executed), (text, Some(shown)));
    play.finish_first();
    play.reply(&[call("write", text)]);
    play.answer(&[(0, reject("no"))]).unwrap();
    assert_eq!(play.executed().len(), 1);
}
