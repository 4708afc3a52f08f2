//! What a command changes in a file, for a person.

use similar::TextDiff;

use crate::terminal::{self, Paint, paint};

/// Prints the lines that differ, with two lines around them.
pub(crate) fn print_difference(before: &str, after: &str) {
    let diff = TextDiff::from_lines(before, after);
    for hunk in diff.unified_diff().context_radius(2).iter_hunks() {
        for line in hunk.to_string().lines() {
            let colour = match line.as_bytes().first() {
                Some(b'+') => Paint::Green,
                Some(b'-') => Paint::Red,
                _ => Paint::Dim,
            };
            // Other programs may have written the rest of the file.
            terminal::print_line(&paint(&runtime::escape_controls(line), colour));
        }
    }
}
