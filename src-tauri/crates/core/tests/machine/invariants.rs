//! What must hold after every step, whatever came before: the eleven invariants of the machine, the six of ARCHITECTURE.md as far as
//! the core keeps them, and what follows from both. Each assertion names its own. (long because all look at one memory)
//!
//! | invariant | where |
//! |---|---|
//! | b.6.1 after a start no earlier request is open | `starting_closes_everything` |
//! | b.6.2 a refusal changes nothing | `random::play_all`; byte for byte in the engine's `refusing` |
//! | b.6.3 nothing runs before the change that lets it | `warrant_holds`, `acts_follow_changes` |
//! | b.6.4 a call starts once | `each_change` |
//! | b.6.5 what runs is what was stored | `acts_follow_changes` |
//! | b.6.6 every call that is sent has its result directly behind it | `model_is_sent_what_happened` |
//! | b.6.7 what is shown is stored | the journeys of `crash`, the store's `agreement` |
//! | b.6.8 the mode moves only where it may | `mode_moves_only_where_allowed` |
//! | b.6.9 nothing of a deleted conversation is open | `random::play_all` |
//! | b.6.10 rounds stay within the limit, and answers use up none | `rounds_are_counted_once` |
//! | b.6.11 a run that ended never changes again | `names_no_ended_run` |
//! | architecture 1, nothing in memory waits for a person | `state_has_a_way_on`; D-86, the one exception, `held::look` |
//! | architecture 2, one place decides | `decided_in_one_place` |
//! | architecture 3, one vocabulary of change | `each_change`: the changes are the whole step |
//! | architecture 4, stored first, then done | `acts_follow_changes` |
//! | architecture 5, what runs was shown | `each_change`: the digest is that of the stored call |
//! | architecture 6, the core can't fail or wait | no panic in any sequence; lints and the tidy test on what it stands on |

use std::collections::{BTreeMap, BTreeSet};

use countersign_core::call::{Call, CallState, Kept, Warrant};
use countersign_core::change::{Act, Change};
use countersign_core::decide::{Decision, decide};
use countersign_core::head::{Head, Thread};
use countersign_core::ids::{CallId, MessageId, RequestId, RunId};
use countersign_core::input::{GuardVerdict, Guards, Loss, Verdict};
use countersign_core::mode::Mode;
use countersign_core::request::{AnsweredAs, Closing, PassedBy, RequestKind};
use countersign_core::run::{Goes, Phase, RunEnd, Said};
use countersign_core::step::call_digest;
use countersign_core::tool::{Mark, Origin, Tool, ToolIdentity, requires_approval};
use countersign_core::transcript::{Entry, EntryCall, Meanwhile, Transcript, check};

use crate::held;
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
    /// Calls that a guard rejected when they were proposed.
    rejected: BTreeSet<CallId>,
    filled_in: BTreeSet<CallId>,
}

impl Witness {
    /// Of a conversation that begins with what it was forked from: its copies are over and never change again (D-59).
    pub(crate) fn of(fork: &Play) -> Self {
        let mut witness = Self::default();
        for change in &fork.log {
            match change {
                Change::RunCopied { run, .. } => {
                    witness.ended.insert(run.id);
                }
                Change::CallCopied { call, result, .. } => {
                    witness.proposed.insert(call.id, call.clone());
                    witness.settled.insert(call.id);
                    witness.results.insert(call.id, result.clone());
                }
                _ => {}
            }
        }
        witness
    }

