//! Which tools are wanted, by the groups that their names begin with.
//!
//! `{package}-mcp_tool_{group}_{action}`: a pattern is matched where the group begins. A tool whose
//! name has no group is in none.

use catalog::Tool;
use fancy_regex::Regex;

/// What stands between the package and the group.
const MARK: &str = "mcp_tool_";

/// Patterns of which one must match; without any, every tool is wanted.
#[derive(Clone, Debug, Default)]
pub struct Groups(Vec<Regex>);

/// A pattern that is not a regular expression.
#[derive(Debug, thiserror::Error)]
#[error("`{pattern}` is not a regular expression: {why}")]
pub struct GroupError {
    /// The pattern.
    pub pattern: String,
    /// What is wrong with it.
    pub why: String,
}

impl Groups {
    /// Reads patterns.
    pub fn new(patterns: &[String]) -> Result<Self, GroupError> {
        let compile = |pattern: &String| {
            let problem = |error: fancy_regex::Error| GroupError {
                pattern: pattern.clone(),
                why: error.to_string(),
            };
            Regex::new(&format!("^(?:{pattern})")).map_err(problem)
        };
        patterns.iter().map(compile).collect::<Result<_, _>>().map(Self)
    }

    /// Whether a tool is wanted.
    pub fn includes(&self, tool: &Tool) -> bool {
        self.0.is_empty()
            || group(&tool.name)
                .is_some_and(|group| self.0.iter().any(|one| one.is_match(group).unwrap_or(false)))
    }

    /// Whether every tool is wanted.
    pub fn is_unrestricted(&self) -> bool {
        self.0.is_empty()
    }
}

/// The name from its group on.
fn group(name: &str) -> Option<&str> {
    let (package, function) = name.split_once('-')?;
    let is_package =
        !package.is_empty() && package.chars().all(|c| c.is_ascii_alphanumeric() || c == '.');
    function.strip_prefix(MARK).filter(|_| is_package)
}

#[cfg(test)]
mod tests {
    use catalog::{Implementation, Origin, Schema, SourceId, Tool};

    use super::Groups;

    fn admitted(patterns: &[&str]) -> Vec<&'static str> {
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
        let tool = |name: &str| {
            Tool::new(
                name,
                "",
                Schema::empty(),
                Implementation::Native,
                Origin::whole(&SourceId::new("a")),
            )
        };
        names.into_iter().filter(|name| groups.includes(&tool(name))).collect()
    }

    #[test]
    fn patterns_are_matched_where_the_group_begins() {
        assert_eq!(admitted(&["config"]), ["ravepipeline-mcp_tool_config_set"]);
        assert_eq!(admitted(&["set"]), Vec::<&str>::new());
        assert_eq!(admitted(&["pipeline_(get|read)"]).len(), 2, "packages with dots count");
        assert_eq!(
            admitted(&["a|pipeline_list"]),
            ["ravepipeline-mcp_tool_pipeline_list"],
            "the whole pattern is anchored"
        );
    }

    #[test]
    fn one_of_several_is_enough_and_none_is_all() {
        assert_eq!(admitted(&["config", "pipeline"]).len(), 4);
        assert_eq!(admitted(&[]).len(), 6);
    }

    #[test]
    fn a_broken_pattern_is_an_error() {
        let error = Groups::new(&["(".to_owned()]).expect_err("a broken pattern");
        assert!(error.to_string().starts_with("`(` is not a regular expression"));
    }
}
