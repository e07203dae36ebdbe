//! D-78: a note that goes along with an approval.

use countersign_core::answer::{AnswerBody, Misfit};
use countersign_core::change::Change;
use countersign_core::input::Refusal;
use countersign_core::mode::Mode;
use countersign_core::request::{AnsweredAs, Closing};
use countersign_core::transcript::ViewItem;

use crate::house::{self, House};
use crate::play::{Play, call, plan};

fn note(text: &str, tell: bool) -> AnswerBody {
    AnswerBody::ApproveWithNote { note: text.to_owned(), tell }
}

fn asked() -> Play {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{\"n\":  1}")]);
    play
}

#[tokio::test]
async fn d_78_a_note_never_changes_the_call_and_is_told_only_if_ticked() {
    for (tell, blank) in [(true, false), (false, false), (true, true)] {
        let mut play = asked();
        let said = if blank { "  " } else { " Only this once. " };
        let step = play.answer(&[(0, note(said, tell))]).unwrap();
        assert_eq!(play.executed()[0].arguments, "{\"n\":  1}", "the call is the stored one");
        let verdict = step.changes.iter().find_map(|change| match change {
            Change::RequestClosed { closing: Closing::Answered { verdict }, .. } => Some(verdict.clone()),
            _ => None,
        });
        let expected = if blank {
            AnsweredAs::Approved
        } else {
            AnsweredAs::ApprovedWithNote { note: "Only this once.".to_owned(), told: tell }
        };
        assert_eq!(verdict, Some(expected));
        play.finish_first();
        let view = play.view();
        let last = view.last().unwrap();
        let told = matches!(last, ViewItem::User { text } if text.contains("Only this once."));
        assert_eq!(told, tell && !blank, "after the result, in the person's words: {last:?}");
        assert!(matches!(view[2], ViewItem::Results(_)));
    }
    // A plan is no call.
    let mut play = Play::new(Mode::Plan);
    play.say("Go.").unwrap();
    play.reply(&[plan("# Do it")]);
    let told = play.answer(&[(0, note("Well.", true))]);
    assert!(matches!(told, Err(Refusal::WrongKind(_, Misfit::NoteOnPlan))), "{told:?}");
    // History keeps the words.
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    house.answer(&[(0, note("Only this once.", false))]).await;
    let history = house.engine.store().history(i64::MAX, 10).await.unwrap();
    let decided = history[0].about().decided.clone().unwrap();
    assert_eq!((decided.decision.as_str(), decided.words.as_deref()), ("approved", Some("Only this once.")));
}
