//! No schema and no value make validation run away.

use catalog::{
    Schema,
    arguments::{self, MAX_REPORTED},
    budget::{Budget, Exhausted},
};
use serde_json::{Value, json};

fn schema(value: Value) -> Schema {
    Schema::new(value.as_object().expect("an object").clone())
}

/// A schema whose value `a` has two to the power of `depth` reasons not to match.
fn nested_alternatives(depth: usize) -> Schema {
    let mut definitions = serde_json::Map::new();
    definitions.insert("d0".to_owned(), json!({"type": "string"}));
    for level in 1..=depth {
        let inner = json!({"$ref": format!("#/$defs/d{}", level - 1)});
        definitions.insert(format!("d{level}"), json!({"anyOf": [inner, inner]}));
    }
    schema(json!({
        "type": "object",
        "properties": {"a": {"$ref": format!("#/$defs/d{depth}")}},
        "$defs": definitions,
    }))
}

#[test]
fn reports_the_first_of_a_million_errors() {
    let schema = schema(json!({
        "type": "object",
        "properties": {"items": {"type": "array", "items": {"type": "string"}}},
    }));
    let arguments = json!({"items": vec![1; 1_000_000]});
    let errors = arguments::find_errors(&schema, &arguments).expect("a schema that compiles");
    assert_eq!(errors.reported.len(), MAX_REPORTED);
    assert_eq!(errors.reported[1].path, "/items/1");
    assert!(errors.omitted > 900 && !errors.is_counted, "{}", errors.omitted);
    // The limits of one validation do not carry over to the next one.
    assert_eq!(arguments::validate(&schema, &json!({"items": ["a"]})), Ok(Vec::new()));
    let wrong = arguments::validate(&schema, &json!({"items": ["a", 1]})).expect("a schema");
    assert_eq!(wrong.len(), 1);
}

#[test]
fn counts_errors_exactly_up_to_a_thousand() {
    let schema = schema(json!({"type": "object", "additionalProperties": {"type": "string"}}));
    let arguments: Value = (0..500).map(|index| (format!("n{index}"), json!(1))).collect();
    let errors = arguments::find_errors(&schema, &arguments).expect("a schema that compiles");
    assert_eq!((errors.reported.len(), errors.omitted), (MAX_REPORTED, 450));
    assert!(errors.is_counted);
}

#[test]
fn counts_unknown_parameters() {
    let schema = schema(json!({
        "type": "object", "properties": {"a": {}}, "additionalProperties": false,
    }));
    let arguments: Value = (0..5_000).map(|index| (format!("n{index}"), json!(1))).collect();
    let errors = arguments::find_errors(&schema, &arguments).expect("a schema that compiles");
    assert_eq!((errors.reported.len(), errors.omitted), (MAX_REPORTED, 4_950));
}

#[test]
fn gives_up_on_nested_alternatives() {
    // With all reasons, 24 levels take 4 GB.
    let validate = |depth| {
        let schema = nested_alternatives(depth);
        arguments::find_errors(&schema, &json!({"a": 5})).map(|errors| errors.reported)
    };
    let few = validate(2).expect("a schema that compiles");
    assert_eq!(few[0].path, "/a");
    let many = Budget::steps(50_000_000).run(|| validate(12)).expect("within the budget");
    let [only] = &many.expect("a schema that compiles")[..] else { panic!("one error") };
    assert!(only.message.contains("more reasons than can be listed"), "{}", only.message);
    assert_eq!(Budget::steps(100_000).run(|| validate(40)), Err(Exhausted));
}

#[test]
fn gives_up_on_patterns_that_backtrack() {
    let schema = schema(json!({
        "type": "object",
        "properties": {"items": {"type": "array", "items": {"type": "string",
            "pattern": r"^(((?=\w)\w+)+-|\w+!?)$"}}},
    }));
    let arguments = json!({"items": vec!["abcdefghijklmnopq"; 600]});
    let validated = Budget::steps(100_000).run(|| arguments::find_errors(&schema, &arguments));
    assert_eq!(validated, Err(Exhausted));
}

#[test]
fn errors_omit_large_values() {
    let schema = schema(json!({
        "type": "object",
        "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
        "additionalProperties": false,
    }));
    let long = "x".repeat(1 << 20);
    let arguments = json!({"a": [long, long], long.clone(): long});
    let errors = arguments::validate(&schema, &arguments).expect("a schema that compiles");
    assert_eq!(errors[0].received, "an array of 2 items");
    assert!(serde_json::to_string(&errors).expect("plain data").len() < 10_000);
}
