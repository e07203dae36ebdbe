//! Tool servers: programs and addresses that the person added, whose tools agents can use.
//!
//! The operator declares, the server never does (D-45, D-87). What a server says of its tools is shown as its claims and
//! decides nothing. Every tool asks first until the person says otherwise, and what they say to loosen holds for exactly the
//! launch and the definition that they saw; what they say to tighten holds for ever.

mod fault;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::agent::KeySource;
use crate::digest::hex;
use crate::ids::ServerId;
use crate::policy::{DataClass, Place, ToolGroup};
use crate::tool::{Declared, Effect, Mark, Marks, Origin, Tool, ToolIdentity};

pub use self::fault::{ServerFault, Wrong};

/// The longest description that a model is sent, in bytes. The person can read all that was kept.
pub const MOST_DESCRIPTION: usize = 8 * 1024;
/// The largest JSON Schema of a tool that can be used, in bytes.
pub const MOST_SCHEMA: usize = 256 * 1024;
/// The longest name that a model is told, in bytes; what every provider accepts.
pub const MOST_NAME: usize = 64;
/// The longest short name of a server, in bytes.
pub const MOST_HANDLE: usize = 20;
/// Seconds that a server may take to start, by default and at most.
pub const START_SECONDS: [u32; 2] = [30, 300];
/// Seconds that a call may take without a sign of life, by default and at most.
pub const CALL_SECONDS: [u32; 2] = [120, 3600];

/// A tool server as the person set it up. Saving it makes a new revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerProfile {
    /// Which.
    pub id: ServerId,
    /// Goes up by one with every save, from 1.
    pub revision: i64,
    /// The name that the person sees. Changing it changes nothing else (D-87).
    pub name: String,
    /// What the names of its tools begin with for the model. It stays what it was when the server was added.
    pub handle: String,
    /// How it is reached.
    pub launch: Launch,
    /// Whether it is used at all.
    pub on: bool,
    /// What its results can show, as the person says (N-66).
    pub data: DataClass,
    /// What the person said of all its tools.
    pub all: Word,
    /// For which launch and which definitions `all` may loosen something, by the server's name for the tool.
    pub seen: Seen,
    /// What the person said of single tools, by the server's name for them.
    pub tools: BTreeMap<String, ToolWord>,
    /// Folders that it is told about when it asks for roots; none means that it is told of none.
    pub roots: Vec<String>,
    /// Seconds that it may take to start.
    pub start_s: u32,
    /// Seconds that a call may take without a sign of life.
    pub call_s: u32,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "by")]
pub enum Launch {
    /// A program that is started and spoken to over its standard input and output.
    Command {
        /// The program: a path, or a name that is looked for in `PATH`.
        program: String,
        /// Its arguments, each as it is; no shell reads them.
        args: Vec<String>,
        /// Variables of its environment beside the few that every program gets.
        env: Vec<Variable>,
        /// The folder that it is started in, absolute; none is the person's home folder.
        folder: Option<String>,
    },
    /// An address that speaks streamable HTTP.
    Http {
        /// The address, `https://` or `http://`.
        url: String,
        /// Headers of every request.
        headers: Vec<Variable>,
    },
}

/// A variable of the environment, or a header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value, or where that is kept.
    pub value: Value,
}

/// The value of a variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Value {
    /// Anybody may read it.
    Plain {
        /// One line.
        text: String,
    },
    /// It is kept where keys are kept, and never here.
    Secret {
        /// Where.
        from: KeySource,
    },
}

/// What the person says of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Word {
    /// Whether calls ask first; unsaid for one tool means as for all of the server, unsaid for all means that they ask.
    pub asks: Option<Asks>,
    /// The read-only mark: whether Plan mode offers it.
    pub read_only: bool,
    /// Whether calls may run beside each other (D-84).
    pub parallel_safe: bool,
}

/// Whether calls ask first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asks {
    /// They ask.
    First,
    /// They run without asking.
    Never,
}

/// What the person says of one tool, and what it was when they said so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolWord {
    /// The word.
    pub word: Word,
    /// The fingerprint of the launch that it was said of.
    pub launch: String,
    /// The fingerprint of the definition that it was said of.
    pub definition: String,
}

/// What the person had in front of them when they said something of all tools.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Seen {
    /// The fingerprint of the launch.
    pub launch: String,
    /// The fingerprints of the definitions, by the server's name for the tool.
    pub definitions: BTreeMap<String, String>,
}

