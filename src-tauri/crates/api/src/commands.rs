//! The list of commands: every verb that a window can call, with what it sends and what it gets. One list, from which
//! the TypeScript types are generated and against which the desktop shell registers its handlers; long because it is one list.

use crate::wire::agent::{Agent, Confining, FoundServer, KeyStores, SaveAgent, Switches, TestStep, ToolRow};
use crate::wire::compare::{EditField, Similar};
use crate::wire::conversation::{ConversationRow, FoundConversations, FoundWords, Send, StandingRow, Transcript};
use crate::wire::desktop::{Leave, NoticeTest, Pause};
use crate::wire::history::{
    ChainState, DecisionRecord, ExportFormat, ExportOf, Exported, Going, HistoryCharts, HistoryFacets, HistoryMonth,
    HistoryPage, Span,
};
use crate::wire::inbox::{Decision, Detail, LaterUntil, Mode, ResultPart};
use crate::wire::payload::{Exact, PayloadList, PayloadPart, PayloadPlaces};
use crate::wire::quick::{QuickPage, QuickTask};
use crate::wire::rules::{
    CallText, RuleDraft, RuleHint, RuleList, RuleLook, RuleSaved, RuleSource, RuleTrace, RunsRow,
};
use crate::wire::server::{
    FoundToolServer, SaveServer, Server, ServerDetail, ServerLogLine, ServerRow, ServerTool, ToolWord,
};
use crate::wire::settings::Settings;
use crate::wire::text::Block;
use crate::wire::window::Snapshot;
use countersign_rules::rule::Rule;

