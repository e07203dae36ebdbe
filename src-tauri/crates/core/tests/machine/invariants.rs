//! What must hold after every step, whatever came before (b.6 of the specification, and what follows from it).

use std::collections::{BTreeMap, BTreeSet};

use countersign_core::call::{Call, CallState, Warrant};
use countersign_core::change::{Act, Change};
use countersign_core::head::Head;
use countersign_core::ids::{CallId, MessageId, RequestId, RunId};
use countersign_core::input::{Guards, Loss};
use countersign_core::mode::Mode;
use countersign_core::request::{AnsweredAs, Closing, RequestKind};
use countersign_core::run::{Phase, RunEnd};
use countersign_core::step::call_digest;
use countersign_core::tool::{ToolIdentity, requires_approval};
use countersign_core::transcript::{Entry, EntryCall, Transcript, check};

use crate::ops::Kind;
use crate::play::Play;

/// The memory of a sequence: what happened at most once, and what was promised.
#[derive(Default)]
pub(crate) struct Witness {
    proposed: BTreeMap<CallId, Call>,
    started: BTreeSet<CallId>,
    settled: BTreeSet<CallId>,
    approved_by: BTreeMap<RequestId, bool>,
    closed: BTreeSet<RequestId>,
    opened: BTreeSet<RequestId>,
    ended: BTreeSet<RunId>,
    results: BTreeMap<CallId, Option<String>>,
    steered: BTreeSet<MessageId>,
    looked: BTreeSet<CallId>,
}

impl Witness {
    /// Looks at one step: the head before it, what it did, and the play after it.
    pub(crate) fn look(&mut self, before: &Head, kind: &Kind, changes: &[Change], play: &Play) {
        self.each_change(before, kind, changes, play);
        self.acts_follow_changes(changes, play);
        Self::starting_closes_everything(kind, changes, play);
        Self::mode_moves_only_where_allowed(before, kind, changes, play);
        state_has_a_way_on(play);
        self.model_is_sent_what_happened(play);
        if let Some(run) = &play.head.run {
            assert!(run.rounds <= run.limit, "b.6.10: rounds within the limit");
        }
        assert_eq!(
            play.head.conversation.revision,
            before.conversation.revision + i64::from(!changes.is_empty()),
            "one step, one revision"
        );
    }

