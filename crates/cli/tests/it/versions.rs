//! `diff` and `lock`: what changed, the version it needs, and what is not as it was pinned.

use std::process::Command;

use serde_json::{Value, json};

use crate::crib::{Crib, Ran, has, run};

/// A definition of one tool with these parameters.
fn greet(version: &str, parameters: Value, required: Value) -> String {
    json!({
        "name": "greet", "description": "Print a greeting", "command": "echo", "mutates": false, "version": version,
        "inputSchema": {"type": "object", "properties": parameters, "required": required, "additionalProperties": false},
    })
    .to_string()
}

fn who() -> Value {
    json!({"who": {"type": "string", "description": "The name to greet"}})
}

fn who_and(name: &str) -> Value {
    json!({"who": {"type": "string", "description": "The name to greet"}, name: {"type": "string", "description": "More"}})
}

/// What `diff` says about two texts.
fn diff(old: &str, new: &str) -> Ran {
    Crib::new()
        .file("old.json", old)
        .file("new.json", new)
        .run(&["diff", "old.json", "new.json", "--format", "json"])
}

/// The one tool that was compared.
fn only(ran: &Ran) -> Value {
    ran.json()["tools"][0].clone()
}

#[test]
fn diff_prints_one_object_of_the_shape_that_programs_rely_on() {
    let ran = diff(
        &greet("1.2.0", who(), json!(["who"])),
        &greet("1.3.0", who_and("tone"), json!(["who", "tone"])),
    );
    assert_eq!(ran.code, 1);
    assert_eq!(
        ran.json(),
        json!({"version": 1, "ok": false, "tools": [{
            "name": "greet", "class": "breaking", "required_bump": "major", "old_version": "1.2.0", "new_version": "1.3.0",
            "ok": false, "use_version": "2.0.0",
            "changes": [
                {"rule": "required-added", "pointer": "/inputSchema/properties/tone", "message": "`tone` must be given now",
                 "breaking": true},
                {"rule": "version-changed", "pointer": "/version", "message": "the version was `1.2.0` and is `1.3.0`",
                 "breaking": false},
            ],
        }]})
    );
}

#[test]
fn an_optional_addition_needs_a_patch_and_a_minor_version_is_suggested() {
    let old = greet("1.2.0", who(), json!(["who"]));
    let step = |version: &str| diff(&old, &greet(version, who_and("tone"), json!(["who"])));
    for (version, code) in [("1.2.0", 1), ("1.2.1", 0), ("1.3.0", 0), ("2.0.0", 0), ("1.1.0", 1)] {
        let ran = step(version);
        let tool = only(&ran);
        assert_eq!(
            (ran.code, &tool["class"], &tool["required_bump"]),
            (code, &json!("compatible"), &json!("patch")),
            "{version}"
        );
    }
    assert_eq!(only(&step("1.2.0"))["use_version"], "1.3.0");
}