/// What a server says of a tool of its own. All of it is hostile text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The server's name for it.
    pub name: String,
    /// Its title, if it gives one.
    pub title: Option<String>,
    /// Its description.
    pub description: String,
    /// Its JSON Schema, as text.
    pub schema: String,
    /// What it claims.
    pub claims: Claims,
}

/// What a server claims of a tool: shown, never believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Claims {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
    /// Calling it twice is the same as once.
    pub idempotent: Option<bool>,
    /// It deals with the world outside.
    pub open_world: Option<bool>,
}

/// A tool of a server as it stands: what the person's word makes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerTool {
    /// The tool.
    pub tool: Tool,
    /// Whether something that the person had loosened doesn't hold any more, because launch or definition changed (D-87).
    pub tightened: bool,
}

fn fingerprint<'a>(tag: &'a str, parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = Sha256::new();
    for part in std::iter::once(tag).chain(parts) {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    hex(&hash.finalize())
}

impl Launch {
    /// The fingerprint of what is launched: command, arguments, folder or address, and the names of variables or headers. Their
    /// values are no part of it: a new password makes no other server (D-87).
    pub fn fingerprint(&self) -> String {
        match self {
            Self::Command { program, args, env, folder } => {
                let counts = [args.len().to_string(), env.len().to_string()];
                let names = env.iter().map(|one| one.name.as_str());
                let parts = counts.iter().map(String::as_str).chain([program.as_str()]);
                let parts = parts.chain(args.iter().map(String::as_str)).chain(names);
                fingerprint("countersign launch command 1", parts.chain(folder.as_deref()))
            }
            Self::Http { url, headers } => {
                let names = headers.iter().map(|one| one.name.as_str());
                fingerprint("countersign launch http 1", std::iter::once(url.as_str()).chain(names))
            }
        }
    }

    /// Variables or headers.
    pub fn variables(&self) -> &[Variable] {
        match self {
            Self::Command { env, .. } => env,
            Self::Http { headers, .. } => headers,
        }
    }
}

impl Definition {
    /// The fingerprint of what the server says of the tool: description, schema and annotations (D-87).
    pub fn fingerprint(&self) -> String {
        let claim = |claim: Option<bool>| match claim {
            None => "unsaid",
            Some(true) => "yes",
            Some(false) => "no",
        };
        let Claims { read_only, destructive, idempotent, open_world } = self.claims;
        let claims = [read_only, destructive, idempotent, open_world].map(claim);
        let title = [if self.title.is_some() { "titled" } else { "untitled" }, self.title.as_deref().unwrap_or("")];
        let parts = [self.name.as_str(), title[0], title[1], &self.description, &self.schema];
        fingerprint("countersign definition 1", parts.into_iter().chain(claims))
    }
}

impl ServerProfile {
    /// A tool of the server as it stands, under the name that the model is told.
    pub fn tool(&self, definition: &Definition, name: String) -> ServerTool {
        let (launch, now) = (self.launch.fingerprint(), definition.fingerprint());
        let own = self.tools.get(&definition.name);
        let own_holds = own.is_some_and(|own| own.launch == launch && own.definition == now);
        let all_hold = self.seen.launch == launch && self.seen.definitions.get(&definition.name) == Some(&now);
        let own_word = own.map(|own| own.word).unwrap_or_default();
        let (asks, asks_hold) = match own_word.asks {
            Some(asks) => (asks, own_holds),
            None => (self.all.asks.unwrap_or(Asks::First), all_hold),
        };
        let loosened = |own: bool, all: bool| [(own, own_holds), (all, all_hold)];
        let marks = [
            (Mark::ReadOnly, loosened(own_word.read_only, self.all.read_only)),
            (Mark::ParallelSafe, loosened(own_word.parallel_safe, self.all.parallel_safe)),
        ];
        let is_set = |said: &[(bool, bool); 2]| said.iter().any(|(said, holds)| *said && *holds);
        let is_lost = |said: &[(bool, bool); 2]| said.iter().any(|(said, holds)| *said && !*holds) && !is_set(said);
        let declared = match (asks, asks_hold) {
            (Asks::Never, true) => Declared::RunsFree,
            (Asks::Never, false) | (Asks::First, _) => Declared::AsksFirst,
        };
        // A tool that came after the person had spoken of all was never loosened.
        let known = own.is_some() || self.seen.definitions.contains_key(&definition.name);
        let lost = asks == Asks::Never && !asks_hold || marks.iter().any(|(_, said)| is_lost(said));
        let set = marks.iter().filter(|(_, said)| is_set(said)).map(|(mark, _)| *mark);
        let identity = ToolIdentity {
            origin: Origin::Server { server: self.id.to_string(), launch, definition: now, declared },
            name,
        };
        let tool = Tool {
            identity,
            description: cut(&definition.description, MOST_DESCRIPTION),
            parameters: definition.schema.clone(),
            // What a server's tool does to the world nobody here knows (D-110).
            effect: Effect::Write,
            marks: Marks::of(set),
        };
        ServerTool { tool, tightened: known && lost }
    }

