//! Schemas for clients that do not accept everything.

use clients::{CLIENTS, RULES, lower};
use proptest::{prelude::*, test_runner::Config};
use serde_json::{Map, Value, json};

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(object) = value else { panic!("not an object: {value}") };
    object
}

fn lowered(client: &str, schema: Value) -> String {
    let lowered = lower(&object(schema), &[client]).expect("it is lowered");
    let all = json!({"schema": lowered.schema, "notes": lowered.notes, "renamed": lowered.renamed});
    serde_json::to_string_pretty(&all).expect("plain data")
}

#[test]
fn alternatives_at_the_root_become_optional_parameters() {
    let text = json!({"type": "string", "description": "Text"});
    let schema = json!({
        "type": "object",
        "properties": {"text": text, "file": {"type": "string"}},
        "oneOf": [{"required": ["text"]}, {"required": ["file"]}],
        "additionalProperties": false,
    });
    insta::assert_snapshot!(lowered("claude-code", schema));
    let arm = |mode: &str, other: &str| {
        json!({
            "properties": {"mode": {"const": mode}, other: {"type": "integer"}},
            "required": ["mode", other], "additionalProperties": false,
        })
    };
    let schema = json!({
        "type": "object",
        "anyOf": [arm("fast", "speed"), {"$ref": "#/$defs/slow"}],
        "$defs": {"slow": arm("slow", "patience")},
    });
    insta::assert_snapshot!(lowered("claude-code", schema));
}

#[test]
fn parts_that_always_apply_are_united() {
    let part = |schema: Value| json!({"properties": {"a": schema}, "required": ["a"]});
    let schema = json!({
        "type": "object",
        "allOf": [part(json!({"minimum": 1})), part(json!({"maximum": 9})), {"minProperties": 1}],
    });
    insta::assert_snapshot!(lowered("claude-code", schema));
}

#[test]
fn conditions_become_sentences() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "dependentRequired": {"a": ["b"]},
        "not": {"required": ["c"]},
    });
    insta::assert_snapshot!(lowered("codex", schema));
}

#[test]
fn codex_gets_bounds_and_orders_in_words() {
    let schema = json!({
        "type": "object",
        "properties": {
            "count": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3, "description": "How often."},
            "point": {"type": "array", "prefixItems": [{"type": "number"}, {"title": "Unit"}], "items": false},
            "any": {"description": "Anything"},
            "list": {"type": "array"},
        },
    });
    insta::assert_snapshot!(lowered("codex", schema));
}

#[test]
fn parameters_are_renamed_and_restored() {
    let schema = json!({
        "type": "object",
        "properties": {"größe": {"type": "integer"}, "gr__e": {}, "a b": {}},
        "required": ["größe"],
    });
    insta::assert_snapshot!(lowered("claude-code", schema.clone()));
    let lowered = lower(&object(schema), &["claude-code"]).expect("it is lowered");
    let mut arguments = object(json!({"gr__e": 1, "gr__e_2": 2, "a_b": 3}));
    lowered.restore(&mut arguments);
    assert_eq!(Value::from(arguments), json!({"gr__e": 1, "größe": 2, "a b": 3}));
}

#[test]
fn an_ordinary_schema_stays_as_it_is_for_every_client() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    for client in CLIENTS {
        assert_eq!(lower(&object(schema.clone()), &[client.name]), None, "{}", client.name);
    }
}

#[test]
fn rules_name_known_clients() {
    for (client, _) in RULES.iter().flat_map(|rule| rule.effects) {
        assert!(clients::find(client).is_some(), "{client}");
    }
}

/// Names of parameters, one of which no provider accepts.
const NAMES: [&str; 4] = ["a", "b", "c", "d e"];

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({})),
        Just(json!({"description": "Anything"})),
        Just(json!({"type": "string", "maxLength": 1})),
        Just(json!({"type": "integer", "minimum": 1})),
        Just(json!({"const": 1})),
        Just(json!({"type": "array"})),
        Just(json!({"type": "array", "prefixItems": [{"type": "integer"}], "items": false})),
        Just(json!({"$ref": "#/$defs/text"})),
        Just(json!(true)),
        Just(json!(false)),
    ]
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&NAMES[..])
}

