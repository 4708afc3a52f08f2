//! Days and moments as R counts them: since 1970, in days or in seconds.

/// The day of a date such as `2024-12-31`.
pub(super) fn day(text: &str) -> Option<f64> {
    let mut parts = text.splitn(3, '-');
    let (year, month, day) =
        (number(parts.next()?, 4)?, number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    let is_date = (1..=12).contains(&month) && (1..=days_in(year, month)).contains(&day);
    is_date.then(|| days_before(year, month, day) as f64)
}

/// The second of a moment such as `2024-12-31T23:59:59.5+01:00`.
pub(super) fn moment(text: &str) -> Option<f64> {
    let (date, rest) = text.split_once(['T', 't', ' '])?;
    let split = rest.find(['Z', 'z', '+', '-'])?;
    let (clock, zone) = rest.split_at(split);
    let mut parts = clock.splitn(3, ':');
    let (hour, minute) = (number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    let seconds: f64 = parts.next()?.parse().ok()?;
    let is_time = hour < 24 && minute < 60 && (0.0..61.0).contains(&seconds);
    let offset = match zone {
        "Z" | "z" => 0,
        _ => {
            let (hours, minutes) = zone[1..].split_once(':')?;
            let minutes = number(hours, 2)? * 60 + number(minutes, 2)?;
            if zone.starts_with('-') { -minutes } else { minutes }
        }
    };
    let minutes = hour * 60 + minute - offset;
    is_time.then_some(day(date)? * 86_400.0 + minutes as f64 * 60.0 + seconds)
}

/// A day as a date.
pub(super) fn date(day: f64) -> Option<String> {
    // Beyond this, years have more than four digits.
    if !(-719_528.0..2_932_897.0).contains(&day) {
        return None;
    }
    let (year, month, day) = civil_date(day.floor() as i64);
    Some(format!("{year:04}-{month:02}-{day:02}"))
}

/// A second as a moment, in UTC.
pub(super) fn timestamp(second: f64) -> Option<String> {
    let whole = second.floor();
    let date = date((whole / 86_400.0).floor())?;
    let of_day = whole.rem_euclid(86_400.0) as u32;
    let millis = ((second - whole) * 1000.0).floor() as u32;
    let fraction = if millis == 0 { String::new() } else { format!(".{millis:03}") };
    Some(format!(
        "{date}T{:02}:{:02}:{:02}{fraction}Z",
        of_day / 3600,
        of_day / 60 % 60,
        of_day % 60
    ))
}

fn number(text: &str, digits: usize) -> Option<i64> {
    let is_number = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Years begin in March here, so that the leap day is the last of one.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + day_of_year - 719_468
}

/// The date of a day since 1970. Counts in years that begin in March, so that the leap day is a year's last.
fn civil_date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let (day, month) = (day_of_year - (153 * from_march + 2) / 5 + 1, (from_march + 2) % 12 + 1);
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::{date, day, moment, timestamp};

    #[test]
    fn days_and_dates_are_the_same_both_ways() {
        for (text, number) in [
            ("1970-01-01", 0.0),
            ("2000-02-29", 11_016.0),
            ("2024-12-31", 20_088.0),
            ("1969-12-31", -1.0),
        ] {
            assert_eq!(day(text), Some(number), "{text}");
            assert_eq!(date(number).as_deref(), Some(text));
        }
        for number in (-700_000..2_900_000).step_by(997) {
            assert_eq!(
                date(f64::from(number)).and_then(|text| day(&text)),
                Some(f64::from(number))
            );
        }
    }

    #[test]
    fn moments_have_a_zone() {
        assert_eq!(moment("1970-01-02T00:00:00Z"), Some(86_400.0));
        assert_eq!(moment("1970-01-01T01:00:00.5+01:00"), Some(0.5));
        assert_eq!(
            moment("2024-12-31T23:59:59-02:30").and_then(timestamp).as_deref(),
            Some("2025-01-01T02:29:59Z")
        );
        assert_eq!(timestamp(0.5).as_deref(), Some("1970-01-01T00:00:00.500Z"));
    }

    #[test]
    fn refuses_what_is_no_date() {
        for text in ["2023-02-29", "2024-13-01", "24-01-01", "2024-1-1", "today", "2024-01-01x"] {
            assert_eq!(day(text), None, "{text}");
        }
        assert_eq!(moment("2024-01-01T25:00:00Z"), None);
        assert_eq!(moment("2024-01-01"), None);
    }
}
