//! Matches paths against patterns.

use std::borrow::Cow;

use formats::{Pattern, Selection};
use globset::{GlobBuilder, GlobMatcher};

use super::category_dir::SearchScope;

/// Extensions of templates.
const TEMPLATE_EXTENSIONS: [&str; 3] = ["j2", "jinja", "jinja2"];

/// A list of compiled patterns.
pub(super) struct Matcher {
    wanted: Vec<GlobMatcher>,
    unwanted: Vec<GlobMatcher>,
}

impl Matcher {
    /// Compiles patterns. Fails with the reason for the first invalid glob.
    pub(super) fn new<'a>(patterns: impl IntoIterator<Item = &'a Pattern>) -> Result<Self, String> {
        let mut matcher = Self { wanted: Vec::new(), unwanted: Vec::new() };
        for pattern in patterns {
            let glob = compile(&pattern.glob)?;
            match pattern.selection {
                Selection::Include => matcher.wanted.push(glob),
                Selection::Exclude => matcher.unwanted.push(glob),
            }
        }
        Ok(matcher)
    }

    /// Whether any pattern matches a path, wanted or unwanted.
    pub(super) fn matches_any(&self, path: &str) -> bool {
        let names = names(path);
        self.wanted
            .iter()
            .chain(&self.unwanted)
            .any(|glob| names.iter().any(|name| glob.is_match(&**name)))
    }

    /// Whether a wanted pattern matches a path and no unwanted one does.
    pub(super) fn is_match(&self, path: &str) -> bool {
        let names = names(path);
        let matches = |glob: &GlobMatcher| names.iter().any(|name| glob.is_match(&**name));
        self.wanted.iter().any(matches) && !self.unwanted.iter().any(matches)
    }
}

/// Whether a pattern is a plain path without wildcards.
pub(super) fn is_plain(glob: &str) -> bool {
    !glob.ends_with('/') && !glob.contains(['*', '?', '[', ']', '{', '}', '\\'])
}

fn compile(glob: &str) -> Result<GlobMatcher, String> {
    // `folder/` means everything in the folder.
    let whole = if glob.ends_with('/') { format!("{glob}**") } else { glob.to_owned() };
    // `*` stays within one folder, as in gitignore and most shells.
    let built = GlobBuilder::new(&whole).literal_separator(true).backslash_escape(true).build();
    built.map(|glob| glob.compile_matcher()).map_err(|error| error.kind().to_string())
}

/// The part of a folder that a pattern can match: below its literal folders, and no deeper than its
/// wildcards reach. Keeps the listing small.
pub(super) fn scope_of(pattern: &Pattern) -> SearchScope {
    let is_literal = |part: &&str| !part.contains(['*', '?', '[', '{', '\\']);
    let parts: Vec<_> = pattern.glob.split('/').collect();
    let literals = parts.iter().take(parts.len() - 1).take_while(|part| is_literal(part)).count();
    let (below, rest) = parts.split_at(literals);
    let is_unlimited =
        // Alternatives may contain slashes, so their depth is unknown.
        rest.iter().any(|part| part.contains("**") || part.contains('{') || part.is_empty());
    if is_unlimited {
        return SearchScope::unlimited_below(below.join("/"));
    }
    SearchScope { below: below.join("/"), depth: rest.len() - 1 }
}

/// The names of a file in expressions: its path, the path without the template extension, and that
/// without its own extension.
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

/// The path of a template without the template extension: `a.md` for `a.md.j2` and `a.j2.md`.
pub(super) fn plain_name(path: &str) -> Option<String> {
    let (rest, last) = split_extension(path)?;
    if TEMPLATE_EXTENSIONS.contains(&last) {
        return Some(rest.to_owned());
    }
    let (rest, before) = split_extension(rest)?;
    TEMPLATE_EXTENSIONS.contains(&before).then(|| format!("{rest}.{last}"))
}

fn stem(path: &str) -> Option<&str> {
    split_extension(path).map(|(stem, _)| stem)
}

/// Splits off the extension of a path.
pub(super) fn split_extension(path: &str) -> Option<(&str, &str)> {
    let (stem, extension) = path.rsplit_once('.')?;
    let is_name = !stem.is_empty() && !stem.ends_with('/') && !extension.contains('/');
    is_name.then_some((stem, extension))
}

#[cfg(test)]
mod tests {
    use formats::{Pattern, Selection};

    use super::{Matcher, names, scope_of};

    fn matches(glob: &str, path: &str) -> bool {
        let pattern = Pattern { selection: Selection::Include, glob: glob.to_owned() };
        Matcher::new([&pattern]).expect("a glob").is_match(path)
    }

    #[test]
    fn a_file_has_several_names() {
        assert_eq!(names("a/x.md"), ["a/x.md", "a/x"]);
        assert_eq!(names("x.md.j2"), ["x.md.j2", "x.md", "x"]);
        assert_eq!(names("x.jinja.md"), ["x.jinja.md", "x.md", "x"]);
        assert_eq!(names("Makefile"), ["Makefile"]);
        assert_eq!(names("v1.2/Makefile"), ["v1.2/Makefile"]);
    }

    #[test]
    fn scopes_are_as_small_as_the_pattern_allows() {
        let reached = |glob: &str| {
            let scope = scope_of(&Pattern::parse(glob));
            (scope.below, scope.depth)
        };
        assert_eq!(reached("python"), (String::new(), 0));
        assert_eq!(reached("a/b/x.md"), ("a/b".to_owned(), 0));
        assert_eq!(reached("a/*/x"), ("a".to_owned(), 1));
        for unlimited in ["a/**", "a/", "a/{b,c/d}", "a/**/x/y"] {
            assert!(reached(unlimited).0 == "a" && reached(unlimited).1 > 10, "{unlimited}");
        }
    }

    #[test]
    fn wildcards_do_not_cross_folders_unless_doubled() {
        assert!(matches("*.md", "a.md") && !matches("*.md", "sub/a.md"));
        assert!(matches("**/*.md", "a.md") && matches("**/*.md", "x/y/a.md"));
        assert!(matches("**/deep/*.md", "deep/a.md") && matches("**/deep/*.md", "x/y/deep/a.md"));
        assert!(matches("{a,b}.md", "b.md") && !matches("{a,b}.md", "c.md"));
        assert!(matches("sub/", "sub/x/a.md") && !matches("sub/", "subway/a.md"));
        assert!(matches(r"\*", "*.md") && !matches(r"\*", "a.md"));
    }
}
