//! Served names: how they are made, and what they may be.

use std::fmt;

/// Names that belong to built-in tools. A definition may give such a tool its text, never its program.
pub const BUILT_IN: [&str; 3] = ["status", "await", "cancel"];

/// The longest name that is portable between hosts, their own prefix included.
pub const PORTABLE_LENGTH: usize = 64;

/// The name of the leaf at the end of `path`: its words joined by `_`, a last `default` left out.
pub fn of_path(path: &[&str]) -> String {
    match path {
        [] => String::new(),
        [parents @ .., "default"] if !parents.is_empty() => of_path(parents),
        _ => path.join("_"),
    }
}

/// `name` as it is served by a crib with `full_names`.
pub fn full(crib: &str, name: &str) -> String {
    let crib: String = crib.chars().map(|c| if is_allowed(c) { c } else { '_' }).collect();
    format!("mcp_{crib}_{name}")
}

/// What is wrong with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// It has no characters.
    Empty,
    /// It has a character that is not allowed.
    Character(char),
    /// It is longer than any host takes.
    TooLong(usize),
}

impl fmt::Display for Problem {
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

/// Checks a name against what every client takes: 1 to 64 ASCII letters, digits, `_`, `-` and `.`.
pub fn check(name: &str) -> Result<(), Problem> {
    if name.is_empty() {
        return Err(Problem::Empty);
    }
    if let Some(c) = name.chars().find(|c| !is_allowed(*c)) {
        return Err(Problem::Character(c));
    }
    match name.len() {
        length if length > PORTABLE_LENGTH => Err(Problem::TooLong(length)),
        _ => Ok(()),
    }
}

fn is_allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

#[cfg(test)]
mod tests {
    use super::{Problem, check, full, of_path};

    #[test]
    fn joins_paths_and_drops_a_last_default() {
        assert_eq!(of_path(&["cargo", "nextest", "run"]), "cargo_nextest_run");
        assert_eq!(of_path(&["ls", "default"]), "ls");
        assert_eq!(of_path(&["git", "remote", "default"]), "git_remote");
        assert_eq!(of_path(&["default"]), "default");
    }

    #[test]
    fn refuses_what_clients_refuse() {
        assert_eq!(check("a b"), Err(Problem::Character(' ')));
        assert_eq!(check(""), Err(Problem::Empty));
        assert_eq!(check(&"x".repeat(65)), Err(Problem::TooLong(65)));
        assert_eq!(check("ai.code-edit_2"), Ok(()));
    }

    #[test]
    fn decorates_with_the_crib() {
        assert_eq!(full("my crib", "ls"), "mcp_my_crib_ls");
    }
}
