//! Output that is the same in every run.

use std::sync::LazyLock;

use regex::Regex;

/// Replaces ids, times, durations and the hash in the name of a state folder, which differ from run
/// to run, by fixed words.
pub fn normalize(text: &str) -> String {
    static MASKS: LazyLock<[(Regex, &str); 4]> = LazyLock::new(|| {
        [
            (r"\b(op|ap)_[a-z2-7]{26}\b", "${1}_ID"),
            (r"\d{4}-\d{2}-\d{2}T[0-9:.]+Z", "TIME"),
            (r"cribs/crib-[0-9a-f]{16}", "cribs/crib-HASH"),
            (r" +\d+(\.\d+)? (ms|s|min)\b", " DURATION"),
        ]
        .map(|(pattern, mask)| (Regex::new(pattern).expect("a valid pattern"), mask))
    });
    MASKS.iter().fold(text.to_owned(), |text, (pattern, mask)| {
        pattern.replace_all(&text, *mask).into_owned()
    })
}
