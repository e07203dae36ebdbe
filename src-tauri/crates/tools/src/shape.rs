//! What each tool is called, takes and tells the model; arguments are read against the same table that the model's
//! schema is made from, so that the two can't differ.

use crate::fetch::MOST_TEXT;
use countersign_core::fetch::{HTTP_FETCH, Reaches};
use countersign_core::ids::AgentId;
use countersign_core::parse::{self, Tree};
use countersign_core::policy::{DataClass, Place, Registered, ToolGroup};
use countersign_core::tool::{ASK_USER, Effect, Mark, Marks, Origin, Tool, ToolIdentity};
use serde_json::{Map, Value, json};

/// The longest time that a command may be given, in seconds.
pub const MOST_SECONDS: u64 = 600;
/// The time that a command has if nothing is said, in seconds.
pub const DEFAULT_SECONDS: u64 = 120;
/// The most bytes of a command; the system takes no longer argument.
const MOST_COMMAND: usize = 128 * 1024 - 1;

/// The tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `list_files`
    List,
    /// `read_file`
    Read,
    /// `search_files`
    Search,
    /// `write_file`
    Write,
    /// `edit_file`
    Edit,
    /// `run_command`
    Command,
    /// `http_fetch`
    Fetch,
    /// `ask_user`
    Ask,
}

/// Arguments that fit a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asked {
    List {
        path: Option<String>,
        depth: Option<u64>,
    },
    Read {
        path: String,
        offset: Option<u64>,
        limit: Option<u64>,
    },
    Search {
        pattern: String,
        path: Option<String>,
        include: Option<String>,
    },
    Write {
        path: String,
        content: String,
    },
    Edit {
        path: String,
        old_text: String,
        new_text: String,
    },
    Command {
        command: String,
        timeout_s: Option<u64>,
    },
    Fetch {
        url: String,
        max_bytes: Option<u64>,
    },
    /// The schema of what the person fills in; it never executes (D-107).
    Ask {
        schema: String,
    },
}

struct Field {
    name: &'static str,
    needed: Needed,
    takes: Takes,
    says: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Needed {
    Yes,
    No,
}

#[derive(Clone, Copy)]
enum Takes {
    Text,
    Whole { least: u64, most: u64 },
    Object,
}

const fn text(name: &'static str, needed: Needed, says: &'static str) -> Field {
    Field { name, needed, takes: Takes::Text, says }
}

const fn whole(name: &'static str, least: u64, most: u64, says: &'static str) -> Field {
    Field { name, needed: Needed::No, takes: Takes::Whole { least, most }, says }
}

const PATH: &str = "Path of the file, relative to the workspace folder";

const LIST: &[Field] = &[
    text("path", Needed::No, "Folder to list, relative to the workspace folder; the workspace folder itself if absent"),
    whole("depth", 1, 8, "How many levels of folders to list; 2 if absent"),
];
const READ: &[Field] = &[
    text("path", Needed::Yes, PATH),
    whole("offset", 1, u64::MAX, "First line to read, counted from 1; 1 if absent"),
    whole("limit", 1, u64::MAX, "Most lines to read; as many as fit into 256 KiB if absent"),
];
const SEARCH: &[Field] = &[
    text(
        "pattern",
        Needed::Yes,
        "Regular expression that a line must match somewhere; no look-around, no back-references",
    ),
    text("path", Needed::No, "File or folder to search, relative to the workspace folder; all of it if absent"),
    text(
        "include",
        Needed::No,
        "Search only files whose name ends like this, for example `.rs`; not a wildcard pattern",
    ),
];
const WRITE: &[Field] =
    &[text("path", Needed::Yes, PATH), text("content", Needed::Yes, "The whole new content of the file")];
const EDIT: &[Field] = &[
    text("path", Needed::Yes, PATH),
    text(
        "old_text",
        Needed::Yes,
        "The text to replace, exactly as it stands in the file, with enough around it to be there only once",
    ),
    text("new_text", Needed::Yes, "The text to put in its place"),
];
const COMMAND: &[Field] = &[
    text("command", Needed::Yes, "The command line, for `/bin/sh -c`"),
    whole("timeout_s", 1, MOST_SECONDS, "Seconds after which the command is ended; 120 if absent"),
];

const FETCH: &[Field] = &[
    text("url", Needed::Yes, "The whole address, http:// or https://"),
    whole("max_bytes", 1, MOST_TEXT, "Most bytes of text that come back; 262144 if absent"),
];
const ASK: &[Field] = &[
    text("question", Needed::Yes, "The question, in one or two sentences"),
    Field {
        name: "fields",
        needed: Needed::No,
        takes: Takes::Object,
        says: "JSON Schema of the answer: an object with properties, each with a title; one text field if absent",
    },
];
/// What is asked for when the model names no fields.
const ONE_FIELD: &str =
    r#"{"type":"object","properties":{"answer":{"type":"string","title":"Answer"}},"required":["answer"]}"#;

impl Kind {
    /// Every tool, in the order in which they are listed.
    pub const ALL: [Self; 8] =
        [Self::List, Self::Read, Self::Search, Self::Write, Self::Edit, Self::Command, Self::Fetch, Self::Ask];

