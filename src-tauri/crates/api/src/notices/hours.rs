//! When nothing is told: quiet hours and *Pause notifications*. Both only silence; what waits goes on waiting, and no
//! decision reads this (c.8).

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::wire::settings::{QuietHours, Settings};

/// The hour at which *until tomorrow* ends.
const MORNING: i8 = 6;
/// How far away that morning is at least: at five in the morning it isn't tomorrow yet.
const NIGHT: i64 = 4 * 60 * 60 * 1_000;
const DAY: i64 = 24 * 60 * 60 * 1_000;

/// Whether nothing is told at this moment, in milliseconds UTC.
pub(crate) fn silent(settings: &Settings, now: i64, zone: &TimeZone) -> bool {
    is_paused(settings, now) || settings.quiet_hours.is_some_and(|hours| is_in(hours, now, zone))
}

/// Whether notifications are paused.
pub(crate) fn is_paused(settings: &Settings, now: i64) -> bool {
    settings.paused_until.is_some_and(|until| now < until)
}

fn is_in(hours: QuietHours, now: i64, zone: &TimeZone) -> bool {
    let Some(now) = local(now, zone) else { return false };
    let minute = u16::try_from(i32::from(now.hour()) * 60 + i32::from(now.minute())).unwrap_or_default();
    if hours.from < hours.to {
        (hours.from..hours.to).contains(&minute)
    } else {
        // Over midnight; equal ones are the whole day.
        minute >= hours.from || minute < hours.to
    }
}

/// When *until tomorrow* ends, in milliseconds UTC.
pub(crate) fn tomorrow(now: i64, zone: &TimeZone) -> i64 {
    let morning =
        |day: Option<jiff::civil::Date>| Some(zone.to_timestamp(day?.at(MORNING, 0, 0, 0)).ok()?.as_millisecond());
    let day = local(now, zone).map(DateTime::date);
    let today = morning(day).filter(|at| *at - now >= NIGHT);
    today.or_else(|| morning(day.and_then(|day| day.tomorrow().ok()))).unwrap_or(now + DAY)
}

/// A moment as the clock on the wall shows it: `17:30`.
pub(crate) fn wall(at: i64, zone: &TimeZone) -> String {
    local(at, zone).map_or_else(String::new, |at| format!("{:02}:{:02}", at.hour(), at.minute()))
}

fn local(at: i64, zone: &TimeZone) -> Option<DateTime> {
    Some(zone.to_datetime(Timestamp::from_millisecond(at).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A moment of 10 March 2026, UTC.
    fn at(hour: i64, minute: i64) -> i64 {
        1_773_100_800_000 + (hour * 60 + minute) * 60_000
    }

    fn quiet(from: u16, to: u16) -> Settings {
        Settings { quiet_hours: Some(QuietHours { from, to }), ..Settings::default() }
    }

    #[test]
    fn surface_66_quiet_hours_go_over_midnight_and_end_on_the_minute() {
        let zone = TimeZone::UTC;
        let night = quiet(22 * 60, 7 * 60);
        for (hour, minute, expected) in [(21, 59, false), (22, 0, true), (0, 0, true), (6, 59, true), (7, 0, false)] {
            assert_eq!(silent(&night, at(hour, minute), &zone), expected, "{hour}:{minute}");
        }
        let noon = quiet(12 * 60, 13 * 60);
        assert!(
            !silent(&noon, at(11, 59), &zone) && silent(&noon, at(12, 0), &zone) && !silent(&noon, at(13, 0), &zone)
        );
        assert!(silent(&quiet(60, 60), at(17, 0), &zone), "equal ones are the whole day");
        assert!(!silent(&Settings::default(), at(3, 0), &zone));
        let east = TimeZone::fixed(jiff::tz::offset(2));
        assert!(silent(&night, at(20, 0), &east), "the hours are those of the wall");
    }

    #[test]
    fn a_pause_ends_and_tomorrow_is_a_morning() {
        let zone = TimeZone::UTC;
        let paused = Settings { paused_until: Some(at(12, 0)), ..Settings::default() };
        assert!(silent(&paused, at(11, 59), &zone) && !silent(&paused, at(12, 0), &zone));
        assert_eq!(tomorrow(at(17, 0), &zone), at(24 + 6, 0));
        assert_eq!(tomorrow(at(1, 0), &zone), at(6, 0), "at one in the night it is the coming morning");
        assert_eq!(tomorrow(at(5, 0), &zone), at(24 + 6, 0));
        assert_eq!(wall(at(6, 5), &zone), "06:05");
    }
}
