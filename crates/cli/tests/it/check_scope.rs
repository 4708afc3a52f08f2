//! What `check` reads: a crib and its configured folders, one of its files, standalone files, or
//! standard input.

use serde_json::json;
use testing::{TempCrib, definition};

use crate::check::codes;

#[test]
fn standalone_files_are_checked_separately() {
    let crib = TempCrib::new()
        .file("one.json", &definition("same", "true").to_string())
        .file("two.json", &definition("same", "true").to_string());
    insta::assert_snapshot!(crib.transcript(&["check", "one.json", "two.json"]), @r"
    exit code 0
    --- stdout
    2 files, 2 tools, 0 errors, 0 warnings, 0 notes
    ");
}

#[test]
fn a_missing_path_exits_with_2() {
    insta::assert_snapshot!(TempCrib::new().transcript(&["check", "no/such/file.json"]), @r"
    exit code 2
    --- stderr
    error: cannot read `no/such/file.json`: No such file or directory (os error 2)
     |
     = help: pass an existing file or folder
    ");
}

#[test]
fn definitions_that_are_not_read_are_reported() {
    let crib = TempCrib::new().tool("used", definition("used", "true"));
    let text = definition("lost", "true").to_string();
    for path in ["lost.json", "tools/sub/lost.json", "tools/lost.jsn"] {
        crib.write(path, &text);
    }
    std::fs::create_dir_all(crib.root().join("tools/folder.json")).expect("a folder");
    crib.write("package.json", r#"{"name": "shop", "description": "A shop", "scripts": {}}"#);
    crib.write("tools/README.md", "# Tools\n");
    let report = crib.run(&["check", "--format", "json"]).json();
    let found = report["diagnostics"].as_array().expect("diagnostics").iter();
    let found: Vec<_> = found
        .filter(|found| found["code"] == "TC610")
        .map(|found| found["file"].as_str().expect("a file").to_owned())
        .collect();
    assert_eq!(found, ["lost.json", "tools/folder.json", "tools/lost.jsn", "tools/sub/lost.json"]);
}

#[test]
fn configured_folders_must_exist() {
    let crib = TempCrib::new().tool("used", definition("used", "true"));
    crib.write(
        "toolcrib.toml",
        "[crib]\nroots = [\".\", \"../nowhere\"]\n[confine]\nread = [\"~/nothing-here\"]\n",
    );
    let output = crib.run(&["check"]);
    assert_eq!(output.code, 1);
    for path in ["`../nowhere` does not exist", "`~/nothing-here` does not exist"] {
        assert!(output.stdout.contains(path), "{}{}", output.stdout, output.stderr);
    }
    assert_ne!(crib.run(&["call", "used"]).code, 0, "no call without the folders it may need");
}

#[test]
fn a_shortened_field_gets_its_full_name() {
    let mut tool = definition("wait", "sleep 1");
    tool["timeout"] = json!(3);
    tool["descr"] = json!("Wait a second");
    let shown = TempCrib::new().tool("wait", tool).run(&["check"]).stdout;
    for field in ["timeout_seconds", "description"] {
        assert!(shown.contains(&format!("did you mean `{field}`?")), "{shown}");
    }
}

#[test]
fn settings_without_effect_and_a_missing_sandbox_are_reported() {
    let crib = TempCrib::new().tool("git_push", definition("git_push", "git push"));
    crib.write(
        "toolcrib.toml",
        "[confine]\nenabled = false\n[program.git]\nprofiles = [\"gti\"]\ncredentials = [\"git_psh\"]\n\
         [program.cargoo]\ncaches = true\n",
    );
    insta::assert_snapshot!(crib.transcript(&["check"]), @r#"
    exit code 1
    --- stdout
    warning[TC615]: tools run without a sandbox
     --> toolcrib.toml:2:1
      |
    2 | enabled = false
      | ^^^^^^^
      |
      = help: remove this, and grant what the tools need

    error[TC601]: there is no profile `gti`
     --> toolcrib.toml:4:14
      |
    4 | profiles = ["gti"]
      |              ^^^
      |
      = help: did you mean `git`?

    warning[TC614]: there is no tool `git_psh` to give credentials to
     --> toolcrib.toml:5:17
      |
    5 | credentials = ["git_psh"]
      |                 ^^^^^^^
      |
      = help: did you mean `git_push`?

    warning[TC614]: no tool runs `cargoo`
     --> toolcrib.toml:6:10
      |
    6 | [program.cargoo]
      |          ^^^^^^
      |
      = help: correct the name, or remove it

    2 files, 1 tool, 1 error, 3 warnings, 0 notes
    "#);
    crib.write("toolcrib.toml", "[crib]\nnam = \"shop\"\n[confine]\nmount = []\n");
    insta::assert_snapshot!(crib.transcript(&["check"]), @r#"
    exit code 1
    --- stdout
    error[TC601]: unknown field `nam`
     --> toolcrib.toml:2:1
      |
    2 | nam = "shop"
      | ^^^
      |
      = help: did you mean `name`?

    error[TC601]: unknown field `mount`
     --> toolcrib.toml:4:1
      |
    4 | mount = []
      | ^^^^^
      |
      = help: the keys here are `enabled`, `read`, `write`, `environment`, `require`

    2 files, 1 tool, 2 errors, 0 warnings, 0 notes
    "#);
    crib.write("toolcrib.toml", "[confine]\nenabled = false\n");
    assert_eq!(crib.run(&["list"]).code, 0, "a warning does not stop anything");
}

#[test]
fn a_home_folder_that_programs_cannot_read_is_an_error() {
    let crib = TempCrib::new().tool("used", definition("used", "true"));
    crib.write("toolcrib.toml", "[confine]\nenvironment = [\"HOME\"]\n");
    insta::assert_snapshot!(crib.transcript(&["check"]), @r#"
    exit code 1
    --- stdout
    error[TC601]: programs cannot read your home folder, so `HOME` is an empty folder of their own
     --> toolcrib.toml:2:17
      |
    2 | environment = ["HOME"]
      |                 ^^^^
      |
      = help: remove it, and grant what a program needs with `[program.NAME] read` or `credentials`; `[confine] read = ["~"]` would make all of your files readable

    2 files, 1 tool, 1 error, 0 warnings, 0 notes
    "#);
}

/// A crib whose tools need its guidance, a bound program, a custom rule and an allowance.
fn configured_crib() -> TempCrib {
    let crib = TempCrib::new().file(
        "tool_guidance.json",
        r#"{"guidance_blocks": {"careful": "Reads files and changes nothing."}}"#,
    );
    crib.write(
        "toolcrib.toml",
        "[[bind]]\ntools = \"find\"\ncommand = [\"grep\", \"{text}\"]\n\
         [[rule]]\ncode = \"ACME-1\"\nseverity = \"warning\"\nwhen = \"tool.category == null\"\nmessage = \"the tool has no category\"\n",
    );
    crib.write(
        "tools/find.json",
        &json!({"name": "find", "description": "Find lines", "guidance_key": "careful", "synchronous": true,
            "mutates": false, "inputSchema": {"type": "object", "additionalProperties": false, "required": ["text"],
                "properties": {"text": {"type": "string", "description": "What to find"}}}})
        .to_string(),
    );
    crib
}

#[test]
fn a_file_is_checked_with_its_crib() {
    let crib = configured_crib();
    let codes_of = |arguments: &[&str]| {
        let report = crib.run(arguments).json();
        codes(&report).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let whole = codes_of(&["check", "--format", "json"]);
    let file = codes_of(&["check", "--format", "json", "tools/find.json"]);
    assert_eq!(file, whole);
    assert_eq!(file, ["ACME-1"], "neither unknown guidance nor a missing command");
    let document = crib.run(&["--validate-schema", "tools/find.json"]).json();
    assert_eq!(
        (&document["tool"], &document["details"][0]["code"]),
        (&json!("find"), &json!("ACME-1"))
    );
    crib.write("toolcrib.toml", "[crib]\nroots = [\"nowhere\"]\n");
    assert_eq!(codes_of(&["check", "--format", "json", "toolcrib.toml"]), ["TC609"]);
}

#[test]
fn standard_input_is_checked_as_a_definition_of_the_crib() {
    let crib = configured_crib();
    let text = std::fs::read_to_string(crib.root().join("tools/find.json")).expect("a file");
    let output = crib.run_with_input(&["check", "-"], &text.replace("careful", "carefull"));
    assert_eq!(output.code, 0, "{}", output.stdout);
    assert!(output.stdout.contains("did you mean `careful`?"), "{}", output.stdout);
    assert!(output.stdout.contains("--> stdin:1:"), "{}", output.stdout);
}

#[test]
fn standard_input_is_checked_with_the_bindings_and_tools_of_the_crib() {
    let crib = configured_crib();
    let text = std::fs::read_to_string(crib.root().join("tools/find.json")).expect("a file");
    let codes_of = |text: &str| {
        let report = crib.run_with_input(&["check", "--format", "json", "-"], text).json();
        codes(&report).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(codes_of(&text), ["ACME-1"], "it has a command, and is no second definition");
    let sequence = |step: &str| {
        json!({"name": "both", "description": "Find lines twice", "mutates": false, "category": "a",
            "subcommand": [{"name": "default", "description": "Find lines twice", "sequence":
                [{"tool": step, "args": {"text": "x"}}]}]})
        .to_string()
    };
    assert_eq!(codes_of(&sequence("find")), Vec::<String>::new());
    assert_eq!(codes_of(&sequence("fnid")), ["TC205"]);
}
