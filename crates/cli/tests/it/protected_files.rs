//! Tools cannot reach the state folder or change the files that decide about them.

use std::path::Path;

use serde_json::json;
use testing::{TempCrib, definition};

use crate::operations::{dangerous_tool, request_approval};

#[test]
fn a_crib_whose_tools_reach_the_state_folder_is_refused() {
    for key in ["[crib]\nroots", "[confine]\nread", "[confine]\nwrite"] {
        let crib = TempCrib::new().tool("wipe", dangerous_tool());
        request_approval(&crib, r#"{"what": "a"}"#);
        // The state of another crib is as secret as its own.
        let others = crib.state().parent().expect("the state of all cribs").to_path_buf();
        for folder in [Path::new(".."), &others] {
            crib.write("toolcrib.toml", &format!("{key} = [{folder:?}]\n"));
            let output = crib.run(&["call", "wipe", "--args", r#"{"what": "a"}"#]);
            assert_eq!(output.code, 2, "{}", output.stderr);
            assert!(output.stderr.contains("where approvals are stored"), "{}", output.stderr);
        }
    }
}

#[test]
fn a_path_that_leads_to_the_state_folder_is_refused() {
    let crib = TempCrib::new().tool("wipe", dangerous_tool());
    request_approval(&crib, r#"{"what": "a"}"#);
    let link = crib.root().parent().expect("a parent").join("programs");
    std::os::unix::fs::symlink(crib.state(), &link).expect("a link");
    let around = crib.state().parent().expect("a parent").to_owned();
    let inside = crib.state().join("new");
    for (variable, folder) in
        [("PATH", &link), ("PATH", &around), ("PATH", &inside), ("R_LIBS", &link)]
    {
        let mut command = crib.command(&["call", "wipe", "--args", r#"{"what": "a"}"#]);
        let output = command.env(variable, format!("/usr/bin:/bin:{}", folder.display())).output();
        let output = output.expect("the program runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{variable} {folder:?}: {stderr}");
        assert!(stderr.contains("where approvals are stored"), "{stderr}");
    }
}

#[test]
fn a_tool_cannot_overwrite_the_files_that_permit_it() {
    let copy = json!({"name": "copy", "description": "Copy", "command": "cp", "synchronous": true, "mutates": true,
        "subcommand": [{"name": "default", "description": "Copy a file", "positional_args": [
            {"name": "from", "type": "string", "format": "path", "description": "From", "required": true},
            {"name": "to", "type": "string", "format": "path", "description": "To", "required": true}]}]});
    let crib = TempCrib::new()
        .tool("copy", copy)
        // A program outside the crib that has the name of a script inside.
        .tool("named", definition("named", "run.sh"))
        .tool("run", definition("run", "sh run.sh"))
        .tool("run_again", definition("run_again", "sh run.sh twice.sh"))
        .file("run.sh", "true")
        .file("twice.sh", "true")
        .file("definitions/linked.json", &definition("linked", "true").to_string())
        .file("rule", "[[policy]]\ntools = \"*\"\ndo = \"allow\"\n");
    std::os::unix::fs::symlink("../definitions/linked.json", crib.root().join("tools/linked.json"))
        .expect("a link");
    for to in [
        "toolcrib.toml",
        "toolcrib.lock",
        "tools/new.json",
        "tools/copy.json",
        "tools/linked.json",
        "definitions/linked.json",
        "tools/../toolcrib.toml",
        "MCP_TOOL_SPECIFICATION.md",
        "sub/mcp_tool_specification.md",
        "inst/mcp/tools/new.yaml",
        "prompts/new.md",
        ".venv/bin/python",
        "run.sh",
        "twice.sh",
    ] {
        let output = crib.run(&[
            "call",
            "copy",
            "--json",
            "--args",
            &json!({"from": "rule", "to": to}).to_string(),
        ]);
        assert_ne!(output.code, 0, "{to}");
        assert_eq!(output.json()["error_type"], "path_protected", "{to}");
    }
    assert_eq!(
        crib.run(&["call", "copy", "--args", r#"{"from": "rule", "to": "elsewhere"}"#]).code,
        0
    );
}