    fn each_change(&mut self, before: &Head, kind: &Kind, changes: &[Change], play: &Play) {
        if let Kind::Looked(calls) = kind {
            self.looked.extend(calls);
        }
        let mut head = before.clone();
        for change in changes {
            self.names_no_ended_run(change);
            match change {
                Change::RunStarted(_) => assert!(head.run.is_none(), "one run at a time"),
                Change::CallProposed { call, result, .. } => {
                    self.proposed.insert(call.id, call.clone());
                    if let CallState::Settled(settled) = &call.state {
                        self.settled.insert(call.id);
                        let result = settled.is_seen_by_model().then(|| result.clone().unwrap());
                        self.results.insert(call.id, result);
                    }
                }
                Change::CallStarted { call, warrant, run, .. } => {
                    if play.guards == Guards::Some
                        && *warrant != Warrant::NotNeeded
                        && self.proposed[call].proposed_by != *run
                        && self.needs_approval(*call, play)
                    {
                        assert!(self.looked.remove(call), "D-18: the guards look again before it runs");
                    }
                    assert!(self.started.insert(*call), "b.6.4: started twice");
                    assert!(
                        matches!(head.calls[call].state, CallState::Approved(_)),
                        "only an approved call is claimed"
                    );
                    self.warrant_holds(&head, &self.proposed[call], warrant, play);
                    self.nothing_unsettled_before(&head, *call);
                }
                Change::CallSettled { call, settled, result, .. } => {
                    assert!(self.settled.insert(*call), "a call is over once");
                    assert_eq!(
                        settled.is_seen_by_model(),
                        result.is_some(),
                        "what the model sees has a result, what it doesn't has none"
                    );
                    self.results.insert(*call, result.clone());
                }
                Change::SteeringQueued(steering) => {
                    assert!(head.run.is_some(), "ST-1: words go to a run that is going on");
                    self.steered.insert(steering.id);
                }
                Change::SteeringTaken { taken: gone } | Change::SteeringReturned { returned: gone } => {
                    for one in gone {
                        assert!(self.steered.remove(one), "D-89: words are taken or given back once");
                    }
                }
                Change::RequestOpened { request, .. } => {
                    assert!(head.steering.is_empty(), "D-11: no question that the person's own words would close");
                    assert!(self.opened.insert(request.id), "a request id is new");
                    let call = &head.calls[&request.call];
                    if request.kind == RequestKind::Call {
                        let tool = play
                            .tools
                            .iter()
                            .find(|tool| Some(tool.identity.key()) == call.identity.as_ref().map(ToolIdentity::key));
                        assert!(
                            tool.is_some_and(requires_approval),
                            "D-51: nobody is asked about {}, which can't run or needs no approval",
                            call.tool
                        );
                    }
                    assert_eq!(call.state, CallState::Waiting(request.id));
                    assert_eq!(
                        Some(request.digest),
                        call_digest(&self.proposed[&request.call], request.kind),
                        "the digest is that of the stored call"
                    );
                }
                Change::RequestClosed { request, closing, .. } => {
                    assert!(self.closed.insert(*request), "a request closes once");
                    assert!(head.requests.contains_key(request));
                    let approved = match closing {
                        Closing::Answered { verdict } => match verdict {
                            AnsweredAs::Approved
                            | AnsweredAs::ApprovedForConversation { .. }
                            | AnsweredAs::DataGiven => true,
                            AnsweredAs::Rejected { .. } | AnsweredAs::PlanApproved { .. } => false,
                        },
                        Closing::PassedBy { .. } => {
                            if let Kind::Start { told: Some(told) } = kind {
                                let named = told.contains(&Loss::Request(*request));
                                assert!(named, "D-83: an untold loss");
                            }
                            false
                        }
                    };
                    self.approved_by.insert(*request, approved);
                }
                Change::CallHeld { call, .. } | Change::CallWaits { call, .. } => {
                    assert!(!self.started.contains(call), "what has started doesn't wait");
                }
                Change::RunEnded { run, .. } => {
                    assert!(
                        !head.calls.values().any(|call| matches!(call.state, CallState::Started { .. })),
                        "a run ends when all that it started has settled"
                    );
                    head.apply(change);
                    self.ended.insert(*run);
                }
                _ => {}
            }
            head.apply(change);
        }
        let waiting: BTreeSet<MessageId> = head.steering.iter().map(|one| one.id).collect();
        assert_eq!(waiting, self.steered, "D-89: nothing that was said is lost");
        assert!(head.run.is_some() || head.steering.is_empty(), "D-89: no words wait for a run that is over");
        Self::asks_in_its_turn(changes, &head);
        head.tidy();
        head.conversation.revision = play.head.conversation.revision;
        assert_eq!(head, play.head, "the changes are the whole step");
    }

    /// D-97: what asks again does so when its turn comes. Whatever stands before it has run, so that a person's approval is
    /// never held back for a request that came later.
    fn asks_in_its_turn(changes: &[Change], head: &Head) {
        let asks_again = changes.iter().any(|change| matches!(change, Change::CallWaits { .. }));
        if asks_again {
            let first = head.calls_in_order()[0].clone();
            assert!(
                matches!(first.state, CallState::Waiting(_)),
                "D-97: {} is held back by a call behind it",
                first.tool
            );
        }
    }

