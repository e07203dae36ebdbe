//! The commands, one method each.

use std::sync::{Arc, PoisonError};

use countersign_core::fork::NewFork;
use countersign_core::ids::{AgentId, At, ConversationId, NotAnId, StandingId};
use countersign_core::input::{Input, NewConversation, Refusal, RunInput};
use countersign_core::mode::check_end;
use countersign_core::policy::ModeSetting;
use countersign_engine::ports::{Purpose, Step};
use countersign_store::record::Record;

use super::{Countersign, SETTINGS};
use crate::commands::request;
use crate::desk::{self, Desk};
use crate::display::mask::enforce;
use crate::entries::conversation_row;
use crate::error::{not_found, refused};
use crate::host::Typed;
use crate::rehearsal::{self, Rehearsal};
use crate::wire::agent::{Agent, Confining, FoundServer, KeyStores, SaveAgent, Switches, TestStep, ToolRow};
use crate::wire::conversation::{ConversationRow, FoundConversations, FoundWords, Send, StandingRow, Transcript};
use crate::wire::inbox::Mode;
use crate::wire::quick::{QuickPage, QuickTask};
use crate::wire::server::{FoundToolServer, Server, ServerDetail, ServerLogLine, ServerRow, ServerTool};
use crate::wire::settings::Settings;
use crate::wire::text::Block;
use crate::wire::window::{ApiError, FeedWhat, Snapshot, Space};
use crate::words::{Thing, of_system, say, speak};
use crate::{agents, cards, quick, sending, servers};

/// The longest name that a conversation gets from its first message.
const TITLE_CHARS: usize = 48;

/// The commands, one method each, named as in [`crate::commands`]; what each does stands there.
#[expect(missing_docs, reason = "each is documented once, in the list of commands")]
#[expect(clippy::unused_async, reason = "a surface calls every command in the same way")]
impl Countersign {
    pub async fn snapshot(&self, space: Space, _: request::snapshot) -> Result<Snapshot, ApiError> {
        let desk = self.desk(space).await?;
        // The number comes first: what changes while the rest is read is sent again, and sending twice does no harm.
        let seq = self.feed.seq();
        let mut settings = desk.settings();
        // The session has the last word on what starts with it.
        settings.start_at_login = self.host.desktop.starts_at_login();
        let agents = agents::agents(&desk).await?;
        let capabilities = self.host.notices.capabilities().await;
        let notices = match (&capabilities.server, capabilities.actions) {
            (None, _) => Some(say().no_notifications()),
            (Some(_), true | false) => None,
        };
        let rehearsal = self.rehearsal.read().await.as_ref().map(|rehearsal| rehearsal.state());
        Ok(Snapshot {
            seq,
            space,
            sets: desk.sets().await?,
            closed: desk.closed().await?,
            conversations: desk.conversations().await?,
            first_run: !settings.greeted && self.main.engine.store().agents().await?.is_empty(),
            agents,
            settings,
            rehearsal,
            rehearsal_stored: rehearsal::database(&self.host.rehearsal_folder).exists(),
            notices,
            version: self.host.version.clone(),
            data_folder: self.host.data_folder.display().to_string(),
            system: self.host.system.clone(),
            system_speaks: of_system(),
        })
    }

    pub async fn start_conversation(
        &self,
        space: Space,
        request: request::start_conversation,
    ) -> Result<ConversationRow, ApiError> {
        let desk = self.desk(space).await?;
        let agent: AgentId = request.agent.parse().map_err(|_: NotAnId| not_found(Thing::Agent))?;
        let profile = desk.engine.store().agent(agent).await?.ok_or_else(|| not_found(Thing::Agent))?;
        // A conversation that couldn't even begin isn't made: the text stays in the field.
        let outfit = self.host.outfitter.outfit(&profile, &[], Purpose::Check).await;
        outfit.map_err(|failure| refused(say().model_failed(failure.kind, &failure.text)))?;
        let id = ConversationId(*uuid::Uuid::now_v7().as_bytes());
        let text = request.text.filter(|text| !text.trim().is_empty());
        let title = text.as_deref().map_or_else(|| say().new_conversation(), |text| title_of(text, TITLE_CHARS));
        if request.mode.is_some() && profile.policy.modes == ModeSetting::Fixed {
            return Err(Refusal::ModeNotConfigurable.into());
        }
        let mode = profile.mode_to_start_in(request.mode.map(cards::core_mode));
        let auto_until = request.auto_until.map(At);
        if let Some(end) = auto_until {
            check_end(mode, end, self.host.clock.now()).map_err(Refusal::AutoEnd)?;
        }
        desk.engine.create(NewConversation { id, agent, title, mode, auto_until }).await?;
        if let Some(text) = text {
            let send = Send {
                conversation: id.to_string(),
                answers: Vec::new(),
                text: Some(text.clone()),
                mode: None,
                auto_until: None,
                passes_by: Vec::new(),
            };
            if let Err(error) = sending::send(&desk, send).await {
                desk.engine.store().record(Record::Typed { conversation: id, text }).await?;
                return Err(error);
            }
        }
        conversation_row(&desk, id).await
    }