    /// The fingerprint of the launch and of all that the server says of its tools.
    pub fn fingerprint_of_all(&self, definitions: &[Definition]) -> String {
        let all: Vec<String> = definitions.iter().map(Definition::fingerprint).collect();
        let launch = self.launch.fingerprint();
        fingerprint("countersign server 1", std::iter::once(launch.as_str()).chain(all.iter().map(String::as_str)))
    }

    /// The server's tools as they stand, each with what the server says of it. One whose name can't be told apart is left out.
    pub fn tools<'a>(&self, definitions: &'a [Definition]) -> Vec<(&'a Definition, ServerTool)> {
        let raw: Vec<&str> = definitions.iter().map(|one| one.name.as_str()).collect();
        let named = definitions.iter().zip(names(&self.handle, &raw));
        named.filter_map(|(definition, name)| Some((definition, self.tool(definition, name?)))).collect()
    }

    /// Where its tools stand among the others.
    pub fn place(&self) -> Place {
        Place { group: ToolGroup::Server, data: self.data }
    }

    /// Takes a word on all tools, said of what the server has now.
    pub fn say_of_all(&mut self, word: Word, definitions: &[Definition]) {
        self.all = word;
        let definitions = definitions.iter().map(|one| (one.name.clone(), one.fingerprint()));
        self.seen = Seen { launch: self.launch.fingerprint(), definitions: definitions.collect() };
    }

    /// Takes a word on one tool, said of what it is now. A word that says nothing removes the one that was there.
    pub fn say_of(&mut self, definition: &Definition, word: Word) {
        if word == Word::default() {
            self.tools.remove(&definition.name);
            return;
        }
        let (launch, definition_now) = (self.launch.fingerprint(), definition.fingerprint());
        self.tools.insert(definition.name.clone(), ToolWord { word, launch, definition: definition_now });
    }
}

/// The names that a model is told for a server's tools, in the same order. A name that a provider wouldn't take, or that is too long, or
/// taken, is made fit and ends in a piece of its hash: whatever servers call their tools, no two tools have one name, and none
/// gets the name of another server's. `None` for one whose name can't be told apart even so.
pub fn names(handle: &str, raw: &[&str]) -> Vec<Option<String>> {
    let mut taken = std::collections::BTreeSet::new();
    let fits = |raw: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        !raw.is_empty() && raw.bytes().all(plain) && handle.len() + 2 + raw.len() <= MOST_NAME
    };
    // Names that need no change are settled first, so that no other can take one of them.
    let plain: Vec<bool> = raw.iter().map(|raw| fits(raw) && taken.insert(format!("{handle}__{raw}"))).collect();
    raw.iter()
        .zip(plain)
        .map(|(raw, plain)| {
            if plain {
                return Some(format!("{handle}__{raw}"));
            }
            let hash = fingerprint("countersign name 1", [*raw]);
            let room = MOST_NAME.saturating_sub(handle.len() + 2 + 9);
            let safe = raw.chars().map(|one| if one.is_ascii_alphanumeric() || one == '-' { one } else { '_' });
            let safe: String = safe.take(room).collect();
            let name = format!("{handle}__{safe}_{}", hash.get(..8).unwrap_or_default());
            taken.insert(name.clone()).then_some(name)
        })
        .collect()
}

/// A short name for a new server, made from its name and not taken.
pub fn handle_for(name: &str, taken: &[&str]) -> String {
    let mut handle = String::new();
    for one in name.chars() {
        match one.to_ascii_lowercase() {
            plain if plain.is_ascii_alphanumeric() => handle.push(plain),
            _ if !handle.is_empty() && !handle.ends_with('-') => handle.push('-'),
            _ => {}
        }
        if handle.len() >= MOST_HANDLE - 3 {
            break;
        }
    }
    let handle = handle.trim_matches('-');
    let handle = if handle.is_empty() { "server" } else { handle };
    let numbered = std::iter::once(handle.to_owned()).chain((2..).map(|number| format!("{handle}-{number}")));
    let mut free = numbered.filter(|handle| !taken.contains(&handle.as_str()));
    free.next().unwrap_or_else(|| handle.to_owned())
}