    /// Looks at one step: the head before it, what it did, and the play after it.
    pub(crate) fn look(&mut self, before: &Head, kind: &Kind, changes: &[Change], play: &Play) {
        self.each_change(before, kind, changes, play);
        self.acts_follow_changes(changes, play);
        Self::starting_closes_everything(kind, changes, play);
        Self::mode_moves_only_where_allowed(before, kind, changes, play);
        held::look(before, kind, changes, play);
        state_has_a_way_on(play);
        self.model_is_sent_what_happened(play);
        Self::rounds_are_counted_once(before, kind, play);
        tree_is_whole(play);
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
                Change::RunStarted(run) => match &run.child {
                    None => assert!(head.run.is_none(), "one run at a time"),
                    Some(_) => assert!(head.run.is_some(), "D-93: a sub-agent starts in a run"),
                },
                Change::CallProposed { call, result, verdicts, .. } => {
                    self.proposed.insert(call.id, call.clone());
                    self.decided_in_one_place(&head, call, verdicts, play);
                    if let CallState::Settled(settled) = &call.state {
                        self.settled.insert(call.id);
                        let result = settled.is_seen_by_model().then(|| result.clone().unwrap());
                        self.results.insert(call.id, result);
                    }
                }
                Change::CallStarted { call, warrant, run, .. } => {
                    let guarded = play.guards == Guards::Some && head.thread_of(&head.calls[call]).is_none();
                    if guarded
                        && *warrant != Warrant::NotNeeded
                        && self.proposed[call].proposed_by != *run
                        && self.needs_approval(*call, play)
                    {
                        assert!(self.looked.remove(call), "D-18: the guards look again before it runs");
                    }
                    assert!(self.started.insert(*call), "b.6.4: started twice");
                    assert!(!self.rejected.contains(call), "RU-9: a call that a guard rejected runs");
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
                    let own = steering.from == Said::Person;
                    assert!(head.run.is_some() || !own, "ST-1: words go to a run that is going on");
                    self.steered.insert(steering.id);
                }
                Change::SteeringTaken { taken: gone } | Change::SteeringReturned { returned: gone } => {
                    for one in gone {
                        assert!(self.steered.remove(one), "D-89: words are taken or given back once");
                    }
                }
                Change::RequestOpened { request, .. } => {
                    let call = &head.calls[&request.call];
                    let own = head.thread_of(call).is_none();
                    assert!(!own || !head.has_words(), "D-11: no question that the person's own words would close");
                    assert!(self.opened.insert(request.id), "a request id is new");
                    if request.kind == RequestKind::Call {
                        let tools = tools_of(play, &head, call);
                        let tool = tools
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
                            | AnsweredAs::ApprovedWithNote { .. }
                            | AnsweredAs::ApprovedForConversation { .. }
                            | AnsweredAs::DataGiven => true,
                            AnsweredAs::Rejected { .. } | AnsweredAs::PlanApproved { .. } => false,
                        },
                        Closing::PassedBy { by } => {
                            assert_ne!(*by, PassedBy::Withdrawn, "D-75: only what somebody else holds is withdrawn");
                            if let Kind::Start { told: Some(told) } = kind {
                                let named = told.contains(&Loss::Request(*request));
                                assert!(named, "D-83: an untold loss");
                            }
                            false
                        }
                    };
                    self.approved_by.insert(*request, approved);
                }
                Change::QuestionHeld(held) => {
                    assert!(self.opened.insert(held.request.id), "D-56: a question's id is new");
                }
                Change::QuestionClosed { question, .. } => {
                    assert!(self.closed.insert(*question), "a held question closes once");
                }
                Change::ConversationDeleted => self.steered.clear(),
                Change::CallFilledIn { call, .. } => {
                    let question = self.proposed[call].marks.has(Mark::NeedsInput);
                    assert!(question && self.filled_in.insert(*call), "b.6.5: only a question is filled in, and once");
                }
                Change::CallHeld { call, .. } | Change::CallWaits { call, .. } => {
                    assert!(!self.started.contains(call), "what has started doesn't wait");
                }
                Change::RunEnded { run, .. } => {
                    let thread = head.thread_of_run(*run).expect("only what goes on ends");
                    assert!(!head.has_started(thread), "a run ends when all that it started has settled");
                    if thread.is_none() {
                        assert_eq!(head.working_beside(), 0, "BG-2: a run ends when no background agent is at work");
                    } else {
                        assert!(head.calls_in(thread).is_empty(), "D-93: nothing of an ended sub-agent is unsettled");
                    }
                    self.ended.insert(*run);
                }
                _ => {}
            }
            head.apply(change);
        }
        let waiting: BTreeSet<MessageId> = head.steering.iter().map(|one| one.id).collect();
        assert_eq!(waiting, self.steered, "D-89: nothing that was said is lost");
        assert!(head.run.is_some() || !head.has_words(), "D-89: no words wait for a run that is over");
        Self::asks_in_its_turn(changes, &head);
        head.tidy();
        head.conversation.revision = play.head.conversation.revision;
        assert_eq!(head, play.head, "the changes are the whole step");
    }

    /// D-97: what asks again does so when its turn comes. Whatever stands before it has run, so that a person's approval is
    /// never held back for a request that came later.
    fn asks_in_its_turn(changes: &[Change], head: &Head) {
        for change in changes {
            let Change::CallWaits { call, .. } = change else { continue };
            let Some(call) = head.calls.get(call) else { continue };
            let first = head.calls_in(head.thread_of(call))[0].clone();
            assert!(
                matches!(first.state, CallState::Waiting(_)),
                "D-97: {} is held back by a call behind it",
                first.tool
            );
        }
    }

    /// b.6.10, D-42: a batch that was decided in the run counts once, in the step that decides it; what a person approved never does.
    fn rounds_are_counted_once(before: &Head, kind: &Kind, play: &Play) {
        for run in play.head.run.iter().chain(play.head.children.values()) {
            assert!(run.rounds <= run.limit, "b.6.10: rounds within the limit");
            let earlier = before.run.iter().chain(before.children.values()).find(|earlier| earlier.id == run.id);
            match earlier {
                None => assert_eq!(run.rounds, 0, "b.6.10: a run starts with none, whatever was approved for it"),
                Some(earlier) => {
                    let more = run.rounds - earlier.rounds;
                    assert!(more <= u32::from(*kind == Kind::Reply), "b.6.10: {kind:?} counted {more} rounds");
                }
            }
        }
    }

    /// What becomes of a proposed call is what [`decide`] says, of the tools and the mode of that moment; and whatever it says, a
    /// rejection is final (RU-9).
    fn decided_in_one_place(&mut self, head: &Head, call: &Call, verdicts: &[GuardVerdict], play: &Play) {
        let tools = tools_of(play, head, call);
        let tool = tools.iter().find(|tool| tool.identity.name == call.tool);
        let Some(tool) = tool.filter(|tool| !tool.marks.has(Mark::NeedsInput)) else { return };
        if requires_approval(tool) && verdicts.iter().any(|one| matches!(one.verdict, Verdict::Reject { .. })) {
            self.rejected.insert(call.id);
        }
        let standing = head.standing.iter().find(|one| one.covers(&tool.identity, &call.exact)).map(|one| one.id);
        let decision = decide(tool, verdicts, standing, head.mode_in(head.thread_of(call)));
        match &call.state {
            CallState::Approved(warrant) | CallState::Held(Kept::Run { warrant }) => {
                assert_eq!(decision, Decision::Run(warrant.clone()), "architecture 2: {}", call.tool);
            }
            CallState::Waiting(_) => assert_eq!(decision, Decision::Ask, "architecture 2: {}", call.tool),
            CallState::Held(Kept::Reject { .. } | Kept::Fault { .. }) | CallState::Settled(_) => {
                // Faults, what the person's own words dropped, and what was rejected too often are said elsewhere.
            }
            CallState::Started { .. } | CallState::Suspended { .. } => {
                panic!("a call is proposed before it is claimed")
            }
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
        let tools = tools_of(play, head, call);
        let tool =
            tools.iter().find(|tool| tool.identity.key() == key).expect("D-51: a claimed call's tool is still there");
        match warrant {
            Warrant::NotNeeded => assert!(!requires_approval(tool), "D-51: bound meanwhile"),
            Warrant::Rule { .. } => {}
            Warrant::Standing { id } => {
                let standing = head.standing.iter().find(|one| one.id == *id);
                let standing = standing.expect("D-97: a revoked approval lets nothing run");
                assert!(standing.covers(&tool.identity, &call.exact));
            }
            Warrant::Auto => {
                assert_eq!(head.mode_in(head.thread_of(call)), Mode::Auto, "D-82: Auto is over");
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
                    matches!(other.state, CallState::Started { .. } | CallState::Suspended { .. })
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
                Change::CallStarted { call, .. } if !is_start(&self.proposed[call]) => Some(*call),
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
                let as_proposed = stored.to_execute() == proposed.arguments;
                assert!(as_proposed || self.filled_in.contains(call), "b.6.5: and only a person's data changes it");
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
        let started = changes.iter().any(|change| matches!(change, Change::RunStarted(run) if run.child.is_none()));
        if started {
            assert_eq!(play.open(), opened, "b.6.1: no earlier request is open after a start");
        }
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
            Kind::Reply | Kind::Finished | Kind::Looked(_) | Kind::Other | Kind::Failed | Kind::Held => {
                assert!(!moved || ended, "b.6.8: the mode moved in mid-run");
            }
        }
        for change in changes {
            if let Change::RunEnded { run, end, .. } = change
                && *end != RunEnd::Asked
                && before.child(*run).is_none()
                && before.run.as_ref().is_some_and(|root| root.id == *run)
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

    /// b.6.6: whenever a model is called, its view is whole, and the one that was kept up is the one that a scan finds.
    fn model_is_sent_what_happened(&self, play: &Play) {
        for act in &play.acts {
            let Act::CallModel { run, .. } = act else { continue };
            let Some(thread) = play.head.thread_of_run(*run) else { continue };
            let transcript = thread.map_or(&play.transcript, |run| &play.below[&run]);
            // D-96: only a run that was told something after it had asked calls its model while calls wait.
            let waits = !play.head.calls_in(thread).is_empty();
            assert!(!waits || thread.is_none(), "a sub-agent's model is called when all is settled");
            let meanwhile = waits.then(|| Meanwhile::of(&play.head, thread));
            let view = transcript.view(meanwhile.as_ref()).expect("nothing unsettled is in the way");
            check(&view, 0).expect("every call has its result directly behind it");
            let mut scanned = Transcript::of(thread);
            for entry in self.entries(&play.log, thread) {
                scanned.load(entry);
            }
            assert_eq!(scanned.view(meanwhile.as_ref()).unwrap(), view, "kept up and scanned are the same");
        }
    }

    fn entries(&self, log: &[Change], thread: Thread) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::new();
        for change in log {
            match change {
                Change::MessageAdded(message) | Change::MessageCopied { message, .. } if message.thread == thread => {
                    entries.push(Entry { id: message.id, body: message.body.clone(), calls: Vec::new() });
                }
                Change::CallProposed { call, .. } | Change::CallCopied { call, .. } => {
                    let Some(entry) = entries.iter_mut().find(|one| one.id == call.message) else { continue };
                    let result = self.results.get(&call.id).cloned().flatten();
                    let mut made = EntryCall::of(call, result.clone());
                    if self.results.contains_key(&call.id) {
                        made.standing = match result {
                            Some(text) => countersign_core::transcript::EntryStanding::Result(text),
                            None => countersign_core::transcript::EntryStanding::Dropped,
                        };
                    }
                    entry.calls.push(made);
                }
                _ => {}
            }
        }
        entries
    }
}

/// The tools of the agent that a call belongs to.
fn tools_of(play: &Play, head: &Head, call: &Call) -> Vec<Tool> {
    match head.thread_of(call).and_then(|run| head.child(run)) {
        Some(child) => play.agents[&child.agent].tools.clone(),
        None => play.tools.clone(),
    }
}

/// Whether a call starts a sub-agent: its claim is the start, and nothing outside the conversation executes it.
fn is_start(call: &Call) -> bool {
    matches!(call.identity.as_ref().map(|identity| &identity.origin), Some(Origin::SubAgent { .. }))
}

/// D-81, D-93: what is suspended has something open below it, and what is below something that goes on goes on.
fn tree_is_whole(play: &Play) {
    let head = &play.head;
    for call in head.calls.values() {
        if let CallState::Suspended { .. } = call.state {
            let child = head.started_by(call.id).expect("a suspended call has a sub-agent");
            assert_eq!(head.children[&child].phase, Phase::Suspended, "D-81");
        }
    }
    for (id, run) in &head.children {
        let child = run.child.as_ref().unwrap();
        assert!(
            head.run.is_some() || run.phase == Phase::Suspended,
            "D-93: a sub-agent at work without a run above it"
        );
        if child.goes == Goes::InLine {
            let state = &head.calls[&child.call].state;
            match run.phase {
                Phase::Suspended => assert!(matches!(state, CallState::Suspended { .. }), "D-81"),
                _ => assert!(
                    matches!(state, CallState::Started { .. }),
                    "a sub-agent at work is a call that is executing"
                ),
            }
        }
        if run.phase == Phase::Suspended {
            let below = head.calls.values().filter(|call| head.up_from(head.thread_of(call)).contains(id));
            let waits = below.filter(|call| match &call.state {
                CallState::Waiting(_) => true,
                CallState::Approved(_) => !head.is_behind_suspended(call),
                _ => false,
            });
            assert!(waits.count() > 0, "D-81: suspended, and nothing below it waits for a person");
        }
    }
}

/// No state without a way on: whoever is to act next exists.
fn state_has_a_way_on(play: &Play) {
    let head = &play.head;
    let waiting = head.calls.values().filter(|call| matches!(call.state, CallState::Waiting(_))).count();
    assert_eq!(waiting, head.requests.len(), "a call waits for a request that is open");
    let threads = std::iter::once(None).chain(head.children.keys().copied().map(Some));
    for thread in threads {
        thread_has_a_way_on(play, thread);
    }
    if head.queued.is_some() && head.run.is_none() {
        let starts = play.acts.iter().any(|act| matches!(act, Act::StartQueued));
        assert!(starts || !play.acts.iter().any(|_| true), "D-08: queued answers start when the run has ended");
    }
}

fn thread_has_a_way_on(play: &Play, thread: Thread) {
    let head = &play.head;
    let calls = head.calls_in(thread);
    let count = |wanted: fn(&CallState) -> bool| calls.iter().filter(|call| wanted(&call.state)).count();
    let started = count(|state| matches!(state, CallState::Started { .. }));
    let waiting = count(|state| matches!(state, CallState::Waiting(_)));
    let held = count(|state| matches!(state, CallState::Held(_)));
    let approved = count(|state| matches!(state, CallState::Approved(_)));
    let suspended = count(|state| matches!(state, CallState::Suspended { .. }));
    let looked_at = calls.iter().any(|call| play.looks.contains(&call.id));
    match head.run_of(thread).map(|run| run.phase) {
        None => {
            assert_eq!(started, 0, "nothing runs outside a run");
            assert!(held == 0 || waiting > 0, "what is held has something to wait along with");
        }
        Some(Phase::Suspended) => {
            assert_eq!(started, 0, "D-81: all that it started has settled");
            assert!(waiting + suspended + approved > 0, "something in it waits");
        }
        // D-96: said after the run had asked.
        Some(Phase::Model | Phase::LastWord) if thread.is_none() => {
            assert_eq!(started, 0, "the model is asked when all that had started is settled");
        }
        Some(Phase::Model | Phase::LastWord) => {
            assert_eq!(calls.len(), 0, "the model is asked when all is settled");
        }
        Some(Phase::Asked) => {
            assert!(waiting + suspended > 0 && head.working_beside() > 0, "BG-2: it waits for background agents");
        }
        Some(Phase::Background) => {
            assert!(calls.is_empty() && head.working_beside() > 0, "D-99: it waits for background agents");
        }
        Some(Phase::Resolving | Phase::Tools) => {
            assert!(started > 0 || looked_at, "something runs or is looked at, or the run would hang");
            assert_eq!(waiting + held, 0, "architecture 1: nothing waits for a person inside a run");
        }
        Some(Phase::Stopping) => {
            let beside = thread.is_none() && head.working_beside() > 0;
            assert!(started > 0 || beside, "something settles, or the run would hang");
            assert_eq!(approved + waiting + held + suspended, 0, "and nothing further starts");
        }
    }
}