    pub async fn fork(&self, space: Space, request: request::fork) -> Result<ConversationRow, ApiError> {
        let desk = self.desk(space).await?;
        let source = desk::conversation(&request.conversation)?;
        let id = ConversationId(*uuid::Uuid::now_v7().as_bytes());
        desk.engine.fork(source, NewFork { id, title: request.title, upto: request.upto }).await?;
        conversation_row(&desk, id).await
    }

    pub async fn decisions_of(&self, space: Space, request: request::decisions_of) -> Result<i64, ApiError> {
        let of = desk::conversation(&request.conversation)?;
        Ok(self.desk(space).await?.engine.store().decisions_of(of).await?)
    }

    pub async fn transcript(&self, space: Space, request: request::transcript) -> Result<Transcript, ApiError> {
        let desk = self.desk(space).await?;
        let of = desk::conversation(&request.conversation)?;
        crate::entries::page(desk.engine.store(), of, request.before, request.after).await
    }

    pub async fn find_words(&self, space: Space, request: request::find_words) -> Result<FoundWords, ApiError> {
        let of = desk::conversation(&request.conversation)?;
        crate::finding::find(&*self.desk(space).await?, of, &request.text).await
    }

    pub async fn find_conversations(
        &self,
        space: Space,
        request: request::find_conversations,
    ) -> Result<FoundConversations, ApiError> {
        crate::finding::conversations(&*self.desk(space).await?, &request.text).await
    }

    pub async fn steer(&self, space: Space, request: request::steer) -> Result<(), ApiError> {
        let desk = self.desk(space).await?;
        let conversation = desk::conversation(&request.conversation)?;
        Ok(desk.engine.input(conversation, Input::Steer { text: request.text }).await?)
    }

    pub async fn stop(&self, space: Space, request: request::stop) -> Result<(), ApiError> {
        self.input(space, &request.conversation, Input::Stop).await
    }

    pub async fn retry(&self, space: Space, request: request::retry) -> Result<(), ApiError> {
        let input = RunInput { passes_by: Some(std::collections::BTreeSet::new()), ..RunInput::default() };
        self.input(space, &request.conversation, Input::Start(input)).await
    }

    pub async fn tighten(&self, space: Space, request: request::tighten) -> Result<(), ApiError> {
        self.input(space, &request.conversation, Input::Tighten { mode: cards::core_mode(request.mode) }).await
    }

    pub async fn rename(&self, space: Space, request: request::rename) -> Result<(), ApiError> {
        self.input(space, &request.conversation, Input::Rename { title: request.title }).await
    }

    pub async fn delete_conversation(
        &self,
        space: Space,
        request: request::delete_conversation,
    ) -> Result<(), ApiError> {
        self.input(space, &request.conversation, Input::Delete).await
    }

    pub async fn standing(&self, space: Space, _: request::standing) -> Result<Vec<StandingRow>, ApiError> {
        let desk = self.desk(space).await?;
        let row = |fact: countersign_store::read::conversation::StandingFact| StandingRow {
            id: fact.standing.id.to_string(),
            conversation: fact.conversation.to_string(),
            title: cards::title(&fact.title),
            tool: cards::title(&fact.standing.identity.name),
            reach: match fact.standing.cover.reach() {
                countersign_core::answer::Reach::Tool => say().any_arguments(),
                countersign_core::answer::Reach::Exact => say().this_exact_call(),
            },
            since: fact.standing.since.0,
            used: fact.used,
            last_used: fact.last_used.map(|at| at.0),
        };
        Ok(desk.engine.store().standing().await?.into_iter().map(row).collect())
    }

