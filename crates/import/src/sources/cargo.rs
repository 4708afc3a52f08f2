//! A Rust project.

use serde_json::json;

use crate::draft::{Draft, Project};

pub(super) fn draft(project: &dyn Project) -> Option<Draft> {
    project.exists("Cargo.toml").then(|| Draft {
        name: "cargo".to_owned(),
        summary: "Cargo.toml: check, test, clippy".to_owned(),
        definition: json!({
            "name": "cargo",
            "description": "The Rust project in this folder",
            "command": "cargo",
            "subcommand": [
                { "name": "check", "description": "Check that the Rust code compiles", "mutates": true, "idempotent": true },
                { "name": "test", "description": "Build and run the Rust tests", "mutates": true,
                  "positional_args": [{ "name": "filter", "type": "string", "description": "Run only tests whose name contains this" }] },
                { "name": "clippy", "description": "Lint the Rust code", "mutates": true, "idempotent": true }
            ]
        }),
    })
}
