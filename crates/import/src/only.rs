//! Globs over the paths of subcommands: `remote add`, `stash *`.

use globset::{Error, Glob, GlobMatcher};

/// A selection of subcommands. Without a glob it selects all.
#[derive(Clone, Debug, Default)]
pub struct Only {
    /// A matcher for each word of each glob.
    globs: Vec<Vec<GlobMatcher>>,
}

impl Only {
    /// Parses globs whose words are separated by blanks, slashes or underscores, as in names of tools.
    pub fn new(globs: &[String]) -> Result<Self, Error> {
        let parse = |glob: &String| {
            let words = glob.split([' ', '/', '_']).filter(|word| !word.is_empty());
            words.map(|word| Ok(Glob::new(word)?.compile_matcher())).collect()
        };
        Ok(Self { globs: globs.iter().map(parse).collect::<Result<_, _>>()? })
    }

    /// Whether a command, or one below it, may be selected.
    pub(crate) fn may_contain(&self, path: &[&str]) -> bool {
        self.globs.is_empty() || self.globs.iter().any(|words| matches(words, path))
    }

    /// The words that globs name literally below a command.
    pub(crate) fn names_below(&self, path: &[&str]) -> impl Iterator<Item = &str> {
        let below = self.globs.iter().filter(|words| matches(words, path));
        let words = below.filter_map(|words| Some(words.get(path.len())?.glob().glob()));
        words.filter(|word| !word.contains(['*', '?', '[', '{', '\\']))
    }

    /// Whether a command is selected, by its own path or by that of a command above it.
    pub(crate) fn selects(&self, path: &[&str]) -> bool {
        self.globs.is_empty()
            || self.globs.iter().any(|words| words.len() <= path.len() && matches(words, path))
    }
}

/// Whether the words match as far as both go.
fn matches(words: &[GlobMatcher], path: &[&str]) -> bool {
    words.iter().zip(path).all(|(word, name)| word.is_match(name))
}

#[cfg(test)]
mod tests {
    use super::Only;

    #[test]
    fn names_literal_words() {
        let globs = ["remote *", "remote add", "stash*", "log"].map(str::to_owned);
        let only = Only::new(&globs).expect("globs");
        assert!(only.names_below(&[]).eq(["remote", "remote", "log"]));
        assert!(only.names_below(&["remote"]).eq(["add"]));
    }

    #[test]
    fn a_glob_selects_what_is_below_and_keeps_what_is_above() {
        let only = Only::new(&["remote add".to_owned(), "stash*".to_owned()]).expect("globs");
        assert!(only.may_contain(&["remote"]) && !only.selects(&["remote"]));
        assert!(only.selects(&["remote", "add"]) && !only.may_contain(&["remote", "remove"]));
        assert!(only.selects(&["stash", "pop"]));
    }
}
