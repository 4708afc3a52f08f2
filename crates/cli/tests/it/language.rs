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

/// First words that make a function name a participle, an adjective or a clause. Functions are
/// verbs, predicates are `is_…` or `has_…`; an error is named after what it is: `read_error`,
/// `unknown_tool_error`.
const FIRST_WORDS: &[&str] = &[
    "as_chosen",
    "bracketed",
    "busy",
    "cannot",
    "careful",
    "chosen",
    "continues",
    "decided",
    "deciding",
    "existing",
    "fenced",
    "given",
    "keeping",
    "kept",
    "mostly",
    "needing",
    "not",
    "nothing",
    "obey",
    "postfixed",
    "said",
    "stated",
    "this",
    "told",
    "too",
    "twice",
    "unknown",
    "until",
    "why",
];

#[test]
fn functions_are_named_after_what_they_do() {
    let declaration = Regex::new(r"^\s*(?:pub(?:\([a-z]+\))? )?(?:const )?(?:async )?fn (\w+)")
        .expect("a pattern");
    let mut found: Vec<String> = Vec::new();
    for path in tracked(&["rs"]) {
        let name = path.strip_prefix(repository()).expect("a path inside").to_string_lossy();
        if name.starts_with("crates/runtime/") || name.starts_with("crates/server/") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a text");
        // The name of a test is a sentence and may begin with any word.
        let mut is_test = false;
        for (index, line) in text.lines().enumerate() {
            if let Some(function) = declaration.captures(line).filter(|_| !is_test)
                && is_discouraged(&function[1])
            {
                found.push(format!("{name}:{}: {}", index + 1, &function[1]));
            }
            is_test = match line.trim() {
                attribute if attribute.starts_with("#[") => is_test || attribute.contains("test"),
                comment if comment.starts_with("//") => is_test,
                _ => false,
            };
        }
    }
    assert!(found.is_empty(), "name these functions after what they do:\n{}", found.join("\n"));
}

fn is_discouraged(name: &str) -> bool {
    let is_error = name.ends_with("_error") || name.ends_with("_failure");
    !is_error
        && FIRST_WORDS.iter().any(|word| {
            name.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
        })
}

/// This list itself, pages that are generated from sources, and definitions that tests read.
fn is_exempt(name: &str) -> bool {
    name == "crates/cli/tests/it/language.rs"
        || name.starts_with("docs/reference/")
        || Path::new(name).iter().any(|part| part == "specs" || part == "corpus")
}
