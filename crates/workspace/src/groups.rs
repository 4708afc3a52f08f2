//! Selects tools by group.
//!
//! The names of R tools have the form `{package}-mcp_tool_{group}_{action}`. A pattern is matched
//! at the start of the group. Names of another form have no group.

use std::collections::BTreeSet;

use catalog::Tool;
use fancy_regex::Regex;

/// Maximum number of groups in a message.
const MAX_LISTED: usize = 10;

/// The text between the package and the group.
const SEPARATOR: &str = "mcp_tool_";

/// Patterns of which at least one must match. Without patterns, every tool is included.
#[derive(Clone, Debug, Default)]
pub struct Groups(Vec<Regex>);

/// A pattern that is not a valid regular expression.
#[derive(Debug, thiserror::Error)]
#[error("`{pattern}` is not a regular expression: {why}")]
pub struct GroupError {
    /// The pattern as it was given.
    pub pattern: String,
    /// The error of the regular expression parser.
    pub why: String,
}

impl Groups {
    /// Compiles patterns.
    pub fn new(patterns: &[String]) -> Result<Self, GroupError> {
        let compile = |pattern: &String| {
            let problem = |error: fancy_regex::Error| GroupError {
                pattern: pattern.clone(),
                why: error.to_string(),
            };
            // The group keeps `a|b` from matching `b` anywhere.
            Regex::new(&format!("^(?:{pattern})")).map_err(problem)
        };
        patterns.iter().map(compile).collect::<Result<_, _>>().map(Self)
    }

    /// Whether a tool is in one of the groups.
    pub fn includes(&self, tool: &Tool) -> bool {
        self.0.is_empty()
            || strip_package(&tool.name)
                // Backtracking may exceed its limit; a pattern that cannot be decided selects
                // nothing.
                .is_some_and(|group| self.0.iter().any(|one| one.is_match(group).unwrap_or(false)))
    }

    /// The message about patterns that select no tool.
    pub fn describe_unmatched<'t>(
        &self,
        tools: impl IntoIterator<Item = &'t Tool>,
    ) -> Option<String> {
        let names: Vec<_> =
            tools.into_iter().filter_map(|tool| strip_package(&tool.name)).collect();
        let is_unmatched =
            |pattern: &&Regex| !names.iter().any(|name| pattern.is_match(name).unwrap_or(false));
        let unmatched: Vec<_> = self.0.iter().filter(is_unmatched).map(show).collect();
        if unmatched.is_empty() {
            return None;
        }
        let groups: BTreeSet<_> =
            names.iter().map(|name| name.split('_').next().unwrap_or(name)).collect();
        let groups: Vec<_> =
            groups.into_iter().take(MAX_LISTED).map(|group| format!("`{group}`")).collect();
        let known = match groups.as_slice() {
            [] => "no tool here has a group".to_owned(),
            groups => format!("groups begin with {}", groups.join(", ")),
        };
        let advice = if unmatched.iter().any(|pattern| pattern.contains(',')) {
            "; repeat --groups for several"
        } else {
            ""
        };
        Some(format!("no tool is in the group {}; {known}{advice}", unmatched.join(", ")))
    }

    /// Whether every tool is included.
    pub fn is_unrestricted(&self) -> bool {
        self.0.is_empty()
    }
}

/// Formats a pattern as the user wrote it.
fn show(pattern: &Regex) -> String {
    let text = pattern.as_str();
    let inner = text.strip_prefix("^(?:").and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    format!("`{inner}`")
}

/// The name from its group on.
fn strip_package(name: &str) -> Option<&str> {
    let (package, function) = name.split_once('-')?;
    let is_package =
        !package.is_empty() && package.chars().all(|c| c.is_ascii_alphanumeric() || c == '.');
    function.strip_prefix(SEPARATOR).filter(|_| is_package)
}

#[cfg(test)]
mod tests {
    use catalog::{Implementation, Origin, Schema, SourceId, Tool};

    use super::Groups;

    fn included(patterns: &[&str]) -> Vec<&'static str> {
        let names = [
            "ravepipeline-mcp_tool_config_set",
            "ravepipeline-mcp_tool_pipeline_get_info",
            "ravepipeline-mcp_tool_pipeline_list",
            "data.table-mcp_tool_pipeline_read",
            "ravepipeline-other_pipeline",
            "git_status",
        ];
        let groups = Groups::new(&patterns.iter().map(ToString::to_string).collect::<Vec<_>>())
            .expect("patterns");
        names.into_iter().filter(|name| groups.includes(&named(name))).collect()
    }

    fn named(name: &str) -> Tool {
        let origin = Origin::whole_file(&SourceId::new("a"));
        Tool::new(name, "", Schema::empty(), Implementation::Native, origin)
    }

    #[test]
    fn patterns_match_at_the_start_of_the_group() {
        assert_eq!(included(&["config"]), ["ravepipeline-mcp_tool_config_set"]);
        assert_eq!(included(&["set"]), Vec::<&str>::new());
        assert_eq!(included(&["pipeline_(get|read)"]).len(), 2, "packages with dots count");
        assert_eq!(
            included(&["a|pipeline_list"]),
            ["ravepipeline-mcp_tool_pipeline_list"],
            "the whole pattern is anchored"
        );
    }

    #[test]
    fn one_matching_pattern_is_enough_and_no_pattern_includes_all() {
        assert_eq!(included(&["config", "pipeline"]).len(), 4);
        assert_eq!(included(&[]).len(), 6);
    }

    #[test]
    fn a_pattern_that_selects_nothing_is_described() {
        let tools = ["a-mcp_tool_config_set", "a-mcp_tool_pipeline_list"].map(named);
        let describe = |patterns: &[&str]| {
            let patterns: Vec<_> = patterns.iter().map(ToString::to_string).collect();
            Groups::new(&patterns).expect("patterns").describe_unmatched(&tools)
        };
        assert_eq!(describe(&["config", "pipeline"]), None);
        insta::assert_snapshot!(
            describe(&["config", "config,pipeline"]).unwrap_or_default(),
            @"no tool is in the group `config,pipeline`; groups begin with `config`, `pipeline`; repeat --groups for several"
        );
    }

    #[test]
    fn an_invalid_pattern_is_an_error() {
        let error = Groups::new(&["(".to_owned()]).expect_err("an invalid pattern");
        assert!(error.to_string().starts_with("`(` is not a regular expression"));
    }
}
