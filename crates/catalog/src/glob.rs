//! Patterns over tool names: `*` is any text, `?` any one character, everything else itself.

use std::fmt;

/// A pattern over names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob(Box<str>);

/// A pattern that cannot be meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobError {
    /// It has no characters, and no tool is without a name.
    Empty,
    /// It has a character that no name has and that is special in other pattern languages.
    Character(char),
}

impl Glob {
    /// Takes a pattern, unless no tool's name could ever fit it.
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

    /// Takes a pattern over names of files, in which `*` is any text, `/` included.
    pub fn of_files(pattern: &str) -> Result<Self, GlobError> {
        Self::new(&pattern.replace('/', "")).map(|_| Self(pattern.into()))
    }

    /// Whether the whole of `name` fits.
    pub fn is_match(&self, name: &str) -> bool {
        let (pattern, name): (Vec<char>, Vec<char>) =
            (self.0.chars().collect(), name.chars().collect());
        fits(&pattern, &name)
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Goes through both at once. On a mismatch the last `*` takes one character more: an earlier one
/// never has to, so the time is at most the product of the lengths.
fn fits(pattern: &[char], name: &[char]) -> bool {
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
            Self::Empty => f.write_str("it is empty"),
            Self::Character(c) => {
                write!(f, "{c:?} is in no tool's name; `*` and `?` are the only wildcards")
            }
        }
    }
}

impl std::error::Error for GlobError {}

#[cfg(test)]
mod tests {
    use super::{Glob, GlobError};

    #[test]
    fn fits_whole_names() {
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
    fn many_stars_take_no_time() {
        let glob = Glob::new(&"*a".repeat(200)).expect("a glob");
        assert!(!glob.is_match(&format!("{}b", "a".repeat(5_000))));
    }

    #[test]
    fn refuses_other_pattern_languages() {
        assert_eq!(Glob::new(""), Err(GlobError::Empty));
        assert_eq!(Glob::new("git_{push,pull}"), Err(GlobError::Character('{')));
        assert_eq!(Glob::new("git push"), Err(GlobError::Character(' ')));
    }
}
