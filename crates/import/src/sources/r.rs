//! An R package.

use serde_json::json;

use crate::draft::{Draft, Project};

pub(super) fn draft(project: &dyn Project) -> Option<Draft> {
    let is_package = project.exists("DESCRIPTION");
    let exports = project.read("NAMESPACE").filter(|_| is_package)?;
    // Without an export, the drafted `grep` would find nothing and fail.
    exports.lines().any(|line| line.starts_with("export")).then(|| Draft {
        name: "exports".to_owned(),
        summary: "R package: its exported functions".to_owned(),
        definition: json!({
            "name": "exports",
            "description": "The functions that this R package exports",
            "command": "grep ^export NAMESPACE",
            "synchronous": true,
            "mutates": false,
            "subcommand": [{ "name": "default", "description": "List the exported functions of this R package" }]
        }),
    })
}
