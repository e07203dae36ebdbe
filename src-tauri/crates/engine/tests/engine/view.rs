//! The cost of a round at any length of the conversation (D-103), in counts.

use std::sync::Arc;

use countersign_core::mode::Mode;
use countersign_core::transcript::ViewItem;

use crate::house::{House, call, calls};

/// How many items of the second prompt are not the very items of the first.
fn rendered_anew(before: &[Arc<ViewItem>], after: &[Arc<ViewItem>]) -> usize {
    let same = before.iter().zip(after).take_while(|(one, other)| Arc::ptr_eq(one, other)).count();
    after.len() - same
}

/// P6, D-103: a round renders what is new, after 10 messages and after 800.
#[tokio::test]
async fn a_round_costs_the_same_at_any_length() {
    let mut anew = Vec::new();
    for messages in [10, 800] {
        let mut house = House::new(Mode::Default).await;
        for _ in 0..messages / 2 {
            house.say("Hello.").await;
        }
        house.script.will([calls(&[call("read", "{}")])]);
        house.say("Look.").await;
        let prompts = house.script.prompts.lock().unwrap();
        let [.., earlier, first, second] = &prompts[..] else { panic!("too few prompts") };
        assert_eq!(first.messages.len(), messages + 1);
        anew.push([
            rendered_anew(&earlier.messages, &first.messages),
            rendered_anew(&first.messages, &second.messages),
        ]);
    }
    assert_eq!(anew, [[2, 2], [2, 2]], "the last reply and the new message; the call and its result");
}