    pub async fn revoke(&self, space: Space, request: request::revoke) -> Result<(), ApiError> {
        let desk = self.desk(space).await?;
        let standing: StandingId = request.id.parse().map_err(|_: NotAnId| not_found(Thing::StandingApproval))?;
        let of = desk.engine.store().conversation_of_standing(standing).await?;
        let of = of.ok_or_else(|| not_found(Thing::StandingApproval))?;
        Ok(desk.engine.input(of, Input::Revoke { standing }).await?)
    }

    pub async fn save_agent(&self, space: Space, request: request::save_agent) -> Result<Agent, ApiError> {
        agents::save(&*self.desk(space).await?, request.save).await
    }

    pub async fn delete_agent(&self, space: Space, request: request::delete_agent) -> Result<(), ApiError> {
        agents::delete(&*self.desk(space).await?, &request.id).await
    }

    pub async fn test_agent(&self, _: Space, request: request::test_agent) -> Result<Vec<TestStep>, ApiError> {
        let profile = agents::profile(&request.save.agent)?;
        let steps = self.host.connections.test(&profile, typed(&request.save)).await.into_iter();
        let step =
            |step: Step| TestStep { name: say().step_name(step.name), ok: step.ok, text: say().seen(&step.seen) };
        Ok(steps.map(step).collect())
    }

    pub async fn find_servers(&self, _: Space, _: request::find_servers) -> Result<Vec<FoundServer>, ApiError> {
        Ok(self.host.connections.find().await)
    }

    pub async fn list_models(&self, _: Space, request: request::list_models) -> Result<Vec<String>, ApiError> {
        let mut agent = request.save.agent.clone();
        if agent.model.trim().is_empty() {
            // The list is what the model is chosen from; the address alone must be right.
            "unchosen".clone_into(&mut agent.model);
        }
        let profile = agents::profile(&agent)?;
        let models = self.host.connections.models(&profile, typed(&request.save)).await;
        models.map_err(|why| refused(say().models_not_listed(&why)))
    }

    pub async fn tools(&self, space: Space, request: request::tools) -> Result<Vec<ToolRow>, ApiError> {
        Ok(agents::tool_rows(&*self.desk(space).await?, &request.agent))
    }

    pub async fn switches(&self, space: Space, _: request::switches) -> Result<Switches, ApiError> {
        Ok(agents::switches(&*self.desk(space).await?))
    }

    pub async fn switch_tools(&self, space: Space, request: request::switch_tools) -> Result<(), ApiError> {
        agents::switch(&*self.desk(space).await?, request.switches).await
    }

    pub async fn start_quick_task(
        &self,
        space: Space,
        request: request::start_quick_task,
    ) -> Result<QuickTask, ApiError> {
        let mode = request.mode.map(cards::core_mode);
        let task = quick::start(&*self.desk(space).await?, &request.agent, &request.text, mode).await?;
        let kept = match task.mode {
            Mode::Plan | Mode::Default => Some(task.mode),
            // What lets writes run unasked is chosen anew each time.
            Mode::Auto => None,
        };
        let (agent, mode) = (Some(task.agent.clone()), kept);
        let changed = {
            let stored = self.settings.lock().unwrap_or_else(PoisonError::into_inner);
            (&stored.quick_agent, stored.quick_mode) != (&agent, mode)
        };
        if changed && space == Space::Main {
            self.remember(|settings| (settings.quick_agent, settings.quick_mode) = (agent, mode)).await?;
        }
        Ok(task)
    }

    pub async fn quick_tools(&self, space: Space, request: request::quick_tools) -> Result<Vec<String>, ApiError> {
        quick::tools(&*self.desk(space).await?, &request.agent, cards::core_mode(request.mode)).await
    }

    pub async fn quick_task(&self, space: Space, request: request::quick_task) -> Result<QuickTask, ApiError> {
        quick::task(&*self.desk(space).await?, desk::conversation(&request.id)?).await
    }

    pub async fn quick_tasks(&self, space: Space, request: request::quick_tasks) -> Result<QuickPage, ApiError> {
        quick::page(&*self.desk(space).await?, request.before).await
    }

    pub async fn remove_quick_task(&self, space: Space, request: request::remove_quick_task) -> Result<(), ApiError> {
        quick::remove(&*self.desk(space).await?, desk::conversation(&request.id)?).await
    }

