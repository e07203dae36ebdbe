//! What the desktop around the window asks and is told: presses of notifications, the tray, who is there and what time it is,
//! and the way out.

use std::sync::{Arc, Mutex, PoisonError};

use countersign_core::input::Input;
use countersign_core::mode::Mode;
use countersign_engine::ports::NoticePress;
use countersign_store::record::Record;
use jiff::tz::TimeZone;

pub use crate::notices::presses::Pressed;

use super::Countersign;
use crate::commands::request;
use crate::desk::{self, Desk};
use crate::drafts;
use crate::notices::attending::{Absence, anything_waits, attend};
use crate::notices::trial::Trial;
use crate::notices::{self, hours, words};
use crate::wire::desktop::{Leave, Leaving, NoticeTest, Pause};
use crate::wire::settings::Settings;
use crate::wire::window::{ApiError, FeedWhat, Space};
use crate::words::{Spoken, say, spoken};

/// How many rows the tray's menu has at most.
const ROWS: usize = 5;
/// The name under which it is stored what the close button does where there is no tray.
const CLOSING: &str = "closing_without_tray";
const MINUTE: i64 = 60_000;

/// What is known of the desktop and not stored.
#[derive(Debug, Default)]
pub(crate) struct Around {
    pub(crate) trial: Trial,
    absence: Mutex<Absence>,
    /// What was asked before something goes, until it is answered.
    asked: Mutex<Option<Leaving>>,
}

/// What the tray shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tray {
    /// How many requests wait in the person's own space.
    pub waiting: u32,
    /// The first of them, the oldest first: the request, and what it is in words, as the level of privacy lets it be said.
    pub rows: Vec<(String, String)>,
    /// How many conversations are in Auto.
    pub auto: u32,
    /// When the last of them ends, as the clock on the wall shows it; none if one of them doesn't end by itself.
    pub auto_until: Option<String>,
    /// Why nothing is told right now, in words; none if it is.
    pub silent: Option<String>,
    /// Whether that is a pause that can be ended.
    pub paused: bool,
    /// The language of all that it says.
    pub spoken: Spoken,
}

impl Countersign {
    /// A command; what it does stands in [`crate::commands`].
    ///
    /// # Errors
    /// As every command.
    pub async fn test_notice(&self, _: Space, _: request::test_notice) -> Result<NoticeTest, ApiError> {
        Ok(notices::trial::run(&self.host, &self.around.trial, &self.main.settings()).await)
    }

    /// A command; what it does stands in [`crate::commands`].
    ///
    /// # Errors
    /// As every command.
    pub async fn pause_notices(&self, _: Space, request: request::pause_notices) -> Result<(), ApiError> {
        self.pause(request.pause).await
    }

    /// A command; what it does stands in [`crate::commands`].
    ///
    /// # Errors
    /// As every command.
    pub async fn leave(&self, _: Space, request: request::leave) -> Result<(), ApiError> {
        self.take_leave(request.leave).await
    }

    /// A command; what it does stands in [`crate::commands`].
    ///
    /// # Errors
    /// As every command.
    pub async fn looking(&self, space: Space, request: request::looking) -> Result<(), ApiError> {
        let desk = self.desk(space).await?;
        let (focused, seen) = (request.focused, request.request.clone());
        self.looking.lock().unwrap_or_else(PoisonError::into_inner).say(request.window, focused, request.request);
        if let (true, Some(seen)) = (focused, seen) {
            let (store, row) = (desk.engine.store(), desk::row(&seen)?);
            desk.shown.saw(row);
            let held = store.held_fact(row).await?;
            let seen = match held {
                Some(fact) => Some((fact.call.conversation, fact.question.closed.is_none())),
                None => store
                    .call_fact(row)
                    .await?
                    .map(|fact| (fact.conversation, fact.request.is_some_and(|request| request.closed.is_none()))),
            };
            if let Some((conversation, open)) = seen {
                // Only the first look at what waits is kept; going through rows writes nothing.
                if open && store.noticed(row).await?.seen_at.is_none() {
                    let at = desk.host.clock.now();
                    store.record(Record::Seen { row, conversation, at }).await?;
                }
                notices::opened(&desk, conversation).await;
            }
        }
        Ok(())
    }

