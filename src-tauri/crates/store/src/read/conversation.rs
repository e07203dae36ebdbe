//! Heads, transcripts and small look-ups.

use std::collections::BTreeMap;

use countersign_core::agent::AgentProfile;
use countersign_core::change::Message;
use countersign_core::conversation::{Conversation, Standing};
use countersign_core::digest::Digest;
use countersign_core::head::{Head, Thread};
use countersign_core::ids::{AgentId, At, CallId, ConversationId, MessageId, RequestId, RunId, StandingId};
use countersign_core::mode::Mode;
use countersign_core::request::ClosedReason;
use countersign_core::run::{Goes, Phase, RunEnd};
use countersign_core::transcript::{Entry, EntryCall, Transcript};
use sqlx::{Row as _, query};

use crate::error::StoreError;
use crate::journal::{Checked, Link};
use crate::open::Store;
use crate::row::{from_json, from_word, id};
use crate::table::{
    agent, call, conversation, draft, held, message, queued, request, run, setting, standing, steering,
};

/// A standing approval with what is shown of it.
#[derive(Debug, Clone)]
pub struct StandingFact {
    /// The approval.
    pub standing: Standing,
    /// Its conversation.
    pub conversation: ConversationId,
    /// Its conversation's name.
    pub title: String,
    /// How often it let a call run.
    pub used: i64,
    /// When last.
    pub last_used: Option<At>,
}

/// A stored decision that wasn't sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftFact {
    /// The request, or the call where there is no request.
    pub row: [u8; 16],
    /// What it says, as JSON.
    pub decision: String,
    /// The digest of what was on screen.
    pub digest: Digest,
}

/// A sub-agent's run, for showing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentFact {
    /// Its run.
    pub run: RunId,
    /// What it is called.
    pub name: String,
    /// Whose run it is.
    pub agent: AgentId,
    /// Whether its caller waits for it.
    pub goes: Goes,
    /// What it does; none once it has ended.
    pub phase: Option<Phase>,
    /// How it ended.
    pub end: Option<RunEnd>,
}

/// A message with its calls, for showing.
#[derive(Debug, Clone)]
pub struct MessageFact {
    /// The message.
    pub message: Message,
    /// Its calls, by position.
    pub calls: Vec<super::inbox::CallFact>,
}

impl Store {
    /// The head of a conversation; none if it isn't there (any more).
    ///
    /// # Errors
    /// A [`StoreError`] if it can't be read; it is never taken for an empty one.
    pub async fn head(&self, of: ConversationId) -> Result<Option<Head>, StoreError> {
        let mut reading = self.readers.begin().await?;
        let key = of.0.to_vec();
        let Some(row) = query(conversation::ONE).bind(&key).fetch_optional(&mut *reading).await? else {
            return Ok(None);
        };
        let mut head = Head::new(conversation::read(&row)?);
        let active = query(run::ACTIVE).bind(&key).fetch_optional(&mut *reading).await?;
        head.run = active.as_ref().map(run::read).transpose()?;
        for row in query(run::BELOW).bind(&key).fetch_all(&mut *reading).await? {
            let child = run::read(&row)?;
            head.children.insert(child.id, child);
        }
        for row in query(call::UNSETTLED).bind(&key).fetch_all(&mut *reading).await? {
            let call = call::read(&row)?;
            head.order.insert(call.message, row.try_get("message_seq")?);
            head.calls.insert(call.id, call);
        }
        for row in query(request::OPEN).bind(&key).fetch_all(&mut *reading).await? {
            let request = request::read(&row)?;
            head.requests.insert(request.id, request);
        }
        for row in query(held::OPEN).bind(&key).fetch_all(&mut *reading).await? {
            let held = held::read(&row)?;
            head.held.insert(held.request.id, held);
        }
        for row in query(standing::IN_FORCE).bind(&key).fetch_all(&mut *reading).await? {
            head.standing.push(standing::read(&row)?);
        }
        for row in query(steering::QUEUED).bind(&key).fetch_all(&mut *reading).await? {
            head.steering.push(steering::read(&row)?);
        }
        let waiting = query(queued::WAITING).bind(&key).fetch_optional(&mut *reading).await?;
        head.queued = waiting.as_ref().map(queued::read).transpose()?;
        Ok(Some(head))
    }

