//! Glob patterns over tool names: `*` matches any text, `?` one character.

use std::fmt;

/// A glob pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob(Box<str>);

/// Why a pattern is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobError {
    /// The pattern is empty, and every tool has a name.
    Empty,
    /// A character that no tool name contains and that is special in other pattern languages: the
    /// author probably expects it to work.
    Character(char),
}

impl Glob {
    /// Parses a pattern over tool names.
    pub fn new(pattern: &str) -> Result<Self, GlobError> {
        if pattern.is_empty() {
            return Err(GlobError::Empty);
        }
        match pattern.chars().find(|c| {
            matches!(c, '[' | ']' | '{' | '}' | '\\' | '/' | '!' | ',') || c.is_whitespace()
        }) {
            Some(c) => Err(GlobError::Character(c)),
            None => Ok(Self(pattern.into())),
        }
    }

    /// Parses a pattern over file paths, in which `*` also matches `/`.
    pub fn for_paths(pattern: &str) -> Result<Self, GlobError> {
        Self::new(&pattern.replace('/', "")).map(|_| Self(pattern.into()))
    }

    /// Whether the pattern matches the whole of `name`.
    pub fn is_match(&self, name: &str) -> bool {
        let (pattern, name): (Vec<char>, Vec<char>) =
            (self.0.chars().collect(), name.chars().collect());
        matches_from_start(&pattern, &name)
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Walks through both at once. After a mismatch only the last `*` needs to take one more character,
/// never an earlier one, so the time is at most the product of the lengths.
fn matches_from_start(pattern: &[char], name: &[char]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p + 1, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match &mut star {
                Some((after, taken)) => {
                    *taken += 1;
                    (p, n) = (*after, *taken);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for GlobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the pattern is empty"),
            Self::Character(c) => {
                write!(f, "{c:?} cannot occur in a tool name; the only wildcards are `*` and `?`")
            }
        }
    }
}

impl std::error::Error for GlobError {}

#[cfg(test)]
mod tests {
    use super::{Glob, GlobError};

    #[test]
    fn matches_whole_names() {
        let table = [
            ("*", "", true),
            ("*", "git_push", true),
            ("git_*", "git_push", true),
            ("git_*", "git", false),
            ("git_*", "xgit_push", false),
            ("*_push", "git_push", true),
            ("*_push", "git_push_all", false),
            ("g?t", "git", true),
            ("g?t", "gt", false),
            ("a*b*c", "a_b_b_c", true),
            ("a*b*c", "a_c_b", false),
            ("*a*", "é_a_é", true),
            ("?", "é", true),
            ("ai.edit", "ai_edit", false),
        ];
        for (pattern, name, expected) in table {
            assert_eq!(
                Glob::new(pattern).expect(pattern).is_match(name),
                expected,
                "{pattern} and {name}"
            );
        }
    }

    #[test]
    fn many_wildcards_match_in_bounded_time() {
        let glob = Glob::new(&"*a".repeat(200)).expect("a glob");
        assert!(!glob.is_match(&format!("{}b", "a".repeat(5_000))));
    }

    #[test]
    fn rejects_other_pattern_syntaxes() {
        assert_eq!(Glob::new(""), Err(GlobError::Empty));
        assert_eq!(Glob::new("git_{push,pull}"), Err(GlobError::Character('{')));
        assert_eq!(Glob::new("git push"), Err(GlobError::Character(' ')));
    }
}
