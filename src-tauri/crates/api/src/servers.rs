//! Tool servers between the wire, the store and the machine: saving, showing, and the person's word on their tools (D-87).

mod faults;
mod import;

use std::collections::BTreeMap;

use countersign_core::agent::{AgentProfile, KeySource};
use countersign_core::call::Call;
use countersign_core::ids::{At, NotAnId, ServerId};
use countersign_core::mode::Mode;
use countersign_core::offer::is_offered;
use countersign_core::policy::{DataClass, Off, ToolGroup};
use countersign_core::server::{
    Asks, Claims, Definition, Launch, ServerProfile, Value, Variable, Word, check, handle_for,
};
use countersign_core::tool::{Origin, requires_approval};
use countersign_store::error::StoreError;
use countersign_store::record::Record;

use self::faults::fault_words;
pub(crate) use self::import::read;

use crate::agents::{core_key_source, key_source};
use crate::desk::Desk;
use crate::display::text::{one_line, safe};
use crate::error::{invalid, not_found, refused, sentence};
use crate::host::{ServerHealth, ServerStatus};
use crate::wire::inbox::OfServer;
use crate::wire::server::{
    self, Data, InMode, SaveServer, Server, ServerAsks, ServerDetail, ServerLogLine, ServerRow, ServerState,
    ServerTool, ServerToolRow,
};
use crate::wire::window::{ApiError, FeedWhat};
use crate::words::{Thing, say};

/// How much of a description a row shows, in characters.
const ROW_WIDTH: usize = 200;
/// How much of a description a card shows, in characters.
const SAYS_WIDTH: usize = 400;
/// How much of a description or a schema is shown, in bytes.
const MOST_SHOWN: usize = 64 * 1024;

/// All tool servers of a space.
pub(crate) async fn rows(desk: &Desk) -> Result<Vec<ServerRow>, ApiError> {
    let store = desk.engine.store();
    let agents = store.agents().await?;
    Ok(store.servers().await?.iter().map(|profile| row(desk, profile, &agents)).collect())
}

/// A server with its tools. One that isn't running is started, so that there is something to see.
pub(crate) async fn detail(desk: &Desk, id: &str) -> Result<ServerDetail, ApiError> {
    let profile = stored(desk, id).await?;
    // One that failed isn't tried again whenever somebody looks.
    let health = desk.host.servers.status(profile.id).map(|status| status.health);
    if matches!(health, None | Some(ServerHealth::Idle)) {
        desk.host.servers.wake(&profile);
    }
    let row = row(desk, &profile, &desk.engine.store().agents().await?);
    let used = desk.engine.store().last_used(&profile.handle).await?;
    let status = desk.host.servers.status(profile.id);
    let definitions = status.map(|status| status.definitions).unwrap_or_default();
    let loosens = profile.all.asks == Some(Asks::Never) || profile.all.read_only || profile.all.parallel_safe;
    Ok(ServerDetail {
        row,
        word: word(profile.all),
        fingerprint: profile.fingerprint_of_all(&definitions),
        word_lost: loosens && profile.seen.launch != profile.launch.fingerprint(),
        tools: tools(desk, &profile, &definitions, &used).into_iter().map(|(_, row)| row).collect(),
    })
}

/// A tool of a server in full.
pub(crate) async fn tool(desk: &Desk, id: &str, key: &str) -> Result<ServerTool, ApiError> {
    let (profile, definitions) = known(desk, id).await?;
    let used = desk.engine.store().last_used(&profile.handle).await?;
    let found = tools(desk, &profile, &definitions, &used).into_iter().find(|(definition, _)| definition.name == key);
    let (definition, row) = found.ok_or_else(|| not_found(Thing::Tool))?;
    let schema = serde_json::from_str::<serde_json::Value>(&definition.schema);
    let schema = schema.ok().and_then(|schema| serde_json::to_string_pretty(&schema).ok());
    Ok(ServerTool {
        row,
        title: definition.title.as_deref().map(|title| one_line(title, ROW_WIDTH)),
        description: safe(beginning(&definition.description)),
        schema: safe(beginning(schema.as_deref().unwrap_or(&definition.schema))),
    })
}

