//! `call`, `list` and `show`.

use std::fs;

use serde_json::json;
use testing::{TempCrib, definition, repository};

fn crib_with_say_and_flop() -> TempCrib {
    TempCrib::new()
        .tool(
            "say",
            json!({"name": "say", "description": "Print", "command": "echo", "synchronous": true, "mutates": false,
                "subcommand": [{"name": "default", "description": "Print words",
                    "options": [{"name": "n", "type": "boolean", "description": "No newline"}],
                    "positional_args": [{"name": "words", "type": "array", "description": "What", "required": true}]}]}),
        )
        .tool("flop", definition("flop", "false"))
}

#[test]
fn exit_codes_distinguish_failures() {
    let crib = crib_with_say_and_flop();
    let code = |arguments: &[&str]| crib.run(arguments).code;
    assert_eq!(code(&["call", "say", "--args", r#"{"words": ["x"]}"#]), 0);
    assert_eq!(code(&["call", "flop"]), 1);
    assert_eq!(code(&["call", "nope"]), 3);
    assert_eq!(code(&["call", "say"]), 4);
    assert_eq!(code(&["call", "say", "--args", "[1]"]), 4);
    assert_eq!(code(&["call", "say", "--args", "{"]), 4);
}

#[test]
fn a_tool_that_requires_approval_is_not_run() {
    let mut guarded = definition("guarded", "touch ran");
    guarded["requires_approval"] = json!(true);
    let crib = TempCrib::new().tool("guarded", guarded);
    assert_eq!(crib.run(&["call", "guarded"]).code, 5);
    assert!(!crib.root().join("ran").exists());
}

#[test]
fn output_goes_to_standard_output() {
    let output =
        crib_with_say_and_flop().run(&["call", "say", "--args", r#"{"words": ["a b", "c"]}"#]);
    assert_eq!(output.stdout, "a b c\n");
}

#[test]
fn the_output_of_a_failed_program_is_printed_before_the_error() {
    let mut tool = definition("fuss", "sh fuss.sh");
    tool["mutates"] = json!(false);
    let crib = TempCrib::new().tool("fuss", tool).file("fuss.sh", "echo out; echo err >&2; exit 3");
    insta::assert_snapshot!(crib.transcript(&["call", "fuss"]), @r"
    exit code 1
    --- stdout
    out

    --- stderr
    err
    error: `fuss` failed with exit code 3
    ");
}

#[test]
fn the_stderr_of_a_successful_program_goes_to_stderr() {
    let mut tool = definition("fuss", "sh fuss.sh");
    tool["mutates"] = json!(false);
    let crib = TempCrib::new().tool("fuss", tool).file("fuss.sh", "echo out; echo careful >&2");
    insta::assert_snapshot!(crib.transcript(&["call", "fuss"]), @r"
    exit code 0
    --- stdout
    out

    --- stderr
    careful
    ");
}

#[test]
fn json_gives_the_structured_result() {
    let result = crib_with_say_and_flop()
        .run(&["call", "say", "--json", "--args", r#"{"words": ["x"], "n": true}"#])
        .json();
    assert_eq!(result["exit_code"], 0);
    assert_eq!(result["stdout"], "x");
    assert_eq!(result["truncated"], false);
}

#[test]
fn all_bad_arguments_are_reported() {
    let arguments = r#"{"n": "yes", "wrods": []}"#;
    let transcript = crib_with_say_and_flop().transcript(&["call", "say", "--args", arguments]);
    insta::assert_snapshot!(transcript, @r"
    exit code 4
    --- stderr
    error: Invalid arguments for `say`:
           - n: Expected boolean, received string
           - wrods: Unknown parameter 'wrods'; did you mean 'words'?
           - words: Missing required parameter 'words'
    ");
}

#[test]
fn errors_of_schema_and_paths_are_reported_together() {
    let show = json!({"name": "show", "description": "Print", "command": "cat", "synchronous": true, "mutates": false,
        "subcommand": [{"name": "default", "description": "Print files",
            "options": [{"name": "n", "type": "boolean", "description": "Numbers"}],
            "positional_args": [
                {"name": "file", "type": "string", "format": "path", "description": "Which"},
                {"name": "word", "type": "string", "description": "Text"}]}]});
    let crib = TempCrib::new().tool("show", show);
    let arguments = r#"{"n": "yes", "file": "/etc/passwd", "word": "-x", "working_directory": 3}"#;
    insta::assert_snapshot!(crib.transcript(&["call", "show", "--args", arguments]), @r"
    exit code 4
    --- stderr
    error: Invalid arguments for `show`:
           - n: Expected boolean, received string
           - working_directory: Expected string, received integer
           - 'file' leads outside the folders that tools may access: `/etc/passwd`; stay inside `CRIB`, or add the folder to `roots` in toolcrib.toml
           - 'word' must not begin with a dash, or the program would take `-x` for an option; to pass it, the definition needs `allow_dash` or `double_dash`
    ");
    let details = crib.run(&["call", "show", "--json", "--args", arguments]).json();
    let details = details["error_details"]["details"].as_array().cloned().expect("details");
    let paths: Vec<_> = details.iter().map(|detail| detail["path"].clone()).collect();
    assert_eq!(paths, ["/n", "/working_directory", "/file", "/word"]);
}

#[test]
fn a_plan_names_the_variables_of_the_proxy() {
    let mut tool = definition("fetch", "echo");
    tool["network"] = json!(["example.org:443"]);
    let plan = TempCrib::new().tool("fetch", tool).run(&["call", "fetch", "--dry-run", "--json"]);
    let plan = plan.json();
    let has = |name: &str| plan["env"].as_array().expect("names").contains(&json!(name));
    let is_proxied = plan["confinement"]["level"] == "namespaces";
    for name in ["HTTP_PROXY", "https_proxy", "NO_PROXY"] {
        assert_eq!(has(name), is_proxied, "{name}: {plan}");
    }
}

#[test]
fn rejects_arguments_that_are_not_an_object() {
    let crib = crib_with_say_and_flop();
    insta::assert_snapshot!(crib.transcript(&["call", "say", "--args", "[1]"]), @r#"
    exit code 4
    --- stderr
    error: the arguments must be an object, received array
     |
     = help: pass a JSON object, such as --args '{"name": "value"}', or key=value
    "#);
    insta::assert_snapshot!(crib.transcript(&["call", "say", "--args", "{"]), @r#"
    exit code 4
    --- stderr
    error: the arguments are not JSON: EOF while parsing an object at line 1 column 1
     |
     = help: pass a JSON object, such as --args '{"name": "value"}', or key=value
    "#);
}

#[test]
fn a_dry_run_prints_the_plan_and_runs_nothing() {
    let crib = TempCrib::new().tool(
        "make",
        json!({"name": "make", "description": "Make a file", "command": "touch", "synchronous": true, "mutates": true,
            "subcommand": [{"name": "default", "description": "Make it",
                "positional_args": [{"name": "file", "type": "string", "format": "path", "description": "Which", "required": true}]}]}),
    );
    let plan =
        crib.run(&["call", "make", "--args", r#"{"file": "new"}"#, "--dry-run", "--json"]).json();
    assert_eq!(plan["version"], 1);
    assert_eq!(plan["tool"], "make");
    assert!(
        plan["argv"]
            .as_array()
            .expect("argv")
            .iter()
            .any(|word| word.as_str().is_some_and(|word| word.ends_with("new"))),
        "{plan}"
    );
    for key in ["program", "cwd", "env", "timeout_seconds", "confinement"] {
        assert!(!plan[key].is_null(), "{key}: {plan}");
    }
    assert!(!crib.root().join("new").exists());
    let arguments = ["call", "make", "--args", r#"{"file": "new"}"#, "--dry-run"];
    let human = crib.transcript(&arguments);
    assert!(human.contains("--- stdout\nruns       touch new\n"), "{human}");
}

#[test]
fn a_misspelled_name_gets_a_suggestion() {
    let crib = crib_with_say_and_flop();
    insta::assert_snapshot!(crib.transcript(&["show", "sya"]), @r"
    exit code 3
    --- stderr
    error: there is no tool `sya` in CRIB
     |
     = help: did you mean `say`?
    ");
    insta::assert_snapshot!(crib.transcript(&["call", "wholly-different"]), @r"
    exit code 3
    --- stderr
    error: there is no tool `wholly-different` in CRIB
     |
     = help: run `toolcrib list` to see the tools, `toolcrib check` to see why one is missing, or name another crib with -C
    ");
}

#[test]
fn list_separates_documented_tools_from_served_ones() {
    let crib = crib_with_say_and_flop()
        .tool("idea", json!({"name": "idea", "description": "Not yet", "inputSchema": {"type": "object", "properties": {}}}))
        .file("tools/broken.json", "{");
    insta::assert_snapshot!(crib.transcript(&["list"]), @r"
    exit code 0
    --- stdout
    flop         Runs it
    say          Print words

    Built in
    read_output  Reads lines of a long output that a result shows in part.

    Documented, not served: no program (see `[[bind]]` in toolcrib.toml)
    idea         Not yet

    --- stderr
    1 error in definitions; run `toolcrib check` to see them
    ");
    let names: Vec<_> = crib
        .run(&["list", "--json"])
        .json()
        .as_array()
        .expect("an array")
        .iter()
        .map(|tool| tool["name"].clone())
        .collect();
    assert_eq!(names, ["flop", "read_output", "say"]);
}

#[test]
fn built_in_tools_can_be_shown_and_called() {
    let crib = crib_with_say_and_flop();
    assert_eq!(crib.run(&["show", "read_output"]).code, 0);
    let output = crib.run(&["call", "read_output", "--args", r#"{"output": "none"}"#]);
    assert_eq!(output.code, 1, "{}", output.stderr);
}

/// What `show` prints before the sandbox level, which depends on the machine.
pub(crate) fn without_level(shown: &str) -> &str {
    let (shown, level) = shown.rsplit_once("\nSandbox\n  ").expect("a sandbox level");
    assert!(["namespaces", "landlock"].contains(&level.trim()), "{level}");
    shown
}

#[test]
fn show_prints_arguments_and_the_command_line() {
    let crib = crib_with_say_and_flop();
    let shown = crib.transcript(&["show", "say"]);
    insta::assert_snapshot!(without_level(&shown), @r#"
    exit code 0
    --- stdout
    say
      Print words

    Parameters
      n                  No newline (boolean)
      words              What (array of string; required)
      working_directory  Folder to run in (path)

    Runs
      echo [-n] <words>...

    Call
      toolcrib call say --args '{"words":["…"]}'

    Facts
      effect      changes nothing
      returns     the result
      defined in  tools/say.json#/subcommand/0
    "#);
}

/// A sequence of four steps: one that runs, one that is skipped, an inner sequence, one without its
/// program.
fn crib_with_sequence() -> TempCrib {
    let sequence = |name: &str, steps: serde_json::Value| {
        json!({"name": name, "description": "Several in turn", "command": "sequence", "synchronous": true, "mutates": true,
            "sequence": steps})
    };
    let steps = json!([
        {"tool": "say", "args": {"words": ["a b"]}},
        {"tool": "flop", "skip_if_file_exists": "done"},
        {"tool": "inner"},
        {"tool": "absent"},
    ]);
    crib_with_say_and_flop()
        .tool("all", sequence("all", steps))
        .tool("inner", sequence("inner", json!([{"tool": "flop"}])))
        .tool("absent", definition("absent", "toolcrib-no-such-program"))
        .file("done", "")
}

#[test]
fn a_dry_run_of_a_sequence_prints_the_plan_of_each_step() {
    let plan = crib_with_sequence().run(&["call", "all", "--dry-run", "--json"]).json();
    assert_eq!((&plan["version"], &plan["tool"]), (&json!(1), &json!("all")));
    let steps = plan["steps"].as_array().expect("steps");
    let names: Vec<_> = steps.iter().map(|step| step["tool"].as_str().expect("a name")).collect();
    assert_eq!(names, ["say", "flop", "inner", "absent"]);
    assert_eq!(steps[0]["plan"]["argv"], json!(["echo", "a b"]));
    assert_eq!(steps[1]["skipped"], "because `done` exists");
    assert_eq!(steps[2]["plan"]["steps"][0]["plan"]["argv"], json!(["false"]));
    assert!(
        steps[3]["problem"].as_str().expect("why").contains("toolcrib-no-such-program"),
        "{plan}"
    );
}

#[test]
fn human_output_numbers_the_steps_of_a_dry_run() {
    let output = crib_with_sequence().run(&["call", "all", "--dry-run"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let told: Vec<_> =
        output.stdout.lines().filter(|line| line.contains(". ") || line.contains("runs")).collect();
    insta::assert_snapshot!(told[..6].join("\n"), @r"
    1. say
       runs       echo 'a b'
    2. flop: skipped, because `done` exists
       runs       false
    3. inner
       1. flop
    ");
    assert!(output.stdout.contains("\n4. absent: cannot be planned now: "), "{}", output.stdout);
}

#[test]
fn the_documented_consent_word_can_be_passed() {
    let page = fs::read_to_string(repository().join("docs/approval.md")).expect("the page");
    let documented = page
        .split("```json\n")
        .find(|block| block.contains("\"consent\""))
        .and_then(|block| block.split("```").next())
        .expect("a definition with a consent word");
    let crib = TempCrib::new()
        .file("tools/forget.json", documented)
        .file("notes/monday.txt", "milk\n")
        .file(
            "toolcrib.toml",
            "[[policy]]\ntools = \"forget\"\ndo = \"allow\"\nuntil = 2999-12-31\n",
        );
    let checked = crib.run(&["check", "--strict"]);
    assert_eq!(checked.code, 0, "{}", checked.stdout);
    for wrong in ["{}", r#"{"confirm": "yes"}"#] {
        assert_eq!(crib.run(&["call", "forget", "--args", wrong]).code, 4, "{wrong}");
    }
    let word = r#"{"confirm": "DELETE_ALL_NOTES"}"#;
    let plan = crib.run(&["call", "forget", "--args", word, "--dry-run", "--json"]).json();
    assert_eq!(plan["argv"], json!(["rm", "-r", "notes"]), "the word does not reach the program");
    assert!(crib.root().join("notes").exists());
    let called = crib.run(&["call", "forget", "--args", word]);
    assert_eq!(called.code, 0, "{}{}", called.stdout, called.stderr);
    assert!(!crib.root().join("notes").exists());
}
