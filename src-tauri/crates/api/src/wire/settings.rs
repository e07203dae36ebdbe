//! Settings: what the person chose for the whole app. Every change holds at once.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::inbox::Mode;

/// Settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch that a person turns on its own")]
pub struct Settings {
    /// Theme.
    pub theme: Theme,
    /// High contrast, whatever the theme; the system's wish for more contrast has the same effect.
    pub high_contrast: bool,
    /// How tall rows are.
    pub density: Density,
    /// How large everything is drawn, in percent, 80 to 200.
    pub zoom: u16,
    /// The language of the window, notifications and the tray.
    pub language: Language,
    /// How long a staged set waits before it leaves, 0 to 10,000 ms; none: only when *Send* is pressed.
    pub grace_ms: Option<i64>,
    /// Whether a long payload must have been read to its end before it can be approved. A high-risk one always must.
    pub reading_gate: bool,
    /// What a notification says.
    pub privacy: Privacy,
    /// Whether notifications are shown at all.
    pub notify: bool,
    /// Whether a plan is told.
    pub notify_plans: bool,
    /// Whether it is told that a rule stopped a call of a conversation in Auto.
    pub notify_stopped: bool,
    /// Whether what still waits is told again, twice at most.
    pub reminders: bool,
    /// The hours of the day in which nothing is told; none: never. They decide nothing.
    pub quiet_hours: Option<QuietHours>,
    /// Until when nothing is told, in milliseconds UTC: *Pause notifications* of the tray. None: nothing is paused.
    pub paused_until: Option<i64>,
    /// Whether a notification with a small, low-risk call that it shows in whole offers *Approve*.
    pub approve_from_notice: bool,
    /// Whether a soft sound goes with a notification.
    pub sound: bool,
    /// How loud, 0 to 100.
    pub volume: u8,
    /// Whether closing the window keeps Countersign running in the tray.
    pub close_to_tray: bool,
    /// Whether the person was told that it does.
    pub told_of_tray: bool,
    /// Whether Countersign starts with the session.
    pub start_at_login: bool,
    /// Whether the global key opens the quick panel, where the desktop has global keys.
    pub global_key: bool,
    /// Whether single keys work.
    pub single_keys: bool,
    /// Keys of actions that the person changed: the action's name and its keys, spelled as `Mod+Shift+k`, `g i`.
    pub keys: BTreeMap<String, Vec<String>>,
    /// Whether "for this plan only" is ticked at first: the person's last choice.
    pub only_this_plan: bool,
    /// Whether the first-run screen was left.
    pub greeted: bool,
    /// The agent of the last Quick task.
    pub quick_agent: Option<String>,
    /// Its mode; Auto is never kept.
    pub quick_mode: Option<Mode>,
    /// Searches of history that were kept.
    pub searches: Vec<SavedSearch>,
    /// How many days a decision stays in history; none: for good.
    pub keep_days: Option<u32>,
    /// Patterns (regular expressions) of the person's own whose matches are masked like secrets.
    pub masks: Vec<String>,
    /// Whether what would run is shown as lines of text first, for whoever hears it.
    pub read_as_text: bool,
    /// Whether symbols stand in those lines by their names.
    pub spell_symbols: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: Theme::System,
            high_contrast: false,
            density: Density::Comfortable,
            zoom: 100,
            language: Language::System,
            grace_ms: Some(3_000),
            reading_gate: true,
            privacy: Privacy::Target,
            notify: true,
            notify_plans: true,
            notify_stopped: false,
            reminders: true,
            quiet_hours: None,
            paused_until: None,
            approve_from_notice: false,
            sound: false,
            volume: 50,
            close_to_tray: true,
            told_of_tray: false,
            start_at_login: false,
            global_key: false,
            single_keys: true,
            keys: BTreeMap::new(),
            only_this_plan: true,
            greeted: false,
            quick_agent: None,
            quick_mode: None,
            searches: Vec::new(),
            keep_days: None,
            masks: Vec::new(),
            read_as_text: false,
            spell_symbols: false,
        }
    }
}

