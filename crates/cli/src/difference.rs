//! Prints a change of a file as a diff.

use similar::TextDiff;

use crate::terminal::{self, Paint, paint};

/// Prints the lines that differ, with two lines of context.
pub(crate) fn print_difference(before: &str, after: &str) {
    let diff = TextDiff::from_lines(before, after);
    for hunk in diff.unified_diff().context_radius(2).iter_hunks() {
        for line in hunk.to_string().lines() {
            let colour = match line.as_bytes().first() {
                Some(b'+') => Paint::Green,
                Some(b'-') => Paint::Red,
                _ => Paint::Dim,
            };
            // The context lines may contain control characters that other programs have written.
            terminal::print_line(&paint(&runtime::escape_controls(line), colour));
        }
    }
}
