//! Applies the changes of one step: one exhaustive match from change to statements, a revision check before, the
//! journal beside.

use countersign_core::call::CallState;
use countersign_core::change::{Change, MessageBody};
use countersign_core::faults::{self, Fault};
use countersign_core::ids::{At, ConversationId};
use countersign_core::mode::Mode;
use countersign_core::request::{AnsweredAs, Closing};
use sqlx::sqlite::SqliteConnection;

use crate::error::StoreError;
use crate::journal::{self, Tip};
use crate::table::call::Decided;
use crate::table::{call, conversation, copy, held, message, output, queued, request, run, standing, steering};

/// Applies a step's changes inside the caller's transaction and returns the journal's new end.
pub(crate) async fn apply(
    to: &mut SqliteConnection,
    mut tip: Tip,
    of: ConversationId,
    expected: i64,
    head: HeadFacts,
    changes: &[Change],
    at: At,
) -> Result<Tip, StoreError> {
    let creates = matches!(changes.first(), Some(Change::ConversationCreated(_)));
    if !creates {
        let HeadFacts { awaits_reply, next_seq } = head;
        if !conversation::bump(to, of, expected, awaits_reply, next_seq, at).await? {
            let found = conversation::revision(to, of)
                .await?
                .ok_or_else(|| StoreError::Misfit { what: "a conversation that isn't there".to_owned() })?;
            if !faults::on(Fault::NoRevisionCheck) {
                return Err(StoreError::Stale { expected, found });
            }
            conversation::bump(to, of, found, awaits_reply, next_seq, at).await?;
        }
    }
    for change in changes {
        write(to, of, change, at).await?;
    }
    // Behind everything that it records, in the same transaction: one statement a step, as each costs a change of threads.
    tip = journal::add(to, tip, of, changes, at).await?;
    Ok(tip)
}

/// The columns of a conversation that follow from its changes, as the core's head has them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeadFacts {
    pub(crate) awaits_reply: bool,
    pub(crate) next_seq: i64,
}

async fn write(to: &mut SqliteConnection, of: ConversationId, change: &Change, now: At) -> Result<(), StoreError> {
    match change {
        Change::ConversationCreated(new) => conversation::insert(to, new).await,
        Change::ConversationRenamed { title } => conversation::rename(to, of, title).await,
        Change::ConversationDeleted => {
            output::delete(to, of).await?;
            conversation::delete(to, of, now).await
        }
        Change::ModeSet { mode, auto_chain, auto_until } => {
            conversation::set_mode(to, of, *mode, *auto_chain, *auto_until, now).await
        }
        Change::RunStarted(new) => run::insert(to, of, new).await,
        Change::RunPhase { run: id, phase, rounds } => run::set_phase(to, *id, *phase, *rounds).await,
        Change::RunEnded { run: id, end, at } => run::end(to, *id, end, *at).await,
        Change::AgentRan { run: id, ran } => run::set_ran(to, *id, ran).await,
        Change::SteeringQueued(new) => steering::insert(to, of, new).await,
        Change::SteeringTaken { taken } => steering::take(to, taken).await,
        Change::SteeringReturned { returned } => steering::give_back(to, returned).await,
        Change::AnswersQueued(new) => queued::put(to, of, new).await,
        Change::AnswersTaken => queued::take(to, of).await,
        Change::AnswersReturned { why: _ } => queued::give_back(to, of).await,
        Change::RunCopied { run: new, of: _ } => copy::run(to, of, new).await,
        // Nothing was used up for it here, so no run counts it.
        Change::MessageCopied { message: new, of: _ } => message::insert(to, of, new).await,
        Change::CallCopied { call: new, result, of: source } => {
            copy::call(to, of, new, result.as_deref(), *source).await
        }
        Change::MessageAdded(new) => {
            // The body is matched here so that a new kind of message can't be stored half.
            match &new.body {
                MessageBody::User { .. } | MessageBody::Agent { .. } => message::insert(to, of, new).await,
                MessageBody::Assistant { usage, .. } => {
                    message::insert(to, of, new).await?;
                    run::count_model_call(to, of, *usage).await
                }
            }
        }
        Change::CallProposed { call: new, result, verdicts, at } => {
            call::insert(to, of, new, result.as_deref(), verdicts, *at).await
        }
        Change::CallApproved { call: id, warrant } => {
            call::set_state(to, *id, &CallState::Approved(warrant.clone())).await
        }
        Change::CallFilledIn { call: id, executed } => call::fill_in(to, *id, executed).await,
        Change::CallHeld { call: id, kept } => call::set_state(to, *id, &CallState::Held(kept.clone())).await,
        Change::CallWaits { call: id, request } => call::set_state(to, *id, &CallState::Waiting(*request)).await,
        Change::CallStarted { .. } if faults::on(Fault::DropClaim) => Ok(()),
        Change::CallStarted { call: id, run, warrant, at } => call::start(to, *id, *run, warrant, *at).await,
        Change::CallSuspended { call: id, warrant } => {
            call::wait_below(to, *id, &CallState::Suspended { warrant: warrant.clone() }).await
        }
        Change::CallResumed { call: id, run, warrant, at } => {
            let state = CallState::Started { warrant: warrant.clone(), run: *run, at: *at };
            call::wait_below(to, *id, &state).await
        }
        Change::CallSettled { call: id, settled, result, left, at } => {
            call::settle(to, *id, settled, result.as_deref(), *at).await?;
            match left {
                Some(left) => run::leave(to, of, *id, &left.path, &left.content).await,
                None => Ok(()),
            }
        }
        Change::RequestOpened { request: new, before } => request::insert(to, of, new, before.as_deref()).await,
        Change::RequestClosed { request: id, closing, by_run, at } => {
            request::close(to, of, *id, closing, *by_run, *at).await?;
            let about = request::call_of(to, *id).await?;
            call::decide(to, about, decided(closing), *at).await
        }
        Change::QuestionHeld(new) => held::insert(to, of, new).await,
        Change::QuestionClosed { question, call: _, closing, answer, at } => {
            held::close(to, of, *question, closing, answer.as_deref(), *at).await
        }
        Change::StandingGranted { standing: new, request } => standing::insert(to, of, new, *request).await,
        Change::StandingUsed { standing: id, at } => standing::count_use(to, *id, *at).await,
        Change::StandingRevoked { standing: id, at } => standing::revoke(to, *id, *at).await,
    }
}

fn decided(closing: &Closing) -> Decided<'_> {
    let person = |decision, words| Decided { decision, by: "person", words };
    match closing {
        Closing::Answered { verdict } => match verdict {
            AnsweredAs::Approved => person("approved", None),
            AnsweredAs::ApprovedWithNote { note, .. } => person("approved", Some(note)),
            AnsweredAs::ApprovedForConversation { .. } => person("approved_conversation", None),
            AnsweredAs::DataGiven => person("answered", None),
            AnsweredAs::Rejected { reason } => person("rejected", reason.as_deref()),
            AnsweredAs::PlanApproved { into, until: _, ends_at: _ } => match into {
                Mode::Auto => person("plan_auto", None),
                Mode::Default | Mode::Plan => person("plan_default", None),
            },
        },
        Closing::PassedBy { .. } => Decided { decision: "expired", by: "conversation", words: None },
    }
}
