//! CEL conditions of policies: evaluation, and errors at compile time.

use catalog::{Policy, policy::Effect};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::policy_fixture::{arguments, clause, decision_name, now, policy, tool};

fn is_true(when: &str, given: Value) -> bool {
    let mut tool = tool("git_push", json!({}));
    tool.annotations.category = Some("git".to_owned());
    tool.annotations.mutates = Some(true);
    tool.annotations.dangerous = Some(true);
    decision_name(&policy([clause("*", when, Effect::Allow)]).decide(
        &tool,
        &arguments(given),
        now(),
    )) == "allow"
}

#[test]
fn evaluates_arguments_and_tool() {
    let given = || {
        json!({"force": true, "branch": "main", "count": 3, "ratio": 0.5, "big": 18_446_744_073_709_551_615_u64,
               "paths": ["src/a.rs", "src/b.rs"], "env": {"CI": "1"}, "nothing": null})
    };
    let conditions = [
        "args.force",
        "args.branch == 'main'",
        "args.branch in ['main', 'release']",
        "args.branch.startsWith('ma') && args.branch.endsWith('n') && args.branch.contains('ai')",
        "args.branch.matches('^m[a-z]+$')",
        "args.count + 1 == 4 && args.count < 10",
        "args.ratio <= 0.5",
        "args.big == 18446744073709551615u",
        "args.paths.all(p, p.startsWith('src/'))",
        "args.paths.exists(p, p == 'src/a.rs')",
        "args.paths.filter(p, p.endsWith('a.rs')).map(p, size(p)) == [8]",
        "size(args.paths) == 2",
        "args.env.CI == '1' && args['env']['CI'] == '1'",
        "args.nothing == null",
        "has(args.force) && !has(args.other)",
        "!('other' in args)",
        "args.?other.orValue(7) == 7",
        "args.?force.hasValue() && optional.of(1).value() == 1",
        "type(args.count) == int && type(args.branch) == string",
        "int('3') == args.count && string(args.count) == '3' && double(args.count) > 2.0",
        "tool.name == 'git_push' && tool.category == 'git' && tool.mutates && tool.dangerous",
        "tool.network == null && tool.network != true && !tool.consent && tool.version == null",
    ];
    for when in conditions {
        assert!(is_true(when, given()), "{when}");
    }
}

#[test]
fn rejects_conditions_that_cannot_be_evaluated() {
    let table = [
        ("args.force ==", "the condition is not CEL"),
        ("", "the condition is not CEL"),
        ("args.force = true", "write `==`"),
        ("arguments.force", "there is no variable `arguments`, only `args` and `tool`"),
        ("arg.force", "did you mean `args`?"),
        ("args.l.all(x, y > 1)", "there is no variable `y`"),
        ("tool.nam == 'x'", "there is no `tool.nam`"),
        (
            "args.text.startWith('x')",
            "there is no function `startWith`; did you mean `startsWith`?",
        ),
        ("timestamp('2027-01-01T00:00:00Z') > args.t", "there is no function `timestamp`"),
        ("Made{x: 1} == 1", "there is no type `Made`"),
    ];
    for (when, expected) in table {
        let clause =
            catalog::policy::Clause { when: Some(when.to_owned()), ..clause("*", "", Effect::Ask) };
        let problems = Policy::compile([clause]).expect_err(when);
        assert!(problems[0].message.contains(expected), "{when}: {}", problems[0].message);
    }
}

#[test]
fn lists_arguments_that_are_read_without_a_test() {
    let reads = |when| {
        policy([clause("*", when, Effect::Ask)])
            .list_untested_arguments(0)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(reads("args.force && args.branch == 'main'"), ["branch", "force"]);
    assert_eq!(reads("has(args.force) && args.force"), [""; 0]);
    assert_eq!(reads("args.?force.orValue(false)"), [""; 0]);
    assert_eq!(reads("args['force'] == true"), ["force"]);
}

#[test]
fn deeply_nested_conditions_do_not_overflow_the_stack() {
    let nested = [
        format!("{}true{}", "(".repeat(3_000), ")".repeat(3_000)),
        format!("{}true", "!".repeat(10_000)),
        format!("args.a{} == 1", " + 1".repeat(3_000)),
        format!("args.a{}", " && args.a".repeat(1_500)),
        format!("args{}", ".a".repeat(7_000)),
        format!("{}1{} == 1", "[".repeat(3_000), "]".repeat(3_000)),
        format!("{}1{} == 1", "args.a.all(x, ".repeat(500), ")".repeat(500)),
        format!("{}1", "args.a ? 1 : ".repeat(1_000)),
    ];
    for when in nested {
        if let Ok(policy) = Policy::compile([clause("*", &when, Effect::Ask)]) {
            policy.decide(&tool("t", json!({})), &arguments(json!({"a": true})), now());
        }
    }
}

#[test]
fn the_deepest_condition_fits_a_small_stack() {
    let deep = [
        format!("args.a{} == 22", " + 1".repeat(20)),
        format!("{}1{} == args.a", "[".repeat(20), "]".repeat(20)),
        format!("{}1{} == args.a", "{'k': ".repeat(20), "}".repeat(20)),
        format!("{}true{}", "[1].all(x, ".repeat(5), ")".repeat(5)),
    ];
    for when in deep {
        let policy = policy([clause("*", &when, Effect::Ask)]);
        let decide =
            move || policy.decide(&tool("t", json!({})), &arguments(json!({"a": 2})), now());
        let thread =
            std::thread::Builder::new().stack_size(1 << 20).spawn(decide).expect("a thread");
        thread.join().expect("a decision");
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map("[a-d]{0,2}", inner, 0..6)
                .prop_map(|map| map.into_iter().collect()),
        ]
    })
}

const CONDITIONS: [&str; 16] = [
    "args.a == args.b",
    "args.a < args.b",
    "args.a + args.b == args.c",
    "args.a - args.b == args.a * args.b",
    "args.a / args.b == args.a % args.b",
    "-args.a == args.b",
    "!args.a",
    "args.a in args.b",
    "args.a[args.b] == args.c",
    "args.a.all(x, args.b.exists(y, x == y))",
    "size(args.a) > size(args.b)",
    "args.a.matches(args.b)",
    "args.a.contains(args.b)",
    "int(args.a) == int(args.b) || uint(args.a) == 1u || double(args.a) > 1.0",
    "{args.a: 1, args.b: 2}.size() == 2",
    "args.?a.?b.orValue(args.c) ? args.a : args.b",
];

proptest! {
    #[test]
    fn never_panics(a in any_value(), b in any_value(), c in any_value(), which in 0..CONDITIONS.len()) {
        let given: Map<_, _> = [("a", a), ("b", b), ("c", c)].map(|(name, value)| (name.to_owned(), value)).into_iter().collect();
        let tool = tool("t", json!({}));
        for effect in [Effect::Allow, Effect::Ask, Effect::Deny] {
            policy([clause("*", CONDITIONS[which], effect)]).decide(&tool, &given, now());
        }
    }

    #[test]
    fn never_panics_on_any_condition(when in "[ a-z0-9().,'\\[\\]{}?:=<>!&|+*/%_@-]{0,40}") {
        if let Ok(policy) = Policy::compile([clause("*", &format!("args.a {when}"), Effect::Ask)]) {
            policy.decide(&tool("t", json!({})), &arguments(json!({"a": 1})), now());
        }
    }
}