#[test]
fn a_missing_version_is_an_error_only_where_a_change_breaks() {
    let without =
        |parameters: Value| greet("", parameters, json!([])).replace(r#","version":"""#, "");
    let broken = diff(&without(who_and("tone")), &without(who()));
    assert_eq!(
        (broken.code, &only(&broken)["old_version"], &only(&broken)["use_version"]),
        (1, &Value::Null, &json!("1.0.0"))
    );
    assert_eq!(diff(&without(who()), &without(who_and("tone"))).code, 0);
}

#[test]
fn what_cannot_be_decided_is_not_ok_without_a_major_version() {
    let tag = |pattern: &str| json!({"tag": {"type": "string", "description": "A tag", "pattern": pattern}});
    let old = greet("1.0.0", tag("^v"), json!([]));
    let ran = diff(&old, &greet("1.1.0", tag("^v?"), json!([])));
    let change = only(&ran)["changes"][0].clone();
    assert_eq!(
        (ran.code, &change["breaking"], &change["undecided"]),
        (1, &json!(true), &json!(true))
    );
    assert!(
        change["message"].as_str().expect("a message").starts_with("cannot decide"),
        "{change}"
    );
    assert_eq!(diff(&old, &greet("2.0.0", tag("^v?"), json!([]))).code, 0);
}

#[test]
fn people_read_what_changed_what_it_does_and_the_version_to_use() {
    let old = greet("1.2.0", who_and("tone"), json!(["who"]));
    let new =
        greet("1.2.1", who(), json!([])).replace("Print a greeting", "Print a friendly greeting");
    let ran = Crib::new()
        .file("old.json", &old)
        .file("new.json", &new)
        .run(&["diff", "old.json", "new.json"]);
    insta::assert_snapshot!(ran.stdout, @r"
    greet  breaking  1.2.0 -> 1.2.1  too low: use 2.0.0
      breaking     `tone` is no longer taken  [parameter-removed /inputSchema/properties/tone]
      compatible   `who` can be left out now  [parameter-optional /inputSchema/properties/who]
      behavioural  the description is another  [description-changed /description]
      metadata     the version was `1.2.0` and is `1.2.1`  [version-changed /version]

    1 tool: 1 breaking; 1 version is too low
    ");
}

#[test]
fn what_was_only_reworded_is_told_in_few_lines() {
    let saying = |word: &str| {
        let parameters: serde_json::Map<String, Value> = (0..9)
            .map(|at| {
                (format!("p{at}"), json!({"type": "string", "description": format!("{word} {at}")}))
            })
            .collect();
        greet("1.0.0", Value::Object(parameters), json!([]))
    };
    let crib =
        Crib::new().file("old.json", &saying("This is")).file("new.json", &saying("That is"));
    let ran = crib.run(&["diff", "old.json", "new.json"]);
    insta::assert_snapshot!(ran.stdout, @r"
    greet  behavioural  1.0.0  too low: use 1.0.1
      behavioural  the description of `p0` is another  [description-changed /inputSchema/properties/p0/description]
      behavioural  the description of `p1` is another  [description-changed /inputSchema/properties/p1/description]
      behavioural  the description of `p2` is another  [description-changed /inputSchema/properties/p2/description]
                   … and 6 more of description-changed (`--format json` lists them)

    1 tool: 1 behavioural; 1 version is too low
    ");
}

#[test]
fn nothing_changed_is_said_and_ok() {
    let text = greet("1.0.0", who(), json!([]));
    let ran =
        Crib::new().file("a.json", &text).file("b.json", &text).run(&["diff", "a.json", "b.json"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "1 tool: 1 unchanged; every version is high enough\n")
    );
    assert_eq!(only(&diff(&text, &text))["class"], "none");
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
            Crib::new().file(&format!("old/{name}"), &old).file(&format!("new/{name}"), &new);
        for (old, new) in
            [(format!("old/{name}"), format!("new/{name}")), ("old".to_owned(), "new".to_owned())]
        {
            let ran = crib.run(&["diff", &old, &new, "--format", "json"]);
            assert_eq!(
                (ran.code, &only(&ran)["changes"][0]["rule"]),
                (1, &json!("type-changed")),
                "{old} {}",
                ran.stderr
            );
        }
    }
}

/// Runs git in a crib, whatever the machine's configuration says.
fn git(crib: &Crib, arguments: &[&str]) {
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
fn repository() -> Crib {
    let crib = Crib::new().file("tools/greet.json", &greet("1.0.0", who(), json!(["who"])));
    crib.write("schema.txt", "no definition");
    git(&crib, &["init", "-q", "-b", "main"]);
    git(&crib, &["add", "-A"]);
    git(&crib, &["commit", "-q", "-m", "first"]);
    crib.write("tools/greet.json", &greet("1.0.0", who_and("tone"), json!(["who", "tone"])));
    crib
}

#[test]
fn revisions_of_a_repository_are_compared_with_files_and_with_each_other() {
    if !has("git") {
        return;
    }
    let crib = repository();
    for (old, new) in [
        ("HEAD:", "."),
        ("HEAD:tools", "tools"),
        ("main:tools/greet.json", "tools/greet.json"),
        ("HEAD:./tools/greet.json", "tools/greet.json"),
    ] {
        let ran = crib.run(&["diff", old, new, "--format", "json"]);
        assert_eq!(
            (ran.code, &only(&ran)["changes"][0]["rule"]),
            (1, &json!("required-added")),
            "{old} {}",
            ran.stderr
        );
    }
    git(&crib, &["commit", "-q", "-a", "-m", "second"]);
    let ran = crib.run(&["diff", "HEAD~1:", "HEAD:", "--format", "json"]);
    assert_eq!((ran.code, &only(&ran)["class"]), (1, &json!("breaking")), "{}", ran.stderr);
    assert_eq!(crib.run(&["diff", "HEAD:", "."]).code, 0);
}

#[test]
fn a_revision_leaves_the_repository_as_it_is() {
    if !has("git") {
        return;
    }
    let crib = repository();
    let listing = |crib: &Crib| {
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
fn what_git_does_not_know_is_said_with_what_to_do() {
    if !has("git") {
        return;
    }
    let crib = repository();
    for (old, message) in [
        ("nowhere:", "there is no revision `nowhere`"),
        ("HEAD:missing", "there is no `missing` in the revision `HEAD`"),
        ("HEAD", "cannot read `HEAD`"),
        ("--output=x:", "unexpected argument"),
        ("HEAD:schema.txt", "cannot read `HEAD:schema.txt` as a definition"),
    ] {
        let ran = crib.run(&["diff", old, "tools"]);
        assert!(
            ran.code == 2 && ran.stderr.contains(message),
            "{old}: {} {}",
            ran.code,
            ran.stderr
        );
    }
    let outside = Crib::new().file("tools/greet.json", &greet("1.0.0", who(), json!([])));
    let ran = outside.run(&["diff", "HEAD:", "tools"]);
    assert!(ran.code == 2 && ran.stderr.contains("is in no git repository"), "{}", ran.stderr);
    let output = crib
        .command(&["diff", "HEAD:", "tools"])
        .env("PATH", "/nowhere")
        .output()
        .expect("the program runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && stderr.contains("`git` was not found"), "{stderr}");
}

#[test]
fn a_file_that_is_no_definition_cannot_be_compared() {
    let crib = Crib::new()
        .file("old.json", "{\"name\":")
        .file("new.json", &greet("1.0.0", who(), json!([])));
    let ran = crib.run(&["diff", "old.json", "new.json"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert_eq!(crib.run(&["diff", "absent.json", "new.json"]).code, 2);
}

#[test]
fn an_empty_file_is_one_without_tools_where_its_name_or_the_other_side_says_what_it_would_hold() {
    let crib = Crib::new()
        .file("empty.json", "")
        .file("empty.md", "\n")
        .file("empty.txt", "")
        .file("greet.json", &greet("1.0.0", who(), json!([])))
        .file("greet.txt", &greet("1.0.0", who(), json!([])));
    for (old, new, code, tools) in [
        ("greet.json", "empty.json", 1, 1),
        ("empty.json", "greet.json", 0, 1),
        ("empty.txt", "greet.txt", 0, 1),
        ("empty.md", "empty.json", 0, 0),
    ] {
        let ran = crib.run(&["diff", old, new, "--format", "json"]);
        assert_eq!(
            (ran.code, ran.json()["tools"].as_array().map(Vec::len)),
            (code, Some(tools)),
            "{old} {new}: {}",
            ran.stderr
        );
    }
    assert_eq!(crib.run(&["diff", "empty.txt", "empty.txt"]).code, 2);
}

#[test]
fn what_is_badly_written_is_compared_all_the_same() {
    let hidden = greet("1.0.0", who(), json!(["who"]))
        .replace("Print a greeting", "Print a greeting\u{202e}");
    let crib = Crib::new()
        .file("old.json", &greet("1.0.0", who(), json!(["who"])))
        .file("new.json", &hidden);
    assert_eq!(crib.run(&["check", "new.json"]).code, 1, "the rules have an error to tell");
    let ran = crib.run(&["diff", "old.json", "new.json", "--format", "json"]);
    assert_eq!(
        (&only(&ran)["class"], ran.stderr.as_str()),
        (&json!("behavioural"), ""),
        "{}",
        ran.stdout
    );
}

#[test]
fn an_allowed_change_is_told_with_its_reason_and_does_not_count() {
    let crib = Crib::new()
        .file("tools/greet.json", &greet("1.0.0", who(), json!(["who"])))
        .file("old.json", &greet("1.0.0", who_and("tone"), json!(["who"])))
        .file("toolcrib.toml", "[[allow]]\ncode = \"parameter-removed\"\ntools = \"gr*\"\nreason = \"nobody gave it\"\n");
    let ran = crib.run(&["diff", "old.json", "tools", "--format", "json"]);
    assert_eq!(
        (ran.code, &only(&ran)["changes"][0]["allowed"]),
        (0, &json!("nobody gave it")),
        "{}",
        ran.stderr
    );
    assert!(
        !crib.run(&["check"]).stdout.contains("TC641"),
        "`check` cannot know whether it is useless"
    );
}

#[test]
fn every_rule_of_change_can_be_explained() {
    for rule in compat::CHANGES {
        let ran = run(&["explain", rule.name]);
        assert!(
            ran.code == 0 && ran.stdout.contains(rule.name) && ran.stdout.contains("Before"),
            "{}",
            ran.stderr
        );
    }
}

fn pinned() -> Crib {
    let crib = Crib::new()
        .tool("alpha", crate::crib::definition("alpha", "echo"))
        .tool("beta", crate::crib::definition("beta", "echo"))
        .tool("gamma", crate::crib::definition("gamma", "echo"));
    assert_eq!(crib.run(&["lock"]).code, 0);
    crib
}

fn lock_of(crib: &Crib) -> String {
    std::fs::read_to_string(crib.root().join("toolcrib.lock")).expect("a lock")
}

#[test]
fn lock_pins_every_tool_by_name_in_the_same_bytes_each_time() {
    let crib = pinned();
    let first = lock_of(&crib);
    let written: Value = serde_json::from_str(&first).expect("JSON");
    assert_eq!(
        written["tools"].as_object().expect("tools").keys().collect::<Vec<_>>(),
        ["alpha", "beta", "gamma"]
    );
    crib.run(&["lock"]);
    assert_eq!(lock_of(&crib), first);
    let ran = crib.run(&["lock", "--check"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
}

#[test]
fn lock_check_names_what_is_new_gone_or_another_and_what_of_it() {
    let crib = pinned();
    let mut changed = crate::crib::definition("alpha", "printf");
    changed["subcommand"][0]["description"] = json!("Runs it otherwise");
    crib.write("tools/alpha.json", &changed.to_string());
    crib.write("tools/delta.json", &crate::crib::definition("delta", "echo").to_string());
    std::fs::remove_file(crib.root().join("tools/gamma.json")).expect("a file");
    let ran = crib.run(&["lock", "--check"]);
    assert_eq!(ran.code, 1);
    insta::assert_snapshot!(ran.stdout, @r"
    `alpha` changed: its description, how it is run
    `delta` is new
    `gamma` is gone
    ");
    assert_eq!(crib.run(&["lock"]).stdout, ran.stdout, "what is pinned anew is told");
    assert_eq!(crib.run(&["lock", "--check"]).code, 0);
}

#[test]
fn moving_a_definition_to_another_file_is_no_change() {
    let crib = pinned();
    std::fs::rename(crib.root().join("tools/alpha.json"), crib.root().join("tools/zeta.json"))
        .expect("a file");
    assert_eq!(crib.run(&["lock", "--check"]).code, 0);
}

#[test]
fn a_lock_that_is_missing_or_broken_cannot_be_checked() {
    let crib = Crib::new().tool("alpha", crate::crib::definition("alpha", "echo"));
    let ran = crib.run(&["lock", "--check"]);
    assert!(
        ran.code == 2 && ran.stderr.contains("run `toolcrib lock` to write it"),
        "{}",
        ran.stderr
    );
    crib.write("toolcrib.lock", "{}");
    let ran = crib.run(&["lock", "--check"]);
    assert!(ran.code == 2 && ran.stderr.contains("is no lock"), "{}", ran.stderr);
}

#[test]
fn serve_warns_of_tools_that_are_not_as_pinned() {
    let crib = pinned();
    assert!(
        !crib.run(&["serve"]).stderr.contains("toolcrib.lock"),
        "all tools match the lock file"
    );
    crib.write("tools/delta.json", &crate::crib::definition("delta", "echo").to_string());
    let ran = crib.run(&["serve"]);
    assert!(
        ran.stderr.contains("tools differ from toolcrib.lock: `delta` is new"),
        "{}",
        ran.stderr
    );
}