    fn names_no_ended_run(&self, change: &Change) {
        let named = match change {
            Change::RunStarted(run) => Some(run.id),
            Change::RunPhase { run, .. } | Change::RunEnded { run, .. } | Change::CallStarted { run, .. } => Some(*run),
            Change::MessageAdded(message) => Some(message.run),
            Change::CallProposed { call, .. } => Some(call.proposed_by),
            _ => None,
        };
        if let Some(run) = named {
            assert!(!self.ended.contains(&run), "b.6.11: an ended run changed");
        }
    }

    fn needs_approval(&self, call: CallId, play: &Play) -> bool {
        let key = self.proposed[&call].identity.as_ref().map(ToolIdentity::key);
        play.tools.iter().any(|tool| Some(tool.identity.key()) == key && requires_approval(tool))
    }

    /// b.6.3, D-97: why it runs is true at the moment of the claim.
    fn warrant_holds(&self, head: &Head, call: &Call, warrant: &Warrant, play: &Play) {
        let key = call.identity.as_ref().expect("a claimed call has a tool").key();
        let tool = play
            .tools
            .iter()
            .find(|tool| tool.identity.key() == key)
            .expect("D-51: a claimed call's tool is still there");
        match warrant {
            Warrant::NotNeeded => assert!(!requires_approval(tool), "D-51: bound meanwhile"),
            Warrant::Rule { .. } => {}
            Warrant::Standing { id } => {
                let standing = head.standing.iter().find(|one| one.id == *id);
                let standing = standing.expect("D-97: a revoked approval lets nothing run");
                assert!(standing.covers(&tool.identity, &call.exact));
            }
            Warrant::Auto => {
                assert_eq!(head.conversation.mode, Mode::Auto, "D-82: Auto is over");
            }
            Warrant::Answer { request } => {
                assert_eq!(self.approved_by.get(request), Some(&true), "b.6.3: an answer that was given before");
            }
        }
    }

    /// D-84: calls begin in the model's order.
    fn nothing_unsettled_before(&self, head: &Head, call: CallId) {
        let mine = &self.proposed[&call];
        for other in head.calls.values() {
            let earlier = other.message == mine.message && other.position < mine.position;
            if earlier {
                assert!(
                    matches!(other.state, CallState::Started { .. })
                        && other.is_parallel_safe()
                        && mine.is_parallel_safe(),
                    "D-84: {} begins before {}",
                    mine.tool,
                    other.tool
                );
            }
        }
    }

    /// b.6.3, b.6.5: an act executes what was claimed in this very step, exactly as it was proposed.
    fn acts_follow_changes(&self, changes: &[Change], play: &Play) {
        let claimed: BTreeSet<CallId> = changes
            .iter()
            .filter_map(|change| match change {
                Change::CallStarted { call, .. } => Some(*call),
                _ => None,
            })
            .collect();
        let mut run = BTreeSet::new();
        for act in &play.acts {
            if let Act::RunCall { call, .. } = act {
                assert!(run.insert(*call), "executed twice in one step");
                let (stored, proposed) = (&play.head.calls[call], &self.proposed[call]);
                assert_eq!(
                    (&stored.tool, &stored.arguments, &stored.identity),
                    (&proposed.tool, &proposed.arguments, &proposed.identity),
                    "b.6.5: what runs is what was stored"
                );
            }
        }
        assert_eq!(run, claimed, "a claim is an act and an act is a claim");
    }

    fn starting_closes_everything(kind: &Kind, changes: &[Change], play: &Play) {
        let Kind::Start { .. } = kind else { return };
        let opened: BTreeSet<RequestId> = changes
            .iter()
            .filter_map(|change| match change {
                Change::RequestOpened { request, .. } => Some(request.id),
                _ => None,
            })
            .collect();
        assert_eq!(play.open(), opened, "b.6.1: no earlier request is open after a start");
    }

