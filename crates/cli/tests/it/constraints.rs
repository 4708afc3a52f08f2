//! Constraints on arguments, in every format.

use serde_json::json;
use testing::TempCrib;

fn crib() -> TempCrib {
    TempCrib::new().tool(
        "cut",
        json!({"name": "cut", "description": "Print a range", "command": "echo", "synchronous": true, "mutates": false,
            "constraints": [{"rule": "args.from <= args.to", "message": "`from` must not be after `to`"},
                {"rule": "has(args.from) || has(args.all)"}],
            "subcommand": [{"name": "default", "description": "Print a range of lines",
                "options": [
                    {"name": "from", "type": "integer", "description": "First line"},
                    {"name": "to", "type": "integer", "description": "Last line"},
                    {"name": "all", "type": "boolean", "description": "Everything"}],
                "positional_args": [{"name": "file", "type": "string", "format": "path", "description": "Where"}]}]}),
    )
}

#[test]
fn a_call_that_violates_a_constraint_does_not_run() {
    let crib = crib();
    let arguments = r#"{"from": 3, "to": 2, "file": "/etc/passwd"}"#;
    insta::assert_snapshot!(crib.transcript(&["call", "cut", "--args", arguments]), @r"
    exit code 4
    --- stderr
    error: Invalid arguments:
           - `from` must not be after `to`
           - 'file' leads outside the folders that tools may access: `/etc/passwd`; stay inside `CRIB`, or add the folder to `roots` in toolcrib.toml
    ");
    insta::assert_snapshot!(crib.transcript(&["call", "cut"]), @r"
    exit code 4
    --- stderr
    error: `has(args.from) || has(args.all)` must hold
    ");
    assert_eq!(
        crib.run(&["call", "cut", "--args", r#"{"from": 2, "to": 3}"#]).stdout,
        "--from 2 --to 3\n"
    );
    assert_eq!(crib.run(&["call", "cut", "--args", r#"{"from": 2}"#]).code, 0, "`to` is absent");
}

#[test]
fn show_lists_constraints() {
    let shown = crib().run(&["show", "cut"]).stdout;
    assert!(shown.contains("`from` must not be after `to` (args.from <= args.to)"), "{shown}");
}

#[test]
fn conversions_carry_constraints() {
    let crib = crib();
    let rave = crib.run(&["convert", "tools/cut.json", "--to", "rave"]).stdout;
    assert!(rave.contains("rule: args.from <= args.to"), "{rave}");
    let again = crib.run(&["convert", "tools/cut.json", "--to", "mtdf"]).stdout;
    assert!(again.contains(r#""rule": "args.from <= args.to""#), "{again}");
}

#[test]
fn a_condition_that_checks_nothing_is_an_error() {
    let mut definition = json!({"name": "cut", "description": "Print a range", "command": "echo", "mutates": false,
        "options": [{"name": "from", "type": "integer", "description": "First line"}]});
    for (rule, message) in [("args.form > 0", "did you mean `from`?"), ("args.from >", "not CEL")] {
        definition["constraints"] = json!([{"rule": rule}]);
        let crib = TempCrib::new().tool("cut", definition.clone());
        let output = crib.run(&["check"]);
        assert!(output.code == 1 && output.stdout.contains(message), "{}", output.stdout);
    }
}
