//! The schemas of every tool that is served, in a form that every client accepts.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};
use tempfile::TempDir;
use testing::{CommandOutput, StdioClient, TempCrib, repository, toolcrib_path};

/// Where a value has a boolean directly under `properties`, as JSON pointers.
fn boolean_properties(value: &Value, at: &str) -> Vec<String> {
    let members: Vec<(String, &Value)> = match value {
        Value::Object(members) => {
            members.iter().map(|(name, member)| (format!("{at}/{name}"), member)).collect()
        }
        Value::Array(items) => {
            items.iter().enumerate().map(|(index, item)| (format!("{at}/{index}"), item)).collect()
        }
        Value::Bool(_) if at.rsplit('/').nth(1) == Some("properties") => {
            return vec![at.to_owned()];
        }
        _ => Vec::new(),
    };
    members.into_iter().flat_map(|(at, member)| boolean_properties(member, &at)).collect()
}

fn assert_no_boolean_properties(tools: &Value, origin: &str) {
    for tool in tools.as_array().expect("tools") {
        for key in ["inputSchema", "outputSchema"] {
            let found = boolean_properties(&tool[key], "");
            assert!(found.is_empty(), "{origin}: {key} of {}: {found:?}", tool["name"]);
        }
    }
}

/// The tools that the crib in this folder serves, with the example tool.
fn served(folder: &Path) -> Value {
    let state = TempDir::new().expect("a temporary folder");
    let mut command = Command::new(toolcrib_path());
    command.arg("-C").arg(folder).args(["list", "--json"]);
    command.env("XDG_STATE_HOME", state.path()).env("MCP_INCLUDE_EXAMPLE_TOOLS", "true");
    CommandOutput::from(&command.output().expect("the program runs")).json()
}

#[test]
fn no_tool_of_the_examples_or_built_in_has_a_boolean_property() {
    let examples = fs::read_dir(repository().join("examples")).expect("the examples");
    let mut names = Vec::new();
    for folder in examples.flatten().map(|entry| entry.path()) {
        let tools = served(&folder);
        assert_no_boolean_properties(&tools, &folder.display().to_string());
        names.extend(tools.as_array().expect("tools").iter().map(|tool| tool["name"].clone()));
    }
    for name in ["guide_example", "guide_get_content", "date_between", "git_status"] {
        assert!(names.contains(&json!(name)), "{name} is not in {names:?}");
    }
    let all = "[flags]\n[documents]\nenabled = true\n[crib]\ncheck_definition = true\n";
    let crib = TempCrib::new().file("toolcrib.toml", all);
    assert_no_boolean_properties(&served(&crib.root()), "built-in tools");
}

#[test]
fn a_definition_with_boolean_properties_is_served_without_them() {
    let schema = json!({
        "type": "object",
        "properties": {"any": true, "none": false, "inner": {"type": "object", "properties": {"deep": true}}},
        "additionalProperties": false,
    });
    let specification = format!(
        "# M - MCP Tool Specification\n\n**Version**: 1.0.0\n\n## Tool: `from_markdown`\n\nDoes it.\n\n\
         ### Input Schema\n\n```json\n{schema}\n```\n\n### Output Schema\n\n```json\n{schema}\n```\n"
    );
    let crib = TempCrib::new()
        .tool(
            "json",
            json!({"name": "from_json", "description": "Does it", "command": "echo", "synchronous": true,
                "mutates": false, "inputSchema": schema, "argv": {"any": {"flag": "--any"}, "inner": {"flag": "--inner"}}}),
        )
        .file(
            "tools/yaml.yaml",
            &format!(
                "name: demo-mcp_tool_yaml\ndescription: Does it\nparameters: {schema}\nreturns: {schema}\n\
                 implementation_example: f()\nmutates: no\n"
            ),
        )
        .file("MCP_TOOL_SPECIFICATION.md", &specification)
        .file("toolcrib.toml", "[[bind]]\ntools = \"from_markdown\"\ncommand = [\"cat\"]\n");
    let modern = served(&crib.root());
    let legacy =
        StdioClient::start(&crib, &[]).request("tools/list", json!({}))["result"]["tools"].take();
    for tools in [modern, legacy] {
        let names: Vec<_> =
            tools.as_array().expect("tools").iter().map(|tool| &tool["name"]).collect();
        for name in ["from_json", "from_markdown", "demo-mcp_tool_yaml"] {
            assert!(names.contains(&&json!(name)), "{name} is not in {names:?}");
        }
        assert_no_boolean_properties(&tools, "definitions");
    }
    let against = crib.run(&[
        "check",
        "--against",
        &format!("{} -C {} serve", toolcrib_path().display(), crib.root().display()),
    ]);
    assert!(!against.stdout.contains("on the server"), "{}", against.stdout);
}