/// A server's log.
pub(crate) async fn log(desk: &Desk, id: &str) -> Result<Vec<ServerLogLine>, ApiError> {
    let profile = stored(desk, id).await?;
    let lines = desk.host.servers.log(profile.id).into_iter();
    Ok(lines.map(|line| ServerLogLine { at: line.at, ours: line.ours, text: safe(&line.text) }).collect())
}

/// Saves a server: its secrets to where they are kept first, then the profile in a new revision.
pub(crate) async fn save(desk: &Desk, save: SaveServer) -> Result<Server, ApiError> {
    let store = desk.engine.store();
    let others = store.servers().await?;
    let id = match &save.server.id {
        Some(id) => id.parse().map_err(|_: NotAnId| not_found(Thing::ToolServer))?,
        None => ServerId(*uuid::Uuid::now_v7().as_bytes()),
    };
    let before = others.iter().find(|other| other.id == id);
    let mut profile = profile(&save.server, id)?;
    match before {
        // A stale editor must not undo what another window saved.
        Some(before) if before.revision != save.server.revision => {
            return Err(refused(say().server_changed()));
        }
        Some(before) => {
            profile.handle.clone_from(&before.handle);
            (profile.all, profile.seen, profile.tools) = (before.all, before.seen.clone(), before.tools.clone());
        }
        None if save.server.id.is_some() => return Err(not_found(Thing::ToolServer)),
        None => {
            let taken: Vec<&str> = others.iter().map(|other| other.handle.as_str()).collect();
            profile.handle = handle_for(&profile.name, &taken);
        }
    }
    check(&profile, &others).map_err(|fault| invalid(fault.field, fault_words(&fault)))?;
    let field = match &profile.launch {
        Launch::Command { .. } => "env",
        Launch::Http { .. } => "headers",
    };
    for variable in profile.launch.variables() {
        let Value::Secret { from } = &variable.value else { continue };
        let typed = save.secrets.iter().find(|secret| secret.name == variable.name);
        let was_kept = before.is_some_and(|before| before.launch.variables().contains(variable));
        let value = match typed {
            Some(typed) if !typed.value.trim().is_empty() => typed.value.as_str(),
            _ if was_kept || matches!(from, KeySource::Env { .. }) => continue,
            _ => return Err(invalid(field, say().type_value(&variable.name))),
        };
        let kept = desk.host.servers.keep(id, &variable.name, from, value).await;
        kept.map_err(|why| invalid(field, say().secret_not_kept(&why)))?;
    }
    profile.revision = before.map_or(0, |before| before.revision) + 1;
    match store.record(Record::Server(Box::new(profile.clone()))).await {
        Err(StoreError::Misfit { .. }) => return Err(refused(say().server_changed())),
        stored => stored?,
    }
    desk.host.servers.present(&profile);
    if let Some(before) = before {
        let is_kept = |name: &String| {
            profile.launch.variables().iter().any(|one| one.name == *name && matches!(one.value, Value::Secret { .. }))
        };
        let gone: Vec<String> = secrets_of(before).into_iter().filter(|name| !is_kept(name)).collect();
        desk.host.servers.forget(id, &gone).await;
        // A new value, a new folder or a switch counts from the next start on; so there is one.
        if before.launch != profile.launch || !save.secrets.is_empty() || before.on != profile.on {
            desk.host.servers.stop(id).await;
        }
    }
    desk.feed.publish(desk.space, FeedWhat::Servers);
    Ok(server(&profile))
}

/// Deletes a server with its secrets. Agents that named it go on without it.
pub(crate) async fn delete(desk: &Desk, id: &str) -> Result<(), ApiError> {
    let profile = stored(desk, id).await?;
    desk.engine.store().record(Record::ServerDeleted { server: profile.id }).await?;
    desk.host.servers.remove(profile.id).await;
    desk.host.servers.forget(profile.id, &secrets_of(&profile)).await;
    desk.feed.publish(desk.space, FeedWhat::Servers);
    Ok(())
}

/// Stops a server and starts it afresh.
pub(crate) async fn restart(desk: &Desk, id: &str) -> Result<(), ApiError> {
    let profile = stored(desk, id).await?;
    desk.host.servers.stop(profile.id).await;
    desk.host.servers.wake(&profile);
    Ok(())
}

