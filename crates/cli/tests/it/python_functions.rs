//! Bound Python functions are checked without running them.

use testing::TempCrib;

const SPECIFICATION: &str = "\
# Counting

## Tool: `count_lines`

### 1. Tool Purpose and Description

Count the lines of a file.

### 3. Input Schema (Parameters)

| Parameter Name | Type | Required | Description |
| :--- | :--- | :--- | :--- |
| `path` | `string` | Yes | The file |
| `limit` | `integer` | No | Stop here |
";

/// Returns the problems of a module that a tool is bound to.
fn check(module: Option<&str>) -> String {
    let crib = TempCrib::new().file("count/MCP_TOOL_SPECIFICATION.md", SPECIFICATION);
    crib.write("toolcrib.toml", "[[bind]]\ntools = \"count_lines\"\npython = \"counting\"\n");
    if let Some(text) = module {
        crib.write("counting.py", text);
    }
    let report = crib.run(&["check", "--format", "json"]).json();
    let found = report["diagnostics"].as_array().expect("diagnostics").iter();
    let found = found.filter(|found| {
        ["TC611", "TC612", "TC613"].contains(&found["code"].as_str().unwrap_or_default())
    });
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let lines = found.map(|found| {
        let [severity, code, message, hint] =
            ["severity", "code", "message", "hint"].map(|key| text(&found[key]));
        format!("{severity} {code} {message}\n  {hint}")
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_function_that_fits_is_accepted() {
    assert_eq!(check(Some("def count_lines(path, limit=None): return {}\n")), "");
    assert_eq!(check(Some("def count_lines(path: str, **options): return {}\n")), "");
    assert_eq!(check(Some("from elsewhere import count_lines\n")), "");
}

#[test]
fn problems_are_found_without_running_the_module() {
    let problems = [
        check(None),
        check(Some("raise SystemExit('not run')\ndef count_line(path): ...\n")),
        check(Some("def other(): ...\n")),
        check(Some("def count_lines(path, encoding): ...\n")),
        check(Some("def count_lines(path, limit): ...\n")),
        check(Some("def count_lines(path:\n")),
    ];
    insta::assert_snapshot!(problems.join("\n"));
}

#[test]
fn doctor_does_not_call_a_broken_tool_ok() {
    let crib = TempCrib::new().file("count/MCP_TOOL_SPECIFICATION.md", SPECIFICATION);
    crib.write("toolcrib.toml", "[[bind]]\ntools = \"count_lines\"\npython = \"counting\"\n");
    crib.write("counting.py", "def count_line(path): ...\n");
    let output = crib.run(&["doctor"]);
    assert_eq!(output.code, 1, "{}", output.stdout);
    assert!(
        output.stdout.contains("broken   count_lines: `counting.py` has no function `count_lines`"),
        "{}",
        output.stdout
    );
    crib.write("toolcrib.toml", "[[bind]]\ntools = \"count_lines\"\npython = \"nowhere\"\n");
    let output = crib.run(&["doctor"]);
    let unknown = "unknown  count_lines: there is no Python module `nowhere` in `.`";
    assert!(output.stdout.contains(unknown), "{}", output.stdout);
}

#[test]
fn paths_of_functions_and_of_programs_that_read_json_should_be_declared() {
    let paths = |target: &str, kind: &str| {
        let specification =
            SPECIFICATION.replace("`path` | `string`", &format!("`path` | `{kind}`"));
        let bind = format!("[[bind]]\ntools = \"count_lines\"\n{target}\n");
        let crib = TempCrib::new()
            .file("count/MCP_TOOL_SPECIFICATION.md", &specification)
            .file("counting.py", "def count_lines(path, limit=None): return {}\n")
            .file("toolcrib.toml", &bind);
        let report = crib.run(&["check", "--format", "json"]).json();
        let found = report["diagnostics"].as_array().expect("diagnostics").iter();
        let hints = found.filter(|found| found["code"] == "TC301").map(|found| &found["hint"]);
        hints.filter_map(|hint| hint.as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    let hint = "write `path` as its type, so that it is restricted to the crib's roots";
    for target in ["python = \"counting\"", "command = [\"wc\"]"] {
        assert_eq!(paths(target, "string"), [hint], "{target}");
        assert!(paths(target, "path").is_empty(), "{target}");
    }
}
