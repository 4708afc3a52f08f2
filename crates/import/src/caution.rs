//! Recognizes names that suggest an effect which is hard to undo.

use crate::program::Flag;

/// Words that make a command require approval. They can only make a tool stricter.
const VERBS: [&str; 18] = [
    "clean",
    "clear",
    "delete",
    "deploy",
    "destroy",
    "drop",
    "erase",
    "format",
    "nuke",
    "prune",
    "publish",
    "purge",
    "push",
    "release",
    "remove",
    "reset",
    "rm",
    "uninstall",
];

/// Whether the name of a command suggests that calls should need approval.
pub(crate) fn is_risky(name: &str) -> bool {
    let mut words = name.split(|character: char| !character.is_ascii_alphanumeric());
    words.any(|word| VERBS.contains(&word.to_ascii_lowercase().as_str()))
}

/// Options with which a command asks no questions or destroys more.
const OPTIONS: [&str; 8] = [
    "--force",
    "--hard",
    "--delete",
    "--purge",
    "--prune",
    "--overwrite",
    "--in-place",
    "--no-verify",
];

/// Why calls of a command should need approval, by its name or one of its options.
pub(crate) fn find_caution(name: &str, options: &[Flag]) -> Option<String> {
    if is_risky(name) {
        return Some(format!("its name is `{name}`"));
    }
    let found = OPTIONS.iter().find(|option| options.iter().any(|flag| flag.has_name(option)));
    found.map(|option| format!("it has the option `{option}`"))
}

#[cfg(test)]
mod tests {
    use super::is_risky;

    #[test]
    fn verbs_count_as_whole_words() {
        assert!(["deploy", "db:reset", "docs-publish", "RM"].iter().all(|name| is_risky(name)));
        assert!(!["information", "platform", "test"].iter().any(|name| is_risky(name)));
    }
}
