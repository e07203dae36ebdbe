//! Forks through the door (D-59): what a window sees of the source, of the fork, and of the line between.

use countersign_api::commands::request;
use countersign_api::display::text::plain;
use countersign_api::wire::conversation::{
    CallTone, ConversationRow, ConversationState, Entry, EntryBody, Mark, MarkKind, Send,
};
use countersign_api::wire::inbox::{Decision, DetailState, Mode, Reach};
use countersign_api::wire::window::Space;

use crate::house::{House, Told, calls, says};

const WRITE: &str = r#"{"path":"a","content":"x"}"#;

impl House {
    async fn fork(&self, conversation: &str, upto: Option<i64>) -> ConversationRow {
        let request =
            request::fork { conversation: conversation.to_owned(), title: "Ticket triage (fork)".to_owned(), upto };
        self.app.fork(Space::Main, request).await.unwrap()
    }

    async fn say(&self, conversation: &str, text: &str, mode: Option<Mode>) {
        let (answers, passes_by) = (Vec::new(), Vec::new());
        let (conversation, text) = (conversation.to_owned(), Some(text.to_owned()));
        self.send(Send { conversation, answers, text, mode, auto_until: None, passes_by }).await.unwrap();
    }

    async fn entries(&self, conversation: &str) -> Vec<Entry> {
        let request = request::transcript { conversation: conversation.to_owned(), before: None, after: None };
        self.app.transcript(Space::Main, request).await.unwrap().entries
    }

    async fn row(&self, conversation: &str) -> ConversationRow {
        let rows = self.snapshot().await.conversations;
        rows.into_iter().find(|row| row.id == conversation).unwrap()
    }
}

fn call_words(entries: &[Entry]) -> Vec<(String, CallTone)> {
    let calls = entries.iter().flat_map(|entry| match &entry.body {
        EntryBody::Assistant { calls, .. } => calls.clone(),
        EntryBody::User { .. } | EntryBody::Agent { .. } => Vec::new(),
    });
    calls.map(|call| (call.words, call.tone)).collect()
}

fn fork_marks(entries: &[Entry]) -> Vec<(i64, Option<String>, Option<String>)> {
    let marks = entries.iter().flat_map(|entry| entry.marks.iter().map(|mark| (entry.seq, mark.what.clone())));
    marks
        .filter_map(|(seq, what)| match what {
            MarkKind::Forked { conversation, title } => Some((seq, conversation, title.map(|title| plain(&title)))),
            MarkKind::Mode { .. } => None,
        })
        .collect()
}

/// A waiting conversation is forked: the source still waits and can be answered; the fork has nothing open and takes a message.
#[tokio::test]
async fn a_waiting_conversation_is_forked_and_still_waits() {
    let house = House::new([calls(&[("write_file", WRITE)]), says("another way"), says("done")]).await;
    let set = house.ask("Ticket triage").await;
    let before = house.told().len();
    let fork = house.fork(&set.conversation, None).await;
    assert_eq!((plain(&fork.title).as_str(), fork.waiting, fork.approved), ("Ticket triage (fork)", 0, 0));
    assert_eq!(fork.state, ConversationState::Idle { unfinished: false });
    let snapshot = house.snapshot().await;
    assert_eq!(
        snapshot.sets.iter().map(|set| set.conversation.as_str()).collect::<Vec<_>>(),
        [set.conversation.as_str()]
    );
    let entries = house.entries(&fork.id).await;
    assert_eq!(
        call_words(&entries),
        [("never made here: it hadn't ended when this was forked".to_owned(), CallTone::Never)]
    );
    assert_eq!(fork_marks(&entries), [(2, Some(set.conversation.clone()), Some("Ticket triage".to_owned()))]);

    house.say(&fork.id, "Try another way.", None).await;
    house.rest(&fork.id).await;
    assert!(house.last_prompt().contains("another way.") && !house.last_prompt().contains("write_file"));
    assert!(house.ran().is_empty());
    house.answer(&set, &[(0, Decision::Approve)]).await.unwrap();
    house.rest(&set.conversation).await;
    assert_eq!(house.ran().len(), 1, "the source's own call runs");
    let told = house.told();
    let shown = told.iter().skip(before).filter(|one| matches!(one, Told::Shown(_))).count();
    assert_eq!(shown, 0, "a fork is told by no notification");

    // The link goes with the source, the name stays.
    let conversation = set.conversation.clone();
    house.app.delete_conversation(Space::Main, request::delete_conversation { conversation }).await.unwrap();
    assert_eq!(fork_marks(&house.entries(&fork.id).await), [(2, None, Some("Ticket triage".to_owned()))]);
}

