//! Markdown specifications as a user of the program sees them.

use std::fs;

use serde_json::json;
use testing::{StdioClient, TempCrib, repository};

use crate::check::codes;

const TORN: &str = "# M - MCP Tool Specification\n\n**Version**: 1.0.0\n\n## Tool: `walk_branch`\n\nWalk the commits of a branch.\n\n\
                    | Name | Type | Required | Default | Description |\n|---|---|---|---|---|\n\
                    | `branch` | `str \\ | null` | No | `null` Which branch |\n";

fn whole_specification() -> String {
    fs::read_to_string(repository().join("crates/formats/tests/it/specs/whole.md"))
        .expect("the page")
}

#[test]
fn a_complete_specification_has_no_findings() {
    let output = TempCrib::new()
        .file("docs/MCP_TOOL_SPECIFICATION.md", &whole_specification())
        .run(&["check", "--strict"]);
    assert_eq!(
        (output.code, output.stdout.trim()),
        (0, "1 file, 1 tool, 0 errors, 0 warnings, 0 notes"),
        "{}",
        output.stdout
    );
}

#[test]
fn the_documented_specification_has_no_findings() {
    let page = fs::read_to_string(repository().join("docs/specifications.md")).expect("the page");
    let example = page
        .split("````markdown\n")
        .nth(1)
        .and_then(|rest| rest.split("````").next())
        .expect("an example");
    let output =
        TempCrib::new().file("MCP_TOOL_SPECIFICATION.md", example).run(&["check", "--strict"]);
    assert_eq!(
        (output.code, output.stdout.trim()),
        (0, "1 file, 1 tool, 0 errors, 0 warnings, 0 notes"),
        "{}",
        output.stdout
    );
}

#[test]
fn documented_tools_are_listed_but_not_served() {
    let crib = TempCrib::new().file("docs/MCP_TOOL_SPECIFICATION.md", &whole_specification());
    insta::assert_snapshot!(crib.transcript(&["list"]), @r"
    exit code 0
    --- stdout
    Built in
    check_definition  Checks the text of a tool definition.

    Documented, not served: no program (see `[[bind]]` in toolcrib.toml)
    count_lines       Count the lines of a file below the project folder.
    ");
    let served = crib.run(&["list", "--json"]).json();
    assert!(served.as_array().expect("tools").iter().all(|tool| tool["name"] != "count_lines"));
}

#[test]
fn a_bound_tool_is_served() {
    let bind = "[[bind]]\ntools = \"count_*\"\ncommand = [\"wc\", \"-l\"]\n";
    let crib = TempCrib::new()
        .file("MCP_TOOL_SPECIFICATION.md", &whole_specification())
        .file("toolcrib.toml", bind);
    assert!(crib.run(&["list", "--json"]).stdout.contains("count_lines"));
}

#[test]
fn findings_have_lines_in_every_format() {
    let crib = TempCrib::new().file("docs/MCP_TOOL_SPECIFICATION.md", TORN);
    let report = crib.run(&["check", "--format", "json"]).json();
    let torn = report["diagnostics"]
        .as_array()
        .expect("diagnostics")
        .iter()
        .find(|found| found["code"] == "TC804")
        .expect("the row");
    assert_eq!(
        (&torn["line"], &torn["column"], &torn["tool"]),
        (&json!(11), &json!(1), &json!("walk_branch"))
    );
    assert!(
        crib.run(&["check", "--format", "github"])
            .stdout
            .contains("file=docs/MCP_TOOL_SPECIFICATION.md,line=11,col=1,title=TC804")
    );
    let sarif = crib.run(&["check", "--format", "sarif"]).json();
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    let result = results.iter().find(|result| result["ruleId"] == "TC804").expect("the row");
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 11);
    let prints: std::collections::BTreeSet<_> =
        results.iter().map(|result| result["partialFingerprints"].to_string()).collect();
    assert_eq!(prints.len(), results.len(), "fingerprints distinguish findings when lines move");
    assert!(crib.run(&["check"]).stdout.contains("docs/MCP_TOOL_SPECIFICATION.md:11:1"));
}

