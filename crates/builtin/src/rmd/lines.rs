//! Lines of a text, by their numbers.

use std::ops;

use toolkit::{ErrorType, Failure};

/// Some lines of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Range {
    /// The first of them, from 1.
    pub(super) first: usize,
    /// Where they are.
    pub(super) bytes: ops::Range<usize>,
    /// How many lines the text has.
    pub(super) total: usize,
}

impl Range {
    /// The lines from `start` to `end`, both included; what is left out is the beginning and the end of the text.
    pub(super) fn of(
        text: &str,
        start: Option<usize>,
        end: Option<usize>,
    ) -> Result<Self, Failure> {
        let total = text.lines().count();
        let (first, last) = (start.unwrap_or(1), end.unwrap_or(total.max(1)));
        if first == 0 || last < first || first > total.max(1) {
            let message = format!(
                "there are no lines {first} to {last}; the document has {total}, counted from 1"
            );
            return Err(Failure::new(ErrorType::InvalidRange, message));
        }
        let starts: Vec<_> = text
            .split_inclusive('\n')
            .scan(0, |at, line| Some(std::mem::replace(at, *at + line.len())))
            .collect();
        let at = |line: usize| starts.get(line - 1).copied().unwrap_or(text.len());
        Ok(Self { first, bytes: at(first)..at(last.saturating_add(1)), total })
    }
}

#[cfg(test)]
mod tests {
    use super::Range;

    #[test]
    fn lines_are_counted_from_one_and_both_ends_belong() {
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
