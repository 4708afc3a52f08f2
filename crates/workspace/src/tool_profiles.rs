//! `[[profile]]`: named selections of the tools, for `serve --profile` and `/mcp/NAME`.

use catalog::{Catalog, Diagnostic, Glob, Origin, Rule, Severity, SourceId, Tool, name};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

/// Maximum length of a name.
const MAX_NAME: usize = 64;

/// A named selection of the tools.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfileClause {
    /// Name: letters, digits, `-` and `_`.
    #[schemars(with = "String")]
    pub name: Spanned<String>,
    /// Globs for tool names. The built-in tools for operations are served with any selection.
    #[schemars(with = "Vec<String>")]
    pub tools: Vec<Spanned<String>>,
}

/// A compiled profile.
#[derive(Clone, Debug)]
pub struct ToolProfile {
    /// The name.
    pub name: String,
    tools: Vec<Glob>,
}

impl ToolProfile {
    /// Whether it includes a tool.
    pub fn includes(&self, tool: &Tool) -> bool {
        name::BUILT_IN.contains(&tool.name.as_str())
            || self.tools.iter().any(|glob| glob.is_match(&tool.name))
    }
}

/// Compiles profiles, or reports the problems of all of them.
pub(crate) fn compile(
    source: &SourceId,
    written: &[Spanned<ProfileClause>],
) -> Result<Vec<ToolProfile>, Vec<Diagnostic>> {
    let (mut profiles, mut found) = (Vec::<ToolProfile>::new(), Vec::new());
    for clause in written {
        let ProfileClause { name, tools } = clause.get_ref();
        let mut report = |start: usize, message: String, hint: &str| {
            let origin = Origin::offset(source, start);
            found.push(Diagnostic::new(&BROKEN_PROFILE, origin, message).hint(hint));
        };
        let (start, text) = (name.span().start, name.get_ref());
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if text.is_empty() || text.len() > MAX_NAME || !text.chars().all(is_allowed) {
            let message = format!("`{text}` cannot be part of an address");
            report(start, message, "use 1 to 64 letters, digits, `-` and `_`");
        } else if profiles.iter().any(|profile| profile.name == *text) {
            let message = format!("there are several profiles `{text}`");
            report(start, message, "merge them, or rename one");
        }
        if tools.is_empty() {
            let message = format!("the profile `{text}` selects no tools");
            report(clause.span().start, message, "list names or globs in `tools`");
        }
        let mut globs = Vec::new();
        for tool in tools {
            match Glob::new(tool.get_ref()) {
                Ok(glob) => globs.push(glob),
                Err(error) => {
                    let message = format!("`{}` is not a glob: {error}", tool.get_ref());
                    report(tool.span().start, message, "write a name, with `*`");
                }
            }
        }
        profiles.push(ToolProfile { name: text.clone(), tools: globs });
    }
    if found.is_empty() { Ok(profiles) } else { Err(found) }
}

/// Reports globs that match none of the crib's tools.
pub(crate) fn check(
    source: &SourceId,
    written: &[Spanned<ProfileClause>],
    catalog: &Catalog,
) -> Vec<Diagnostic> {
    let globs = written.iter().flat_map(|clause| &clause.get_ref().tools);
    let is_useless = |text: &&Spanned<String>| {
        Glob::new(text.get_ref())
            .is_ok_and(|glob| !catalog.tools().iter().any(|tool| glob.is_match(&tool.name)))
    };
    let report = |text: &Spanned<String>| {
        let message = format!("`{}` matches no defined tool", text.get_ref());
        let hint = match catalog.closest(text.get_ref()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`toolcrib list` shows the names".to_owned(),
        };
        Diagnostic::new(&USELESS_PROFILE, Origin::offset(source, text.span().start), message)
            .hint(hint)
    };
    globs.filter(is_useless).map(report).collect()
}

/// An invalid profile.
pub(crate) static BROKEN_PROFILE: Rule = Rule {
    code: "TC617",
    name: "broken-profile",
    severity: Severity::Error,
    why: "A `[[profile]]` has a name, which becomes part of the address `/mcp/NAME`, and lists the tools that it selects. An \
          invalid profile is never ignored, because it would serve other tools than were meant.",
    bad: "[[profile]]\nname = \"read only\"\ntools = [\"git_*\"]\n",
    good: "[[profile]]\nname = \"read-only\"\ntools = [\"git_*\"]\n",
};

/// A glob of a profile that matches no tool.
pub(crate) static USELESS_PROFILE: Rule = Rule {
    code: "TC618",
    name: "useless-profile",
    severity: Severity::Note,
    why: "No definition has a matching tool. The name is probably misspelled, unless a built-in tool of the server, such as \
          `get_content`, is meant.",
    bad: "[[profile]]\nname = \"reader\"\ntools = [\"gti_*\"]\n",
    good: "[[profile]]\nname = \"reader\"\ntools = [\"git_*\"]\n",
};