/// Takes a word on all tools of a server, of what was on screen.
pub(crate) async fn say_of_all(
    desk: &Desk,
    id: &str,
    fingerprint: &str,
    word: server::ToolWord,
) -> Result<(), ApiError> {
    let word = core_word(word);
    let loosens = word.asks == Some(Asks::Never) || word.read_only || word.parallel_safe;
    change_word(desk, id, |profile, definitions| {
        if loosens && definitions.is_empty() {
            return Err(refused(say().tools_unknown()));
        }
        if loosens && profile.fingerprint_of_all(definitions) != fingerprint {
            return Err(refused(say().server_or_tools_changed()));
        }
        profile.say_of_all(word, definitions);
        Ok(())
    })
    .await
}

/// Takes a word on one tool, of what was on screen.
pub(crate) async fn say_of_tool(
    desk: &Desk,
    id: &str,
    key: &str,
    fingerprint: &str,
    word: server::ToolWord,
) -> Result<(), ApiError> {
    let word = core_word(word);
    change_word(desk, id, |profile, definitions| {
        let definition = definitions.iter().find(|one| one.name == key).ok_or_else(|| not_found(Thing::Tool))?;
        if definition.fingerprint() != fingerprint {
            return Err(refused(say().tool_changed()));
        }
        profile.say_of(definition, word);
        Ok(())
    })
    .await
}

/// Changes what is said of a server's tools, on top of whatever another window said meanwhile. What tightens holds for the very next
/// call, what loosens for the next run (D-82).
async fn change_word(
    desk: &Desk,
    id: &str,
    change: impl Fn(&mut ServerProfile, &[Definition]) -> Result<(), ApiError>,
) -> Result<(), ApiError> {
    let mut tries = 0;
    loop {
        let (mut profile, definitions) = known(desk, id).await?;
        change(&mut profile, &definitions)?;
        profile.revision += 1;
        tries += 1;
        match desk.engine.store().record(Record::Server(Box::new(profile.clone()))).await {
            Ok(()) => {
                desk.host.servers.present(&profile);
                desk.feed.publish(desk.space, FeedWhat::Servers);
                return Ok(());
            }
            Err(StoreError::Misfit { .. }) if tries < 5 => {}
            Err(error) => return Err(error.into()),
        }
    }
}

async fn stored(desk: &Desk, id: &str) -> Result<ServerProfile, ApiError> {
    let id: ServerId = id.parse().map_err(|_: NotAnId| not_found(Thing::ToolServer))?;
    desk.engine.store().server(id).await?.ok_or_else(|| not_found(Thing::ToolServer))
}

async fn known(desk: &Desk, id: &str) -> Result<(ServerProfile, std::sync::Arc<Vec<Definition>>), ApiError> {
    let profile = stored(desk, id).await?;
    let status = desk.host.servers.status(profile.id);
    Ok((profile, status.map(|status| status.definitions).unwrap_or_default()))
}

fn row(desk: &Desk, profile: &ServerProfile, agents: &[AgentProfile]) -> ServerRow {
    let status = desk.host.servers.status(profile.id);
    let state = match (profile.on, status.as_ref().map(|status| &status.health)) {
        (false, _) => ServerState::Off,
        (true, None | Some(ServerHealth::Idle)) => ServerState::Idle,
        (true, Some(ServerHealth::Starting)) => ServerState::Starting,
        (true, Some(ServerHealth::Running)) => ServerState::Running,
        (true, Some(ServerHealth::Failed { why, again_s })) => ServerState::Failed {
            why: one_line(&sentence(why), 400),
            again_s: again_s.map(|seconds| u32::try_from(seconds).unwrap_or(u32::MAX)),
        },
    };
    let ServerStatus { definitions, cut, calls_itself, .. } = status.unwrap_or_else(|| ServerStatus {
        health: ServerHealth::Idle,
        definitions: std::sync::Arc::default(),
        cut: String::new(),
        calls_itself: None,
    });
    let using = agents.iter().filter(|agent| agent.servers.contains(&profile.id));
    let tightened = definitions.iter().filter(|one| profile.tool(one, String::new()).tightened).count();
    ServerRow {
        server: server(profile),
        state,
        calls_itself: calls_itself.map(|name| one_line(&name, 80)),
        tools: u32::try_from(definitions.len()).unwrap_or(u32::MAX),
        tightened: u32::try_from(tightened).unwrap_or(u32::MAX),
        cut,
        agents: using.map(|agent| agent.name.clone()).collect(),
    }
}

