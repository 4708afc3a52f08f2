//! Wall-clock time, which may jump, from one place that a test can replace.

use std::{fmt, sync::Arc, time::SystemTime};

use jiff::Timestamp;

/// A source of wall-clock time, for people and for expiry. Durations are measured with a monotonic
/// clock instead.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> SystemTime + Send + Sync>);

impl Clock {
    /// A clock that calls a function.
    pub fn new(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The current time.
    pub fn now(&self) -> SystemTime {
        (self.0)()
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new(SystemTime::now)
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

/// A time in UTC for people and protocols, to the millisecond: `2027-01-31T08:00:00.000Z`.
pub fn timestamp(time: SystemTime) -> String {
    // Times outside of the years that RFC 3339 can express do not occur; they are shown as 1970.
    let time = Timestamp::try_from(time).unwrap_or(Timestamp::UNIX_EPOCH);
    time.max(Timestamp::UNIX_EPOCH).strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::timestamp;

    #[test]
    fn times_are_written_in_utc() {
        let at = |millis| timestamp(UNIX_EPOCH + Duration::from_millis(millis));
        assert_eq!(at(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(at(1_709_210_096_007), "2024-02-29T12:34:56.007Z");
        assert_eq!(at(1_798_761_600_000), "2027-01-01T00:00:00.000Z");
    }
}