    /// What the model calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::List => "list_files",
            Self::Read => "read_file",
            Self::Search => "search_files",
            Self::Write => "write_file",
            Self::Edit => "edit_file",
            Self::Command => "run_command",
            Self::Fetch => HTTP_FETCH,
            Self::Ask => ASK_USER,
        }
    }

    /// The tool of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    fn fields(self) -> &'static [Field] {
        match self {
            Self::List => LIST,
            Self::Read => READ,
            Self::Search => SEARCH,
            Self::Write => WRITE,
            Self::Edit => EDIT,
            Self::Command => COMMAND,
            Self::Fetch => FETCH,
            Self::Ask => ASK,
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::List => "List the files and folders of the workspace. Folders end in `/`.",
            Self::Read => {
                "Read a text file of the workspace. At most 256 KiB come back; if the file goes on, the last line says \
                 where to go on."
            }
            Self::Search => {
                "Find lines that match a regular expression, as `path:line: text`. Binary files, `.git` and symbolic \
                 links are left out, and so is what goes beyond the limits; then the last line says so."
            }
            Self::Write => {
                "Write a whole file: make it, with its folders, or replace its content. To change part of a file use \
                 edit_file."
            }
            Self::Edit => {
                "Replace one piece of text in a file. `old_text` must stand in the file exactly once, or nothing is \
                 done. Read the file first."
            }
            Self::Command => {
                "Run a shell command in the workspace folder. Standard input is empty and there is no terminal. The \
                 result has the exit status and the output, of which the middle is left out if it is long. Everything \
                 that the command started is ended with it, background processes too."
            }
            Self::Fetch => {
                "Get one address of the web with GET and return its text as it is, HTML included. At most 5 MiB are read and \
                 256 KiB come back, with the amount that is left out. Redirects to another host are not followed but reported. \
                 Addresses of private networks are refused."
            }
            Self::Ask => {
                "Ask the person something that only they know. You wait for the answer; ask once, and only for what you \
                 need to go on."
            }
        }
    }

    fn effect(self) -> Effect {
        match self {
            Self::List | Self::Read | Self::Search | Self::Fetch | Self::Ask => Effect::Read,
            Self::Write => Effect::IdempotentWrite,
            Self::Edit | Self::Command => Effect::Write,
        }
    }

    fn marks(self) -> Marks {
        match self {
            Self::List | Self::Read | Self::Search => Marks::of([Mark::ReadOnly]),
            Self::Write | Self::Edit => Marks::default(),
            Self::Command => Marks::of([Mark::FreeForm]),
            // It changes nothing here, and its address can carry anything out.
            Self::Fetch => Marks::of([Mark::ReadOnly, Mark::RequiresApproval]),
            // What is not clear is asked before the plan is made, too.
            Self::Ask => Marks::of([Mark::ReadOnly, Mark::NeedsInput]),
        }
    }

    /// What it is for, and what its results can show: a command can read whatever the person can.
    pub fn place(self) -> Place {
        let (group, data) = match self {
            Self::List | Self::Read | Self::Search => (ToolGroup::Look, DataClass::Workspace),
            Self::Write | Self::Edit => (ToolGroup::Change, DataClass::Workspace),
            Self::Command => (ToolGroup::Command, DataClass::Machine),
            Self::Fetch => (ToolGroup::Web, Reaches::Public.data()),
            Self::Ask => (ToolGroup::Ask, DataClass::Given),
        };
        Place { group, data }
    }

    /// The tool as one agent profile has it in one folder (D-104).
    pub fn tool(self, agent: AgentId, root: &str) -> Tool {
        let mut properties = Map::new();
        for field in self.fields() {
            let mut property = match field.takes {
                Takes::Text => json!({ "type": "string" }),
                Takes::Object => json!({ "type": "object" }),
                Takes::Whole { least, most: u64::MAX } => json!({ "type": "integer", "minimum": least }),
                Takes::Whole { least, most } => {
                    json!({ "type": "integer", "minimum": least, "maximum": most })
                }
            };
            if let Value::Object(property) = &mut property {
                property.insert("description".to_owned(), field.says.into());
            }
            properties.insert(field.name.to_owned(), property);
        }
        let needed: Vec<&str> =
            self.fields().iter().filter(|field| field.needed == Needed::Yes).map(|field| field.name).collect();
        let schema = json!({
            "type": "object",
            "properties": properties,
            "required": needed,
            "additionalProperties": false,
        });
        Tool {
            identity: ToolIdentity {
                origin: Origin::BuiltIn { agent, root: root.to_owned() },
                name: self.name().to_owned(),
            },
            description: self.description().to_owned(),
            parameters: schema.to_string(),
            effect: self.effect(),
            marks: self.marks(),
        }
    }

    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// Words for the model: something is missing, unknown or of the wrong type.
    pub(crate) fn read(self, arguments: &Tree) -> Result<Asked, String> {
        let values = Values { kind: self, arguments };
        values.check()?;
        Ok(match self {
            Self::List => Asked::List { path: values.text("path"), depth: values.whole("depth") },
            Self::Read => Asked::Read {
                path: values.text("path").unwrap_or_default(),
                offset: values.whole("offset"),
                limit: values.whole("limit"),
            },
            Self::Search => Asked::Search {
                pattern: values.text("pattern").unwrap_or_default(),
                path: values.text("path"),
                include: values.text("include"),
            },
            Self::Write => Asked::Write {
                path: values.text("path").unwrap_or_default(),
                content: values.text("content").unwrap_or_default(),
            },
            Self::Edit => {
                let old_text = values.text("old_text").unwrap_or_default();
                let new_text = values.text("new_text").unwrap_or_default();
                if old_text.is_empty() {
                    return Err("`old_text` is empty; give the text to replace, or use write_file".to_owned());
                }
                if old_text == new_text {
                    return Err("`old_text` and `new_text` are the same; nothing would change".to_owned());
                }
                Asked::Edit { path: values.text("path").unwrap_or_default(), old_text, new_text }
            }
            Self::Fetch => {
                Asked::Fetch { url: values.text("url").unwrap_or_default(), max_bytes: values.whole("max_bytes") }
            }
            Self::Ask => {
                if values.text("question").unwrap_or_default().trim().is_empty() {
                    return Err("`question` is empty".to_owned());
                }
                let fields = arguments.get("fields").map(parse::to_text);
                Asked::Ask { schema: fields.unwrap_or_else(|| ONE_FIELD.to_owned()) }
            }
            Self::Command => {
                let command = values.text("command").unwrap_or_default();
                if command.trim().is_empty() {
                    return Err("`command` is empty".to_owned());
                }
                if command.contains('\0') {
                    return Err("`command` contains a NUL character".to_owned());
                }
                if command.len() > MOST_COMMAND {
                    return Err("`command` is longer than 128 KiB; write a script file and run that".to_owned());
                }
                Asked::Command { command, timeout_s: values.whole("timeout_s") }
            }
        })
    }
}

