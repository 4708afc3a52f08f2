//! Counted nouns.

/// Formats a count with its noun: `1 tool`, `2 tools`.
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
