//! "Always allow": the proposed clause allows exactly its call.

use std::time::{Duration, SystemTime};

use catalog::{Decision, Implementation, Origin, Schema, SourceId, Tool};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use workspace::propose_policy_clause;

use crate::crib_fixture::CribFixture;

fn today() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_798_761_600)
}

/// A dangerous tool with a secret parameter.
fn tool() -> Tool {
    let schema =
        json!({"type": "object", "properties": {"token": {"type": "string", "writeOnly": true}}});
    let schema = Schema::new(schema.as_object().expect("an object").clone());
    let mut tool = Tool::new(
        "git_push",
        "Publish",
        schema,
        Implementation::Native,
        Origin::whole_file(&SourceId::new("a.json")),
    );
    tool.annotations.dangerous = Some(true);
    tool
}

fn arguments(value: Value) -> Map<String, Value> {
    value.as_object().expect("an object").clone()
}

/// Whether a crib with this configuration allows the call.
fn allows(text: &str, given: &Map<String, Value>) -> bool {
    let crib = CribFixture::with_config(text).open_valid();
    crib.policy.decide(&tool(), given, today()) == Decision::Allow
}

#[test]
fn the_clause_is_readable() {
    let given = arguments(json!({"branch": "main", "force": true}));
    let text = propose_policy_clause(&tool(), &given, today()).expect("a clause");
    insta::assert_snapshot!(text, @r#"
    [[policy]]
    tools = "git_push"
    when = 'args == {"branch": "main", "force": true}'
    do = "allow"
    until = 2027-01-31
    "#);
}

#[test]
fn allows_this_call_and_no_other() {
    let given = arguments(
        json!({"branch": "main", "force": true, "n": 1, "list": [1, "x"], "map": {"a": null}}),
    );
    let text = propose_policy_clause(&tool(), &given, today()).expect("a clause");
    assert!(allows(&text, &given));
    let others = [
        ("branch", json!("main2")),
        ("branch", json!(null)),
        ("force", json!(false)),
        ("force", json!("true")),
        ("n", json!(2)),
        ("n", json!("1")),
        ("list", json!([1, "x", 2])),
        ("list", json!(["x", 1])),
        ("map", json!({"a": 0})),
        ("map", json!({})),
        ("more", json!(null)),
    ];
    for (name, value) in others {
        let mut other = given.clone();
        other.insert(name.to_owned(), value.clone());
        assert!(!allows(&text, &other), "{name}: {value}");
    }
    for name in given.keys() {
        let mut other = given.clone();
        other.remove(name);
        assert!(!allows(&text, &other), "without {name}");
    }
}

#[test]
fn it_applies_to_this_tool_for_thirty_days() {
    let given = arguments(json!({}));
    let text = propose_policy_clause(&tool(), &given, today()).expect("a clause");
    let crib = CribFixture::with_config(&text).open_valid();
    let mut other = tool();
    other.name = "git_pushx".to_owned();
    assert!(matches!(crib.policy.decide(&other, &given, today()), Decision::Ask { .. }));
    let day = Duration::from_secs(86_400);
    assert_eq!(crib.policy.decide(&tool(), &given, today() + 30 * day), Decision::Allow);
    assert!(matches!(
        crib.policy.decide(&tool(), &given, today() + 31 * day),
        Decision::Ask { .. }
    ));
}

#[test]
fn secrets_are_left_out_and_other_arguments_are_pinned() {
    let given = arguments(json!({"branch": "main", "token": "hunter2"}));
    let text = propose_policy_clause(&tool(), &given, today()).expect("a clause");
    assert!(!text.contains("hunter2"), "{text}");
    assert!(allows(&text, &given));
    assert!(allows(&text, &arguments(json!({"branch": "main", "token": "another"}))));
    for other in [
        json!({"branch": "x", "token": "hunter2"}),
        json!({"branch": "main"}),
        json!({"branch": "main", "token": "t", "more": 1}),
    ] {
        assert!(!allows(&text, &arguments(other.clone())), "{other}");
    }
}

#[test]
fn deep_or_large_arguments_get_no_clause() {
    let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
    assert_eq!(propose_policy_clause(&tool(), &arguments(json!({"deep": deep})), today()), None);
    assert_eq!(
        propose_policy_clause(&tool(), &arguments(json!({"text": "x".repeat(100_000)})), today()),
        None
    );
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop_oneof![Just(i64::MIN), Just(i64::MAX), Just(-1), Just(0)].prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>()
            .prop_filter("JSON has no others", |number| number.is_finite())
            .prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "['\"\\\\\\n\\r\\t{}$`#\\[\\]\u{0}\u{7f}\u{85}\u{2028}\u{202e}]{0,12}"
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..4)
                .prop_map(|map| map.into_iter().collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_call_is_allowed_by_its_own_clause_only(name in any::<String>(), value in any_value(), other in any_value()) {
        let given: Map<_, _> = [(name.clone(), value.clone())].into_iter().collect();
        let text = propose_policy_clause(&tool(), &given, today()).expect("a clause");
        prop_assert!(allows(&text, &given), "{text}");
        let is_same = value == other || value.as_f64().is_some_and(|value| Some(value) == other.as_f64());
        let other: Map<_, _> = [(name, other)].into_iter().collect();
        prop_assert!(is_same || !allows(&text, &other), "{text} allows {other:?}");
    }
}