fn tools<'a>(
    desk: &Desk,
    profile: &ServerProfile,
    definitions: &'a [Definition],
    used: &BTreeMap<String, At>,
) -> Vec<(&'a Definition, ServerToolRow)> {
    let switches = desk.engine.switches();
    let row = |definition: &'a Definition, one: countersign_core::server::ServerTool| {
        let told = one.tool.identity.name.clone();
        let tool = switches.mark(one.tool);
        let off = match &switches.off {
            Off::These { tools, groups } => tools.contains(&told) || groups.contains(&ToolGroup::Server),
            Off::Unreadable => true,
        };
        let asks = if requires_approval(&tool) { InMode::Asks } else { InMode::Runs };
        let hidden = |shown: InMode| if off || !profile.on { InMode::Hidden } else { shown };
        let said = profile.tools.get(&definition.name).map(|own| own.word).unwrap_or_default();
        ServerToolRow {
            key: definition.name.clone(),
            name: one_line(&definition.name, 80),
            description: one_line(&definition.description, ROW_WIDTH),
            claims: claims(definition.claims),
            word: word(said),
            fingerprint: definition.fingerprint(),
            tightened: one.tightened,
            off,
            in_default: hidden(asks),
            in_plan: hidden(if is_offered(&tool, Mode::Plan) { asks } else { InMode::Hidden }),
            in_auto: hidden(InMode::Runs),
            last_used_at: used.get(&told).map(|at| at.0),
            told,
        }
    };
    profile.tools(definitions).into_iter().map(|(definition, one)| (definition, row(definition, one))).collect()
}

/// The names of an agent's servers that are switched on and aren't running now.
pub(crate) async fn not_running(desk: &Desk, agent: &AgentProfile) -> Vec<String> {
    if agent.servers.is_empty() {
        return Vec::new();
    }
    let servers = desk.engine.store().servers().await.unwrap_or_default().into_iter();
    let absent = |server: &ServerProfile| {
        let status = desk.host.servers.status(server.id);
        server.on
            && agent.servers.contains(&server.id)
            && status.is_none_or(|status| status.health != ServerHealth::Running)
    };
    servers.filter(absent).map(|server| server.name).collect()
}

/// The server of a call, and what it says of the tool now; none for a call of another kind of tool.
pub(crate) async fn of_call(desk: &Desk, call: &Call, replaced: bool) -> Result<Option<OfServer>, ApiError> {
    let Some(Origin::Server { server, .. }) = call.identity.as_ref().map(|identity| &identity.origin) else {
        return Ok(None);
    };
    let profile = match server.parse::<ServerId>() {
        Ok(id) => desk.engine.store().server(id).await?,
        Err(_) => None,
    };
    let status = profile.as_ref().and_then(|profile| desk.host.servers.status(profile.id));
    let definitions = status.map(|status| status.definitions).unwrap_or_default();
    let tools = profile.as_ref().map(|profile| profile.tools(&definitions)).unwrap_or_default();
    let found = tools.into_iter().find(|(_, one)| one.tool.identity.name == call.tool);
    let found = found.map(|(definition, one)| (definition, one.tightened));
    Ok(Some(OfServer {
        name: profile.map(|profile| profile.name),
        says: found.map(|(definition, _)| one_line(&definition.description, SAYS_WIDTH)).unwrap_or_default(),
        claims: found.map(|(definition, _)| claims(definition.claims)).unwrap_or_default(),
        tightened: found.is_some_and(|(_, tightened)| tightened),
        replaced,
    }))
}

/// What a server claims, in words.
fn claims(claims: Claims) -> Vec<String> {
    let Claims { read_only, destructive, idempotent, open_world } = claims;
    let said = [
        read_only.map(|yes| say().says_read_only(yes)),
        destructive.map(|yes| say().says_destructive(yes)),
        idempotent.map(|yes| say().says_repeatable(yes)),
        open_world.map(|yes| say().says_reaches_outside(yes)),
    ];
    said.into_iter().flatten().collect()
}

