//! `convert` and `new spec` as a user of the program sees them.

use std::{fs, path::PathBuf};

use catalog::{Catalog, SourceId, Tool};
use formats::{FORMATS, Guidance};
use serde_json::{Value, json};
use testing::{CommandOutput, TempCrib, repository, shared_corpus};

fn count_tool() -> Value {
    json!({
        "name": "count", "description": "Count things", "command": "wc", "synchronous": true, "mutates": false,
        "subcommand": [
            {"name": "lines", "description": "Count lines", "options": [{"name": "file", "type": "string", "format": "path",
                "description": "The file", "required": true}]},
            {"name": "words", "description": "Count words", "options": [{"name": "limit", "type": "integer", "minimum": 1,
                "description": "At most"}]},
        ],
    })
}

/// The names and schemas of the tools that a file has, as MCP has them.
fn schemas_of(crib: &TempCrib, file: &str) -> Value {
    let listing = crib.run(&["convert", file, "--to", "mcp"]).json();
    let tools = listing["tools"].as_array().expect("tools");
    tools.iter().map(|tool| json!([tool["name"], tool["inputSchema"]])).collect()
}

fn assert_success(output: &CommandOutput) {
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
}

#[test]
fn schemas_survive_conversion_to_a_specification_and_back() {
    let crib = TempCrib::new().tool("count", count_tool());
    assert_success(&crib.run(&[
        "convert",
        "tools/count.json",
        "--to",
        "spec",
        "--out",
        "count.md",
    ]));
    assert_success(&crib.run(&["convert", "count.md", "--to", "mtdf", "--out", "back.json"]));
    assert_eq!(schemas_of(&crib, "back.json"), schemas_of(&crib, "tools/count.json"));
    assert_success(&crib.run(&["check", "count.md"]));
    assert_success(&crib.run(&["check", "back.json"]));
}

