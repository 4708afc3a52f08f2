//! What the MTDF guide promises: its flags, and its three complete examples, which name no program.

use serde_json::{Value, json};
use testing::{TempCrib, definition};

fn my_tool() -> Value {
    json!({"name": "my_tool", "description": "Example tool for demonstration", "inputSchema": {"type": "object",
        "properties": {
            "input_file": {"type": "string", "description": "Path to input file", "pattern": "^[^<>:\"|?*]+$"},
            "options": {"type": "array", "items": {"type": "string"}, "description": "More options", "default": []}},
        "required": ["input_file"], "additionalProperties": false}})
}

fn cargo_build() -> Value {
    json!({"name": "cargo_build", "description": "Build Rust project with cargo", "inputSchema": {"type": "object",
        "properties": {
            "release": {"type": "boolean", "description": "Build in release mode", "default": false},
            "features": {"type": "array", "items": {"type": "string"}, "description": "Features", "default": []},
            "target": {"type": "string", "description": "Target triple", "pattern": "^[a-zA-Z0-9_-]+$"}},
        "additionalProperties": false}})
}

fn python_script() -> Value {
    json!({"name": "python_script", "description": "Execute Python script with arguments",
        "inputSchema": {"type": "object",
            "properties": {
                "script_path": {"type": "string", "description": "Path to Python script", "pattern": "\\.py$"},
                "args": {"type": "array", "items": {"type": "string"}, "description": "Arguments", "default": []},
                "env_vars": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Variables", "default": {}}},
            "required": ["script_path"], "additionalProperties": false}})
}

fn crib_with_guide_examples() -> TempCrib {
    TempCrib::new().tool("my_tool", my_tool()).tool("cargo_build", cargo_build()).tool("python_script", python_script()).file(
        "toolcrib.toml",
        "[[bind]]\ntools = \"my_tool\"\ncommand = [\"echo\"]\n\
         [[bind]]\ntools = \"cargo_*\"\ncommand = [\"echo\", \"build\"]\n\
         [[bind]]\ntools = \"python_script\"\ncommand = [\"python3\", \"{script_path}\", \"{args}\"]\n",
    )
}

#[test]
fn the_three_complete_examples_run() {
    let crib = crib_with_guide_examples()
        .file("hello.py", "import os, sys\nprint(sys.argv[1:], os.environ['GREETING'])\n");
    let out = |name: &str, arguments: Value| {
        let output = crib.run(&["call", name, "--args", &arguments.to_string()]);
        assert_eq!(output.code, 0, "{name}: {}{}", output.stdout, output.stderr);
        output.stdout
    };
    assert_eq!(
        out("my_tool", json!({"input_file": "a.txt", "options": ["x", "y"]})),
        "--input_file a.txt --options x --options y\n"
    );
    assert_eq!(
        out("cargo_build", json!({"release": true, "features": ["a", "b"]})),
        "build --release --features a --features b\n"
    );
    let python =
        json!({"script_path": "hello.py", "args": ["1", "two"], "env_vars": {"GREETING": "hi"}});
    let arguments = python.to_string();
    let refused = crib.run(&["call", "python_script", "--json", "--args", &arguments]);
    assert_eq!(refused.code, 5, "the definition does not list the variable: {}", refused.stdout);
    let refused = refused.json();
    let id = refused["error_details"]["approval"].as_str().expect("an approval");
    assert_eq!(crib.approve(id).code, 0);
    assert_eq!(out("python_script", python), "['1', 'two'] hi\n");
}

#[test]
fn variables_that_inject_code_are_refused() {
    let crib = crib_with_guide_examples().file("hello.py", "");
    for name in ["PATH", "LD_PRELOAD", "BASH_ENV", "PYTHONPATH"] {
        let arguments = json!({"script_path": "hello.py", "env_vars": {name: "x"}}).to_string();
        let output = crib.run(&["call", "python_script", "--args", &arguments]);
        assert_ne!(output.code, 0, "{name}");
        assert!(
            format!("{}{}", output.stdout, output.stderr).contains(name),
            "{name}: {}{}",
            output.stdout,
            output.stderr
        );
    }
}

#[test]
fn validate_schema_prints_the_documented_error() {
    let crib = TempCrib::new().file(
        "bad.json",
        r#"{"name": "bad", "description": "x", "command": "true", "subcommand": [{"name": "a"}]}"#,
    );
    let output = crib.run(&["--validate-schema", "bad.json"]);
    assert_eq!(output.code, 1);
    let document = output.json();
    assert_eq!(document["error"], "Schema validation failed");
    assert!(document["tool"].as_str().is_some_and(|tool| tool.starts_with("bad")), "{document}");
    let detail = &document["details"][0];
    for key in ["path", "message", "expected"] {
        assert!(detail[key].is_string(), "{key}: {document}");
    }
    assert!(detail.as_object().expect("an object").contains_key("received"));
    let good = TempCrib::new()
        .file("good.json", &definition("good", "true").to_string())
        .run(&["--validate-schema", "good.json"]);
    assert_eq!((good.code, &good.json()["details"]), (0, &json!([])));
}

#[test]
fn the_other_flags_match_their_commands() {
    let crib = TempCrib::new().tool("ok", definition("ok", "true"));
    assert_eq!(crib.run(&["--validate-tools"]).code, 0);
    insta::assert_snapshot!(crib.transcript(&["--debug-validation"]), @r"
    exit code 0
    --- stdout
    ok
      Runs it

    Parameters
      working_directory  Folder to run in (path)

    Runs
      true

    Call
      toolcrib call ok

    Facts
      effect      changes nothing
      returns     the result
      defined in  tools/ok.json#/subcommand/0

    1 file, 1 tool, 0 errors, 0 warnings, 0 notes
    ");
    assert_eq!(crib.run(&["--generate-docs"]).code, 0);
    assert!(crib.root().join("tool-docs/index.md").exists());
    let broken = TempCrib::new().file("tools/x.json", "{");
    insta::assert_snapshot!(broken.transcript(&["--validate-tools"]), @r"
    exit code 1
    --- stdout
    error[TC004]: the file ends before the `{` of line 1 is closed
     --> tools/x.json:1:2
      |
    1 | {
      |  ^
      |
      = help: add the missing bracket; is the file truncated?

    1 file, 0 tools, 1 error, 0 warnings, 0 notes
    ");
}
