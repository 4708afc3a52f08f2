//! From arguments to a command line.

use catalog::ErrorType;
use catalog::implementation::{Binding, Items, PassBy, Piece, Separator, ValueKind};
use serde_json::{Value, json};
use testing::{RuntimeFixture, field, process_tool, text, wait_until};

use crate::pieces::{option, positional, word};

#[test]
fn keeps_words_options_and_positionals_in_order() {
    let pieces =
        vec![word("sub"), option("level", |_| {}), option("v", |_| {}), positional("file", |_| {})];
    let argv = RuntimeFixture::new().argv(pieces, json!({"file": "a", "v": true, "level": 2}));
    assert_eq!(argv, ["sub", "--level", "2", "-v", "a"]);
}

#[test]
fn formats_values_as_plain_text() {
    let pieces = ["a", "b", "c", "d", "e", "f", "g"].map(|name| positional(name, |_| {})).to_vec();
    let arguments = json!({"a": 3, "b": 2.5, "c": true, "d": "", "e": null, "f": {"k": [1, "x"]}, "g": [["n"], 1]});
    assert_eq!(
        RuntimeFixture::new().argv(pieces, arguments),
        ["3", "2.5", "true", "", r#"{"k":[1,"x"]}"#, r#"["n"]"#, "1"]
    );
}

#[test]
fn whole_numbers_have_no_fraction() {
    let pieces = vec![positional("n", |binding| binding.allow_dash = true)];
    let numbers = json!({"n": [3.0, 1e3, -2.0, -0.0, 2.5, 1e300]});
    assert_eq!(
        RuntimeFixture::new().argv(pieces, numbers),
        ["3", "1000", "-2", "0", "2.5", "1e+300"]
    );
}

#[test]
fn false_is_omitted_or_passed_as_the_negating_flag() {
    let pieces =
        vec![option("color", |b| b.negate = Some("--no-color".into())), option("quiet", |_| {})];
    assert_eq!(
        RuntimeFixture::new().argv(pieces, json!({"color": false, "quiet": false})),
        ["--no-color"]
    );
}

#[test]
fn separates_flag_and_value_as_configured() {
    let pieces = vec![
        option("depth", |b| b.separator = Separator::Equals),
        option("I", |b| b.separator = Separator::Nothing),
        option("tag", |_| {}),
        option("only", |b| b.items = Items::Joined(",".into())),
    ];
    let arguments = json!({"depth": 1, "I": ["x", "y"], "tag": ["a", "b"], "only": ["c", "d"]});
    assert_eq!(
        RuntimeFixture::new().argv(pieces, arguments),
        ["--depth=1", "-Ix", "-Iy", "--tag", "a", "--tag", "b", "--only", "c,d"]
    );
}

#[test]
fn refuses_a_positional_that_looks_like_an_option() {
    let refusal = RuntimeFixture::new()
        .plan_failure(vec![positional("file", |_| {})], json!({"file": "--force"}));
    assert_eq!(refusal.error_type, ErrorType::InvalidArguments);
    assert!(
        refusal.message.contains("'file'") && refusal.message.contains("dash"),
        "{}",
        refusal.message
    );
    assert_eq!(refusal.details["details"][0]["path"], "/file");
    assert_eq!(refusal.details["tool"], "tool");
}

#[test]
fn rejects_option_values_that_look_like_options() {
    let crib = RuntimeFixture::new();
    let message = |change: fn(&mut Binding), value: Value| {
        crib.plan_failure(vec![option("color", change)], json!({"color": value})).message
    };
    assert!(message(|_| {}, json!("--recursive")).contains("take `--recursive` for an option"));
    assert!(message(|_| {}, json!(["a", "-x"])).contains("take `-x` for an option"));
    assert!(
        message(|b| b.items = Items::Joined(",".into()), json!(["-x", "a"])).contains("`-x,a`")
    );
    assert!(message(|_| {}, json!(-1)).contains("`allow_dash` or `separator`"));
    let nothing = |b: &mut Binding| b.separator = Separator::Nothing;
    assert!(message(nothing, json!("")).contains("the next word for the value of `--color`"));
    assert!(message(nothing, json!(["a", ""])).contains("must not be empty"));
}

#[test]
fn passes_option_values_that_cannot_be_mistaken_for_options() {
    let crib = RuntimeFixture::new();
    let argv = |change: fn(&mut Binding), value: Value| {
        crib.argv(vec![option("color", change)], json!({"color": value}))
    };
    assert_eq!(argv(|b| b.allow_dash = true, json!("-x")), ["--color", "-x"]);
    assert_eq!(argv(|b| b.separator = Separator::Equals, json!("-x")), ["--color=-x"]);
    assert_eq!(argv(|_| {}, json!("")), ["--color", ""]);
    assert_eq!(argv(|_| {}, json!("-")), ["--color", "-"], "standard input");
    let assignment = |b: &mut Binding| {
        (b.flag, b.separator) = (Some("if=".to_owned()), Separator::Nothing);
    };
    assert_eq!(argv(assignment, json!("")), ["if="]);
}

#[test]
fn hints_at_allow_dash_unless_the_value_may_be_a_file() {
    let message = |kind, value| {
        RuntimeFixture::new()
            .plan_failure(vec![positional("n", |binding| binding.kind = kind)], json!({"n": value}))
            .message
    };
    for (kind, value) in [
        (ValueKind::Plain, json!(-1)),
        (ValueKind::Plain, json!("-e")),
        (ValueKind::PathOrValue, json!("-1")),
    ] {
        let message = message(kind, value);
        assert!(message.contains("`allow_dash` or `double_dash`"), "{message}");
        assert!(!message.contains("./"), "{message}");
    }
    assert!(message(ValueKind::PathOrValue, json!("-x")).contains("`./-x`"));
}

#[test]
fn passes_a_leading_dash_after_a_double_dash_or_if_allowed() {
    let crib = RuntimeFixture::new();
    let guarded = vec![word("run"), Piece::DoubleDash, positional("file", |_| {})];
    assert_eq!(crib.argv(guarded.clone(), json!({"file": "-x"})), ["run", "--", "-x"]);
    assert_eq!(crib.argv(guarded, json!({})), ["run"]);
    assert_eq!(crib.argv(vec![positional("n", |b| b.allow_dash = true)], json!({"n": -1})), ["-1"]);
}

#[test]
fn rejects_an_argument_without_a_binding() {
    let refusal = RuntimeFixture::new()
        .plan_failure(vec![option("a", |_| {})], json!({"a": 1, "surprise": 2}));
    assert_eq!(refusal.error_type, ErrorType::InvalidArguments);
    assert!(refusal.message.contains("'surprise'"), "{}", refusal.message);
}

#[test]
fn rejects_nul_and_oversized_arguments_before_the_start() {
    let crib = RuntimeFixture::new();
    let pieces = || vec![option("a", |_| {})];
    assert!(crib.plan_failure(pieces(), json!({"a": "x\0y"})).message.contains("NUL"));
    assert_eq!(
        crib.plan_failure(pieces(), json!({"a": "x".repeat(200_000)})).error_type,
        ErrorType::ArgumentsTooLong
    );
    let many: Vec<_> = (0..30).map(|_| "x".repeat(100_000)).collect();
    assert_eq!(
        crib.plan_failure(pieces(), json!({"a": many})).error_type,
        ErrorType::ArgumentsTooLong
    );
}

#[tokio::test]
async fn passes_stdin_or_closes_it() {
    let crib = RuntimeFixture::new();
    let cat = process_tool("cat", vec![positional("body", |b| b.pass_by = PassBy::Stdin)]);
    assert_eq!(text(&crib.call(cat.clone(), json!({"body": "one\ntwo"})).await, 0), "one\ntwo");
    assert_eq!(text(&crib.call(cat, json!({})).await, 0), "(no output)");
}

#[tokio::test]
async fn a_program_need_not_read_its_input() {
    let unread = process_tool("true", vec![positional("body", |b| b.pass_by = PassBy::Stdin)]);
    assert!(
        !RuntimeFixture::new().call(unread, json!({"body": "x".repeat(1_000_000)})).await.failed
    );
}

#[tokio::test]
async fn passes_text_in_a_private_file() {
    let crib = RuntimeFixture::new();
    let pieces = vec![
        word("-c"),
        word(r#"stat -c %a "$2"; cat "$2"; case "$2" in "$TMPDIR"/*) echo inside;; esac"#),
        option("body", |b| b.pass_by = PassBy::File),
    ];
    let sh = process_tool("sh", pieces.clone());
    assert_eq!(crib.plan(&sh, json!({"body": "x"})).unwrap()["argv"][4], "$TMPDIR/argument-1");
    let outcome = crib
        .call(
            process_tool("sh", [&pieces[..2], &[word("sh")], &pieces[2..]].concat()),
            json!({"body": "text\n"}),
        )
        .await;
    assert_eq!(text(&outcome, 0), "600\ntext\ninside\n");
    wait_until("the file is gone", || std::fs::read_dir(crib.path("temp")).unwrap().count() == 0)
        .await;
}

#[test]
fn writes_a_file_only_for_several_lines() {
    let crib = RuntimeFixture::new();
    let pieces = vec![option("message", |b| b.pass_by = PassBy::FileIfMultiline("--file".into()))];
    assert_eq!(crib.argv(pieces.clone(), json!({"message": "one"})), ["--message", "one"]);
    assert_eq!(crib.argv(pieces, json!({"message": "one\ntwo"})), ["--file", "$TMPDIR/argument-1"]);
}

#[tokio::test]
async fn sets_variables_of_the_call() {
    let crib = RuntimeFixture::new();
    let pieces = vec![
        word("-c"),
        word("echo $A $B $N"),
        option("token", |b| b.pass_by = PassBy::Env("A".into())),
        option("env_vars", |b| b.pass_by = PassBy::Variables),
    ];
    let outcome = crib
        .call(process_tool("sh", pieces), json!({"token": "t", "env_vars": {"B": "b", "N": 1}}))
        .await;
    assert_eq!(text(&outcome, 0), "t b 1\n");
}

#[tokio::test]
async fn refuses_variables_that_inject_code() {
    let crib = RuntimeFixture::new();
    let env = process_tool("env", vec![option("env_vars", |b| b.pass_by = PassBy::Variables)]);
    for name in ["LD_PRELOAD", "PATH", "BASH_ENV", "PYTHONPATH", "BAD NAME"] {
        let outcome = crib.call(env.clone(), json!({"env_vars": {name: "x"}})).await;
        assert!(outcome.failed && text(&outcome, 0).contains(name), "{name}");
        assert_eq!(field(&outcome, "status"), "failure");
    }
    let outcome =
        crib.call(env, json!({"env_vars": {"LD_PRELOAD": "x", "FINE": "y", "PATH": "z"}})).await;
    let said = text(&outcome, 0);
    assert!(
        said.contains("LD_PRELOAD") && said.contains("PATH") && !said.contains("FINE"),
        "all that are refused: {said}"
    );
    assert_eq!(field(&outcome, "error_type"), "variable_refused");
}

#[tokio::test]
async fn children_get_the_chosen_environment_and_nothing_else() {
    let crib = RuntimeFixture::with_settings(|settings| {
        settings.environment.push(("CHOSEN".into(), "yes".into()))
    });
    let outcome = crib.call(process_tool("env", vec![]), json!({})).await;
    let mut names: Vec<_> =
        text(&outcome, 0).lines().map(|line| line.split('=').next().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["CHOSEN", "HOME", "PATH", "TMPDIR"]);
}

#[test]
fn a_plan_shows_the_variables_of_the_call_and_hides_those_of_the_operator() {
    let crib =
        RuntimeFixture::with_settings(|settings| settings.environment[0].1.push_str(":/private"));
    let mut tool =
        process_tool("sh", vec![option("key", |b| b.pass_by = PassBy::Env("KEY".into()))]);
    tool.timeout = Some(std::time::Duration::from_secs(7));
    let mut plan = crib.plan(&tool, json!({"key": "value"})).unwrap();
    assert_eq!(plan["variables"], json!({"KEY": "value"}));
    plan["confinement"] = json!({"network": plan["confinement"]["network"]});
    assert!(!plan.to_string().contains("/private"), "{plan}");
    assert_eq!(plan["version"], 1);
    assert_eq!(plan["env"], json!(["PATH", "KEY", "TMPDIR", "HOME"]));
    assert_eq!(plan["timeout_seconds"], 7);
    assert_eq!(plan["argv"], json!(["sh"]));
    assert!(
        plan["program"].as_str().unwrap().ends_with("/sh")
            && plan["program"].as_str().unwrap().starts_with('/')
    );
    assert_eq!(plan["cwd"], crib.path("crib").to_str().unwrap());
    assert_eq!(plan["stdin"], json!(null));
    assert_eq!(plan["confinement"]["network"], false);
}

#[test]
fn members_of_an_object_become_pairs() {
    let pairs = |join: Option<&str>| {
        let items = Items::Pairs { separator: "=".into(), join: join.map(str::to_owned) };
        vec![option("e", |binding| binding.items = items)]
    };
    let crib = RuntimeFixture::new();
    let arguments = json!({"e": {"A": "b c", "N": 2.0, "skipped": null}});
    assert_eq!(crib.argv(pairs(None), arguments.clone()), ["-e", "A=b c", "-e", "N=2"]);
    assert_eq!(crib.argv(pairs(Some(",")), arguments), ["-e", "A=b c,N=2"]);
    assert!(crib.argv(pairs(Some(",")), json!({"e": {}})).is_empty());
    let refused = crib.plan_failure(pairs(None), json!({"e": {"--privileged": "1"}}));
    assert!(refused.message.contains("must not begin with a dash"), "{}", refused.message);
}

#[test]
fn a_double_dash_is_written_before_the_next_value_only() {
    let pieces = || {
        let dash = |binding: &mut Binding| binding.allow_dash = true;
        vec![positional("filter", |_| {}), Piece::DoubleDash, positional("args", dash)]
    };
    let crib = RuntimeFixture::new();
    let given = json!({"filter": "parser", "args": ["--nocapture"]});
    assert_eq!(crib.argv(pieces(), given), ["parser", "--", "--nocapture"]);
    assert_eq!(crib.argv(pieces(), json!({"args": ["--list"]})), ["--", "--list"]);
    assert_eq!(crib.argv(pieces(), json!({"filter": "parser"})), ["parser"]);
    let refused = crib.plan_failure(pieces(), json!({"filter": "--config"}));
    assert_eq!(refused.error_type, ErrorType::InvalidArguments);
}
