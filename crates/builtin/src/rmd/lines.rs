//! Ranges of lines.

use std::ops;

use toolkit::{ErrorType, Failure};

/// A range of lines in a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Range {
    /// The first line, from 1.
    pub(super) first: usize,
    /// The bytes of the lines, with their line feeds.
    pub(super) bytes: ops::Range<usize>,
    /// The number of lines in the text.
    pub(super) total: usize,
}

impl Range {
    /// The lines from `start` to `end`, inclusive; the defaults are the first and the last line.
    pub(super) fn of(
        text: &str,
        start: Option<usize>,
        end: Option<usize>,
    ) -> Result<Self, Failure> {
        let total = text.lines().count();
        let (first, last) = (start.unwrap_or(1), end.unwrap_or(total.max(1)));
        if first == 0 || last < first || first > total.max(1) {
            let message = format!(
                "there are no lines {first} to {last}; the document has {total} lines, numbered from 1"
            );
            return Err(Failure::new(ErrorType::InvalidRange, message));
        }
        let starts: Vec<_> = text
            .split_inclusive('\n')
            .scan(0, |at, line| Some(std::mem::replace(at, *at + line.len())))
            .collect();
        // Beyond the last line is the end of the text, so `last` may be too large.
        let at = |line: usize| starts.get(line - 1).copied().unwrap_or(text.len());
        Ok(Self { first, bytes: at(first)..at(last.saturating_add(1)), total })
    }
}

#[cfg(test)]
mod tests {
    use super::Range;

    #[test]
    fn ranges_start_at_one_and_are_inclusive() {
        let text = "a\nb\nc";
        let lines = |start, end| Range::of(text, start, end).map(|range| &text[range.bytes]);
        assert_eq!(lines(None, None), Ok("a\nb\nc"));
        assert_eq!(lines(Some(2), Some(2)), Ok("b\n"));
        assert_eq!(lines(Some(3), Some(9)), Ok("c"));
        for (start, end) in [(0, 1), (3, 2), (4, 9)] {
            assert!(lines(Some(start), Some(end)).is_err(), "{start} {end}");
        }
        assert_eq!(Range::of("", None, None).map(|range| range.bytes), Ok(0..0));
    }
}
