//! Served names: how they are built and which characters they may contain.

use std::fmt;

/// Names reserved for built-in tools. A definition may replace their text, never their
/// implementation.
pub const BUILT_IN: [&str; 4] = ["status", "await", "cancel", READ_OUTPUT];

/// The built-in tools that manage operations.
pub const OPERATION_TOOLS: [&str; 3] = ["status", "await", "cancel"];

/// The built-in tool that reads long outputs.
pub const READ_OUTPUT: &str = "read_output";

/// Maximum length of a name that clients accept, including their own prefix.
pub const PORTABLE_LENGTH: usize = 64;

/// Joins the words of a subcommand path by `_`; a last `default` is dropped.
pub fn join_path(path: &[&str]) -> String {
    match path {
        [] => String::new(),
        [parents @ .., "default"] if !parents.is_empty() => join_path(parents),
        _ => path.join("_"),
    }
}

/// The name served by a crib with `full_names`.
pub fn qualify(crib: &str, name: &str) -> String {
    let crib: String = crib.chars().map(|c| if is_allowed(c) { c } else { '_' }).collect();
    format!("mcp_{crib}_{name}")
}

/// Splits an identifier into lower-case words: `outputDir`, `output-dir` and `OUTPUT_DIR` are all
/// `["output", "dir"]`.
pub fn split_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut previous = '_';
    for c in name.chars() {
        let starts = !previous.is_alphanumeric() || previous.is_lowercase() && c.is_uppercase();
        if c.is_alphanumeric() {
            if starts {
                words.push(String::new());
            }
            if let Some(last) = words.last_mut() {
                last.extend(c.to_lowercase());
            }
        }
        previous = c;
    }
    words
}

/// Why a name is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameError {
    /// The name is empty.
    Empty,
    /// A character that is not allowed.
    Character(char),
    /// Longer than clients accept.
    TooLong(usize),
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty"),
            Self::Character(c) => write!(f, "{c:?} is not allowed"),
            Self::TooLong(length) => {
                write!(f, "it has {length} characters, more than {PORTABLE_LENGTH}")
            }
        }
    }
}

/// Checks that every client accepts a name: 1 to 64 ASCII letters, digits, `_`, `-` and `.`.
pub fn check(name: &str) -> Result<(), NameError> {
    if name.is_empty() {
        return Err(NameError::Empty);
    }
    if let Some(c) = name.chars().find(|c| !is_allowed(*c)) {
        return Err(NameError::Character(c));
    }
    match name.len() {
        length if length > PORTABLE_LENGTH => Err(NameError::TooLong(length)),
        _ => Ok(()),
    }
}

fn is_allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

#[cfg(test)]
mod tests {
    use super::{NameError, check, join_path, qualify, split_words};

    #[test]
    fn joins_paths_and_drops_a_last_default() {
        assert_eq!(join_path(&["cargo", "nextest", "run"]), "cargo_nextest_run");
        assert_eq!(join_path(&["ls", "default"]), "ls");
        assert_eq!(join_path(&["git", "remote", "default"]), "git_remote");
        assert_eq!(join_path(&["default"]), "default");
    }

    #[test]
    fn rejects_names_that_clients_reject() {
        assert_eq!(check("a b"), Err(NameError::Character(' ')));
        assert_eq!(check(""), Err(NameError::Empty));
        assert_eq!(check(&"x".repeat(65)), Err(NameError::TooLong(65)));
        assert_eq!(check("ai.code-edit_2"), Ok(()));
    }

    #[test]
    fn qualifies_names_with_the_crib() {
        assert_eq!(qualify("my crib", "ls"), "mcp_my_crib_ls");
    }

    #[test]
    fn splits_identifiers_of_every_spelling() {
        for name in ["outputDir", "output-dir", "OUTPUT_DIR", "--output.dir"] {
            assert_eq!(split_words(name), ["output", "dir"], "{name}");
        }
        assert_eq!(split_words("profile"), ["profile"]);
    }
}
