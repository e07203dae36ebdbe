//! What the time and the person's coming and going make of notices: silence that ends, two reminders, and one when the person
//! is back (surface 61, 66). Nothing here decides anything, and nothing is told of a set that was put off.

use std::sync::Arc;
use std::time::Duration;

use countersign_core::ids::ConversationId;
use countersign_engine::ports::Attendance;
use jiff::tz::TimeZone;

use super::{View, Waits, hours, refresh, tell, to_tell, view};
use crate::desk::Desk;
use crate::wire::settings::Settings;
use crate::wire::window::ApiError;

/// How long after it was told a set is told again, each in milliseconds after the last time; then never more.
const REMINDERS: [i64; 2] = [10 * 60 * 1_000, 60 * 60 * 1_000];
/// A person who did nothing for so long is away, and is told when they are back what waits.
const AWAY: Duration = Duration::from_secs(5 * 60);

/// Whether the person was away when somebody last looked.
#[derive(Debug, Default)]
pub(crate) struct Absence(bool);

impl Absence {
    /// Takes in what was seen; says whether the person is back from being away. What isn't known counts as present, and as
    /// no return.
    pub(crate) fn is_back(&mut self, present: Attendance) -> bool {
        let away = present.is_away_since(AWAY);
        let back = self.0 && !away && present.idle.is_some() && present.locked != Some(true);
        // Whoever is back at a locked screen isn't back yet.
        if away || back {
            self.0 = away;
        }
        back
    }
}

/// Whether anything of a space waits, or was put off until the person is back, so that it matters who is there.
pub(crate) fn anything_waits(desk: &Desk) -> bool {
    desk.laters.any_until_back() || desk.shown.lock().conversations.values().any(|state| state.waits.is_some())
}

/// Does what is due in a space.
pub(crate) async fn attend(desk: &Arc<Desk>, back: bool) -> Result<(), ApiError> {
    let settings = desk.settings();
    let now = desk.host.clock.now().0;
    if hours::silent(&settings, now, &TimeZone::system()) {
        return Ok(());
    }
    let (held_back, told, due): (Vec<ConversationId>, Vec<ConversationId>, Vec<ConversationId>) = {
        let book = desk.shown.lock();
        let told = book.conversations.iter().filter(|(_, state)| state.told.is_some()).map(|(of, _)| *of).collect();
        let held_back = book.conversations.iter().filter(|(_, state)| state.held_back).map(|(of, _)| *of).collect();
        let due = book.conversations.iter().filter(|(_, state)| {
            !state.held_back
                && settings.reminders
                && state.waits.as_ref().is_some_and(|waits| is_due(waits, now) || (back && !waits.welcomed))
        });
        (held_back, told, due.map(|(of, _)| *of).collect())
    };
    for of in held_back {
        if let Some(state) = desk.shown.lock().conversations.get_mut(&of) {
            // It is told only now, so its reminders count from now.
            (state.held_back, state.waits) = (false, None);
        }
        refresh(desk, of, true);
    }
    // Another process may have answered what is on the screen; nobody tells this one.
    for of in told {
        refresh(desk, of, false);
    }
    for of in due {
        remind(desk, of, &settings, now, back).await?;
    }
    Ok(())
}

fn is_due(waits: &Waits, now: i64) -> bool {
    let mut at = waits.since.0;
    for (index, after) in REMINDERS.iter().enumerate() {
        at += after;
        if index == usize::from(waits.reminded) {
            return now >= at;
        }
    }
    false
}

async fn remind(
    desk: &Arc<Desk>,
    of: ConversationId,
    settings: &Settings,
    now: i64,
    back: bool,
) -> Result<(), ApiError> {
    let (set, open) = to_tell(desk, of, settings).await?;
    let Some(set) = set else { return Ok(()) };
    let rows: Vec<String> = set.rows.iter().map(|row| row.id.clone()).collect();
    let staged = set.rows.iter().all(|row| row.draft.is_some());
    if staged || matches!(view(desk, &rows), View::Looking) {
        // It is decided or being looked at; the reminder is still to come if that comes to nothing.
        return Ok(());
    }
    {
        let mut book = desk.shown.lock();
        let Some(waits) = book.conversations.get_mut(&of).and_then(|state| state.waits.as_mut()) else {
            return Ok(());
        };
        // What fell due during an absence or a silence comes once, not once for each time.
        while is_due(waits, now) {
            waits.reminded += 1;
        }
        waits.welcomed = waits.welcomed || back;
    }
    // Replacing it in place is what many servers do without a sign; a reminder is one that comes up.
    if desk.shown.take(of).is_some() {
        desk.host.notices.withdraw(of).await;
    }
    tell(desk, &set, open, settings, true).await
}

#[cfg(test)]
mod tests {
    use countersign_core::ids::At;

    use super::*;

    #[test]
    fn surface_61_two_reminders_are_due_and_no_third() {
        let minute = 60_000;
        let mut waits = Waits { rows: Vec::new(), since: At(0), reminded: 0, welcomed: false };
        assert!(!is_due(&waits, 10 * minute - 1) && is_due(&waits, 10 * minute));
        waits.reminded = 1;
        assert!(!is_due(&waits, 70 * minute - 1) && is_due(&waits, 70 * minute));
        waits.reminded = 2;
        assert!(!is_due(&waits, i64::MAX));
    }

    #[test]
    fn surface_61_a_return_is_known_only_of_somebody_who_was_known_to_be_away() {
        let idle = |seconds, locked| Attendance { idle: Some(Duration::from_secs(seconds)), locked, undisturbed: None };
        let mut absence = Absence::default();
        assert!(!absence.is_back(idle(299, None)) && !absence.is_back(idle(0, None)), "four minutes are no absence");
        assert!(!absence.is_back(idle(300, None)));
        assert!(!absence.is_back(Attendance::default()), "unknown is no return");
        assert!(!absence.is_back(idle(2, Some(true))), "nor is a locked screen");
        assert!(absence.is_back(idle(2, Some(false))));
        assert!(!absence.is_back(idle(2, Some(false))), "once");
    }
}
