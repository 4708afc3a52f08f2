//! Problems of saved `tools/list` results.

use catalog::{Rule, Severity};

pub(super) static RULES: &[&Rule] = &[&PARTIAL_LISTING];

pub(crate) static PARTIAL_LISTING: Rule = Rule {
    code: "TC830",
    name: "partial-listing",
    severity: Severity::Warning,
    why: "A server answers `tools/list` in pages. `nextCursor` says that more follow, so tools that are not on this page would \
          look as if they did not exist. Ask for the pages that follow and put their tools into one file.",
    bad: r#"{"tools": [{"name": "greet", "description": "Greet somebody", "inputSchema": {"type": "object"}}], "nextCursor": "2"}"#,
    good: r#"{"tools": [{"name": "greet", "description": "Greet somebody", "inputSchema": {"type": "object"}}]}"#,
};
