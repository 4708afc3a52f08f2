//! Converts the `until` of a clause to an instant. Times without an offset are UTC: a crib may be
//! used on machines in several time zones.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::{
    SignedDuration,
    civil::{self, DateTime, Time},
};
use toml::{
    Value,
    value::{Datetime, Offset},
};

/// The instant at which `until` expires: for a day, its end. `None` if it is not a date.
pub(super) fn parse_until(until: &Value) -> Option<SystemTime> {
    match until {
        Value::Datetime(until) => to_instant(until),
        Value::String(text) => text.trim().parse().ok().and_then(|until| to_instant(&until)),
        _ => None,
    }
}

fn to_instant(until: &Datetime) -> Option<SystemTime> {
    let date = until.date?;
    let date =
        civil::Date::new(date.year.try_into().ok()?, date.month as i8, date.day as i8).ok()?;
    let (time, remaining) = match until.time {
        // TOML allows the leap second 60, which no clock here shows.
        Some(time) => {
            let second = time.second.unwrap_or_default().min(59);
            let time = Time::new(time.hour as i8, time.minute as i8, second as i8, 0).ok()?;
            (time, SignedDuration::ZERO)
        }
        None => (Time::midnight(), SignedDuration::from_hours(24)),
    };
    let offset = match until.offset {
        Some(Offset::Custom { minutes }) => SignedDuration::from_mins(minutes.into()),
        Some(Offset::Z) | None => SignedDuration::ZERO,
    };
    // Civil arithmetic, because `jiff::Timestamp` ends before 9999-12-31, which people write for
    // "forever".
    let epoch = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
    // The day named by `until` is included, so a clause expires at the end of it.
    let since_epoch = date.to_datetime(time).duration_since(epoch) + remaining - offset;
    let distance: Duration = since_epoch.unsigned_abs();
    if since_epoch.is_negative() {
        UNIX_EPOCH.checked_sub(distance)
    } else {
        UNIX_EPOCH.checked_add(distance)
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::to_instant;

    fn seconds(text: &str) -> Option<u64> {
        let instant = to_instant(&text.parse().expect("a date"))?;
        Some(instant.duration_since(UNIX_EPOCH).expect("after 1970").as_secs())
    }

    #[test]
    fn a_day_counts_to_its_end_and_a_time_is_exact() {
        assert_eq!(seconds("1970-01-01"), Some(86_400));
        assert_eq!(seconds("2027-01-01"), Some(1_798_848_000));
        assert_eq!(seconds("2027-01-01T00:00:00Z"), Some(1_798_761_600));
        assert_eq!(seconds("2027-01-01T02:00:00+02:00"), Some(1_798_761_600));
        assert_eq!(seconds("2027-01-01T00:00:00"), Some(1_798_761_600));
        assert_eq!(seconds("9999-12-31"), Some(253_402_300_800));
        assert_eq!(seconds("2016-12-31T23:59:60Z"), Some(1_483_228_799));
        assert_eq!(seconds("07:32:00"), None);
    }
}
