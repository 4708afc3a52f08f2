//! Comments, documentation and messages are written in plain engineering English.

use std::{fs, path::Path};

use regex::Regex;
use testing::repository;

use crate::repository::tracked;

/// Phrases that stand in for a term: name the caller, the user, the default, the fallback or the
/// difference instead, and use report, return, print, fix or truncate.
const PHRASES: &[&str] = &[
    "is none",
    "is another",
    "whoever",
    "nobody",
    "somebody",
    "what is said",
    "is told",
    "are told",
    "is said",
    "are said",
    "mend",
    "mended",
    "the cut",
    "that is none",
    "of what is",
    "for who",
    "to be had",
    "had to be ended",
    "anew",
    "it is not so",
    "goes on",
    "cannot go on",
    "in vain",
    "at hand",
    "as it stands",
    "cut short",
    "is heard",
    "lies outside",
    "knows nothing",
    "what it says",
    "says nothing",
    "says so",
    "says what",
    "says which",
];

#[test]
fn sources_contain_no_discouraged_phrases() {
    let phrases = Regex::new(&format!(r"(?i)(?:^|[^\w-])({})(?:[^\w-]|$)", PHRASES.join("|")))
        .expect("a pattern");
    let mut found: Vec<String> = Vec::new();
    for path in tracked(&["rs", "md", "R", "py", "sh", "toml"]) {
        let name = path.strip_prefix(repository()).expect("a path inside").to_string_lossy();
        if is_exempt(&name) {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a text");
        for (index, line) in text.lines().enumerate().filter(|(_, line)| phrases.is_match(line)) {
            found.push(format!("{name}:{}: {}", index + 1, line.trim()));
        }
    }
    assert!(found.is_empty(), "write these lines in plain words:\n{}", found.join("\n"));
}

/// This list itself, pages that are generated from sources, and definitions that tests read.
fn is_exempt(name: &str) -> bool {
    name == "crates/cli/tests/it/language.rs"
        || name.starts_with("docs/reference/")
        || Path::new(name).iter().any(|part| part == "specs" || part == "corpus")
}
