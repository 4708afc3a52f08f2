//! `diff`: changes, and the version that they need.

use std::process::Command;

use serde_json::{Value, json};
use testing::{CommandOutput, TempCrib, run_outside_crib, skip_without};

/// A definition of one tool with these parameters.
fn greet_tool(version: &str, parameters: Value, required: Value) -> String {
    json!({
        "name": "greet", "description": "Print a greeting", "command": "echo", "mutates": false, "version": version,
        "inputSchema": {"type": "object", "properties": parameters, "required": required, "additionalProperties": false},
    })
    .to_string()
}

fn who_parameter() -> Value {
    json!({"who": {"type": "string", "description": "The name to greet"}})
}

fn who_and_parameter(name: &str) -> Value {
    json!({"who": {"type": "string", "description": "The name to greet"}, name: {"type": "string", "description": "More"}})
}

/// The output of `diff` for two texts.
fn diff(old: &str, new: &str) -> CommandOutput {
    TempCrib::new()
        .file("old.json", old)
        .file("new.json", new)
        .run(&["diff", "old.json", "new.json", "--format", "json"])
}

/// The one tool that was compared.
fn compared_tool(output: &CommandOutput) -> Value {
    output.json()["tools"][0].clone()
}

#[test]
fn diff_prints_the_documented_json_object() {
    let output = diff(
        &greet_tool("1.2.0", who_parameter(), json!(["who"])),
        &greet_tool("1.3.0", who_and_parameter("tone"), json!(["who", "tone"])),
    );
    assert_eq!(output.code, 1);
    assert_eq!(
        output.json(),
        json!({"version": 1, "ok": false, "tools": [{
            "name": "greet", "class": "breaking", "required_bump": "major", "old_version": "1.2.0", "new_version": "1.3.0",
            "ok": false, "use_version": "2.0.0",
            "changes": [
                {"rule": "required-added", "pointer": "/inputSchema/properties/tone", "message": "`tone` is new and required",
                 "breaking": true},
                {"rule": "version-changed", "pointer": "/version", "message": "the version changed from `1.2.0` to `1.3.0`",
                 "breaking": false},
            ],
        }]})
    );
}

#[test]
fn an_optional_addition_needs_a_patch_and_a_minor_version_is_suggested() {
    let old = greet_tool("1.2.0", who_parameter(), json!(["who"]));
    let step =
        |version: &str| diff(&old, &greet_tool(version, who_and_parameter("tone"), json!(["who"])));
    for (version, code) in [("1.2.0", 1), ("1.2.1", 0), ("1.3.0", 0), ("2.0.0", 0), ("1.1.0", 1)] {
        let output = step(version);
        let tool = compared_tool(&output);
        assert_eq!(
            (output.code, &tool["class"], &tool["required_bump"]),
            (code, &json!("compatible"), &json!("patch")),
            "{version}"
        );
    }
    assert_eq!(compared_tool(&step("1.2.0"))["use_version"], "1.3.0");
}