/// The beginning of a text, at most [`MOST_SHOWN`] bytes.
fn beginning(text: &str) -> &str {
    let end = (0..=text.len().min(MOST_SHOWN)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    text.get(..end).unwrap_or_default()
}

fn secrets_of(profile: &ServerProfile) -> Vec<String> {
    let secret = |one: &&Variable| matches!(one.value, Value::Secret { .. });
    profile.launch.variables().iter().filter(secret).map(|one| one.name.clone()).collect()
}

/// A server as the editor shows it.
pub(crate) fn server(profile: &ServerProfile) -> Server {
    let variables = |all: &[Variable]| {
        let one = |one: &Variable| {
            let (text, from) = match &one.value {
                Value::Plain { text } => (Some(text.clone()), crate::wire::agent::KeySource::None),
                Value::Secret { from } => (None, key_source(from)),
            };
            server::Variable { name: one.name.clone(), text, from }
        };
        all.iter().map(one).collect()
    };
    Server {
        id: Some(profile.id.to_string()),
        revision: profile.revision,
        name: profile.name.clone(),
        handle: profile.handle.clone(),
        launch: match &profile.launch {
            Launch::Command { program, args, env, folder } => server::Launch::Command {
                program: program.clone(),
                args: args.clone(),
                env: variables(env),
                folder: folder.clone(),
            },
            Launch::Http { url, headers } => server::Launch::Http { url: url.clone(), headers: variables(headers) },
        },
        on: profile.on,
        data: match profile.data {
            DataClass::Public => Data::Public,
            DataClass::Given => Data::Given,
            DataClass::Workspace => Data::Workspace,
            DataClass::Machine => Data::Machine,
            DataClass::Unclassified => Data::Unclassified,
        },
        roots: profile.roots.clone(),
        start_s: profile.start_s,
        call_s: profile.call_s,
    }
}

/// A profile from the wire; nobody said anything of its tools yet.
fn profile(server: &Server, id: ServerId) -> Result<ServerProfile, ApiError> {
    let variables = |all: &[server::Variable]| {
        let one = |one: &server::Variable| {
            let value = match (&one.text, &one.from) {
                (Some(text), crate::wire::agent::KeySource::None) => Value::Plain { text: text.clone() },
                (_, from) => Value::Secret { from: core_key_source(from)? },
            };
            Ok(Variable { name: one.name.trim().to_owned(), value })
        };
        all.iter().map(one).collect::<Result<Vec<_>, ApiError>>()
    };
    let some = |text: &Option<String>| text.as_ref().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    Ok(ServerProfile {
        id,
        revision: server.revision,
        name: server.name.trim().to_owned(),
        handle: server.handle.clone(),
        launch: match &server.launch {
            server::Launch::Command { program, args, env, folder } => Launch::Command {
                program: program.trim().to_owned(),
                args: args.clone(),
                env: variables(env)?,
                folder: some(folder),
            },
            server::Launch::Http { url, headers } => {
                Launch::Http { url: url.trim().to_owned(), headers: variables(headers)? }
            }
        },
        on: server.on,
        data: match server.data {
            Data::Public => DataClass::Public,
            Data::Given => DataClass::Given,
            Data::Workspace => DataClass::Workspace,
            Data::Machine => DataClass::Machine,
            Data::Unclassified => DataClass::Unclassified,
        },
        all: Word::default(),
        seen: countersign_core::server::Seen::default(),
        tools: BTreeMap::new(),
        roots: server.roots.iter().map(|root| root.trim().to_owned()).filter(|root| !root.is_empty()).collect(),
        start_s: server.start_s,
        call_s: server.call_s,
    })
}

fn word(word: Word) -> server::ToolWord {
    let asks = word.asks.map(|asks| match asks {
        Asks::First => ServerAsks::First,
        Asks::Never => ServerAsks::Never,
    });
    server::ToolWord { asks, read_only: word.read_only, parallel_safe: word.parallel_safe }
}

fn core_word(word: server::ToolWord) -> Word {
    let asks = word.asks.map(|asks| match asks {
        ServerAsks::First => Asks::First,
        ServerAsks::Never => Asks::Never,
    });
    Word { asks, read_only: word.read_only, parallel_safe: word.parallel_safe }
}