#[test]
fn losses_are_reported_by_tool_and_field() {
    let crib = TempCrib::new().tool("count", count_tool());
    insta::assert_snapshot!(crib.transcript(&["convert", "tools/count.json", "--to", "spec"]), @r#"
    exit code 0
    --- stdout
    # count - MCP Tool Specification

    ---

    ## Tool: `count_lines`

    **Mutates**: No

    ### 1. Tool Purpose and Description

    Count lines

    ### 2. Invocation Name

    `count_lines`

    ### 3. Input Schema (Parameters)

    | Parameter Name | Type | Required | Description | Example Value |
    | :--- | :--- | :--- | :--- | :--- |
    | `file` | `path` | Yes | The file |  |
    | `working_directory` | `path` | No | Folder to run in |  |

    ### 4. Output Schema (Return Value)

    The output of the program, as text.

    ### 5. Error Handling

    A failed call returns the standard error object.

    ```json
    {
      "status": "failure",
      "error_type": "invalid_arguments",
      "error_message": "what is wrong with the arguments",
      "error_details": {
        "details": []
      }
    }
    ```

    ### 6. Idempotency

    - **Idempotent**: Unknown

    ### 7. Usage Examples (for MCP context)

    Not specified.

    ### 8. Security Considerations

    Not specified.

    ---

    ## Tool: `count_words`

    **Mutates**: No

    ### 1. Tool Purpose and Description

    Count words

    ### 2. Invocation Name

    `count_words`

    ### 3. Input Schema (Parameters)

    | Parameter Name | Type | Required | Description | Example Value |
    | :--- | :--- | :--- | :--- | :--- |
    | `limit` | `integer` | No | At most |  |
    | `working_directory` | `path` | No | Folder to run in |  |

    In full:

    ```json
    {
      "type": "object",
      "properties": {
        "limit": {
          "type": "integer",
          "description": "At most",
          "minimum": 1
        },
        "working_directory": {
          "type": "string",
          "format": "path",
          "description": "Folder to run in"
        }
      },
      "additionalProperties": false
    }
    ```

    ### 4. Output Schema (Return Value)

    The output of the program, as text.

    ### 5. Error Handling

    A failed call returns the standard error object.

    ```json
    {
      "status": "failure",
      "error_type": "invalid_arguments",
      "error_message": "what is wrong with the arguments",
      "error_details": {
        "details": []
      }
    }
    ```

    ### 6. Idempotency

    - **Idempotent**: Unknown

    ### 7. Usage Examples (for MCP context)

    Not specified.

    ### 8. Security Considerations

    Not specified.

    --- stderr
    note: `count_lines`: `command`: the converted tool has no program: bind it to one
    note: `count_words`: `command`: the converted tool has no program: bind it to one
    "#);
    let report = crib
        .run(&["convert", "tools/count.json", "--to", "spec", "--out", "a.md", "--format", "json"])
        .json();
    assert_eq!(
        report["losses"][0],
        json!({"tool": "count_lines", "field": "command", "message": "the converted tool has no program: bind it to one"})
    );
    assert_eq!(
        (&report["version"], &report["tools"], &report["files"]),
        (&json!(1), &json!(2), &json!([{"name": "a.md"}]))
    );
}

#[test]
fn reports_and_omits_tools_that_the_format_cannot_express() {
    let tool = |name: &str, properties: Value| json!({"name": name, "inputSchema": {"type": "object", "properties": properties}});
    let odd = tool("odd", json!({"-.": {"type": "string"}, ".": {"type": "string"}}));
    let crib = TempCrib::new().file("odd.json", &json!({"tools": [odd]}).to_string()).file(
        "both.json",
        &json!({"tools": [odd, tool("even", json!({"a": {"type": "string"}}))]}).to_string(),
    );
    insta::assert_snapshot!(crib.transcript(&["convert", "odd.json", "--to", "mtdf"]), @r"
    exit code 1
    --- stderr
    note: `odd`: `name`: the format cannot express this tool: the flag `-.` of `.` is also the flag of another parameter; it is omitted
    error: no tool of `odd.json` could be converted
     |
     = help: that format can express none of its tools
    ");
    insta::assert_snapshot!(crib.transcript(&["convert", "both.json", "--to", "mtdf"]), @r#"
    exit code 0
    --- stdout
    {
      "name": "even",
      "description": "even",
      "synchronous": true,
      "inputSchema": {
        "type": "object",
        "properties": {
          "a": {
            "type": "string"
          }
        }
      }
    }

    --- stderr
    note: `odd`: `name`: the format cannot express this tool: the flag `-.` of `.` is also the flag of another parameter; it is omitted
    "#);
}

#[test]
fn parts_of_the_source_that_are_left_out_are_reported() {
    let mut tool = count_tool();
    tool["colour"] = "red".into();
    let crib = TempCrib::new().tool("count", tool).file("broken.json", "{");
    let output = crib.run(&["convert", "tools/count.json", "--to", "mtdf"]);
    assert!(output.stderr.contains("unknown field `colour`"), "{}", output.stderr);
    let report = |file: &str| crib.run(&["convert", file, "--to", "mtdf", "--format", "json"]);
    let converted = report("tools/count.json").json();
    assert_eq!(converted["diagnostics"][0]["message"], "unknown field `colour`");
    let broken = report("broken.json");
    assert_eq!((broken.code, &broken.json()["tools"]), (1, &json!(0)));
    assert_eq!(broken.json()["diagnostics"][0]["severity"], "error");
}

#[test]
fn conversion_to_mcp_matches_the_served_tools() {
    let mut counting = count_tool();
    counting["version"] = "1.2.0".into();
    let crib = TempCrib::new().tool("count", counting);
    let served = crib.run(&["list", "--json"]).json();
    let written = crib.run(&["convert", "tools/count.json", "--to", "mcp"]).json();
    for tool in written["tools"].as_array().expect("tools") {
        let same = served
            .as_array()
            .expect("tools")
            .iter()
            .find(|served| served["name"] == tool["name"])
            .expect("it is served");
        for field in ["title", "description"] {
            assert_eq!(tool[field], same[field], "{field}");
        }
        // The file keeps the format `path`, which `tools/list` leaves out.
        let names = |tool: &Value| {
            let properties = tool["inputSchema"]["properties"].as_object().expect("properties");
            properties.keys().cloned().collect::<Vec<_>>()
        };
        assert_eq!(names(tool), names(same));
        assert_eq!(tool["inputSchema"]["required"], same["inputSchema"]["required"]);
        assert_eq!(tool["annotations"]["readOnlyHint"], same["annotations"]["readOnlyHint"]);
        assert_eq!(
            (&tool["_meta"], &same["_meta"]["toolcrib/version"]),
            (&json!({"toolcrib/version": "1.2.0"}), &json!("1.2.0"))
        );
    }
}

#[test]
fn a_saved_listing_is_checked_listed_and_converted_but_not_served() {
    let crib = TempCrib::new().tool("count", count_tool());
    let listing = json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "greet", "description": "Print a greeting",
        "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "Whom"}}, "additionalProperties": false},
        "annotations": {"readOnlyHint": true}}]}});
    crib.write("tools/listing.json", &listing.to_string());
    assert_success(&crib.run(&["check", "tools/listing.json"]));
    let listed = crib.run(&["list"]).stdout;
    assert!(listed.ends_with("toolcrib.toml)\ngreet        Print a greeting\n"), "{listed}");
    let page = crib.run(&["convert", "tools/listing.json", "--to", "spec"]).stdout;
    assert!(page.contains("| `who` | `string` | No | Whom |"), "{page}");
}