    /// The model's view of a thread, from its beginning: one ordered scan. A thread is the conversation's own or a sub-agent's.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn transcript(&self, of: ConversationId, thread: Thread) -> Result<Transcript, StoreError> {
        let mut reading = self.readers.begin().await?;
        let (key, calls_of, messages_of) = match thread {
            None => (of.0.to_vec(), call::OF_CONVERSATION, message::OF_CONVERSATION),
            Some(run) => (run.0.to_vec(), call::OF_THREAD, message::OF_THREAD),
        };
        let mut calls: BTreeMap<_, Vec<EntryCall>> = BTreeMap::new();
        for row in query(calls_of).bind(&key).fetch_all(&mut *reading).await? {
            let call = call::read(&row)?;
            calls.entry(call.message).or_default().push(EntryCall::of(&call, row.try_get("result")?));
        }
        let mut transcript = Transcript::of(thread);
        for row in query(messages_of).bind(&key).fetch_all(&mut *reading).await? {
            let message = id(&row, "id")?;
            let calls = calls.remove(&message).unwrap_or_default();
            transcript.load(Entry { id: message, body: message::body(&row)?, calls });
        }
        Ok(transcript)
    }

    /// Why each of these requests isn't open; those that the conversation doesn't hold are left out (D-62).
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn closed_reasons(
        &self,
        of: ConversationId,
        requests: &[RequestId],
    ) -> Result<BTreeMap<RequestId, ClosedReason>, StoreError> {
        let mut reasons = BTreeMap::new();
        for one in requests {
            for reason in [request::REASON, held::REASON] {
                let row = query(reason).bind(one.0.to_vec()).bind(of.0.to_vec()).fetch_optional(&self.readers).await?;
                if let Some(row) = row {
                    let state: &str = row.try_get(0)?;
                    if state != "open" {
                        reasons.insert(*one, request::reason(state));
                    }
                }
            }
        }
        Ok(reasons)
    }

    /// Conversations whose run didn't end: those of a process that died.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn unfinished(&self) -> Result<Vec<ConversationId>, StoreError> {
        let rows = query(conversation::UNFINISHED).fetch_all(&self.readers).await?;
        rows.iter().map(|row| id(row, "conversation")).collect()
    }

    /// The conversations whose Auto ends at a time, the nearest first, each with that time (D-82).
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn auto_ends(&self) -> Result<Vec<(ConversationId, At)>, StoreError> {
        let rows = query(conversation::AUTO_ENDS).fetch_all(&self.readers).await?;
        rows.iter().map(|row| Ok((id(row, "id")?, At(row.try_get("auto_until")?)))).collect()
    }

    /// All conversations, the one that changed last first, each with that moment.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn conversations(&self) -> Result<Vec<(Conversation, At)>, StoreError> {
        let rows = query(conversation::ALL).fetch_all(&self.readers).await?;
        rows.iter().map(|row| Ok((conversation::read(row)?, At(row.try_get("touched_at")?)))).collect()
    }

    /// One conversation and when it changed last.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn conversation(&self, of: ConversationId) -> Result<Option<(Conversation, At)>, StoreError> {
        let row = query(conversation::ONE).bind(of.0.to_vec()).fetch_optional(&self.readers).await?;
        row.map(|row| Ok((conversation::read(&row)?, At(row.try_get("touched_at")?)))).transpose()
    }

    /// How the last run of a conversation ended; none if it goes on or there was none.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn last_end(&self, of: ConversationId) -> Result<Option<RunEnd>, StoreError> {
        let row = query(run::LAST).bind(of.0.to_vec()).fetch_optional(&self.readers).await?;
        let Some(row) = row else { return Ok(None) };
        let ending: Option<&str> = row.try_get("ending")?;
        Ok(ending.map(serde_json::from_str).transpose()?)
    }

    /// What the sub-agents are called that a run lies in, and whose they are, the outermost first; nothing for a conversation's own.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn path_of(&self, run: RunId) -> Result<Vec<(String, AgentId)>, StoreError> {
        let rows = query(run::PATH).bind(run.0.to_vec()).fetch_all(&self.readers).await?;
        rows.iter().map(|row| Ok((row.try_get("name")?, id(row, "agent")?))).collect()
    }

    /// The call that started a sub-agent's run; none for a conversation's own.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn start_call(&self, run: RunId) -> Result<Option<CallId>, StoreError> {
        let row = query(run::START_CALL).bind(run.0.to_vec()).fetch_optional(&self.readers).await?;
        row.map(|row| id(&row, "parent_call")).transpose()
    }

    /// The sub-agent that a call started, ended or not; none if it started none.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn started_by(&self, call: CallId) -> Result<Option<AgentFact>, StoreError> {
        let row = query(run::STARTED_BY).bind(call.0.to_vec()).fetch_optional(&self.readers).await?;
        row.map(|row| {
            let ending: Option<&str> = row.try_get("ending")?;
            let phase: &str = row.try_get("phase")?;
            Ok(AgentFact {
                run: id(&row, "id")?,
                name: row.try_get("name")?,
                agent: id(&row, "agent")?,
                goes: from_word(row.try_get("goes")?)?,
                phase: if phase == "ended" { None } else { Some(from_word(phase)?) },
                end: ending.map(serde_json::from_str).transpose()?,
            })
        })
        .transpose()
    }

    /// All messages of a sub-agent's thread, in order.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn thread(&self, run: RunId) -> Result<Vec<MessageFact>, StoreError> {
        let mut reading = self.readers.begin().await?;
        let rows = query(message::OF_THREAD).bind(run.0.to_vec()).fetch_all(&mut *reading).await?;
        let mut messages = Vec::with_capacity(rows.len());
        for row in rows {
            messages.push(message_fact(&mut reading, &row).await?);
        }
        Ok(messages)
    }

    /// The mode that a run started in: the one that its calls were judged under.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn mode_of_run(&self, run: RunId) -> Result<Option<Mode>, StoreError> {
        let row = query(run::MODE).bind(run.0.to_vec()).fetch_optional(&self.readers).await?;
        row.map(|row| crate::row::from_word(row.try_get(0)?)).transpose()
    }

    /// When the person rejected the same call, by its `exact` hash, since they last wrote something before message `before`; the
    /// latest last (D-79).
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn rejections(&self, of: ConversationId, exact: &str, before: i64) -> Result<Vec<At>, StoreError> {
        let rows =
            query(call::REJECTIONS).bind(of.0.to_vec()).bind(exact).bind(before).fetch_all(&self.readers).await?;
        rows.iter().map(|row| Ok(At(row.try_get(0)?))).collect()
    }

    /// Where a call's message stands in its conversation.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn seq_of(&self, message: MessageId) -> Result<Option<i64>, StoreError> {
        let row = query(message::ONE).bind(message.0.to_vec()).fetch_optional(&self.readers).await?;
        Ok(row.map(|row| row.try_get("seq")).transpose()?)
    }

    /// A page of a conversation: at most `limit` messages before `before`, newest first.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn messages(&self, of: ConversationId, before: i64, limit: i64) -> Result<Vec<MessageFact>, StoreError> {
        self.page(message::PAGE, of, before, limit).await
    }

    /// The same in the other direction: at most `limit` messages behind `after`, oldest first.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn messages_behind(
        &self,
        of: ConversationId,
        after: i64,
        limit: i64,
    ) -> Result<Vec<MessageFact>, StoreError> {
        self.page(message::PAGE_BEHIND, of, after, limit).await
    }

    async fn page(
        &self,
        page: &'static str,
        of: ConversationId,
        from: i64,
        limit: i64,
    ) -> Result<Vec<MessageFact>, StoreError> {
        let mut reading = self.readers.begin().await?;
        let rows = query(page).bind(of.0.to_vec()).bind(from).bind(limit).fetch_all(&mut *reading).await?;
        let mut messages = Vec::with_capacity(rows.len());
        for row in rows {
            messages.push(message_fact(&mut reading, &row).await?);
        }
        Ok(messages)
    }

    /// One message with its calls.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn message(&self, message: MessageId) -> Result<Option<MessageFact>, StoreError> {
        let row = query(message::ONE).bind(message.0.to_vec()).fetch_optional(&self.readers).await?;
        let Some(row) = row else { return Ok(None) };
        let mut reading = self.readers.acquire().await?;
        message_fact(&mut reading, &row).await.map(Some)
    }

    /// The conversation that a request belongs to.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn conversation_of_request(&self, request: RequestId) -> Result<Option<ConversationId>, StoreError> {
        let row = query(request::OF).bind(request.0.to_vec()).fetch_optional(&self.readers).await?;
        row.map(|row| id(&row, "conversation")).transpose()
    }

    /// The conversation that a standing approval belongs to.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn conversation_of_standing(&self, standing: StandingId) -> Result<Option<ConversationId>, StoreError> {
        let row = query(standing::OF).bind(standing.0.to_vec()).fetch_optional(&self.readers).await?;
        row.map(|row| id(&row, "conversation")).transpose()
    }

    /// A standing approval that was taken back not before `since`: its conversation, what it was, and the request that it was given
    /// on.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn revoked_standing(
        &self,
        standing: StandingId,
        since: At,
    ) -> Result<Option<(ConversationId, Standing, RequestId)>, StoreError> {
        let row =
            query(standing::REVOKED).bind(standing.0.to_vec()).bind(since.0).fetch_optional(&self.readers).await?;
        row.as_ref().map(|row| Ok((id(row, "conversation")?, standing::read(row)?, id(row, "request")?))).transpose()
    }

    /// Standing approvals in force, of all conversations.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn standing(&self) -> Result<Vec<StandingFact>, StoreError> {
        let rows = query(standing::ALL_IN_FORCE).fetch_all(&self.readers).await?;
        rows.iter()
            .map(|row| {
                Ok(StandingFact {
                    standing: standing::read(row)?,
                    conversation: id(row, "conversation")?,
                    title: row.try_get("title")?,
                    used: row.try_get("used")?,
                    last_used: row.try_get::<Option<i64>, _>("last_used_at")?.map(At),
                })
            })
            .collect()
    }

    /// All agent profiles.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn agents(&self) -> Result<Vec<AgentProfile>, StoreError> {
        query(agent::ALL).fetch_all(&self.readers).await?.iter().map(agent::read).collect()
    }

    /// An agent profile, a deleted one too: its conversations still name it.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn agent(&self, agent: AgentId) -> Result<Option<AgentProfile>, StoreError> {
        let row = query(agent::ONE).bind(agent.0.to_vec()).fetch_optional(&self.readers).await?;
        row.as_ref().map(agent::read).transpose()
    }

    /// How many conversations an agent has.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn conversations_of(&self, agent: AgentId) -> Result<i64, StoreError> {
        Ok(query(conversation::OF_AGENT).bind(agent.0.to_vec()).fetch_one(&self.readers).await?.try_get(0)?)
    }

    /// A setting, as JSON.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn setting(&self, name: &str) -> Result<Option<String>, StoreError> {
        let row = query(setting::GET).bind(name).fetch_optional(&self.readers).await?;
        Ok(row.map(|row| row.try_get(0)).transpose()?)
    }

    /// The text that is being typed for a conversation.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn typed(&self, of: ConversationId) -> Result<Option<String>, StoreError> {
        let row = query(setting::TYPED).bind(of.0.to_vec()).fetch_optional(&self.readers).await?;
        Ok(row.map(|row| row.try_get(0)).transpose()?)
    }

    /// What was decided in a conversation and not sent.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn drafts(&self, of: ConversationId) -> Result<Vec<DraftFact>, StoreError> {
        let rows = query(draft::OF_CONVERSATION).bind(of.0.to_vec()).fetch_all(&self.readers).await?;
        rows.iter()
            .map(|row| {
                Ok(DraftFact {
                    row: id::<CallId>(row, "row")?.0,
                    decision: row.try_get("decision")?,
                    digest: request::digest(row, "digest")?,
                })
            })
            .collect()
    }

    /// Checks the journal's chain and returns how many entries it has.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] that names the first entry at which it doesn't add up.
    pub async fn check_journal(&self) -> Result<i64, StoreError> {
        let mut so_far = Link::START;
        loop {
            match self.check_chain(so_far, 10_000).await? {
                Checked::More(link) => so_far = link,
                Checked::Whole(link) => return Ok(link.seq),
                Checked::Broken { seq, at: _ } => {
                    return Err(StoreError::Unreadable {
                        what: format!("the journal doesn't add up from entry {seq}"),
                    });
                }
            }
        }
    }

    /// The verdicts that guards gave on a call.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn verdicts(&self, call: CallId) -> Result<Vec<countersign_core::input::GuardVerdict>, StoreError> {
        let row = query(call::ONE).bind(call.0.to_vec()).fetch_optional(&self.readers).await?;
        row.map_or_else(|| Ok(Vec::new()), |row| from_json(&row, "verdicts"))
    }
}

async fn message_fact(
    reading: &mut sqlx::sqlite::SqliteConnection,
    row: &sqlx::sqlite::SqliteRow,
) -> Result<MessageFact, StoreError> {
    let message = super::fork::read_message(row)?;
    let calls = query(super::inbox::CALLS_OF_MESSAGE).bind(message.id.0.to_vec()).fetch_all(reading).await?;
    let calls = calls.iter().map(super::inbox::read_call).collect::<Result<_, _>>()?;
    Ok(MessageFact { message, calls })
}
