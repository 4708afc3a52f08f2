//! Dates of the configuration as moments, and back. In UTC: a crib may be used in several places.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use toml::value::{Date, Datetime, Offset};

const DAY: i64 = 86_400;

/// The moment at which what is good until then ends: a day counts to its end, a time of day is exact.
pub(crate) fn end(until: &Datetime) -> Option<SystemTime> {
    let date = until.date?;
    let days = days_since_epoch(i64::from(date.year), i64::from(date.month), i64::from(date.day));
    let Some(time) = until.time else {
        return moment((days + 1) * DAY);
    };
    let offset = match until.offset {
        Some(Offset::Custom { minutes }) => i64::from(minutes) * 60,
        Some(Offset::Z) | None => 0,
    };
    let second = i64::from(time.second.unwrap_or_default());
    moment(
        days * DAY + i64::from(time.hour) * 3_600 + i64::from(time.minute) * 60 + second - offset,
    )
}

/// The day that is `days` after the day of `now`.
pub(crate) fn day_after(now: SystemTime, days: u32) -> Date {
    let seconds = match now.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_secs()).unwrap_or(i64::MAX / 2),
        Err(before) => -i64::try_from(before.duration().as_secs()).unwrap_or(i64::MAX / 2),
    };
    // The last date that a configuration can hold is far enough for a clock that is wrong.
    civil((seconds.div_euclid(DAY) + i64::from(days)).clamp(0, days_since_epoch(9_999, 12, 31)))
}

fn moment(seconds: i64) -> Option<SystemTime> {
    let distance = Duration::from_secs(seconds.unsigned_abs());
    if seconds < 0 { UNIX_EPOCH.checked_sub(distance) } else { UNIX_EPOCH.checked_add(distance) }
}

/// Counts in years that begin in March, so that the leap day is a year's last.
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn civil(days: i64) -> Date {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    let small = |number: i64| u8::try_from(number).expect("months and days are below 32");
    Date {
        year: u16::try_from(year).expect("the days are within four digits"),
        month: small(month),
        day: small(day),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime, UNIX_EPOCH};

    use super::{civil, day_after, days_since_epoch, end};

    fn ends(text: &str) -> Option<u64> {
        let moment = end(&text.parse().expect("a date"))?;
        Some(moment.duration_since(UNIX_EPOCH).expect("after 1970").as_secs())
    }

    #[test]
    fn a_day_counts_to_its_end_and_a_time_is_exact() {
        assert_eq!(ends("1970-01-01"), Some(86_400));
        assert_eq!(ends("2027-01-01"), Some(1_798_848_000));
        assert_eq!(ends("2027-01-01T00:00:00Z"), Some(1_798_761_600));
        assert_eq!(ends("2027-01-01T02:00:00+02:00"), Some(1_798_761_600));
        assert_eq!(ends("2027-01-01T00:00:00"), Some(1_798_761_600));
        assert_eq!(ends("07:32:00"), None);
    }

    #[test]
    fn every_day_is_found_again() {
        for days in 0..days_since_epoch(2_500, 1, 1) {
            let date = civil(days);
            assert_eq!(
                days_since_epoch(date.year.into(), date.month.into(), date.day.into()),
                days,
                "{date}"
            );
        }
    }

    #[test]
    fn days_are_added_across_months_and_a_wrong_clock_is_no_panic() {
        let day = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
        assert_eq!(day_after(day(1_798_761_600), 30).to_string(), "2027-01-31");
        assert_eq!(day_after(day(1_709_164_800), 1).to_string(), "2024-03-01");
        assert_eq!(day_after(UNIX_EPOCH - Duration::from_secs(1), 0).to_string(), "1970-01-01");
        let far = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(1 << 60));
        far.into_iter().for_each(|far| assert_eq!(day_after(far, 1).to_string(), "9999-12-31"));
    }
}
