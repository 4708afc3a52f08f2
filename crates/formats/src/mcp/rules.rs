//! Problems of saved `tools/list` results.

use catalog::{Rule, Severity};

pub(super) static RULES: &[&Rule] = &[&PARTIAL_LISTING];

pub(crate) static PARTIAL_LISTING: Rule = Rule {
    code: "TC830",
    name: "partial-listing",
    severity: Severity::Warning,
    why: "A server returns `tools/list` in pages. `nextCursor` means that more pages follow, so the tools on those would \
          seem not to exist. Request the remaining pages and put all tools into one file.",
    bad: r#"{"tools": [{"name": "greet", "description": "Greet a person", "inputSchema": {"type": "object"}}], "nextCursor": "2"}"#,
    good: r#"{"tools": [{"name": "greet", "description": "Greet a person", "inputSchema": {"type": "object"}}]}"#,
};
