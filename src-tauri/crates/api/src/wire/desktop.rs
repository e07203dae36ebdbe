//! The desktop around the window: notifications that are tried out and paused, and the way out.

use serde::{Deserialize, Serialize};

/// What came of a test notification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct NoticeTest {
    /// What came back.
    pub came: NoticeCame,
    /// Who shows notifications here; none if nobody does.
    pub server: Option<String>,
    /// Whether it says that it shows buttons.
    pub buttons: bool,
    /// Everything that it says it can, in its own words.
    pub can: Vec<String>,
    /// Why nothing was shown, in words.
    pub why: Option<String>,
}

/// What came back of a test notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum NoticeCame {
    /// The press of a button.
    Button,
    /// A click on the notification itself.
    Click,
    /// It was taken, and no press came in time.
    Shown,
    /// It wasn't taken, or there is nobody to take it.
    Nothing,
}

/// How long notifications are paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Pause {
    /// For 30 minutes.
    HalfHour,
    /// For an hour.
    Hour,
    /// Until the next morning.
    Tomorrow,
    /// Not any more.
    Over,
}

/// What is asked before the window or the app goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Leaving {
    /// The window closes for the first time, and Countersign goes on in the tray.
    Tray,
    /// The window closes, and there is no tray that could bring it back.
    NoTray,
    /// Countersign ends.
    Quit {
        /// How many requests stay open.
        open: u32,
        /// How many of them are decided and about to be sent by themselves.
        leaving: u32,
    },
}

/// What the person says to that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Leave {
    /// Neither goes.
    Stay,
    /// The window goes, Countersign goes on.
    Hide,
    /// Countersign ends; what is decided is kept and not sent.
    Quit,
    /// What is about to be sent is sent, then Countersign ends.
    SendAndQuit,
}