struct Values<'a> {
    kind: Kind,
    arguments: &'a Tree,
}

impl Values<'_> {
    /// Whether every key is known, every needed one there, and every value of its type. After this a needed text is
    /// there, and a number that is there can be read.
    fn check(&self) -> Result<(), String> {
        let name = self.kind.name();
        let Tree::Object(pairs) = self.arguments else {
            return Err(format!("the arguments of {name} must be a JSON object"));
        };
        let fields = self.kind.fields();
        if let Some((key, _)) = pairs.iter().find(|(key, _)| fields.iter().all(|field| field.name != key)) {
            let known: Vec<String> = fields.iter().map(|field| format!("`{}`", field.name)).collect();
            let key: String = key.chars().take(80).collect();
            return Err(format!("{name} has no argument `{key}`; it takes {}", known.join(", ")));
        }
        for field in fields {
            match (self.arguments.get(field.name), field.takes) {
                (None, _) if field.needed == Needed::Yes => {
                    return Err(format!("{name} needs the argument `{}`", field.name));
                }
                (None, _) | (Some(Tree::Text(_)), Takes::Text) | (Some(Tree::Object(_)), Takes::Object) => {}
                (Some(_), Takes::Object) => {
                    return Err(format!("the argument `{}` of {name} must be an object", field.name));
                }
                (Some(_), Takes::Text) => {
                    return Err(format!("the argument `{}` of {name} must be a string", field.name));
                }
                (Some(Tree::Number(literal)), Takes::Whole { least, most })
                    if literal.parse().is_ok_and(|number: u64| (least..=most).contains(&number)) => {}
                (Some(_), Takes::Whole { least, most: u64::MAX }) => {
                    return Err(format!(
                        "the argument `{}` of {name} must be a whole number of at least {least}",
                        field.name
                    ));
                }
                (Some(_), Takes::Whole { least, most }) => {
                    return Err(format!(
                        "the argument `{}` of {name} must be a whole number from {least} to {most}",
                        field.name
                    ));
                }
            }
        }
        Ok(())
    }

    fn text(&self, name: &str) -> Option<String> {
        self.arguments.get(name).and_then(Tree::as_text).map(str::to_owned)
    }

    fn whole(&self, name: &str) -> Option<u64> {
        match self.arguments.get(name) {
            Some(Tree::Number(literal)) => literal.parse().ok(),
            Some(Tree::Null | Tree::Bool(_) | Tree::Text(_) | Tree::List(_) | Tree::Object(_)) | None => None,
        }
    }
}

/// Every tool that there is, for settings that have no folder yet: the agent's id is zero and the root empty.
pub fn catalogue() -> Vec<Registered> {
    let registered = |kind: Kind| Registered { tool: kind.tool(AgentId([0; 16]), ""), place: kind.place() };
    Kind::ALL.into_iter().map(registered).collect()
}

#[cfg(test)]
mod tests;
