//! Durations as people read them.

use std::time::{Duration, SystemTime};

/// Formats how long ago a time was: `5 min ago`.
pub(crate) fn format_age(time: SystemTime) -> String {
    match SystemTime::now().duration_since(time) {
        Ok(passed) => format!("{} ago", format_span(passed)),
        // The clock was set back, or the time was written by a machine whose clock is ahead.
        Err(_) => "just now".to_owned(),
    }
}

/// Formats a duration in its largest unit, rounded down: `90 s` is `1 min`.
pub(crate) fn format_span(span: Duration) -> String {
    match span.as_secs() {
        0 => format!("{} ms", span.as_millis()),
        seconds @ 1..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{} min", seconds / 60),
        seconds @ 3600..86_400 => format!("{} h", seconds / 3600),
        seconds => format!("{} d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::format_span;

    #[test]
    fn uses_the_largest_unit() {
        let formatted = [5, 1_500, 125_000, 7_200_000, 200_000_000]
            .map(|milliseconds| format_span(Duration::from_millis(milliseconds)));
        assert_eq!(formatted, ["5 ms", "1 s", "2 min", "2 h", "2 d"]);
    }
}
