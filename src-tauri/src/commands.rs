//! The commands that a window can call: each takes the app, calls one function of the api and returns. The feed goes
//! to a window through a channel of its own.
//!
//! The list is the api's list. A command that is here and not there, or there and not here, fails the test below.

use countersign_api::commands::request;
use countersign_api::wire::agent::{Agent, Confining, FoundServer, KeyStores, Switches, TestStep, ToolRow};
use countersign_api::wire::compare::{EditField, Similar};
use countersign_api::wire::conversation::{ConversationRow, FoundConversations, FoundWords, StandingRow, Transcript};
use countersign_api::wire::desktop::NoticeTest;
use countersign_api::wire::history::{
    ChainState, DecisionRecord, Exported, Going, HistoryCharts, HistoryFacets, HistoryMonth, HistoryPage,
};
use countersign_api::wire::inbox::{Detail, ResultPart};
use countersign_api::wire::payload::{Exact, PayloadPart, PayloadPlaces};
use countersign_api::wire::quick::{QuickPage, QuickTask};
use countersign_api::wire::rules::{CallText, RuleDraft, RuleHint, RuleList, RuleLook, RuleSaved, RuleTrace, RunsRow};
use countersign_api::wire::server::{FoundToolServer, Server, ServerDetail, ServerLogLine, ServerRow, ServerTool};
use countersign_api::wire::text::Block;
use countersign_api::wire::window::{ApiError, FeedEvent, Snapshot, Space};
use tauri::ipc::Channel;
use tauri::{State, WebviewWindow};
use tokio::sync::broadcast::error::RecvError;

use crate::app::App;

macro_rules! commands {
    ($($name:ident -> $reply:ty;)*) => {
        $(
            #[tauri::command]
            pub(crate) async fn $name(
                app: State<'_, App>,
                space: Space,
                request: request::$name,
            ) -> Result<$reply, ApiError> {
                app.countersign().await?.$name(space, request).await
            }
        )*

        /// Answers the calls of windows.
        pub(crate) fn handler() -> impl Fn(tauri::ipc::Invoke<tauri::Wry>) -> bool + Send + Sync + 'static {
            tauri::generate_handler![
                $($name,)*
                subscribe,
                crate::hotkey::hide_panel,
                crate::hotkey::detach,
                crate::hotkey::global_key
            ]
        }

        /// The names, for comparing them with the api's list.
        #[cfg(test)]
        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

commands! {
    snapshot -> Snapshot;
    detail -> Detail;
    payload_part -> PayloadPart;
    find_in_payload -> PayloadPlaces;
    exact_arguments -> Exact;
    result_part -> ResultPart;
    stage -> ();
    unstage -> ();
    later -> ();
    not_later -> ();
    similar -> Vec<Similar>;
    reasons -> Vec<String>;
    arguments -> Vec<EditField>;
    send -> ();
    start_conversation -> ConversationRow;
    fork -> ConversationRow;
    decisions_of -> i64;
    transcript -> Transcript;
    find_conversations -> FoundConversations;
    find_words -> FoundWords;
    steer -> ();
    take_back -> ();
    stop -> ();
    retry -> ();
    tighten -> ();
    rename -> ();
    delete_conversation -> ();
    history -> HistoryPage;
    history_facets -> HistoryFacets;
    history_months -> Vec<HistoryMonth>;
    history_charts -> HistoryCharts;
    export_path -> String;
    export_all -> Exported;
    export_conversation -> Exported;
    export_history -> Exported;
    decision_record -> DecisionRecord;
    verify_chain -> ChainState;
    history_going -> Going;
    erase_history -> i64;
    standing -> Vec<StandingRow>;
    revoke -> ();
    revoke_all -> i64;
    unrevoke -> ();
    rules -> RuleList;
    rule_draft -> RuleDraft;
    rule_look -> RuleLook;
    save_rule -> RuleSaved;
    switch_rule -> ();
    delete_rule -> ();
    ship_rules -> RuleList;
    runs_without -> Vec<RunsRow>;
    trace_call -> RuleTrace;
    call_text -> CallText;
    rule_hint -> Option<RuleHint>;
    dismiss_rule_hint -> ();
    save_agent -> Agent;
    delete_agent -> ();
    test_agent -> Vec<TestStep>;
    find_servers -> Vec<FoundServer>;
    list_models -> Vec<String>;
    tools -> Vec<ToolRow>;
    switches -> Switches;
    switch_tools -> ();
    start_quick_task -> QuickTask;
    quick_tools -> Vec<String>;
    quick_task -> QuickTask;
    quick_tasks -> QuickPage;
    remove_quick_task -> ();
    servers -> Vec<ServerRow>;
    server -> ServerDetail;
    server_tool -> ServerTool;
    server_log -> Vec<ServerLogLine>;
    save_server -> Server;
    delete_server -> ();
    restart_server -> ();
    say_of_server -> ();
    say_of_tool -> ();
    read_servers -> Vec<FoundToolServer>;
    key_stores -> KeyStores;
    confining -> Confining;
    save_settings -> ();
    start_rehearsal -> ();
    skip_step -> ();
    leave_rehearsal -> ();
    remove_rehearsal -> ();
    test_notice -> NoticeTest;
    pause_notices -> ();
    leave -> ();
    looking -> ();
    markdown -> Vec<Block>;
    keep_draft -> ();
    kept_draft -> String;
    log_ui -> ();
}

/// Sends the feed to the window from now on. Events that a slow window misses are not sent again: the gap in their
/// numbers tells it to take a new picture.
#[tauri::command]
pub(crate) async fn subscribe(
    app: State<'_, App>,
    window: WebviewWindow,
    channel: Channel<FeedEvent>,
) -> Result<(), ApiError> {
    let mut feed = app.countersign().await?.subscribe();
    let forwarding = tokio::spawn(async move {
        loop {
            match feed.recv().await {
                Ok(event) => {
                    if channel.send(event).is_err() {
                        return;
                    }
                }
                Err(RecvError::Lagged(missed)) => tracing::info!(missed, "a window fell behind the feed"),
                Err(RecvError::Closed) => return,
            }
        }
    });
    app.forward(window.label(), forwarding.abort_handle());
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_command_of_the_api_is_registered_and_no_other() {
        assert_eq!(super::NAMES, countersign_api::commands::NAMES);
    }
}
