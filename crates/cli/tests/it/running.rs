//! Tools of specifications that run: bound to Python, to programs, to other tools.

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::json;
use testing::{StdioClient, TempCrib, repository, skip_without};

/// The example, copied to where its tools may write.
fn copy_of_example() -> TempCrib {
    let mut crib = TempCrib::new();
    let from = repository().join("examples/specifications");
    for name in ["toolcrib.toml", "desk.py", "README.md"] {
        crib = crib.file(name, &fs::read_to_string(from.join(name)).expect("the example"));
    }
    for module in ["text", "dates", "notes"] {
        let name = format!("{module}/MCP_TOOL_SPECIFICATION.md");
        crib = crib.file(&name, &fs::read_to_string(from.join(&name)).expect("the example"));
    }
    crib
}

/// A page with one tool that takes a text and returns one.
fn specification_of(name: &str) -> String {
    format!(
        "# M - MCP Tool Specification\n\n## Tool: `{name}`\n\nSay something back.\n\n\
         **Parameters**:\n\n| Parameter | Type | Required | Description |\n|---|---|---|---|\n| `text` | string | Yes | What to say |\n\n\
         **Returns**:\n\n| Field | Type | Description |\n|---|---|---|\n| `text` | string | The same |\n"
    )
}

#[test]
fn the_example_has_no_findings_and_is_served() {
    let crib = copy_of_example();
    let output = crib.run(&["check", "--strict"]);
    assert_eq!(
        (output.code, output.stdout.trim()),
        (0, "3 files, 5 tools, 0 errors, 0 warnings, 0 notes"),
        "{}",
        output.stdout
    );
    let listed = crib.run(&["list"]).stdout;
    assert!(!listed.contains("Documented, not served"), "{listed}");
    let shown = crib.transcript(&["show", "date_add"]);
    insta::assert_snapshot!(crate::call::without_level(&shown), @r#"
    exit code 0
    --- stdout
    date_add
      Add a number of days to a date.

    Parameters
      start  The date to start from (YYYY-MM-DD) (string; required)
      days   The number of days to add; negative to subtract (integer; required)

    Result
      date  The resulting date (YYYY-MM-DD) (string)

    Errors
      If the text is not a date, or the result is after the year 9999:

      ```json
      {"status": "failure", "error_type": "OverflowError", "error_message": "date value out
        of range",
      "error_details": {"class": "builtins.OverflowError"}}
      ```

    Security
      - **Input Validation**: The date is parsed; nothing else is done with it.

    Runs
      desk.date_add(start=…, days=…)

    Call
      toolcrib call date_add --args '{"start":"…","days":1}'

    Examples
      toolcrib call date_add --args '{"start":"2026-01-31","days":29}'


    Facts
      effect       changes nothing
      idempotent   yes
      idempotency  Yes - Explanation: The result depends only on the arguments.
      version      1.1.0
      returns      the result
      defined in   dates/MCP_TOOL_SPECIFICATION.md
    "#);
}

#[test]
fn three_specifications_bound_to_a_python_module_are_served_over_mcp() {
    skip_without!("python3");
    let crib = copy_of_example();
    let mut client = StdioClient::start(&crib, &[]);
    let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
    let find = |name: &str| {
        tools
            .as_array()
            .expect("tools")
            .iter()
            .find(|tool| tool["name"] == name)
            .expect("a tool")
            .clone()
    };
    assert_eq!(find("text_count")["annotations"]["readOnlyHint"], true);
    assert_eq!(
        find("date_add")["outputSchema"]["anyOf"].as_array().expect("arms").len(),
        2,
        "the result or a failure"
    );
    assert_eq!(
        find("note_list")["outputSchema"]["anyOf"].as_array().expect("arms").len(),
        3,
        "anything, with a warning"
    );
    let counted = client.call("text_count", json!({"path": "desk.py"}));
    assert!(counted["structuredContent"]["lines"].as_u64().expect("a number") > 30, "{counted}");
    let added = client.call("date_add", json!({"start": "2026-01-31", "days": 29}));
    assert_eq!(added["structuredContent"], json!({"date": "2026-03-01"}));
    let between = client.call("date_between", json!({"start": "2026-01-31", "end": "2026-03-01"}));
    assert_eq!(between["structuredContent"], json!({"days": 29}));
    for (number, text) in [(1, "first"), (2, "zweite, ä")] {
        let kept = client.call("note_keep", json!({"text": text}));
        assert_eq!(kept["structuredContent"], json!({"number": number, "text": text}));
    }
    let notes = client.call("note_list", json!({}));
    assert_eq!(notes["structuredContent"]["notes"][1]["text"], "zweite, ä");
    let failed = client.call("date_between", json!({"start": "tomorrow", "end": "2026-03-01"}));
    assert_eq!(
        (&failed["isError"], &failed["structuredContent"]["error_type"]),
        (&json!(true), &json!("ValueError")),
        "{failed}"
    );
    let outside = client.call("text_count", json!({"path": "/etc/passwd"}));
    assert_eq!(outside["isError"], true);
    let other = StdioClient::start(&crib, &[]).call("note_list", json!({}));
    assert_eq!(other["structuredContent"], json!({"notes": []}), "another connection has its own");
}

/// The first block of this kind on the page about specifications.
fn block_of_page(kind: &str, fence: &str) -> String {
    let page = fs::read_to_string(repository().join("docs/specifications.md")).expect("the page");
    let block =
        page.split(&format!("{fence}{kind}\n")).nth(1).and_then(|rest| rest.split(fence).next());
    block.expect("a block").to_owned()
}

#[test]
fn the_specifications_page_works_as_documented() {
    skip_without!("python3");
    let crib = TempCrib::new()
        .file("MCP_TOOL_SPECIFICATION.md", &block_of_page("markdown", "````"))
        .file("counting.py", &block_of_page("python", "```"))
        .file("toolcrib.toml", &block_of_page("toml", "```"));
    let output = crib.run(&["check", "--strict"]);
    assert_eq!(
        (output.code, output.stdout.trim()),
        (0, "1 file, 1 tool, 0 errors, 0 warnings, 0 notes"),
        "{}",
        output.stdout
    );
    let counted =
        crib.run(&["call", "count_lines", "--args", r#"{"path": "counting.py"}"#, "--json"]).json();
    assert_eq!(counted, json!({"lines": 5}));
    let outside = crib.run(&["call", "count_lines", "--args", r#"{"path": "/etc/passwd"}"#]);
    assert_eq!(
        outside.code, 4,
        "the page documents that paths are inside the project folder: {}",
        outside.stdout
    );
}

#[test]
fn unbound_tools_are_documented_and_not_served() {
    let crib = copy_of_example();
    let config = fs::read_to_string(crib.root().join("toolcrib.toml")).expect("a file");
    crib.write("toolcrib.toml", &config.replace("note_*", "note_k*"));
    let listed = crib.run(&["list"]).stdout;
    insta::assert_snapshot!(listed, @r"
    date_add          Add a number of days to a date.
    date_between      Count the days from one date to another.
    note_keep         Store a short note for the rest of the session.
    text_count        Count the lines, words and characters of a text file in the project.

    Built in
    check_definition  Checks the text of a tool definition.
    read_output       Reads lines of a long output that a result shows in part.

    Documented, not served: no program (see `[[bind]]` in toolcrib.toml)
    note_list         List the notes of the session, oldest first.
    ");
    assert!(!crib.run(&["list", "--json"]).stdout.contains("note_list"));
    let refused = crib.run(&["call", "note_list"]);
    assert_ne!(refused.code, 0);
    assert!(refused.stderr.contains("with a `[[bind]]` in toolcrib.toml"), "{}", refused.stderr);
}

#[test]
fn a_command_reads_and_writes_json() {
    let config = "[[bind]]\ntools = \"say_*\"\ncommand = [\"cat\"]\nmutates = false\n";
    let crib = TempCrib::new()
        .file("MCP_TOOL_SPECIFICATION.md", &specification_of("say_back"))
        .file("toolcrib.toml", config);
    let said =
        crib.run(&["call", "say_back", "--args", r#"{"text": "; rm -rf / é"}"#, "--json"]).json();
    assert_eq!(said, json!({"text": "; rm -rf / é"}));
    let plan =
        crib.run(&["call", "say_back", "--args", r#"{"text": "x"}"#, "--dry-run", "--json"]).json();
    assert_eq!((&plan["argv"], &plan["stdin"]), (&json!(["cat"]), &json!(r#"{"text":"x"}"#)));
    assert!(crib.run(&["show", "say_back"]).stdout.contains("cat < <arguments as JSON>"));
}

#[test]
fn a_result_that_violates_its_specification_is_reported_or_rejected() {
    let config = |output: &str| {
        format!(
            "[[bind]]\ntools = \"say_*\"\ncommand = [\"echo\", '{{\"text\": 1}}']\nmutates = false\noutput = \"{output}\"\n"
        )
    };
    let crib = TempCrib::new()
        .file("MCP_TOOL_SPECIFICATION.md", &specification_of("say_back"))
        .file("toolcrib.toml", &config("warn"));
    let output = crib.run(&["call", "say_back", "--args", r#"{"text": "x"}"#]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(
        output
            .stdout
            .contains("note: the result of `say_back` does not match its specification: `/text`"),
        "{}",
        output.stdout
    );
    crib.write("toolcrib.toml", &config("fail"));
    let output = crib.run(&["call", "say_back", "--args", r#"{"text": "x"}"#, "--json"]);
    assert_eq!((output.code, &output.json()["error_type"]), (1, &json!("output_mismatch")));
}

#[test]
fn other_fields_than_in_the_specification_are_reported() {
    let config =
        "[[bind]]\ntools = \"say_*\"\ncommand = [\"echo\", '{\"txt\": \"a\"}']\nmutates = false\n";
    let crib = TempCrib::new()
        .file("MCP_TOOL_SPECIFICATION.md", &specification_of("say_back"))
        .file("toolcrib.toml", config);
    let output = crib.run(&["call", "say_back", "--args", r#"{"text": "x"}"#]);
    let note = "note: the result of `say_back` has `txt`, which its specification does not list, and lacks `text`";
    assert!(output.code == 0 && output.stdout.contains(note), "{}", output.stdout);
    assert!(output.stderr.is_empty(), "it is reported once: {}", output.stderr);
}

#[test]
fn clients_accept_a_result_with_a_warning() {
    for (prints, told) in [(r#"{"text": 1}"#, "`/text`"), ("[1]", "the whole")] {
        let config = format!(
            "[[bind]]\ntools = \"say_*\"\ncommand = [\"echo\", '{prints}']\nmutates = false\noutput = \"warn\"\n"
        );
        let crib = TempCrib::new()
            .file("MCP_TOOL_SPECIFICATION.md", &specification_of("say_back"))
            .file("toolcrib.toml", &config);
        let mut client = StdioClient::start(&crib, &[]);
        let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
        let tool = tools
            .as_array()
            .expect("tools")
            .iter()
            .find(|tool| tool["name"] == "say_back")
            .expect("it is served");
        let schema =
            catalog::Schema::new(tool["outputSchema"].as_object().expect("a schema").clone());
        let said = client.call("say_back", json!({"text": "x"}));
        // Clients reject a result that does not match the schema, and also one without the content
        // that could.
        assert!(
            schema.validator().expect("a schema").is_valid(&said["structuredContent"]),
            "{said}"
        );
        assert!(said["content"].to_string().contains(told) && said["isError"] != true, "{said}");
    }
}

#[test]
fn a_forwarding_tool_obeys_the_policy_of_its_target() {
    let definition = json!({
        "name": "echo_text", "description": "Say it", "command": "echo", "mutates": false,
        "subcommand": [{"name": "default", "description": "Say it",
            "positional_args": [{"name": "text", "type": "string", "description": "What", "required": true}]}],
    });
    let config = "[[bind]]\ntools = \"say_*\"\ntool = \"echo_text\"\n";
    let crib = TempCrib::new()
        .file("MCP_TOOL_SPECIFICATION.md", &specification_of("say_back"))
        .file("toolcrib.toml", config);
    let crib = crib.tool("echo", definition);
    let mut client = StdioClient::start(&crib, &[]);
    let said = client.call("say_back", json!({"text": "hello"}));
    assert!(said.to_string().contains("hello"), "{said}");
    crib.write(
        "toolcrib.toml",
        &format!("{config}[[policy]]\ntools = \"echo_text\"\ndo = \"deny\"\n"),
    );
    let denied = crib.run(&["call", "say_back", "--args", r#"{"text": "hello"}"#]);
    assert!(denied.code != 0 && denied.stderr.contains("echo_text"), "{}", denied.stderr);
}

#[test]
fn inspecting_a_crib_does_not_start_python() {
    let crib = copy_of_example()
        .file("desk.py", "raise SystemExit('Python was started')\n")
        .file(".venv/bin/python", "#!/bin/sh\ntouch started\n");
    let python = crib.root().join(".venv/bin/python");
    fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).expect("its owner");
    for command in
        [&["check"][..], &["list"], &["show", "date_add"], &["docs", "--out", "pages"], &["doctor"]]
    {
        crib.run(command);
    }
    assert!(!crib.root().join("started").exists());
    assert!(crib.run(&["doctor"]).stdout.contains("Python"));
}