#[test]
fn tools_that_need_several_files_are_written_to_a_folder() {
    let page = ["alpha", "beta"]
        .map(|name| format!("## Tool: `{name}`\n\nDo it.\n\n**Parameters**: None\n\n"))
        .concat();
    let crib = TempCrib::new().file("two.md", &format!("# Two - MCP Tool Specification\n\n{page}"));
    insta::assert_snapshot!(crib.transcript(&["convert", "two.md", "--to", "mtdf"]), @r#"
    exit code 0
    --- stdout
    {
      "name": "alpha",
      "description": "Do it.",
      "synchronous": true,
      "inputSchema": {
        "type": "object",
        "properties": {},
        "additionalProperties": false
      }
    }
    {
      "name": "beta",
      "description": "Do it.",
      "synchronous": true,
      "inputSchema": {
        "type": "object",
        "properties": {},
        "additionalProperties": false
      }
    }

    --- stderr
    note: the output is 2 files in a row; pass `--out DIR` to write them
    "#);
    let refused = crib.transcript(&["convert", "two.md", "--to", "mtdf", "--out", "one.json"]);
    insta::assert_snapshot!(refused, @r"
    exit code 2
    --- stderr
    error: the tools need 2 files, and `one.json` is one file
     |
     = help: pass a folder with --out; end it with `/` to create it
    ");
    assert_success(&crib.run(&["convert", "two.md", "--to", "mtdf", "--out", "made/"]));
    assert_success(&crib.run(&["check", "made"]));
    assert!(
        crib.root().join("made/alpha.json").is_file()
            && crib.root().join("made/beta.json").is_file()
    );
}

#[test]
fn a_file_without_tools_is_an_error() {
    let crib = TempCrib::new().file("empty.json", "{}");
    let output = crib.run(&["convert", "empty.json", "--to", "spec", "--out", "x.md"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert!(!crib.root().join("x.md").exists());
    assert_eq!(crib.run(&["convert", "absent.json", "--to", "spec"]).code, 2);
}

/// The placeholders of the template: the texts in brackets, without duplicates.
fn count_gaps(template: &str) -> usize {
    let is_gap = |line: &&str| {
        line.contains("[D")
            || line.contains("[E")
            || line.contains("[parameter_name]")
            || line.contains("[example value]")
    };
    let cells = |line: &str| {
        line.matches("[D").count()
            + line.matches("[E").count()
            + line.matches("[example value]").count()
    };
    let names = |line: &str| usize::from(line.starts_with("| `[parameter_name]`"));
    template.lines().filter(is_gap).map(|line| cells(line) + names(line)).sum()
}

#[test]
fn check_reports_every_placeholder_of_a_new_specification() {
    let crib = TempCrib::new();
    assert_success(&crib.run(&["new", "spec", "fetch_page"]));
    let path = crib.root().join("tools/fetch_page/MCP_TOOL_SPECIFICATION.md");
    let text = fs::read_to_string(&path).expect("the template");
    let sections: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    assert_eq!(sections.len(), 8);
    let report = crib.run(&["check", "--format", "json"]).json();
    let told = report["diagnostics"]
        .as_array()
        .expect("diagnostics")
        .iter()
        .filter(|found| found["code"] == "TC413")
        .count();
    assert_eq!(told, count_gaps(&text), "{report:#}");
    assert_eq!(count_gaps(&text), 14);
    assert_eq!(crib.run(&["check", "--strict"]).code, 1);
    assert_eq!(crib.run(&["new", "spec", "fetch_page"]).code, 2, "nothing is overwritten");
    assert_eq!(fs::read_to_string(&path).expect("the template"), text);
}

#[test]
fn a_completed_specification_template_has_no_findings() {
    let crib = TempCrib::new();
    assert_success(&crib.run(&["new", "spec", "fetch_page"]));
    let path = crib.root().join("tools/fetch_page/MCP_TOOL_SPECIFICATION.md");
    let mut text = fs::read_to_string(&path).expect("the template");
    text = text
        .replace("[parameter_name]", "subject")
        .replace("[example value]", "belts")
        .replace("[Explain", "Yes: [Explain");
    while let Some(start) = text.find("[D").or(text.find("[E")) {
        let end = start + text[start..].find(".]").expect("its end") + 2;
        text.replace_range(start..end, "It lists what the shop knows about the subject.");
    }
    fs::write(&path, &text).expect("the filled in template");
    let output = crib.run(&["check", "--strict"]);
    assert_eq!(
        (output.code, output.stdout.trim()),
        (0, "1 file, 1 tool, 0 errors, 0 warnings, 0 notes"),
        "{text}\n{}",
        output.stdout
    );
}

#[test]
fn every_example_converts_to_every_format() {
    for file in ["examples/starter/tools/find_text.json", "crates/formats/tests/it/specs/whole.md"]
    {
        let path = repository().join(file);
        let crib = TempCrib::new();
        for to in ["mtdf", "rave", "spec", "mcp"] {
            assert_success(&crib.run(&["convert", path.to_str().expect("a path"), "--to", to]));
        }
    }
}

/// Every file of the corpus, with its tools.
fn corpus_tools() -> Vec<(String, Vec<Tool>)> {
    let folders =
        ["corpus/mtdf", "corpus/specs", "corpus/rave"].into_iter().filter_map(shared_corpus);
    let mut waiting: Vec<PathBuf> = folders.collect();
    let mut found = Vec::new();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(
                fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path()),
            );
            continue;
        }
        let bytes = fs::read(&path).expect("a file");
        let name = path.to_string_lossy().into_owned();
        let tools = formats::read(&SourceId::new(&name), &bytes, &Guidance::default()).tools;
        // A name that means two tools is an error of the source.
        let (catalog, _) = Catalog::merge(tools);
        found.push((name, catalog.tools().iter().map(|tool| tool.as_ref().clone()).collect()));
    }
    found
}

#[test]
fn converted_files_have_no_check_errors() {
    let files = corpus_tools();
    for format in FORMATS {
        let Some(writer) = &format.writer else { continue };
        let crib = TempCrib::new();
        for (number, (_, tools)) in files.iter().enumerate() {
            for file in formats::convert(tools, writer, "crib").files {
                crib.write(&format!("made/{number}/{}", file.name), &file.text);
            }
        }
        let report = crib.run(&["check", "made", "--format", "json"]).json();
        let errors: Vec<&Value> = report["diagnostics"]
            .as_array()
            .expect("diagnostics")
            .iter()
            .filter(|found| found["severity"] == "error")
            .collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", format.name);
    }
}
