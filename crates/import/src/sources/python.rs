//! A Python project with tests.

use serde_json::json;
use toml::{Table, Value};

use crate::draft::{Draft, Project};

pub(super) fn draft(project: &dyn Project) -> Option<Draft> {
    let text = project.read("pyproject.toml")?;
    let has_tests = project.exists("tests") || project.exists("test");
    (has_tests || names_pytest(&text)).then(|| Draft {
        name: "pytest".to_owned(),
        summary: "pyproject.toml: pytest".to_owned(),
        definition: json!({
            "name": "pytest",
            "description": "Tests of this Python project",
            "command": "python3 -m pytest",
            "mutates": true,
            "subcommand": [{
                "name": "default",
                "description": "Run the Python tests",
                "options": [
                    { "name": "k", "type": "string", "description": "Run only tests that match this expression" },
                    { "name": "maxfail", "type": "integer", "minimum": 1, "separator": "=", "description": "Stop after this many failures" }
                ],
                "positional_args": [{
                    "name": "paths", "type": "array", "items": { "type": "string", "format": "path" },
                    "description": "Files and folders with tests"
                }]
            }]
        }),
    })
}

/// Whether the project configures pytest.
fn names_pytest(text: &str) -> bool {
    let tables: Option<Table> = text.parse().ok();
    let tools = tables.as_ref().and_then(|tables| tables.get("tool")).and_then(Value::as_table);
    tools.is_some_and(|tools| tools.contains_key("pytest"))
}