    pub async fn servers(&self, space: Space, _: request::servers) -> Result<Vec<ServerRow>, ApiError> {
        servers::rows(&*self.desk(space).await?).await
    }

    pub async fn server(&self, space: Space, request: request::server) -> Result<ServerDetail, ApiError> {
        servers::detail(&*self.desk(space).await?, &request.id).await
    }

    pub async fn server_tool(&self, space: Space, request: request::server_tool) -> Result<ServerTool, ApiError> {
        servers::tool(&*self.desk(space).await?, &request.id, &request.key).await
    }

    pub async fn server_log(&self, space: Space, request: request::server_log) -> Result<Vec<ServerLogLine>, ApiError> {
        servers::log(&*self.desk(space).await?, &request.id).await
    }

    pub async fn save_server(&self, space: Space, request: request::save_server) -> Result<Server, ApiError> {
        servers::save(&*self.desk(space).await?, request.save).await
    }

    pub async fn delete_server(&self, space: Space, request: request::delete_server) -> Result<(), ApiError> {
        servers::delete(&*self.desk(space).await?, &request.id).await
    }

    pub async fn restart_server(&self, space: Space, request: request::restart_server) -> Result<(), ApiError> {
        servers::restart(&*self.desk(space).await?, &request.id).await
    }

    pub async fn say_of_server(&self, space: Space, request: request::say_of_server) -> Result<(), ApiError> {
        let request::say_of_server { id, fingerprint, word } = request;
        servers::say_of_all(&*self.desk(space).await?, &id, &fingerprint, word).await
    }

    pub async fn say_of_tool(&self, space: Space, request: request::say_of_tool) -> Result<(), ApiError> {
        let request::say_of_tool { id, key, fingerprint, word } = request;
        servers::say_of_tool(&*self.desk(space).await?, &id, &key, &fingerprint, word).await
    }

    pub async fn read_servers(
        &self,
        space: Space,
        request: request::read_servers,
    ) -> Result<Vec<FoundToolServer>, ApiError> {
        servers::read(&*self.desk(space).await?, &request.text).await
    }

    pub async fn key_stores(&self, _: Space, _: request::key_stores) -> Result<KeyStores, ApiError> {
        let probe = self.host.keys.probe().await;
        Ok(KeyStores { keyring: probe.is_ok(), why: probe.err() })
    }

    pub async fn confining(&self, _: Space, _: request::confining) -> Result<Confining, ApiError> {
        let offered = self.host.confining.offered().await;
        Ok(Confining { no_files: offered.files.err(), no_network: offered.network.err() })
    }

    pub async fn save_settings(&self, _: Space, request: request::save_settings) -> Result<(), ApiError> {
        let settings = request.settings;
        if settings.grace_ms.is_some_and(|ms| !(0..=10_000).contains(&ms)) {
            return Err(crate::error::invalid("grace_ms", say().grace_range()));
        }
        if let Some(faulty) = crate::display::mask::Masks::new(&settings.masks).faulty().first() {
            let pattern = crate::display::text::plain(&crate::display::text::one_line(faulty, 60));
            return Err(crate::error::invalid("masks", say().no_pattern(&pattern)));
        }
        let before = self.main.settings();
        if settings.start_at_login != before.start_at_login {
            let set = self.host.desktop.start_at_login(settings.start_at_login);
            set.map_err(|why| refused(say().login_not_set(&why)))?;
        }
        if settings.close_to_tray != before.close_to_tray {
            self.forget_closing().await?;
        }
        self.remember(|stored| *stored = settings).await?;
        self.notices_follow(&before).await;
        Ok(())
    }

    pub async fn start_rehearsal(&self, _: Space, _: request::start_rehearsal) -> Result<(), ApiError> {
        let mut running = self.rehearsal.write().await;
        if let Some(before) = running.take() {
            before.desk.close().await;
        }
        let folder = &self.host.rehearsal_folder;
        remove_folder(folder)?;
        remove_folder(&self.host.rehearsal_workspace)?;
        rehearsal::set_the_stage(folder, &self.host.rehearsal_workspace)?;
        let desk = Desk::open(
            Space::Rehearsal,
            &rehearsal::database(folder),
            self.host.clone(),
            Arc::clone(&self.feed),
            Arc::clone(&self.settings),
            Arc::clone(&self.looking),
            None,
        )
        .await?;
        let begun = Rehearsal::begin(desk, &self.host.rehearsal_workspace).await?;
        let state = begun.state();
        *running = Some(begun);
        drop(running);
        self.feed.publish(Space::Main, FeedWhat::Rehearsal { state: Some(state) });
        self.remember(|settings| settings.greeted = true).await
    }