impl Settings {
    /// Reads what was stored, setting by setting: one that can't be read holds its default, which is the safe value, and takes
    /// no other with it. Says which those were; a text that is no object at all is named as `settings`.
    pub fn read(stored: &str) -> (Self, Vec<String>) {
        let defaults = serde_json::to_value(Self::default());
        let (Ok(serde_json::Value::Object(stored)), Ok(mut good)) = (serde_json::from_str(stored), defaults) else {
            return (Self::default(), vec!["settings".to_owned()]);
        };
        let mut unread = Vec::new();
        for (name, value) in stored {
            let mut with = good.clone();
            let Some(place) = with.get_mut(&name) else { continue };
            *place = value;
            if serde_json::from_value::<Self>(with.clone()).is_ok() {
                good = with;
            } else {
                unread.push(name);
            }
        }
        let mut read: Self = serde_json::from_value(good).unwrap_or_default();
        read.hold_to_ranges();
        (read, unread)
    }

    /// Brings each number into its range.
    pub fn hold_to_ranges(&mut self) {
        self.zoom = self.zoom.clamp(80, 200);
        self.volume = self.volume.min(100);
        self.grace_ms = self.grace_ms.map(|grace| grace.clamp(0, 10_000));
        if let Some(hours) = &mut self.quiet_hours {
            hours.from = hours.from.min(LAST_MINUTE);
            hours.to = hours.to.min(LAST_MINUTE);
        }
        if self.keep_days == Some(0) {
            self.keep_days = None;
        }
    }
}

const LAST_MINUTE: u16 = 24 * 60 - 1;

/// The theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// As the system has it.
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// How tall rows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Density {
    /// 56 pixels.
    Comfortable,
    /// 44 pixels.
    Compact,
}

/// A language that the app speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// The system's, if the app speaks it; else English.
    System,
    /// English.
    En,
    /// German.
    De,
}

/// What a notification says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Privacy {
    /// The first line of the payload.
    Full,
    /// What kind of call, and where.
    Target,
    /// How many.
    Private,
}

/// Hours of the day, local time, in minutes since midnight, 0 to 1,439. `from` after `to` goes over midnight; equal ones are
/// the whole day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct QuietHours {
    /// From this minute.
    pub from: u16,
    /// To this one, which is told again.
    pub to: u16,
}

/// A search of history that the person keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct SavedSearch {
    /// Its name.
    pub name: String,
    /// The query, as typed.
    pub query: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a window shows until it is told, and what *Reset* goes back to, is what holds.
    #[test]
    fn the_windows_defaults_are_these() {
        let source = include_str!("../../../../../ui/src/lib/settings.ts");
        let (_, rest) = source.split_once("export const defaults: Settings = {").unwrap();
        let (lines, _) = rest.split_once("\n};").unwrap();
        let pairs = lines.lines().filter_map(|line| line.trim().trim_end_matches(',').split_once(": "));
        let read: serde_json::Map<String, serde_json::Value> =
            pairs.map(|(name, value)| (name.to_owned(), serde_json::from_str(value).unwrap())).collect();
        let mut ours = serde_json::to_value(Settings::default()).unwrap();
        // A window that doesn't know yet doesn't greet.
        ours["greeted"] = true.into();
        assert_eq!(serde_json::Value::Object(read), ours);
    }

    #[test]
    fn a_setting_that_cant_be_read_takes_no_other_with_it() {
        let (read, unread) =
            Settings::read(r#"{"theme":"mauve","notify":false,"zoom":900,"grace_ms":"soon","gone":1}"#);
        assert_eq!(unread, ["theme", "grace_ms"]);
        assert_eq!(read, Settings { notify: false, zoom: 200, ..Settings::default() });
        assert_eq!(Settings::read("no settings").1, ["settings"]);
        let all = Settings { language: Language::De, keep_days: Some(30), ..Settings::default() };
        assert_eq!(Settings::read(&serde_json::to_string(&all).unwrap()), (all, Vec::new()));
    }
}
