//! Parses the time of `--since`.

use std::time::SystemTime;

use jiff::{Span, Timestamp, Zoned, civil};

use crate::error::CommandError;

/// Parses a time in the local time zone.
pub(super) fn parse(text: &str) -> Result<SystemTime, CommandError> {
    let unknown = || {
        CommandError::machine(format!("`{text}` is not a time"))
            .hint("use `2h`, `30m`, `3d`, `today`, `14:30`, `2026-11-18` or `2026-11-18T14:30:00Z`")
    };
    parse_relative_to(text.trim(), &Zoned::now()).ok_or_else(unknown)
}

fn parse_relative_to(text: &str, now: &Zoned) -> Option<SystemTime> {
    let at = |time: civil::DateTime| time.to_zoned(now.time_zone().clone()).ok();
    let zoned = if text == "today" {
        now.start_of_day().ok()
    } else if text == "yesterday" {
        now.yesterday().and_then(|day| day.start_of_day()).ok()
    } else if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time.into());
    } else if let Ok(span) = text.parse::<Span>() {
        now.checked_sub(span.abs()).ok()
    } else if let Ok(time) = text.parse::<civil::DateTime>() {
        at(time)
    } else if let Ok(date) = text.parse::<civil::Date>() {
        at(date.to_datetime(civil::Time::midnight()))
    } else {
        at(now.date().to_datetime(text.parse().ok()?))
    };
    zoned.map(|zoned| zoned.timestamp().into())
}

#[cfg(test)]
mod tests {
    use jiff::{Timestamp, Zoned};

    use super::parse_relative_to;

    #[test]
    fn reads_what_people_type() {
        let now: Zoned = "2026-11-18T15:30:00+01:00[+01:00]".parse().expect("a time");
        let parse = |text: &str| {
            let time = parse_relative_to(text, &now)?;
            Timestamp::try_from(time).ok().map(|time| time.to_string())
        };
        for (text, expected) in [
            ("2h", "2026-11-18T12:30:00Z"),
            ("30m", "2026-11-18T14:00:00Z"),
            ("1h 30min", "2026-11-18T13:00:00Z"),
            ("3d", "2026-11-15T14:30:00Z"),
            ("today", "2026-11-17T23:00:00Z"),
            ("yesterday", "2026-11-16T23:00:00Z"),
            ("14:30", "2026-11-18T13:30:00Z"),
            ("2026-11-01", "2026-10-31T23:00:00Z"),
            ("2026-11-01 08:00", "2026-11-01T07:00:00Z"),
            ("2026-11-01T08:00:00Z", "2026-11-01T08:00:00Z"),
        ] {
            assert_eq!(parse(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(parse("soon"), None);
    }
}
