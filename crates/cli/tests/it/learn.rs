//! `call --learn`: a tool observed instead of sandboxed.

use std::fs;

use serde_json::json;
use testing::{TempCrib, definition, skip_without};

use crate::build::package;

fn copy_tool() -> serde_json::Value {
    let path = |name: &str| json!({"name": name, "type": "string", "format": "path", "description": "A file", "required": true});
    json!({"name": "copy", "description": "Copy", "command": "cp", "synchronous": true, "mutates": true,
        "subcommand": [{"name": "default", "description": "Copy a file", "positional_args": [path("from"), path("to")]}]})
}

#[test]
fn proposes_a_profile_for_a_copy() {
    skip_without!("strace");
    let crib = TempCrib::new().tool("copy", copy_tool()).file("given", "content");
    let output =
        crib.run(&["call", "copy", "--learn", "--args", r#"{"from": "given", "to": "made"}"#]);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    assert_eq!(fs::read_to_string(crib.root().join("made")).expect("it ran"), "content");
    insta::assert_snapshot!(output.stdout, @r#"
    accessed
      read            given
      written         made
      network         not used
    for the definition
      "mutates": true,
      "network": false
      in `from`: "access": "read"
      in `to`: "access": "write"
    "#);
}

#[test]
fn the_proposed_profile_is_sufficient() {
    skip_without!("strace");
    let mut learnt = copy_tool();
    for (index, access) in ["read", "write"].into_iter().enumerate() {
        learnt["subcommand"][0]["positional_args"][index]["access"] = json!(access);
    }
    let crib = TempCrib::new().tool("copy", learnt).file("given", "content");
    let output = crib.run(&["call", "copy", "--args", r#"{"from": "given", "to": "made"}"#]);
    assert_eq!(output.code, 0, "{}", output.stderr);
}

#[test]
fn proposes_configuration_for_paths_outside_the_roots() {
    skip_without!("strace");
    let outside = tempfile::tempdir().expect("a folder");
    let place = outside.path().canonicalize().expect("a path");
    fs::write(place.join("data"), "data").expect("a file");
    let script =
        format!("cat {0}/data; echo x > {0}/made; cat near; echo t > $TMPDIR/t", place.display());
    let crib = TempCrib::new()
        .tool("peek", definition("peek", "sh peek.sh"))
        .file("peek.sh", &script)
        .file("near", "near");
    let output = crib.run(&["call", "peek", "--learn"]);
    let profile = output.stdout.replace(&place.display().to_string(), "OUTSIDE");
    insta::assert_snapshot!(profile, @r#"
    datanearaccessed
      read            near
      read            peek.sh
      read outside    OUTSIDE/data
      written outside OUTSIDE/made
      network         not used
    for the definition
      "mutates": true,
      "network": false
    for `toolcrib.toml`
      [confine]
      read = ["OUTSIDE/data"]
      write = ["OUTSIDE"]
    "#);
}

#[test]
fn warns_that_a_failed_run_may_need_more_access() {
    skip_without!("strace");
    let crib = TempCrib::new().tool("copy", copy_tool());
    let arguments = r#"{"from": "missing", "to": "made"}"#;
    let output = crib.run(&["call", "copy", "--learn", "--args", arguments]);
    assert_eq!(output.code, 1);
    insta::assert_snapshot!(output.stdout, @r#"
    accessed
      network         not used
    for the definition
      "mutates": false,
      "network": false
      `"mutates": false` is left to you: it holds only if no call changes anything, here or elsewhere
    "#);
    assert!(
        output.stderr.ends_with("the run failed; it may need more than it accessed until then\n"),
        "{}",
        output.stderr
    );
}

#[test]
fn a_dangerous_tool_is_not_observed_without_approval() {
    let mut guarded = copy_tool();
    guarded["dangerous"] = json!(true);
    let crib = TempCrib::new().tool("copy", guarded).file("given", "content");
    let output =
        crib.run(&["call", "copy", "--learn", "--args", r#"{"from": "given", "to": "made"}"#]);
    assert_eq!(output.code, 5, "{}", output.stdout);
    assert!(!output.stdout.contains("accessed") && !crib.root().join("made").exists());
}

#[test]
fn a_missing_strace_is_reported_with_its_package() {
    let crib = TempCrib::new().tool("copy", copy_tool()).file("given", "content");
    let tools = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink("/bin/cp", tools.path().join("cp")).expect("a link");
    let mut command =
        crib.command(&["call", "copy", "--learn", "--args", r#"{"from": "given", "to": "made"}"#]);
    let output = command.env("PATH", tools.path()).output().expect("the program runs");
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stderr), @"error: tracing needs `strace`, which was not found; install the package `strace`");
    assert!(!crib.root().join("made").exists());
}

#[test]
fn dry_run_shows_access_restricted_to_the_arguments() {
    let mut cut = copy_tool();
    for (index, access) in ["read", "write"].into_iter().enumerate() {
        cut["subcommand"][0]["positional_args"][index]["access"] = json!(access);
    }
    let crib = TempCrib::new().tool("copy", cut).file("given", "content").file("out/there", "old");
    let output = crib.run(&[
        "call",
        "copy",
        "--dry-run",
        "--args",
        r#"{"from": "given", "to": "out/there"}"#,
    ]);
    let line = |name: &str| {
        output.stdout.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned()
    };
    let root = crib.root();
    let reads: Vec<_> = line("reads").split_whitespace().skip(1).map(str::to_owned).collect();
    assert_eq!(
        reads.first().map(String::as_str),
        root.join("given").to_str(),
        "the call's own paths come first: {}",
        output.stdout
    );
    assert!(!reads.iter().any(|path| Some(path.as_str()) == root.to_str()), "{}", output.stdout);
    assert_eq!(line("writes").split_whitespace().last(), root.join("out/there").to_str());
}

#[test]
fn what_was_observed_is_written_after_showing_the_difference() {
    skip_without!("strace");
    let definition = "{\n  \"name\": \"copy\",\n  \"description\": \"Copy\",\n  \"command\": \"cp\",\n  \"mutates\": false,\n  \
                      \"subcommand\": [\n    {\"name\": \"default\", \"description\": \"Copy a file\", \"positional_args\": [\n      \
                      {\"name\": \"from\", \"type\": \"string\", \"format\": \"path\", \"description\": \"The file\"},\n      \
                      {\"name\": \"to\", \"type\": \"string\", \"format\": \"path\", \"description\": \"The copy\"}\n    ]}\n  ]\n}\n";
    let crib = TempCrib::new().file("tools/copy.json", definition).file("given", "content");
    let learn = ["call", "copy", "from=given", "to=made", "--learn", "--write"];
    insta::assert_snapshot!(crib.transcript(&learn), @r#"
    exit code 0
    --- stdout
    accessed
      read            given
      written         made
      network         not used
    for the definition
      "mutates": true,
      "network": false
      in `from`: "access": "read"
      in `to`: "access": "write"
    @@ -6,7 +6,7 @@
       "subcommand": [
         {"name": "default", "description": "Copy a file", "positional_args": [
    -      {"name": "from", "type": "string", "format": "path", "description": "The file"},
    -      {"name": "to", "type": "string", "format": "path", "description": "The copy"}
    -    ]}
    +      {"name": "from", "type": "string", "format": "path", "description": "The file", "access": "read"},
    +      {"name": "to", "type": "string", "format": "path", "description": "The copy", "access": "write"}
    +    ], "mutates": true}
       ]
     }
    wrote CRIB/tools/copy.json
    "#);
    let output = crib.run(&["call", "copy", "from=given", "to=again"]);
    assert_eq!(output.code, 0, "without --learn as well: {}", output.stderr);
    let again = crib.run(&learn);
    assert!(again.stdout.ends_with("copy.json declares all of this already\n"), "{}", again.stdout);
    let failed = crib.run(&["call", "copy", "from=missing", "to=made", "--learn", "--write"]);
    assert_eq!(failed.code, 1);
    assert!(!failed.stdout.contains("wrote"), "{}", failed.stdout);
}

#[test]
fn a_python_function_is_observed_and_its_clause_changed() {
    skip_without!("strace");
    skip_without!("python3");
    let page = "# Stock - MCP Tool Specification\n\n## Tool: `stock_save`\n\nSave the stock.\n";
    let code =
        "def stock_save():\n    open('made', 'w').write(open('given').read())\n    return {}\n";
    let clause = "[[bind]]\ntools = \"stock_save\" # only this one\npython = \"stock\"\n";
    let crib = TempCrib::new()
        .file("MCP_TOOL_SPECIFICATION.md", page)
        .file("stock.py", code)
        .file("toolcrib.toml", &format!("{clause}mutates = false\n"))
        .file("given", "content");
    let learn = ["call", "stock_save", "--learn", "--write"];
    insta::assert_snapshot!(crib.transcript(&learn));
    assert_eq!(crib.read("toolcrib.toml"), format!("{clause}mutates = true\n"));
    let output = crib.run(&["call", "stock_save"]);
    assert_eq!(output.code, 0, "without --learn as well: {}", output.stderr);
    crib.write("toolcrib.toml", "[[bind]]\ntools = \"stock_*\"\npython = \"stock\"\n");
    let shared = crib.run(&learn);
    assert!(shared.stderr.contains("may apply to other tools"), "{}", shared.stderr);
}

#[test]
fn an_r_function_is_observed_and_its_comment_changed() {
    skip_without!("strace");
    skip_without!("Rscript");
    let crib = package(
        "#' Save a text\n#' @keywords mcp-tool mcp-read-only\nsave <- function() writeLines(readLines(\"given\"), \"made\")\n",
    );
    crib.write("given", "content");
    assert_eq!(crib.run(&["build", "."]).code, 0);
    insta::assert_snapshot!(crib.transcript(&["call", "demo-save", "--learn", "--write"]));
    assert!(crib.read("R/a.R").contains("#' @keywords mcp-tool mcp-writes\n"));
    assert_eq!(crib.run(&["build", "."]).code, 0);
    let output = crib.run(&["call", "demo-save"]);
    assert_eq!(output.code, 0, "without --learn as well: {}", output.stderr);
}

#[test]
fn a_sequence_cannot_be_observed() {
    let mut all = definition("all", "sequence");
    all["step_delay_ms"] = json!(0);
    all["subcommand"][0]["sequence"] = json!([{"tool": "one", "args": {}}]);
    let crib = TempCrib::new().tool("all", all).tool("one", definition("one", "true"));
    let output = crib.run(&["call", "all", "--learn"]);
    insta::assert_snapshot!(output.stderr);
}