/// A schema of an object, as a root or as a part of one.
fn part() -> impl Strategy<Value = Value> {
    let properties = prop::collection::hash_map(name(), leaf(), 0..3);
    let required = prop::collection::hash_set(name(), 0..2);
    let more = prop_oneof![
        3 => Just(json!({})),
        2 => Just(json!({"additionalProperties": false})),
        1 => Just(json!({"additionalProperties": {"type": "integer"}})),
        1 => Just(json!({"patternProperties": {"^[a-d]": {"type": "integer"}}, "additionalProperties": false})),
        1 => Just(json!({"unevaluatedProperties": false})),
        1 => Just(json!({"propertyNames": {"maxLength": 1}})),
        1 => Just(json!({"dependentRequired": {"a": ["b"]}})),
        1 => Just(json!({"dependentSchemas": {"d e": {"properties": {"c": {"type": "integer"}}}}})),
        1 => Just(json!({"not": {"required": ["c"]}})),
        1 => Just(json!({"if": {"required": ["a"]}, "then": {"properties": {"b": {}}}})),
        1 => Just(json!({"$ref": "#/$defs/part"})),
    ];
    (properties, required, more).prop_map(|(properties, required, more)| {
        let mut part = object(more);
        let properties: Map<_, _> =
            properties.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
        part.insert("properties".to_owned(), properties.into());
        let required: Vec<_> = required.into_iter().collect();
        part.insert("required".to_owned(), required.into());
        part.into()
    })
}

fn schema() -> impl Strategy<Value = Map<String, Value>> {
    let parts = || prop::option::of(prop::collection::vec(part(), 1..3));
    (part(), parts(), parts(), parts()).prop_map(|(root, all, any, one)| {
        let mut root = object(root);
        for (keyword, parts) in [("allOf", all), ("anyOf", any), ("oneOf", one)] {
            if let Some(parts) = parts {
                root.insert(keyword.to_owned(), parts.into());
            }
        }
        let part = json!({"properties": {"a": {"type": "integer"}}, "required": ["a"]});
        root.insert("type".to_owned(), "object".into());
        root.insert("$defs".to_owned(), json!({"text": {"type": "string"}, "part": part}));
        root
    })
}

fn value() -> impl Strategy<Value = Map<String, Value>> {
    let leaf = prop::sample::select(vec![
        json!(1),
        json!(0),
        json!("x"),
        json!("long"),
        json!(null),
        json!([]),
        json!([1]),
        json!(["x", 2]),
    ]);
    prop::collection::hash_map(name(), leaf, 0..4).prop_map(|values| {
        values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    })
}

proptest! {
    #![proptest_config(Config { cases: 3_000, failure_persistence: None, ..Config::default() })]

    #[test]
    fn a_lowered_schema_admits_what_the_full_one_admits(
        schema in schema(),
        values in prop::collection::vec(value(), 20),
    ) {
        let full = jsonschema::validator_for(&schema.clone().into()).expect("a valid schema");
        for client in CLIENTS {
            let Some(lowered) = lower(&schema, &[client.name]) else { continue };
            let loose = jsonschema::validator_for(&lowered.schema.clone().into());
            let loose = loose.expect("a valid schema");
            for value in values.iter().filter(|value| full.is_valid(&Value::from((*value).clone()))) {
                let mut renamed = value.clone();
                for (new, old) in &lowered.renamed {
                    if let Some(value) = renamed.shift_remove(old) {
                        renamed.insert(new.clone(), value);
                    }
                }
                prop_assert!(
                    loose.is_valid(&renamed.clone().into()),
                    "{} gets {} from {}, which refuses {renamed:?}",
                    client.name, Value::from(lowered.schema.clone()), Value::from(schema.clone()),
                );
                let mut restored = renamed;
                lowered.restore(&mut restored);
                prop_assert_eq!(&restored, value);
            }
        }
    }
}