    fn mode_moves_only_where_allowed(before: &Head, kind: &Kind, changes: &[Change], play: &Play) {
        let ended = changes.iter().any(|change| matches!(change, Change::RunEnded { .. }));
        let moved = before.conversation.mode != play.head.conversation.mode;
        match kind {
            Kind::Start { .. } | Kind::Tighten => {}
            // D-107: stopping what waits ends the chain of D-74.
            Kind::Stop | Kind::Died => {
                let end_of_chain =
                    play.head.conversation.mode == Mode::Default && before.conversation.auto_chain.is_some();
                assert!(!moved || end_of_chain, "b.6.8");
            }
            Kind::Reply | Kind::Finished | Kind::Looked(_) | Kind::Other => {
                assert!(!moved || ended, "b.6.8: the mode moved in mid-run");
            }
        }
        for change in changes {
            if let Change::RunEnded { end, .. } = change
                && *end != RunEnd::Asked
            {
                let chain = play.head.conversation.auto_chain;
                assert_eq!(chain, None, "D-74: {end:?} ends the chain");
            }
        }
        if play.head.conversation.auto_chain.is_some() {
            assert_eq!(play.head.conversation.mode, Mode::Auto, "D-74");
            assert!(play.head.run.is_some() || !play.head.requests.is_empty(), "D-74: a chain that nobody will end");
        }
    }

    /// b.6.6: whenever the model is called, its view is whole, and the one that was kept up is the one that a scan finds.
    fn model_is_sent_what_happened(&self, play: &Play) {
        if !play.calls_model() {
            return;
        }
        assert!(play.head.calls.is_empty(), "the model is called when all is settled");
        let view = play.transcript.view().expect("nothing unsettled is in the way");
        check(&view, 0).expect("every call has its result directly behind it");
        let mut scanned = Transcript::default();
        for entry in self.entries(&play.log) {
            scanned.load(entry);
        }
        assert_eq!(scanned.view().unwrap(), view, "kept up and scanned are the same");
    }

    fn entries(&self, log: &[Change]) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::new();
        for change in log {
            match change {
                Change::MessageAdded(message) => {
                    entries.push(Entry { id: message.id, body: message.body.clone(), calls: Vec::new() });
                }
                Change::CallProposed { call, .. } => {
                    let entry = entries.iter_mut().find(|one| one.id == call.message);
                    let result = self.results.get(&call.id).cloned().flatten();
                    let mut made = EntryCall::of(call, result.clone());
                    if self.results.contains_key(&call.id) {
                        made.standing = match result {
                            Some(text) => countersign_core::transcript::EntryStanding::Result(text),
                            None => countersign_core::transcript::EntryStanding::Dropped,
                        };
                    }
                    entry.unwrap().calls.push(made);
                }
                _ => {}
            }
        }
        entries
    }
}

/// No state without a way on: whoever is to act next exists.
fn state_has_a_way_on(play: &Play) {
    let head = &play.head;
    let count = |wanted: fn(&CallState) -> bool| head.calls.values().filter(|call| wanted(&call.state)).count();
    let started = count(|state| matches!(state, CallState::Started { .. }));
    let waiting = count(|state| matches!(state, CallState::Waiting(_)));
    let held = count(|state| matches!(state, CallState::Held(_)));
    let approved = count(|state| matches!(state, CallState::Approved(_)));
    assert_eq!(waiting, head.requests.len(), "a call waits for a request that is open");
    match head.run.as_ref().map(|run| run.phase) {
        None => {
            assert_eq!(started, 0, "nothing runs outside a run");
            assert!(held == 0 || waiting > 0, "what is held has something to wait along with");
        }
        Some(Phase::Model | Phase::LastWord) => {
            assert_eq!(head.calls.len(), 0, "the model is asked when all is settled");
        }
        Some(Phase::Resolving | Phase::Tools) => {
            assert!(started > 0 || !play.looks.is_empty(), "something runs or is looked at, or the run would hang");
            assert_eq!(waiting + held, 0, "nothing waits inside a run");
        }
        Some(Phase::Stopping) => {
            assert!(started > 0, "something settles, or the run would hang");
            assert_eq!(approved + waiting + held, 0, "and nothing further starts");
        }
    }
}
