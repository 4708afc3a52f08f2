//! `call`, `list` and `show`.

use std::fs;

use serde_json::json;

use crate::crib::{Crib, definition, repository};

fn starter() -> Crib {
    Crib::new()
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
fn exit_codes_tell_what_happened() {
    let crib = starter();
    let code = |arguments: &[&str]| crib.run(arguments).code;
    assert_eq!(code(&["call", "say", "--args", r#"{"words": ["x"]}"#]), 0);
    assert_eq!(code(&["call", "flop"]), 1);
    assert_eq!(code(&["call", "nope"]), 3);
    assert_eq!(code(&["call", "say"]), 4);
    assert_eq!(code(&["call", "say", "--args", "[1]"]), 4);
    assert_eq!(code(&["call", "say", "--args", "{"]), 4);
}

#[test]
fn a_tool_that_wants_approval_is_not_run() {
    let mut guarded = definition("guarded", "touch ran");
    guarded["requires_approval"] = json!(true);
    let crib = Crib::new().tool("guarded", guarded);
    assert_eq!(crib.run(&["call", "guarded"]).code, 5);
    assert!(!crib.root().join("ran").exists());
}

#[test]
fn output_goes_to_standard_output() {
    let ran = starter().run(&["call", "say", "--args", r#"{"words": ["a b", "c"]}"#]);
    assert_eq!(ran.stdout, "a b c\n");
}

#[test]
fn a_failed_program_is_shown_as_it_spoke_and_then_explained() {
    let mut tool = definition("fuss", "sh fuss.sh");
    tool["mutates"] = json!(false);
    let ran = Crib::new()
        .tool("fuss", tool)
        .file("fuss.sh", "echo out; echo err >&2; exit 3")
        .run(&["call", "fuss"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, "out\n"));
    assert!(ran.stderr.starts_with("err\nerror: "), "{}", ran.stderr);
}

#[test]
fn json_gives_the_structured_result() {
    let result = starter()
        .run(&["call", "say", "--json", "--args", r#"{"words": ["x"], "n": true}"#])
        .json();
    assert_eq!(result["exit_code"], 0);
    assert_eq!(result["stdout"], "x");
    assert_eq!(result["truncated"], false);
}

#[test]
fn bad_arguments_are_all_said_in_words_a_model_can_use() {
    let ran = starter().run(&["call", "say", "--args", r#"{"n": "yes", "wrods": []}"#]);
    assert_eq!(ran.stdout, "", "nothing ran, so nothing is output");
    let said = ran.stderr;
    for words in [
        "Missing required parameter 'words'",
        "Expected boolean, received string",
        "did you mean 'words'",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn a_dry_run_prints_the_plan_and_runs_nothing() {
    let crib = Crib::new().tool(
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
    let human = crib.run(&["call", "make", "--args", r#"{"file": "new"}"#, "--dry-run"]);
    assert!(human.stdout.contains("touch"), "{}", human.stdout);
}

#[test]
fn a_misspelled_name_gets_a_suggestion() {
    let ran = starter().run(&["show", "sya"]);
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("did you mean `say`?"), "{}", ran.stderr);
}

#[test]
fn list_says_what_is_documented_and_not_served() {
    let crib = starter()
        .tool("idea", json!({"name": "idea", "description": "Not yet", "inputSchema": {"type": "object", "properties": {}}}));
    let ran = crib.run(&["list"]);
    let (served, documented) = ran.stdout.split_once("not served").expect("two parts");
    assert!(served.contains("say") && !served.contains("idea"), "{}", ran.stdout);
    assert!(documented.contains("idea"), "{}", ran.stdout);
    let names: Vec<_> = crib
        .run(&["list", "--json"])
        .json()
        .as_array()
        .expect("an array")
        .iter()
        .map(|tool| tool["name"].clone())
        .collect();
    assert_eq!(names, ["await", "cancel", "flop", "say", "status"]);
}

#[test]
fn built_in_tools_are_listed_shown_and_callable() {
    let crib = starter();
    assert!(crib.run(&["list"]).stdout.contains("status "));
    assert_eq!(crib.run(&["show", "await"]).code, 0);
    let ran = crib.run(&["call", "status"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn show_tells_arguments_and_the_command_line() {
    let ran = starter().run(&["show", "say"]);
    for word in ["words", "echo", "No newline", "tools/say.json"] {
        assert!(ran.stdout.contains(word), "{word}: {}", ran.stdout);
    }
}

/// A sequence of four: one that runs, one that is skipped, an inner sequence, one whose program is not there.
fn stepwise() -> Crib {
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
    starter()
        .tool("all", sequence("all", steps))
        .tool("inner", sequence("inner", json!([{"tool": "flop"}])))
        .tool("absent", definition("absent", "toolcrib-no-such-program"))
        .file("done", "")
}

#[test]
fn a_dry_run_of_a_sequence_prints_the_plan_of_each_step() {
    let plan = stepwise().run(&["call", "all", "--dry-run", "--json"]).json();
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
fn a_dry_run_of_a_sequence_is_numbered_for_people() {
    let ran = stepwise().run(&["call", "all", "--dry-run"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let told: Vec<_> =
        ran.stdout.lines().filter(|line| line.contains(". ") || line.contains("runs")).collect();
    insta::assert_snapshot!(told[..6].join("\n"), @r"
    1. say
       runs       echo 'a b'
    2. flop: skipped, because `done` exists
       runs       false
    3. inner
       1. flop
    ");
    assert!(ran.stdout.contains("\n4. absent: cannot be planned now: "), "{}", ran.stdout);
}

#[test]
fn the_documented_consent_word_can_be_passed() {
    let page = fs::read_to_string(repository().join("docs/approval.md")).expect("the page");
    let documented = page
        .split("```json\n")
        .find(|block| block.contains("\"consent\""))
        .and_then(|block| block.split("```").next())
        .expect("a definition with a consent word");
    let crib =
        Crib::new().file("tools/forget.json", documented).file("notes/monday.txt", "milk\n").file(
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
