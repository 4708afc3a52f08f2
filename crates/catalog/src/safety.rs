//! Names of the safety annotations, and recognition of their misspellings and synonyms.
//!
//! A misspelled annotation must never be dropped silently: without `dangerous`, a tool would run
//! without approval. All formats share this list.

use super::similar::closest;

/// The annotations that decide how tightly a tool is sandboxed and whether a person is asked.
const ANNOTATIONS: [&str; 5] = ["mutates", "dangerous", "requires_approval", "consent", "network"];

/// Names of these annotations in other systems.
const OTHER_NAMES: [(&str, &str); 25] = [
    ("mutating", "mutates"),
    ("mutable", "mutates"),
    ("readonly", "mutates"),
    ("read_only", "mutates"),
    ("readonly_hint", "mutates"),
    ("read_only_hint", "mutates"),
    ("side_effects", "mutates"),
    ("writes", "mutates"),
    ("destructive", "dangerous"),
    ("destructive_hint", "dangerous"),
    ("dangerous_hint", "dangerous"),
    ("unsafe", "dangerous"),
    ("risky", "dangerous"),
    ("approval", "requires_approval"),
    ("approve", "requires_approval"),
    ("needs_approval", "requires_approval"),
    ("need_approval", "requires_approval"),
    ("approval_required", "requires_approval"),
    ("ask", "requires_approval"),
    ("confirm", "requires_approval"),
    ("confirmation", "requires_approval"),
    ("internet", "network"),
    ("open_world", "network"),
    ("open_world_hint", "network"),
    ("network_access", "network"),
];

/// Names of the annotation `secret` of a parameter in other systems.
const SECRET_NAMES: [&str; 7] =
    ["is_secret", "sensitive", "is_sensitive", "password", "confidential", "write_only", "redact"];

/// Words that are similar to an annotation but unrelated.
const OTHER_WORDS: [&str; 4] = ["content", "contents", "context", "constant"];

/// The safety annotation that an unknown word probably stands for. Case and separators are ignored.
pub fn find_safety_annotation(word: &str) -> Option<&'static str> {
    let wanted = compact(word);
    if OTHER_WORDS.contains(&wanted.as_str()) {
        return None;
    }
    let known = OTHER_NAMES.into_iter().find(|(name, _)| compact(name) == wanted);
    let near = || closest(&word.replace(' ', "_"), ANNOTATIONS);
    // A misspelled "approval" alone may be too different from `requires_approval` as a whole.
    let approval = || closest(word, ["approval", "need_approval"]).map(|_| "requires_approval");
    known.map(|(_, name)| name).or_else(near).or_else(approval)
}

/// Whether an unknown field of a parameter probably stands for `secret`: its values would be logged.
pub fn is_secret_mark(word: &str) -> bool {
    let wanted = compact(word);
    SECRET_NAMES.into_iter().any(|name| compact(name) == wanted)
        || closest(word, ["secret"]).is_some()
}

fn compact(text: &str) -> String {
    text.replace(['_', '-', ' '], "").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::{find_safety_annotation, is_secret_mark};

    #[test]
    fn finds_marks_of_secrets() {
        for word in ["secrte", "secrets", "Secret", "isSecret", "sensitive", "writeOnly"] {
            assert!(is_secret_mark(word), "{word}");
        }
        for word in ["section", "select", "hidden", "private", "security"] {
            assert!(!is_secret_mark(word), "{word}");
        }
    }

    #[test]
    fn finds_misspellings_and_names_of_other_systems() {
        for (word, annotation) in [
            ("dangerus", "dangerous"),
            ("DangerousHint", "dangerous"),
            ("destructiveHint", "dangerous"),
            ("requiresApproval", "requires_approval"),
            ("Requires Aproval", "requires_approval"),
            ("aproval", "requires_approval"),
            ("needs-aproval", "requires_approval"),
            ("readOnlyHint", "mutates"),
            ("mutating", "mutates"),
            ("netwrok", "network"),
            ("consnet", "consent"),
        ] {
            assert_eq!(find_safety_annotation(word), Some(annotation), "{word}");
        }
        for word in ["content", "context", "author", "tags", "colour", "internal", "config"] {
            assert_eq!(find_safety_annotation(word), None, "{word}");
        }
    }
}