/// Checks a server that is about to be saved; `others` are those that are stored.
///
/// # Errors
/// The first [`ServerFault`].
pub fn check(server: &ServerProfile, others: &[ServerProfile]) -> Result<(), ServerFault> {
    let fault = |field, wrong| Err(ServerFault { field, wrong });
    let name = server.name.trim();
    if name.is_empty() || name.chars().count() > 60 {
        return fault("name", Wrong::NameLength);
    }
    if others.iter().any(|other| other.id != server.id && other.name.trim().eq_ignore_ascii_case(name)) {
        return fault("name", Wrong::NameTaken);
    }
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if server.handle.is_empty() || server.handle.len() > MOST_HANDLE || !server.handle.bytes().all(plain) {
        return fault("handle", Wrong::HandleShape);
    }
    if others.iter().any(|other| other.id != server.id && other.handle == server.handle) {
        return fault("handle", Wrong::HandleTaken);
    }
    match &server.launch {
        Launch::Command { program, args, env, folder } => {
            if program.trim().is_empty() {
                return fault("program", Wrong::NoProgram);
            }
            if std::iter::once(program).chain(args).any(|part| part.contains('\0')) {
                return fault("args", Wrong::Nul);
            }
            if folder.as_ref().is_some_and(|folder| !folder.starts_with('/')) {
                return fault("folder", Wrong::RelativeFolder);
            }
            variables("env", env, |name| {
                !name.starts_with(|one: char| one.is_ascii_digit())
                    && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            })?;
        }
        Launch::Http { url, headers } => {
            if !is_address(url) {
                return fault("url", Wrong::Address);
            }
            variables("headers", headers, |name| {
                let reserved = ["host", "content-length", "transfer-encoding", "connection", "content-type", "accept"];
                let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
                name.bytes().all(token)
                    && !reserved.iter().any(|reserved| name.eq_ignore_ascii_case(reserved))
                    && !name.to_ascii_lowercase().starts_with("mcp-")
            })?;
        }
    }
    if server.roots.iter().any(|root| !root.starts_with('/')) {
        return fault("roots", Wrong::RelativeRoot);
    }
    for (field, seconds, [_, most]) in
        [("start_s", server.start_s, START_SECONDS), ("call_s", server.call_s, CALL_SECONDS)]
    {
        if !(1..=most).contains(&seconds) {
            return Err(ServerFault { field, wrong: Wrong::Seconds { most } });
        }
    }
    Ok(())
}

fn variables(field: &'static str, all: &[Variable], fits: impl Fn(&str) -> bool) -> Result<(), ServerFault> {
    let mut names = std::collections::BTreeSet::new();
    for Variable { name, value } in all {
        if name.is_empty() || !fits(name) {
            return Err(ServerFault { field, wrong: Wrong::NotHere(name.clone()) });
        }
        let key = if field == "headers" { name.to_ascii_lowercase() } else { name.clone() };
        if !names.insert(key) {
            return Err(ServerFault { field, wrong: Wrong::Twice(name.clone()) });
        }
        match value {
            Value::Plain { text } if text.contains(['\0', '\n', '\r']) => {
                return Err(ServerFault { field, wrong: Wrong::SeveralLines(name.clone()) });
            }
            Value::Secret { from: KeySource::None } => {
                return Err(ServerFault { field, wrong: Wrong::NowhereKept(name.clone()) });
            }
            Value::Secret { from: KeySource::Env { name: variable } } if variable.trim().is_empty() => {
                return Err(ServerFault { field, wrong: Wrong::Unnamed(name.clone()) });
            }
            Value::Plain { .. } | Value::Secret { .. } => {}
        }
    }
    Ok(())
}

/// Whether a text is an address that can be spoken to: a scheme, a host, no user name and no password.
fn is_address(url: &str) -> bool {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let authority = rest.map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
    authority.is_some_and(|host| !host.is_empty() && !host.contains('@'))
        && !url.contains(|one: char| one.is_whitespace() || one.is_control())
}

/// The beginning of a text, with what was left out stated.
fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    let (kept, left) = text.split_at(end);
    format!("{kept} … ({} bytes left out)", left.len())
}

#[cfg(test)]
mod tests;
