//! Dates and times as R counts them: days or seconds since 1970, in UTC.

use jiff::{
    SignedDuration, Span,
    civil::{Date, DateTime},
    fmt::temporal::Pieces,
};

const EPOCH: Date = Date::constant(1970, 1, 1);

/// The day of a date such as `2024-12-31`. Other forms of ISO 8601 are rejected, because a time of
/// day, for example, would be lost.
pub(super) fn parse_date(text: &str) -> Option<f64> {
    let is_calendar_date = text.len() == 10 && text.split('-').map(str::len).eq([4, 2, 2]);
    let date: Date = is_calendar_date.then(|| text.parse().ok())??;
    Some(date.duration_since(EPOCH).as_hours() as f64 / 24.0)
}

/// The second of a time such as `2024-12-31T23:59:59.5+01:00`, which must have an offset from UTC.
pub(super) fn parse_date_time(text: &str) -> Option<f64> {
    let pieces = Pieces::parse(text).ok()?;
    let local = pieces.date().to_datetime(pieces.time()?);
    let offset = pieces.to_numeric_offset()?.seconds();
    // `Timestamp` is not used, because its range ends before 9999-12-31, a date that often stands
    // for "never".
    Some(local.duration_since(epoch()).as_secs_f64() - f64::from(offset))
}

/// A day as a date. `None` if it is NA, infinite, or outside of the years 0 to 9999.
pub(super) fn format_date(day: f64) -> Option<String> {
    let day = to_integer(day.floor())?;
    let date = EPOCH.checked_add(Span::new().try_days(day).ok()?).ok()?;
    (date.year() >= 0).then(|| date.to_string())
}

/// A second as a time in UTC, to the millisecond. `None` as for [`format_date`].
pub(super) fn format_date_time(second: f64) -> Option<String> {
    let whole = second.floor();
    let time = epoch().checked_add(SignedDuration::from_secs(to_integer(whole)?)).ok()?;
    // Rounding could yield 1000 milliseconds, which would need a carry into the second.
    let millis = ((second - whole) * 1000.0).floor() as u32;
    let fraction = if millis == 0 { String::new() } else { format!(".{millis:03}") };
    let text = || format!("{}{fraction}Z", time.strftime("%Y-%m-%dT%H:%M:%S"));
    (time.year() >= 0).then(text)
}

fn epoch() -> DateTime {
    EPOCH.at(0, 0, 0, 0)
}

/// NA is a NaN, which would be converted to zero.
fn to_integer(number: f64) -> Option<i64> {
    number.is_finite().then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use super::{format_date, format_date_time, parse_date, parse_date_time};

    #[test]
    fn dates_survive_a_round_trip() {
        for (text, number) in [
            ("1970-01-01", 0.0),
            ("2000-02-29", 11_016.0),
            ("2024-12-31", 20_088.0),
            ("1969-12-31", -1.0),
            ("0000-01-01", -719_528.0),
            ("9999-12-31", 2_932_896.0),
        ] {
            assert_eq!(parse_date(text), Some(number), "{text}");
            assert_eq!(format_date(number).as_deref(), Some(text));
        }
        for number in (-700_000..2_900_000).step_by(997) {
            let text = format_date(f64::from(number));
            assert_eq!(text.and_then(|text| parse_date(&text)), Some(f64::from(number)));
        }
    }

    #[test]
    fn times_have_an_offset() {
        assert_eq!(parse_date_time("1970-01-02T00:00:00Z"), Some(86_400.0));
        assert_eq!(parse_date_time("1970-01-01T01:00:00.5+01:00"), Some(0.5));
        let formatted = |text| parse_date_time(text).and_then(format_date_time);
        assert_eq!(formatted("2024-12-31T23:59:59-02:30").as_deref(), Some("2025-01-01T02:29:59Z"));
        assert_eq!(formatted("9999-12-31t23:59:59z").as_deref(), Some("9999-12-31T23:59:59Z"));
        assert_eq!(format_date_time(0.5).as_deref(), Some("1970-01-01T00:00:00.500Z"));
        assert_eq!(format_date_time(-0.25).as_deref(), Some("1969-12-31T23:59:59.750Z"));
        assert_eq!(parse_date_time("2024-01-01T00:00:00"), None);
    }

    #[test]
    fn rejects_malformed_dates() {
        for text in [
            "2023-02-29",
            "2024-13-01",
            "24-01-01",
            "2024-1-1",
            "today",
            "2024-01-01x",
            "20240101",
            "2024-01-01T00:00:00Z",
        ] {
            assert_eq!(parse_date(text), None, "{text}");
        }
        assert_eq!(parse_date_time("2024-01-01T25:00:00Z"), None);
        assert_eq!(parse_date_time("2024-01-01"), None);
    }

    #[test]
    fn numbers_without_a_date_have_no_text() {
        for number in [f64::NAN, f64::INFINITY, 1e300, -719_529.0, 2_932_897.0] {
            assert_eq!(format_date(number), None, "{number}");
            assert_eq!(format_date_time(number * 86_400.0), None, "{number}");
        }
    }
}