#[test]
fn diverged_copies_are_reported_with_both_locations() {
    let crib = TempCrib::new().file("a/MCP_TOOL_SPECIFICATION.md", &whole_specification()).file(
        "b/MCP_TOOL_SPECIFICATION.md",
        &whole_specification().replace("`integer`", "`number`"),
    );
    let report = crib.run(&["check", "--format", "json"]).json();
    assert_eq!(codes(&report), ["TC210"]);
    let named = ["a", "b"].map(|folder| format!("{folder}/MCP_TOOL_SPECIFICATION.md"));
    let report = crib.run(&["check", &named[0], &named[1], "--format", "json"]).json();
    assert_eq!(codes(&report), ["TC210"], "files that are named are compared too");
    assert_eq!(report["diagnostics"][0]["also"]["file"], "a/MCP_TOOL_SPECIFICATION.md");
    assert!(report["diagnostics"][0]["also"]["line"].is_u64());
    insta::assert_snapshot!(crib.transcript(&["check"]), @r"
    exit code 0
    --- stdout
    warning[TC210]: `count_lines` is also described in a/MCP_TOOL_SPECIFICATION.md, which differs in its result
      --> b/MCP_TOOL_SPECIFICATION.md:19:2
       |
    19 | `count_lines`
       |  ^^^^^^^^^^^
       |
       = note: the other location is a/MCP_TOOL_SPECIFICATION.md:19:2
       = help: reconcile the two, or keep one

    2 files, 1 tool, 0 errors, 1 warning, 0 notes
    ");
    insta::assert_snapshot!(crib.transcript(&["check", "--format", "github"]), @r"
    exit code 0
    --- stdout
    ::warning file=b/MCP_TOOL_SPECIFICATION.md,line=19,col=2,title=TC210::`count_lines` is also described in a/MCP_TOOL_SPECIFICATION.md, which differs in its result (also a/MCP_TOOL_SPECIFICATION.md:19:2)%0Areconcile the two, or keep one
    ");
    let sarif = crib.run(&["check", "--format", "sarif"]).json();
    assert!(sarif["runs"][0]["results"][0]["relatedLocations"][0]["physicalLocation"]["region"]["startLine"].is_u64());
}

#[test]
fn fix_reports_the_lines_it_changed() {
    let crib = TempCrib::new().file("docs/MCP_TOOL_SPECIFICATION.md", TORN);
    let before = crib.run(&["show", "walk_branch"]).stdout;
    let output = crib.run(&["check", "--fix", "--format", "json"]);
    assert_eq!(output.stderr, "fixed 2 lines in docs/MCP_TOOL_SPECIFICATION.md\n");
    assert!(!codes(&output.json()).contains(&"TC804"));
    assert_eq!(crib.run(&["show", "walk_branch"]).stdout, before, "it means the same");
    assert_eq!(
        crib.run(&["check", "--fix", "--format", "json"]).stderr,
        "",
        "nothing is left to fix"
    );
    let loose = TempCrib::new().file("notes.md", TORN);
    assert_eq!(loose.run(&["check", "--fix", "notes.md"]).stderr, "fixed 2 lines in notes.md\n");
}

#[test]
fn check_definition_reports_problems_to_an_agent() {
    let crib = TempCrib::new().file("docs/MCP_TOOL_SPECIFICATION.md", &whole_specification());
    let mut client = StdioClient::start(&crib, &[]);
    let checked = client.request(
        "tools/call",
        json!({"name": "check_definition", "arguments": {"text": TORN, "file": "docs/new.md"}}),
    );
    let value = &checked["result"]["structuredContent"]["value"];
    assert_eq!(value["tools"], json!(["walk_branch"]));
    let torn = value["diagnostics"]
        .as_array()
        .expect("diagnostics")
        .iter()
        .find(|found| found["code"] == "TC804")
        .expect("the row");
    assert_eq!(torn["line"], 11);
    let good = client.request(
        "tools/call",
        json!({"name": "check_definition", "arguments": {"text": whole_specification()}}),
    );
    assert_eq!(good["result"]["structuredContent"]["value"]["diagnostics"], json!([]), "{good}");
}

#[test]
fn check_definition_is_listed_with_specifications_or_if_enabled() {
    let is_listed =
        |crib: &TempCrib| crib.run(&["list", "--json"]).stdout.contains("check_definition");
    assert!(!is_listed(&TempCrib::new()));
    assert!(is_listed(&TempCrib::new().file("toolcrib.toml", "[crib]\ncheck_definition = true\n")));
    let spec = || TempCrib::new().file("MCP_TOOL_SPECIFICATION.md", &whole_specification());
    assert!(is_listed(&spec()));
    assert!(!is_listed(&spec().file("toolcrib.toml", "[crib]\ncheck_definition = false\n")));
}

#[test]
fn explains_a_custom_rule_next_to_a_broken_one() {
    let rules = "[[rule]]\ncode = \"ACME-1\"\nseverity = \"warning\"\ntools = \"a_*\"\nwhen = \"tool.version == null\"\n\
        message = \"the tool has no version\"\nhint = \"give it one\"\n[[rule]]\ncode = \"ACME-2\"\n";
    let crib = TempCrib::new().file("toolcrib.toml", rules);
    let output = crib.run(&["explain", "acme-1"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    insta::assert_snapshot!(output.stdout.trim_end(), @r"
    # ACME-1

    Severity: warning. A rule of this crib, in its `toolcrib.toml`, for the tools `a_*`.

    the tool has no version

    What to do: give it one

    It reports tools for which this is true:

    ```cel
    tool.version == null
    ```
    ");
    assert_eq!(crib.run(&["explain", "ACME-3"]).code, 2);
}