    pub async fn skip_step(&self, _: Space, _: request::skip_step) -> Result<(), ApiError> {
        if let Some(rehearsal) = self.rehearsal.read().await.as_ref() {
            rehearsal.skip();
        }
        Ok(())
    }

    pub async fn leave_rehearsal(&self, _: Space, _: request::leave_rehearsal) -> Result<(), ApiError> {
        if let Some(rehearsal) = self.rehearsal.write().await.take() {
            rehearsal.desk.close().await;
        }
        self.feed.publish(Space::Rehearsal, FeedWhat::Rehearsal { state: None });
        self.feed.publish(Space::Main, FeedWhat::Rehearsal { state: None });
        Ok(())
    }

    pub async fn remove_rehearsal(&self, space: Space, _: request::remove_rehearsal) -> Result<(), ApiError> {
        self.leave_rehearsal(space, request::leave_rehearsal {}).await?;
        remove_folder(&self.host.rehearsal_workspace)?;
        remove_folder(&self.host.rehearsal_folder)
    }

    pub async fn markdown(&self, _: Space, request: request::markdown) -> Result<Vec<Block>, ApiError> {
        Ok(crate::display::markdown::blocks(&request.text))
    }

    pub async fn keep_draft(&self, space: Space, request: request::keep_draft) -> Result<(), ApiError> {
        let desk = self.desk(space).await?;
        let conversation = desk::conversation(&request.conversation)?;
        Ok(desk.engine.store().record(Record::Typed { conversation, text: request.text }).await?)
    }

    pub async fn kept_draft(&self, space: Space, request: request::kept_draft) -> Result<String, ApiError> {
        let desk = self.desk(space).await?;
        let of = desk::conversation(&request.conversation)?;
        Ok(desk.engine.store().typed(of).await?.unwrap_or_default())
    }

    pub async fn log_ui(&self, _: Space, request: request::log_ui) -> Result<(), ApiError> {
        let now = self.host.clock.now().0;
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        if logged.is_none_or(|last| now - last >= 1_000) {
            *logged = Some(now);
            let text = crate::display::text::plain(&crate::display::text::one_line(&request.text, 500));
            tracing::warn!(%text, "the window reports an error");
        }
        Ok(())
    }

    pub(super) async fn remember(
        &self,
        change: impl FnOnce(&mut Settings) + std::marker::Send,
    ) -> Result<(), ApiError> {
        let settings = {
            let mut settings = self.settings.lock().unwrap_or_else(PoisonError::into_inner).clone();
            change(&mut settings);
            settings
        };
        let value = serde_json::to_string(&settings).map_err(|error| refused(say().unexpected(&error.to_string())))?;
        self.main.engine.store().record(Record::Setting { name: SETTINGS.to_owned(), value }).await?;
        *self.settings.lock().unwrap_or_else(PoisonError::into_inner) = settings.clone();
        // Both, whatever the first one says.
        if speak(settings.language) | enforce(&settings.masks) {
            // Every window takes a snapshot: what it holds is in the language before, or is covered as before.
            self.feed.gap();
        }
        self.main.history.set_otherwise();
        self.feed.publish(Space::Main, FeedWhat::Settings { settings: settings.clone() });
        self.feed.publish(Space::Rehearsal, FeedWhat::Settings { settings });
        Ok(())
    }
}

/// What was typed and isn't kept yet.
fn typed(save: &SaveAgent) -> Typed<'_> {
    Typed { key: save.new_key.as_deref(), headers: &save.new_headers }
}

/// A name for a conversation from the person's first words.
pub(crate) fn title_of(text: &str, most: usize) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    if line.chars().count() <= most {
        return line.to_owned();
    }
    let cut: String = line.chars().take(most).collect();
    let end = cut.rfind(' ').filter(|end| *end > most / 2).unwrap_or(cut.len());
    format!("{}…", cut.get(..end).unwrap_or(&cut))
}

fn remove_folder(folder: &std::path::Path) -> Result<(), ApiError> {
    match std::fs::remove_dir_all(folder) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(refused(say().folder_not_removed(&error.to_string()))),
    }
}