/// A standing approval of the source lets nothing run in the fork, and what was decided is in history once.
#[tokio::test]
async fn a_standing_approval_of_the_source_lets_nothing_of_the_fork_run() {
    let house = House::new([calls(&[("write_file", WRITE)]), says("done"), calls(&[("write_file", WRITE)])]).await;
    let set = house.ask("Ticket triage").await;
    let always = Decision::ApproveForConversation { reach: Reach::Tool, any_command: false };
    house.answer(&set, &[(0, always)]).await.unwrap();
    house.rest(&set.conversation).await;
    let fork = house.fork(&set.conversation, None).await;
    assert_eq!((fork.standing, house.row(&set.conversation).await.standing), (0, 1));
    let entries = house.entries(&fork.id).await;
    assert_eq!(call_words(&entries), [("ran · you".to_owned(), CallTone::Ran)], "who decided is still said");
    let EntryBody::Assistant { calls, .. } = &entries[1].body else { panic!("{entries:?}") };
    let detail = house.detail(&calls[0].call).await;
    assert!(matches!(detail.state, DetailState::Closed { .. }));

    house.say(&fork.id, "Again.", None).await;
    let asked = house.set_of(&fork.id).await;
    assert_eq!((asked.rows.len(), house.ran().len()), (1, 1));
    let history = request::history { query: String::new(), before: None };
    let page = house.app.history(Space::Main, history).await.unwrap();
    assert_eq!(page.rows.len(), 1, "history has the source's decision once");
    let decisions = async |conversation: &str| {
        let request = request::decisions_of { conversation: conversation.to_owned() };
        house.app.decisions_of(Space::Main, request).await.unwrap()
    };
    assert_eq!((decisions(&set.conversation).await, decisions(&fork.id).await), (1, 0), "what deleting says it keeps");
}

/// A fork of a conversation in Auto asks; the change of the mode stands in the source's transcript, with its time.
#[tokio::test]
async fn a_fork_of_auto_asks() {
    let house = House::new([says("Hello."), says("Ready."), calls(&[("write_file", WRITE)])]).await;
    let request = request::start_conversation {
        agent: house.agent.clone(),
        text: Some("Ticket triage".to_owned()),
        mode: None,
        auto_until: None,
    };
    let source = house.app.start_conversation(Space::Main, request).await.unwrap().id;
    house.rest(&source).await;
    house.say(&source, "In Auto now.", Some(Mode::Auto)).await;
    house.rest(&source).await;
    let marks: Vec<Vec<Mark>> = house.entries(&source).await.into_iter().map(|entry| entry.marks).collect();
    assert!(
        matches!(&marks[1][..], [Mark { at, what: MarkKind::Mode { mode: Mode::Auto, ends: false, until: None } }] if *at > 0),
        "{marks:?}"
    );
    let fork = house.fork(&source, None).await;
    assert_eq!((house.row(&source).await.mode, fork.mode), (Mode::Auto, Mode::Default));
    house.say(&fork.id, "Write.", None).await;
    assert_eq!(house.set_of(&fork.id).await.rows.len(), 1);
    assert!(house.ran().is_empty());
}

/// From a message of the person: the model is asked that again, and knows nothing of what came after.
#[tokio::test]
async fn a_fork_from_a_message_answers_it_anew() {
    let house = House::new([says("One."), says("Two."), says("Another two.")]).await;
    let request = request::start_conversation {
        agent: house.agent.clone(),
        text: Some("Ticket triage".to_owned()),
        mode: None,
        auto_until: None,
    };
    let source = house.app.start_conversation(Space::Main, request).await.unwrap().id;
    house.rest(&source).await;
    house.say(&source, "And then?", None).await;
    house.rest(&source).await;
    let place = house.entries(&source).await[2].seq;
    let fork = house.fork(&source, Some(place)).await;
    assert_eq!(fork.state, ConversationState::Idle { unfinished: true }, "it can go on at once");
    assert_eq!(house.entries(&fork.id).await.len(), 3);
    house.app.retry(Space::Main, request::retry { conversation: fork.id.clone() }).await.unwrap();
    house.rest(&fork.id).await;
    assert!(!house.last_prompt().contains("Two."), "{}", house.last_prompt());
    let said: Vec<usize> = vec![house.entries(&source).await.len(), house.entries(&fork.id).await.len()];
    assert_eq!(said, [4, 4]);
    let other = request::fork { conversation: source, title: "x".to_owned(), upto: Some(place + 1) };
    assert!(house.app.fork(Space::Main, other).await.is_err(), "an agent's words are no end of a fork");
}