    /// A notification was pressed. A token that isn't the one on screen decides nothing and shows what there is.
    pub async fn notice_pressed(&self, press: NoticePress) -> Pressed {
        if self.around.trial.pressed(&press) {
            return Pressed::Shows;
        }
        for desk in self.desks().await {
            match notices::presses::pressed(&desk, &press).await {
                Ok(Pressed::Unknown) => {}
                Ok(pressed) => return pressed,
                Err(error) => tracing::warn!(?error, "a press on a notification did nothing"),
            }
        }
        self.feed.publish(Space::Main, FeedWhat::Show { request: None });
        Pressed::Shows
    }

    /// Looks at the time and at who is there, and tells what is due: reminders, what silence held back, what waits for
    /// somebody who is back. The host calls it every few seconds; it decides nothing.
    pub async fn attend(&self) {
        let now = self.host.clock.now().0;
        let settings = self.main.settings();
        if settings.paused_until.is_some() && !hours::is_paused(&settings, now) {
            let over = self.remember(|settings| settings.paused_until = None).await;
            if let Err(error) = over {
                tracing::warn!(?error, "the end of a pause couldn't be stored");
            }
        }
        let desks = self.desks().await;
        let mut back = false;
        if desks.iter().any(|desk| anything_waits(desk)) {
            let present = notices::attendance(&self.main).await;
            back = self.around.absence.lock().unwrap_or_else(PoisonError::into_inner).is_back(present);
        }
        if back {
            self.person_is_back().await;
        }
        for desk in desks {
            if let Err(error) = attend(&desk, back).await {
                tracing::warn!(?error, "what is due to be told couldn't be");
            }
        }
    }

    /// What the tray shows.
    pub async fn tray(&self) -> Tray {
        let settings = self.main.settings();
        let sets = self.main.sets().await.unwrap_or_default();
        let mut rows = Vec::new();
        for set in sets.iter().filter(|set| set.later.is_none()) {
            for row in set.rows.iter().take(ROWS - rows.len().min(ROWS)) {
                rows.push((row.id.clone(), words::line(set, row, &settings)));
            }
        }
        let waiting = sets.iter().map(|set| set.rows.len()).sum::<usize>();
        let conversations = self.main.engine.store().conversations().await.unwrap_or_default();
        let auto: Vec<_> = conversations.iter().filter(|(one, _)| one.mode == Mode::Auto).collect();
        // One without an end comes first, and says that there is none for all of them.
        let end = auto.iter().map(|(one, _)| one.auto_until.map_or(i64::MAX, |end| end.0)).max();
        let auto_until = end.filter(|end| *end < i64::MAX).map(|end| hours::wall(end, &TimeZone::system()));
        let now = self.host.clock.now().0;
        let count = |amount: usize| u32::try_from(amount).unwrap_or(u32::MAX);
        Tray {
            waiting: count(waiting),
            rows,
            auto: count(auto.len()),
            auto_until,
            silent: silent(&settings, now),
            paused: hours::is_paused(&settings, now),
            spoken: spoken(),
        }
    }

    /// Asks every window to show a request, or the Inbox.
    pub fn show_request(&self, request: Option<String>) {
        self.feed.publish(Space::Main, FeedWhat::Show { request });
    }

    /// Pauses notifications, or ends the pause. It decides nothing.
    ///
    /// # Errors
    /// As the commands.
    pub async fn pause(&self, pause: Pause) -> Result<(), ApiError> {
        let now = self.host.clock.now().0;
        let until = match pause {
            Pause::HalfHour => Some(now + 30 * MINUTE),
            Pause::Hour => Some(now + 60 * MINUTE),
            Pause::Tomorrow => Some(hours::tomorrow(now, &TimeZone::system())),
            Pause::Over => None,
        };
        self.remember(|settings| settings.paused_until = until).await?;
        if until.is_none() {
            self.attend().await;
        }
        Ok(())
    }

    /// Puts every conversation that is in Auto back to Default, at once.
    ///
    /// # Errors
    /// As the commands; those before the one that failed are in Default.
    pub async fn all_to_default(&self) -> Result<(), ApiError> {
        for (conversation, _) in self.main.engine.store().conversations().await? {
            if conversation.mode == Mode::Auto {
                self.main.engine.input(conversation.id, Input::Tighten { mode: Mode::Default }).await?;
            }
        }
        Ok(())
    }

