//! Which paths a list of patterns finds.

use std::borrow::Cow;

use formats::{Pattern, Sense};
use globset::{GlobBuilder, GlobMatcher};

use super::category_dir::SearchScope;

/// Endings that make a file a template.
const TEMPLATES: [&str; 3] = ["j2", "jinja", "jinja2"];

/// A list of patterns, ready to be used.
pub(super) struct Matcher {
    wanted: Vec<GlobMatcher>,
    unwanted: Vec<GlobMatcher>,
}

impl Matcher {
    /// Makes patterns ready; what is wrong with the first that is no glob.
    pub(super) fn new<'a>(patterns: impl IntoIterator<Item = &'a Pattern>) -> Result<Self, String> {
        let mut matcher = Self { wanted: Vec::new(), unwanted: Vec::new() };
        for pattern in patterns {
            let glob = compile(&pattern.glob)?;
            match pattern.sense {
                Sense::Wanted => matcher.wanted.push(glob),
                Sense::Unwanted => matcher.unwanted.push(glob),
            }
        }
        Ok(matcher)
    }

    /// Whether one of the patterns finds a path, wanted or not.
    pub(super) fn finds(&self, path: &str) -> bool {
        let names = names(path);
        self.wanted
            .iter()
            .chain(&self.unwanted)
            .any(|glob| names.iter().any(|name| glob.is_match(&**name)))
    }

    /// Whether a path is found and not left out.
    pub(super) fn is_match(&self, path: &str) -> bool {
        let names = names(path);
        let finds = |glob: &GlobMatcher| names.iter().any(|name| glob.is_match(&**name));
        self.wanted.iter().any(finds) && !self.unwanted.iter().any(finds)
    }
}

/// Whether a pattern is no more than a name.
pub(super) fn is_plain(glob: &str) -> bool {
    !glob.ends_with('/') && !glob.contains(['*', '?', '[', ']', '{', '}', '\\'])
}

fn compile(glob: &str) -> Result<GlobMatcher, String> {
    // A folder means everything in it.
    let whole = if glob.ends_with('/') { format!("{glob}**") } else { glob.to_owned() };
    let built = GlobBuilder::new(&whole).literal_separator(true).backslash_escape(true).build();
    built.map(|glob| glob.compile_matcher()).map_err(|error| error.kind().to_string())
}

/// Where the files lie that a pattern can find: below the folders that it spells out, and no deeper
/// than it goes.
pub(super) fn scope_of(pattern: &Pattern) -> SearchScope {
    let literal = |part: &&str| !part.contains(['*', '?', '[', '{', '\\']);
    let parts: Vec<_> = pattern.glob.split('/').collect();
    let spelled = parts.iter().take(parts.len() - 1).take_while(|part| literal(part)).count();
    let (below, rest) = parts.split_at(spelled);
    let is_endless =
        rest.iter().any(|part| part.contains("**") || part.contains('{') || part.is_empty());
    match is_endless {
        true => SearchScope::unlimited_below(below.join("/")),
        false => SearchScope { below: below.join("/"), depth: rest.len() - 1 },
    }
}

/// The names by which a file can be asked for: its path, the path of what a template becomes, and
/// that without its extension.
pub(super) fn names(path: &str) -> Vec<Cow<'_, str>> {
    let plain = plain_name(path);
    let stem = stem(plain.as_deref().unwrap_or(path)).map(str::to_owned);
    [Some(Cow::Borrowed(path)), plain.map(Cow::Owned), stem.map(Cow::Owned)]
        .into_iter()
        .flatten()
        .collect()
}

/// Whether a file is a template.
pub(super) fn is_template(path: &str) -> bool {
    plain_name(path).is_some()
}

/// What a template becomes: `a.md.j2` and `a.j2.md` become `a.md`.
pub(super) fn plain_name(path: &str) -> Option<String> {
    let (rest, last) = extension(path)?;
    if TEMPLATES.contains(&last) {
        return Some(rest.to_owned());
    }
    let (rest, before) = extension(rest)?;
    TEMPLATES.contains(&before).then(|| format!("{rest}.{last}"))
}

fn stem(path: &str) -> Option<&str> {
    extension(path).map(|(stem, _)| stem)
}

/// A path and its extension.
pub(super) fn extension(path: &str) -> Option<(&str, &str)> {
    let (stem, extension) = path.rsplit_once('.')?;
    let is_name = !stem.is_empty() && !stem.ends_with('/') && !extension.contains('/');
    is_name.then_some((stem, extension))
}

#[cfg(test)]
mod tests {
    use formats::{Pattern, Sense};

    use super::{Matcher, names, scope_of};

    fn finds(glob: &str, path: &str) -> bool {
        let pattern = Pattern { sense: Sense::Wanted, glob: glob.to_owned() };
        Matcher::new([&pattern]).expect("a glob").is_match(path)
    }

    #[test]
    fn a_file_can_be_asked_for_by_several_names() {
        assert_eq!(names("a/x.md"), ["a/x.md", "a/x"]);
        assert_eq!(names("x.md.j2"), ["x.md.j2", "x.md", "x"]);
        assert_eq!(names("x.jinja.md"), ["x.jinja.md", "x.md", "x"]);
        assert_eq!(names("Makefile"), ["Makefile"]);
        assert_eq!(names("v1.2/Makefile"), ["v1.2/Makefile"]);
    }

    #[test]
    fn only_folders_that_a_pattern_can_reach_are_looked_through() {
        let reached = |glob: &str| {
            let reach = scope_of(&Pattern::alone(glob));
            (reach.below, reach.depth)
        };
        assert_eq!(reached("python"), (String::new(), 0));
        assert_eq!(reached("a/b/x.md"), ("a/b".to_owned(), 0));
        assert_eq!(reached("a/*/x"), ("a".to_owned(), 1));
        for endless in ["a/**", "a/", "a/{b,c/d}", "a/**/x/y"] {
            assert!(reached(endless).0 == "a" && reached(endless).1 > 10, "{endless}");
        }
    }

    #[test]
    fn globs_go_down_only_where_they_say_so() {
        assert!(finds("*.md", "a.md") && !finds("*.md", "sub/a.md"));
        assert!(finds("**/*.md", "a.md") && finds("**/*.md", "x/y/a.md"));
        assert!(finds("**/deep/*.md", "deep/a.md") && finds("**/deep/*.md", "x/y/deep/a.md"));
        assert!(finds("{a,b}.md", "b.md") && !finds("{a,b}.md", "c.md"));
        assert!(finds("sub/", "sub/x/a.md") && !finds("sub/", "subway/a.md"));
        assert!(finds(r"\*", "*.md") && !finds(r"\*", "a.md"));
    }
}
