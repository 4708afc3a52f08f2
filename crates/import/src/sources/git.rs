//! The git repository of a project.

use serde_json::json;

use crate::draft::{Draft, Project};

pub(super) fn draft(project: &dyn Project) -> Option<Draft> {
    project.exists(".git").then(|| Draft {
        name: "git".to_owned(),
        summary: "git repository: status, log, diff, show".to_owned(),
        definition: json!({
            "name": "git",
            "description": "The git repository of this project",
            "command": "git --no-pager",
            "synchronous": true,
            "mutates": false,
            "subcommand": [
                { "name": "status", "description": "Show changed and untracked files",
                  "options": [{ "name": "short", "type": "boolean", "description": "Print one line per file" }] },
                { "name": "log", "description": "Show the history of commits",
                  "options": [
                    { "name": "max-count", "type": "integer", "minimum": 1, "default": 20, "description": "The most commits to show", "separator": "=" },
                    { "name": "oneline", "type": "boolean", "description": "Print one line per commit" }
                  ] },
                { "name": "diff", "description": "Show changes that are not committed yet",
                  "options": [
                    { "name": "staged", "type": "boolean", "description": "Only changes that are staged" },
                    { "name": "stat", "type": "boolean", "description": "Only a summary per file" }
                  ] },
                { "name": "show", "description": "Show one commit with its changes",
                  "positional_args": [{ "name": "commit", "type": "string", "description": "The commit, such as HEAD~1 or a hash", "default": "HEAD" }] }
            ]
        }),
    })
}
