//! What is stored beside conversations: agents, settings, drafts, typed text, what calls gave in whole. Not decided by the core and not in the
//! journal, but written by the same writer.

use countersign_core::agent::AgentProfile;
use countersign_core::digest::Digest;
use countersign_core::ids::{AgentId, At, CallId, ConversationId, ServerId};
use countersign_core::server::ServerProfile;
use sqlx::sqlite::SqliteConnection;

use crate::error::StoreError;
use crate::table::later::{self, LaterFact};
use crate::table::rule::{self, RuleFact};
use crate::table::search::{self, Entry};
use crate::table::{agent, draft, noticed, output, server, setting};

/// One thing to store.
#[derive(Debug, Clone)]
pub enum Record {
    /// An agent profile, in a new revision.
    Agent(Box<AgentProfile>),
    /// An agent profile goes.
    AgentDeleted {
        /// Which.
        agent: AgentId,
        /// When.
        at: At,
    },
    /// A tool server, in a new revision.
    Server(Box<ServerProfile>),
    /// A tool server goes.
    ServerDeleted {
        /// Which.
        server: ServerId,
    },
    /// A setting.
    Setting {
        /// Its name.
        name: String,
        /// Its value, as JSON.
        value: String,
    },
    /// A decision that wasn't sent yet; replaces the one of the same row.
    Draft {
        /// The request, or the call where there is no request.
        row: [u8; 16],
        /// Whose.
        conversation: ConversationId,
        /// What it says, as JSON.
        decision: String,
        /// The digest of what was on screen.
        digest: Digest,
        /// When.
        at: At,
    },
    /// The person has a request on screen; only the first time counts.
    Seen {
        /// The request.
        row: [u8; 16],
        /// Whose.
        conversation: ConversationId,
        /// When.
        at: At,
    },
    /// Decisions are taken back or were sent.
    DraftsGone {
        /// The rows.
        rows: Vec<[u8; 16]>,
    },
    /// A set is put aside; replaces until when it was.
    Later(LaterFact),
    /// Sets that aren't put aside any more.
    LaterGone {
        /// Which.
        sets: Vec<[u8; 16]>,
    },
    /// A rule; replaces the one of the same id.
    Rule(RuleFact),
    /// A rule goes.
    RuleDeleted {
        /// Which.
        rule: String,
    },
    /// What a call gave in whole, where the model gets less of it.
    Output {
        /// Of which conversation.
        conversation: ConversationId,
        /// Which call.
        call: CallId,
        /// The text.
        text: String,
    },
    /// Text that is being typed; blank removes it.
    Typed {
        /// For which conversation.
        conversation: ConversationId,
        /// The text.
        text: String,
    },
    /// Decisions come into the index of history, each in place of what it had of it.
    Indexed {
        /// Which.
        entries: Vec<Entry>,
        /// Up to which place all are there now; 0 leaves that as it is.
        filled: i64,
    },
    /// Decisions go out of the index.
    Unindexed {
        /// Their places.
        seqs: Vec<i64>,
    },
    /// The index is filled afresh, by other rules.
    IndexAfresh {
        /// By which.
        stamp: String,
    },
}

pub(crate) async fn write(to: &mut SqliteConnection, record: &Record) -> Result<(), StoreError> {
    match record {
        Record::Agent(profile) => agent::save(to, profile).await,
        Record::AgentDeleted { agent: id, at } => agent::delete(to, *id, *at).await,
        Record::Server(profile) => server::save(to, profile).await,
        Record::ServerDeleted { server: id } => server::delete(to, *id).await,
        Record::Setting { name, value } => setting::set(to, name, value).await,
        Record::Draft { row, conversation, decision, digest, at } => {
            draft::stage(to, *row, *conversation, decision, digest, *at).await?;
            noticed::staged(to, *row, *conversation, *at).await
        }
        Record::Seen { row, conversation, at } => noticed::saw(to, *row, *conversation, *at).await,
        Record::DraftsGone { rows } => {
            for row in rows {
                draft::unstage(to, *row).await?;
            }
            Ok(())
        }
        Record::Later(set) => later::put(to, set).await,
        Record::LaterGone { sets } => {
            for set in sets {
                later::take(to, *set).await?;
            }
            Ok(())
        }
        Record::Rule(rule) => rule::put(to, rule).await,
        Record::RuleDeleted { rule: id } => rule::take(to, id).await,
        Record::Output { conversation, call, text } => output::keep(to, *conversation, *call, text).await,
        Record::Typed { conversation, text } => setting::keep_typed(to, *conversation, text).await,
        Record::Indexed { entries, filled } => search::fill(to, entries, *filled).await,
        Record::Unindexed { seqs } => search::remove(to, seqs).await,
        Record::IndexAfresh { stamp } => search::afresh(to, stamp).await,
    }
}