macro_rules! commands {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident : $type:ty),* $(,)? } -> $reply:ty;)*) => {
        /// What each command is sent.
        pub mod request {
            #[allow(unused_imports, reason = "not every command needs every type")]
            use super::*;
            $(
                #[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
                #[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts", rename = concat!(stringify!($name), "_request")))]
                #[allow(non_camel_case_types, reason = "named after the command")]
                $(#[$doc])*
                pub struct $name { $($(#[$field_doc])* pub $field: $type,)* }
            )*
        }

        /// Every command's name, in the order of the list.
        pub const NAMES: &[&str] = &[$(stringify!($name)),*];

        /// The list as a type: request and reply of each command.
        #[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
        #[derive(Debug)]
        pub struct Commands { $($(#[$doc])* pub $name: (request::$name, $reply),)* }
    };
}

commands! {
    /// The first picture of a window, or the picture after a gap.
    snapshot {} -> Snapshot;
    /// One request in full; for a closed one its closed state. Also for calls of history.
    detail {
        /// The request, or the call.
        id: String,
    } -> Detail;
    /// Some things of a list of a payload that is open, where only its ends crossed: at most 200.
    payload_part {
        /// The number of the open payload.
        opened: u32,
        /// Which list.
        list: PayloadList,
        /// The first one, from 0.
        from: u32,
        /// How many.
        items: u32,
    } -> PayloadPart;
    /// Where words stand in a list of a payload that is open, as it is displayed.
    find_in_payload {
        /// The number of the open payload.
        opened: u32,
        /// Which list.
        list: PayloadList,
        /// The words; small and capital letters are the same.
        text: String,
    } -> PayloadPlaces;
    /// The exact stored text of a payload that is open, for copying.
    exact_arguments {
        /// The number of the open payload.
        opened: u32,
    } -> Exact;
    /// A part of what a call gave in whole, where its card shows less.
    result_part {
        /// The request, or the call.
        id: String,
        /// Which part, counted from 0.
        part: u32,
    } -> ResultPart;
    /// Puts a decision aside, to be sent with its set. Replaces the one that was staged.
    stage {
        /// The row.
        id: String,
        /// What it says.
        decision: Decision,
        /// The digest of what was on screen.
        digest: String,
    } -> ();
    /// Takes a staged decision back and stops the set's grace.
    unstage {
        /// The row.
        id: String,
    } -> ();
    /// Puts a set aside: quiet until a time, or until the person is back. Nothing is decided by it.
    later {
        /// Which set.
        set: String,
        /// Until when.
        until: LaterUntil,
    } -> ();
    /// Brings a set back that was put aside.
    not_later {
        /// Which set.
        set: String,
    } -> ();
    /// What the person decided last about calls of the same tool, and how those differ from this one.
    similar {
        /// The request, or the call.
        id: String,
    } -> Vec<Similar>;
    /// The reasons that the person gave last, each once, newest first.
    reasons {} -> Vec<String>;
    /// A call's arguments, for suggesting others.
    arguments {
        /// The request.
        id: String,
    } -> Vec<EditField>;
    /// Sends answers, a message, a mode. All or nothing.
    send {
        /// What is sent.
        send: Send,
    } -> ();
    /// Starts a conversation, with a first message if there is one.
    start_conversation {
        /// With which agent.
        agent: String,
        /// The first message.
        text: Option<String>,
        /// Its mode; absent: the agent's.
        mode: Option<Mode>,
        /// When that mode, if it is Auto, goes back to Default, in milliseconds since 1970.
        #[serde(default)]
        auto_until: Option<i64>,
    } -> ConversationRow;
    /// Makes a conversation that begins with what another one holds; nothing of that one changes. It has none of its requests, standing
    /// approvals, drafts and queued answers, and doesn't begin in Auto.
    fork {
        /// Which.
        conversation: String,
        /// What the fork is called; not blank.
        title: String,
        /// The message of the person that is the last one in it; absent: everything.
        upto: Option<i64>,
    } -> ConversationRow;
    /// How many of a conversation's decisions history has, and keeps when it is deleted.
    decisions_of {
        /// Which.
        conversation: String,
    } -> i64;
    /// A page of a conversation.
    transcript {
        /// Which.
        conversation: String,
        /// Entries before this one; absent: the newest, or those behind `after`.
        before: Option<i64>,
        /// Entries behind this one, instead of those before one.
        after: Option<i64>,
    } -> Transcript;
    /// In which conversations words were said, all of them in one message; those of agents below are left out.
    find_conversations {
        /// The words; small and capital letters are the same.
        text: String,
    } -> FoundConversations;
    /// Where words were said in a conversation or are part of a call, newest first.
    find_words {
        /// Which.
        conversation: String,
        /// The words; small and capital letters are the same.
        text: String,
    } -> FoundWords;
    /// Says something to the run that is going on. When it has ended, the text stays in the composer.
    steer {
        /// Which.
        conversation: String,
        /// The words.
        text: String,
    } -> ();
    /// Takes answers back that wait for the run to end; they are drafts again.
    take_back {
        /// Which.
        conversation: String,
    } -> ();
    /// Stops the run, or what waits.
    stop {
        /// Which.
        conversation: String,
    } -> ();
    /// Lets the model go on with what it has: after a failure, an interruption or the limit.
    retry {
        /// Which.
        conversation: String,
    } -> ();
    /// A stricter mode, at once. A looser one is refused: it goes with the next sending.
    tighten {
        /// Which.
        conversation: String,
        /// The mode.
        mode: Mode,
    } -> ();
    /// Gives a conversation a name.
    rename {
        /// Which.
        conversation: String,
        /// The name.
        title: String,
    } -> ();
    /// Deletes a conversation; what waits in it expires, history keeps its decisions.
    delete_conversation {
        /// Which.
        conversation: String,
    } -> ();
    /// A page of history.
    history {
        /// Decisions before this one; absent: the newest.
        before: Option<i64>,
        /// Which; blank: all.
        query: String,
    } -> HistoryPage;
    /// What the decisions are that a query finds.
    history_facets {
        /// Which; blank: all.
        query: String,
    } -> HistoryFacets;
    /// How many decisions there are in each month, and where it begins in the list.
    history_months {
        /// The months, as the person has them.
        spans: Vec<Span>,
    } -> Vec<HistoryMonth>;
    /// What the charts of history show.
    history_charts {
        /// The days, as the person has them.
        spans: Vec<Span>,
    } -> HistoryCharts;
    /// A path for an export at which there is nothing yet.
    export_path {
        /// How it is written.
        format: ExportFormat,
        /// What is written.
        what: ExportOf,
    } -> String;
    /// Writes all that is kept into a new file of JSON lines, and a manifest with the counts beside it: settings, agents and servers
    /// without their secrets, rules, standing approvals, conversations, Quick tasks and decisions.
    export_all {
        /// Whether secrets are masked.
        masked: bool,
        /// The file, which must not be there yet.
        path: String,
    } -> Exported;
    /// Writes all that was said and called in a conversation into a new file, and a manifest beside it. A table can't hold one.
    export_conversation {
        /// Which.
        conversation: String,
        /// How it is written.
        format: ExportFormat,
        /// Whether secrets are masked.
        masked: bool,
        /// The file, which must not be there yet.
        path: String,
    } -> Exported;
    /// Writes what a query finds into a new file, and a manifest beside it.
    export_history {
        /// Which; blank: all.
        query: String,
        /// How it is written.
        format: ExportFormat,
        /// Whether secrets are masked.
        masked: bool,
        /// The file, which must not be there yet.
        path: String,
    } -> Exported;
    /// What is stored of a decision's way, and whether what was decided on is still what is stored.
    decision_record {
        /// The request, or the call.
        id: String,
    } -> DecisionRecord;
    /// Checks the whole record now.
    verify_chain {} -> ChainState;
    /// How many decisions of a span of time would leave history: none that waits, and none of a conversation in which something does.
    history_going {
        /// Which.
        span: Span,
    } -> Going;
    /// Takes these out of history for good; the reply is how many.
    erase_history {
        /// Which.
        span: Span,
    } -> i64;
    /// Standing approvals in force.
    standing {} -> Vec<StandingRow>;
    /// Takes a standing approval back; the next call of the tool asks again.
    revoke {
        /// Which.
        id: String,
    } -> ();
    /// Takes all standing approvals of a conversation back; the reply is how many.
    revoke_all {
        /// Of which conversation.
        conversation: String,
    } -> i64;
    /// Gives a standing approval back that was taken back less than a minute ago, as it was.
    unrevoke {
        /// Which.
        id: String,
    } -> ();
    /// The person's rules.
    rules {} -> RuleList;
    /// What the builder of a rule starts with.
    rule_draft {
        /// What it is made from.
        from: RuleSource,
    } -> RuleDraft;
    /// What a rule that is being made would do; it stores nothing.
    rule_look {
        /// The rule.
        rule: Rule,
        /// The request or call that it is made from.
        front: Option<String>,
    } -> RuleLook;
    /// Stores a rule, if nothing is wrong with it. One whose revision isn't the stored one is refused.
    save_rule {
        /// The rule.
        rule: Rule,
    } -> RuleSaved;
    /// Switches a rule on or off.
    switch_rule {
        /// Which.
        id: String,
        /// Whether it is on.
        on: bool,
    } -> ();
    /// Deletes a rule. What it decided stays in history.
    delete_rule {
        /// Which.
        id: String,
    } -> ();
    /// Adds the shipped rules that aren't there, switched on.
    ship_rules {} -> RuleList;
    /// What would become of calls of each tool in a conversation.
    runs_without {
        /// Which conversation.
        conversation: String,
        /// In which mode.
        mode: Mode,
    } -> Vec<RunsRow>;
    /// What would become of a call, and why. Nothing is run, and nothing is stored.
    trace_call {
        /// In which conversation.
        conversation: String,
        /// In which mode.
        mode: Mode,
        /// The tool's name, as the agent calls it.
        tool: String,
        /// Its arguments, as JSON.
        arguments: String,
    } -> RuleTrace;
    /// A call as it can be tried again with rules.
    call_text {
        /// The request, or the call.
        id: String,
    } -> CallText;
    /// A call that the person approves again and again, for which they could make a rule; none if there is none, or they don't
    /// want to be told.
    rule_hint {} -> Option<RuleHint>;
    /// Never shows this hint again.
    dismiss_rule_hint {
        /// Its key; empty for all hints.
        key: String,
    } -> ();
    /// Saves an agent and returns it as stored.
    save_agent {
        /// The agent and, if typed, a new key.
        save: SaveAgent,
    } -> Agent;
    /// Deletes an agent that has no conversation.
    delete_agent {
        /// Which.
        id: String,
    } -> ();
    /// Tests an agent's connection as it stands in the editor.
    test_agent {
        /// The agent and, if typed, a key.
        save: SaveAgent,
    } -> Vec<TestStep>;
    /// Model servers on this machine.
    find_servers {} -> Vec<FoundServer>;
    /// The models that an endpoint offers.
    list_models {
        /// The agent and, if typed, a key.
        save: SaveAgent,
    } -> Vec<String>;
    /// The tools that an agent can have, each with what the gates say of it.
    tools {
        /// The agent as it stands in the editor.
        agent: Agent,
    } -> Vec<ToolRow>;
    /// What is switched for all agents.
    switches {} -> Switches;
    /// Switches tools for all agents; it counts for the very next call.
    switch_tools {
        /// All of it.
        switches: Switches,
    } -> ();
    /// Starts a Quick task: one run on the tools that need nobody.
    start_quick_task {
        /// Of which agent.
        agent: String,
        /// What is to be done.
        text: String,
        /// Its mode; absent: the agent's, but never Auto.
        mode: Option<Mode>,
    } -> QuickTask;
    /// The tools that a Quick task of an agent would have, by name.
    quick_tools {
        /// Of which agent.
        agent: String,
        /// In which mode.
        mode: Mode,
    } -> Vec<String>;
    /// A Quick task with its result and the rounds that ran.
    quick_task {
        /// Which.
        id: String,
    } -> QuickTask;
    /// A page of Quick tasks.
    quick_tasks {
        /// Tasks before this one; absent: the newest.
        before: Option<i64>,
    } -> QuickPage;
    /// Removes a Quick task that is over; history keeps what was decided in it.
    remove_quick_task {
        /// Which.
        id: String,
    } -> ();
    /// All tool servers, and how they stand.
    servers {} -> Vec<ServerRow>;
    /// A tool server with its tools. One that isn't running is started for it.
    server {
        /// Which.
        id: String,
    } -> ServerDetail;
    /// A tool of a server in full.
    server_tool {
        /// Which server.
        id: String,
        /// The server's name for the tool.
        key: String,
    } -> ServerTool;
    /// What a server wrote to its standard error, and what happened to it; the newest last.
    server_log {
        /// Which.
        id: String,
    } -> Vec<ServerLogLine>;
    /// Saves a tool server and returns it as stored.
    save_server {
        /// The server and the values that were typed for its secrets.
        save: SaveServer,
    } -> Server;
    /// Deletes a tool server; agents that named it go on without it.
    delete_server {
        /// Which.
        id: String,
    } -> ();
    /// Stops a server and starts it afresh.
    restart_server {
        /// Which.
        id: String,
    } -> ();
    /// Says something of all tools of a server, of what they are now.
    say_of_server {
        /// Which.
        id: String,
        /// The fingerprint of what was on screen; a word that loosens is refused if it is something else now.
        fingerprint: String,
        /// What.
        word: ToolWord,
    } -> ();
    /// Says something of one tool of a server, of what it is now.
    say_of_tool {
        /// Which server.
        id: String,
        /// The server's name for the tool.
        key: String,
        /// The fingerprint of what was on screen; refused if the tool is another one now.
        fingerprint: String,
        /// What.
        word: ToolWord,
    } -> ();
    /// The servers that a pasted text describes: a command line, an address, or the JSON that other programs keep theirs in. Nothing is
    /// saved or started.
    read_servers {
        /// The text.
        text: String,
    } -> Vec<FoundToolServer>;
    /// How keys can be kept here.
    key_stores {} -> KeyStores;
    /// What commands can be held in with here.
    confining {} -> Confining;
    /// Changes settings.
    save_settings {
        /// All of them.
        settings: Settings,
    } -> ();
    /// Starts the Rehearsal, from its beginning.
    start_rehearsal {} -> ();
    /// Goes on to the Rehearsal's next step; what waits is passed by.
    skip_step {} -> ();
    /// Leaves the Rehearsal; what it stored is kept until it is removed.
    leave_rehearsal {} -> ();
    /// Removes the Rehearsal's database and folder.
    remove_rehearsal {} -> ();
    /// Shows a test notification, waits some seconds for a press, and says what came back.
    test_notice {} -> NoticeTest;
    /// Pauses notifications, or ends the pause. It decides nothing: what waits goes on waiting.
    pause_notices {
        /// For how long.
        pause: Pause,
    } -> ();
    /// Answers what was asked before the window or the app goes.
    leave {
        /// What is said.
        leave: Leave,
    } -> ();
    /// What the window shows, so that a notification doesn't tell what is on screen.
    looking {
        /// Which of the app's windows, by a name of its own.
        window: String,
        /// Whether the window has the focus.
        focused: bool,
        /// The request that is visible, if one is.
        request: Option<String>,
    } -> ();
    /// A text as formatted blocks, for showing what is typed or streamed once it is complete.
    markdown {
        /// The text.
        text: String,
    } -> Vec<Block>;
    /// Keeps the text that is being typed for a conversation over a restart.
    keep_draft {
        /// Which.
        conversation: String,
        /// The text; blank removes it.
        text: String,
    } -> ();
    /// The kept text of a conversation.
    kept_draft {
        /// Which.
        conversation: String,
    } -> String;
    /// An error of the window, for the log; at most one a second is kept.
    log_ui {
        /// In words, without payloads.
        text: String,
    } -> ();
}

#[cfg(test)]
mod tests {
    use ts_rs::TS;

    /// The TypeScript types are generated and checked in; `UPDATE_BINDINGS=1` rewrites them.
    #[test]
    fn the_generated_types_are_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../ui/src/lib/ipc/bindings.ts");
        let folder = tempfile::tempdir().unwrap();
        let config = ts_rs::Config::new().with_out_dir(folder.path()).with_large_int("number");
        super::Commands::export_all(&config).unwrap();
        crate::wire::window::FeedEvent::export_all(&config).unwrap();
        crate::wire::window::ApiError::export_all(&config).unwrap();
        let generated = std::fs::read_to_string(folder.path().join("bindings.ts")).unwrap();
        if std::env::var_os("UPDATE_BINDINGS").is_some() {
            std::fs::create_dir_all(std::path::Path::new(path).parent().unwrap()).unwrap();
            std::fs::write(path, &generated).unwrap();
        }
        let stored = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            stored == generated,
            "run `UPDATE_BINDINGS=1 cargo test -p countersign-api generated_types` and commit"
        );
    }
}