    /// The close button was pressed: the window goes, the app goes, or the person is asked first. Pressed again while something
    /// is asked, it means what it says.
    pub async fn close_pressed(&self) {
        let settings = self.main.settings();
        let asked = *self.around.asked.lock().unwrap_or_else(PoisonError::into_inner);
        match asked {
            Some(Leaving::Tray) => return self.host.desktop.hide_window(),
            Some(Leaving::NoTray | Leaving::Quit { .. }) => return self.host.desktop.quit(),
            None => {}
        }
        if !settings.close_to_tray {
            return self.quit_pressed().await;
        }
        match (self.host.desktop.has_tray(), settings.told_of_tray) {
            (true, true) => self.host.desktop.hide_window(),
            (true, false) => self.ask(Some(Leaving::Tray)),
            (false, _) => match self.main.engine.store().setting(CLOSING).await.ok().flatten().as_deref() {
                Some("hide") => self.host.desktop.hide_window(),
                Some("quit") => self.quit_pressed().await,
                Some(_) | None => self.ask(Some(Leaving::NoTray)),
            },
        }
    }

    /// *Quit* was pressed. What waits is named first; asked again, it ends.
    pub async fn quit_pressed(&self) {
        let asked = *self.around.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let sets = self.main.sets().await.unwrap_or_default();
        let rows = sets.iter().map(|set| set.rows.len()).sum::<usize>();
        let leaving = sets.iter().filter(|set| set.grace.is_some()).map(|set| set.rows.len()).sum::<usize>();
        let count = |amount: usize| u32::try_from(amount).unwrap_or(u32::MAX);
        if rows == 0 || matches!(asked, Some(Leaving::Quit { .. })) {
            self.host.desktop.quit();
            return;
        }
        self.ask(Some(Leaving::Quit { open: count(rows), leaving: count(leaving) }));
        self.host.desktop.show_window();
    }

    pub(super) async fn take_leave(&self, leave: Leave) -> Result<(), ApiError> {
        let asked = *self.around.asked.lock().unwrap_or_else(PoisonError::into_inner);
        match (asked, leave) {
            (None, _) | (Some(_), Leave::Stay) => self.ask(None),
            (Some(Leaving::Quit { .. }), Leave::Hide) => {
                self.ask(None);
                self.host.desktop.hide_window();
            }
            (Some(was @ (Leaving::Tray | Leaving::NoTray)), leave) => {
                let hide = leave == Leave::Hide;
                match was {
                    Leaving::Tray => self.remember(|settings| settings.told_of_tray = true).await?,
                    Leaving::NoTray | Leaving::Quit { .. } => {
                        self.keep_closing(if hide { "hide" } else { "quit" }).await?;
                    }
                }
                self.ask(None);
                if hide {
                    self.host.desktop.hide_window();
                } else {
                    self.quit_pressed().await;
                }
            }
            (Some(Leaving::Quit { .. }), Leave::Quit) => self.host.desktop.quit(),
            (Some(Leaving::Quit { .. }), Leave::SendAndQuit) => {
                for desk in self.desks().await {
                    drafts::send_leaving(&desk).await;
                }
                self.host.desktop.quit();
            }
        }
        Ok(())
    }

    /// What the close button does without a tray is asked anew.
    pub(super) async fn forget_closing(&self) -> Result<(), ApiError> {
        self.keep_closing("").await
    }

    async fn keep_closing(&self, value: &str) -> Result<(), ApiError> {
        let record = Record::Setting { name: CLOSING.to_owned(), value: value.to_owned() };
        Ok(self.main.engine.store().record(record).await?)
    }

    fn ask(&self, ask: Option<Leaving>) {
        *self.around.asked.lock().unwrap_or_else(PoisonError::into_inner) = ask;
        for space in [Space::Main, Space::Rehearsal] {
            self.feed.publish(space, FeedWhat::Leaving { ask });
        }
    }

    /// Notices follow settings that were changed.
    pub(super) async fn notices_follow(&self, before: &Settings) {
        let after = self.main.settings();
        for desk in self.desks().await {
            notices::settings_changed(&desk, before, &after).await;
        }
    }

    async fn desks(&self) -> Vec<Arc<Desk>> {
        let rehearsal = self.rehearsal.read().await.as_ref().map(|rehearsal| Arc::clone(&rehearsal.desk));
        [Some(Arc::clone(&self.main)), rehearsal].into_iter().flatten().collect()
    }
}

/// Why nothing is told right now, in words.
fn silent(settings: &Settings, now: i64) -> Option<String> {
    let zone = TimeZone::system();
    if !settings.notify {
        return Some(say().notices_off());
    }
    if let Some(until) = settings.paused_until.filter(|_| hours::is_paused(settings, now)) {
        return Some(say().notices_paused(&hours::wall(until, &zone)));
    }
    hours::silent(settings, now, &zone).then(|| say().quiet_hours())
}