#[test]
fn a_missing_version_is_an_error_only_for_a_breaking_change() {
    let without =
        |parameters: Value| greet_tool("", parameters, json!([])).replace(r#","version":"""#, "");
    let broken = diff(&without(who_and_parameter("tone")), &without(who_parameter()));
    assert_eq!(
        (
            broken.code,
            &compared_tool(&broken)["old_version"],
            &compared_tool(&broken)["use_version"]
        ),
        (1, &Value::Null, &json!("1.0.0"))
    );
    assert_eq!(diff(&without(who_parameter()), &without(who_and_parameter("tone"))).code, 0);
}

#[test]
fn undecided_changes_need_a_major_version() {
    let tag = |pattern: &str| json!({"tag": {"type": "string", "description": "A tag", "pattern": pattern}});
    let old = greet_tool("1.0.0", tag("^v"), json!([]));
    let output = diff(&old, &greet_tool("1.1.0", tag("^v?"), json!([])));
    let change = compared_tool(&output)["changes"][0].clone();
    assert_eq!(
        (output.code, &change["breaking"], &change["undecided"]),
        (1, &json!(true), &json!(true))
    );
    assert!(
        change["message"].as_str().expect("a message").starts_with("cannot decide"),
        "{change}"
    );
    assert_eq!(diff(&old, &greet_tool("2.0.0", tag("^v?"), json!([]))).code, 0);
}

#[test]
fn human_output_shows_changes_effects_and_the_version_to_use() {
    let old = greet_tool("1.2.0", who_and_parameter("tone"), json!(["who"]));
    let new = greet_tool("1.2.1", who_parameter(), json!([]))
        .replace("Print a greeting", "Print a friendly greeting");
    let crib = TempCrib::new().file("old.json", &old).file("new.json", &new);
    insta::assert_snapshot!(crib.transcript(&["diff", "old.json", "new.json"]), @r"
    exit code 1
    --- stdout
    greet  breaking  1.2.0 -> 1.2.1  too low: use 2.0.0
      breaking     `tone` is no longer accepted  [parameter-removed /inputSchema/properties/tone]
      compatible   `who` is optional now  [parameter-optional /inputSchema/properties/who]
      behavioural  the description changed  [description-changed /description]
      metadata     the version changed from `1.2.0` to `1.2.1`  [version-changed /version]

    1 tool: 1 breaking; 1 version is too low
    ");
}

#[test]
fn diff_annotates_workflows_and_writes_comments() {
    let mut new = who_and_parameter("tone");
    new["who"]["description"] = json!("The name of @team <b>");
    let crib = TempCrib::new()
        .file("old.json", &greet_tool("1.2.0", who_parameter(), json!(["who"])))
        .file("new.json", &greet_tool("1.2.1", new, json!(["who", "tone"])));
    let diff = |format| crib.transcript(&["diff", "old.json", "new.json", "--format", format]);
    insta::assert_snapshot!(format!("{}\n{}", diff("github"), diff("markdown")));
}

#[test]
fn diff_limits_the_number_of_shown_rewordings() {
    let saying = |word: &str| {
        let parameters: serde_json::Map<String, Value> = (0..9)
            .map(|at| {
                (format!("p{at}"), json!({"type": "string", "description": format!("{word} {at}")}))
            })
            .collect();
        greet_tool("1.0.0", Value::Object(parameters), json!([]))
    };
    let crib =
        TempCrib::new().file("old.json", &saying("This is")).file("new.json", &saying("That is"));
    insta::assert_snapshot!(crib.transcript(&["diff", "old.json", "new.json"]), @r"
    exit code 1
    --- stdout
    greet  behavioural  1.0.0  too low: use 1.0.1
      behavioural  the description of `p0` changed  [description-changed /inputSchema/properties/p0/description]
      behavioural  the description of `p1` changed  [description-changed /inputSchema/properties/p1/description]
      behavioural  the description of `p2` changed  [description-changed /inputSchema/properties/p2/description]
                   … and 6 more of description-changed (`--format json` lists them)

    1 tool: 1 behavioural; 1 version is too low
    ");
}

#[test]
fn unchanged_tools_are_summarized() {
    let text = greet_tool("1.0.0", who_parameter(), json!([]));
    let crib = TempCrib::new().file("a.json", &text).file("b.json", &text);
    insta::assert_snapshot!(crib.transcript(&["diff", "a.json", "b.json"]), @r"
    exit code 0
    --- stdout
    1 tool: 1 unchanged; every version is high enough
    ");
    assert_eq!(compared_tool(&diff(&text, &text))["class"], "none");
}

#[test]
fn every_format_is_compared() {
    let yaml = |kind: &str| {
        format!(
            "name: pkg-f\ndescription: Does f\nversion: 1.0.0\nparameters:\n  type: object\n  properties:\n    x:\n      type: {kind}\n      description: how often\n  required: []\n"
        )
    };
    let page = |kind: &str| {
        format!(
            "# Files - MCP Tool Specification\n\n## Tool: `count`\n\n**Version**: 1.0.0\n\nCount lines.\n\n### 3. Input Schema (Parameters)\n\n| Parameter Name | Type | Required | Description |\n| :--- | :--- | :--- | :--- |\n| `path` | `{kind}` | Yes | The file |\n"
        )
    };
    for (name, old, new) in [
        ("f.yaml", yaml("integer"), yaml("string")),
        ("MCP_TOOL_SPECIFICATION.md", page("string"), page("integer")),
    ] {
        let crib =
            TempCrib::new().file(&format!("old/{name}"), &old).file(&format!("new/{name}"), &new);
        for (old, new) in
            [(format!("old/{name}"), format!("new/{name}")), ("old".to_owned(), "new".to_owned())]
        {
            let output = crib.run(&["diff", &old, &new, "--format", "json"]);
            assert_eq!(
                (output.code, &compared_tool(&output)["changes"][0]["rule"]),
                (1, &json!("type-changed")),
                "{old} {}",
                output.stderr
            );
        }
    }
}

/// Runs git in a crib, independent of the machine's configuration.
fn git(crib: &TempCrib, arguments: &[&str]) {
    let mut command = Command::new("git");
    command
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"])
        .args(arguments);
    let output = command
        .current_dir(crib.root())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A repository whose last commit has one parameter less than the files have now.
fn crib_in_git() -> TempCrib {
    let crib = TempCrib::new()
        .file("tools/greet.json", &greet_tool("1.0.0", who_parameter(), json!(["who"])));
    crib.write("schema.txt", "no definition");
    git(&crib, &["init", "-q", "-b", "main"]);
    git(&crib, &["add", "-A"]);
    git(&crib, &["commit", "-q", "-m", "first"]);
    crib.write(
        "tools/greet.json",
        &greet_tool("1.0.0", who_and_parameter("tone"), json!(["who", "tone"])),
    );
    crib
}

#[test]
fn revisions_of_a_repository_are_compared_with_files_and_with_each_other() {
    skip_without!("git");
    let crib = crib_in_git();
    for (old, new) in [
        ("HEAD:", "."),
        ("HEAD:tools", "tools"),
        ("main:tools/greet.json", "tools/greet.json"),
        ("HEAD:./tools/greet.json", "tools/greet.json"),
    ] {
        let output = crib.run(&["diff", old, new, "--format", "json"]);
        assert_eq!(
            (output.code, &compared_tool(&output)["changes"][0]["rule"]),
            (1, &json!("required-added")),
            "{old} {}",
            output.stderr
        );
    }
    git(&crib, &["commit", "-q", "-a", "-m", "second"]);
    let output = crib.run(&["diff", "HEAD~1:", "HEAD:", "--format", "json"]);
    assert_eq!(
        (output.code, &compared_tool(&output)["class"]),
        (1, &json!("breaking")),
        "{}",
        output.stderr
    );
    assert_eq!(crib.run(&["diff", "HEAD:", "."]).code, 0);
}

#[test]
fn reading_a_revision_does_not_change_the_repository() {
    skip_without!("git");
    let crib = crib_in_git();
    let listing = |crib: &TempCrib| {
        let output = Command::new("git")
            .args(["status", "--porcelain"])
            .current_dir(crib.root())
            .output()
            .expect("git runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let before = listing(&crib);
    crib.run(&["diff", "HEAD:", "."]);
    assert_eq!(listing(&crib), before);
}

#[test]
fn unknown_revisions_are_reported_with_a_hint() {
    skip_without!("git");
    let crib = crib_in_git();
    let transcript = |old: &str| crib.transcript(&["diff", old, "tools"]);
    insta::assert_snapshot!(transcript("nowhere:"), @r"
    exit code 2
    --- stderr
    error: there is no revision `nowhere`
     |
     = help: run `git log` to see the revisions; CI may have to fetch the history first
    ");
    insta::assert_snapshot!(transcript("HEAD:missing"), @r"
    exit code 2
    --- stderr
    error: there is no `missing` in the revision `HEAD`
     |
     = help: paths are relative to the root of the repository; start with `./` for the current folder
    ");
    insta::assert_snapshot!(transcript("HEAD"), @r"
    exit code 2
    --- stderr
    error: cannot read `HEAD`: No such file or directory (os error 2)
     |
     = help: pass an existing file or folder, or a revision with a colon, such as `HEAD:`
    ");
    insta::assert_snapshot!(transcript("HEAD:schema.txt"), @r"
    exit code 2
    --- stderr
    error: cannot read `HEAD:schema.txt` as a definition
     |
     = help: run `toolcrib check HEAD:schema.txt` to see the problems
    ");
    assert_eq!(crib.run(&["diff", "--output=x:", "tools"]).code, 2, "it is no flag for git");
    let outside =
        TempCrib::new().file("tools/greet.json", &greet_tool("1.0.0", who_parameter(), json!([])));
    insta::assert_snapshot!(outside.transcript(&["diff", "HEAD:", "tools"]), @r"
    exit code 2
    --- stderr
    error: `CRIB` is not in a git repository
     |
     = help: pass the folder of a repository with -C, or files or folders
    ");
    let output = crib
        .command(&["diff", "HEAD:", "tools"])
        .env("PATH", "/nowhere")
        .output()
        .expect("the program runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && stderr.contains("`git` was not found"), "{stderr}");
}

#[test]
fn diff_rejects_a_file_that_is_not_a_definition() {
    let crib = TempCrib::new()
        .file("old.json", "{\"name\":")
        .file("new.json", &greet_tool("1.0.0", who_parameter(), json!([])));
    insta::assert_snapshot!(crib.transcript(&["diff", "old.json", "new.json"]), @r"
    exit code 2
    --- stderr
    error: cannot read `old.json` as a definition
     |
     = help: run `toolcrib check old.json` to see the problems
    ");
    insta::assert_snapshot!(crib.transcript(&["diff", "absent.json", "new.json"]), @r"
    exit code 2
    --- stderr
    error: cannot read `absent.json`: No such file or directory (os error 2)
     |
     = help: pass an existing file or folder, or a revision with a colon, such as `absent.json:`
    ");
}

#[test]
fn an_empty_file_is_a_definition_by_its_extension_or_by_the_other_side() {
    let crib = TempCrib::new()
        .file("empty.json", "")
        .file("empty.md", "\n")
        .file("empty.txt", "")
        .file("greet.json", &greet_tool("1.0.0", who_parameter(), json!([])))
        .file("greet.txt", &greet_tool("1.0.0", who_parameter(), json!([])));
    for (old, new, code, tools) in [
        ("greet.json", "empty.json", 1, 1),
        ("empty.json", "greet.json", 0, 1),
        ("empty.txt", "greet.txt", 0, 1),
        ("empty.md", "empty.json", 0, 0),
    ] {
        let output = crib.run(&["diff", old, new, "--format", "json"]);
        assert_eq!(
            (output.code, output.json()["tools"].as_array().map(Vec::len)),
            (code, Some(tools)),
            "{old} {new}: {}",
            output.stderr
        );
    }
    assert_eq!(crib.run(&["diff", "empty.txt", "empty.txt"]).code, 2);
}

#[test]
fn tools_that_break_rules_are_compared() {
    let hidden = greet_tool("1.0.0", who_parameter(), json!(["who"]))
        .replace("Print a greeting", "Print a greeting\u{202e}");
    let crib = TempCrib::new()
        .file("old.json", &greet_tool("1.0.0", who_parameter(), json!(["who"])))
        .file("new.json", &hidden);
    assert_eq!(crib.run(&["check", "new.json"]).code, 1, "a rule reports an error");
    let output = crib.run(&["diff", "old.json", "new.json", "--format", "json"]);
    assert_eq!(
        (&compared_tool(&output)["class"], output.stderr.as_str()),
        (&json!("behavioural"), ""),
        "{}",
        output.stdout
    );
}

#[test]
fn an_allowed_change_is_shown_with_its_reason_and_does_not_count() {
    let crib = TempCrib::new()
        .file("tools/greet.json", &greet_tool("1.0.0", who_parameter(), json!(["who"])))
        .file("old.json", &greet_tool("1.0.0", who_and_parameter("tone"), json!(["who"])))
        .file("toolcrib.toml", "[[allow]]\ncode = \"parameter-removed\"\ntools = \"gr*\"\nreason = \"no caller used it\"\n");
    let output = crib.run(&["diff", "old.json", "tools", "--format", "json"]);
    assert_eq!(
        (output.code, &compared_tool(&output)["changes"][0]["allowed"]),
        (0, &json!("no caller used it")),
        "{}",
        output.stderr
    );
    assert!(
        !crib.run(&["check"]).stdout.contains("TC641"),
        "`check` cannot know whether it is useless"
    );
}

#[test]
fn explains_every_change_rule() {
    for rule in compat::CHANGES {
        let output = run_outside_crib(&["explain", rule.name]);
        assert!(
            output.code == 0
                && output.stdout.contains(rule.name)
                && output.stdout.contains("Before"),
            "{}",
            output.stderr
        );
    }
}
