//! Laws that hold for all schemas, tested on random ones.

use catalog::Schema;
use compat::{Change, Effect};
use proptest::prelude::*;
use serde_json::{Value, json};

use testing::schema as read_schema;

use crate::tools::{compare_input, compare_output};

/// The worst effect of the changes.
fn worst_effect(changes: &[Change]) -> Effect {
    changes.iter().map(|change| change.effect).max().unwrap_or(Effect::Metadata)
}

/// Random schemas, from a vocabulary small enough that two of them often overlap.
fn schema() -> impl Strategy<Value = Value> {
    let kind = prop::sample::select(vec![
        "null", "boolean", "integer", "number", "string", "array", "object",
    ]);
    let kinds =
        prop::collection::btree_set(kind.clone(), 1..4).prop_map(|kinds| json!({"type": kinds}));
    let listed = prop::sample::subsequence(
        vec![json!(null), json!(true), json!(1), json!(2.5), json!("a"), json!("bb")],
        1..4,
    );
    let bounds = (0..4_i64, 0..6_i64);
    let leaf = prop_oneof![
        kind.prop_map(|kind| json!({"type": kind})),
        kinds,
        listed.prop_map(|values| json!({"enum": values})),
        bounds.clone().prop_map(
            |(low, high)| json!({"type": "integer", "minimum": low, "exclusiveMaximum": high})
        ),
        bounds.clone().prop_map(
            |(low, high)| json!({"type": "number", "exclusiveMinimum": low, "maximum": high})
        ),
        (0..3_i64).prop_map(|step| json!({"type": "number", "multipleOf": step + 1})),
        bounds
            .prop_map(|(low, high)| json!({"type": "string", "minLength": low, "maxLength": high})),
        Just(json!({"type": "string", "pattern": "^a"})),
        Just(json!({})),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), 0..3_usize).prop_map(
                |(items, least)| json!({"type": "array", "items": items, "minItems": least})
            ),
            inner.clone().prop_map(|rest| json!({"type": "object", "additionalProperties": rest})),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| json!({"anyOf": [one, other]})),
            (inner.clone(), inner).prop_map(|(one, other)| json!({"oneOf": [one, other]})),
        ]
    })
}

/// Like [`schema`], and objects with named properties.
fn schema_or_object() -> impl Strategy<Value = Value> {
    let names = |most: usize| prop::sample::subsequence(vec!["x", "y"], 0..=most);
    let object = (schema(), schema(), names(2), names(2), any::<bool>()).prop_map(
        |(x, y, own, required, is_open)| {
            let properties: serde_json::Map<String, Value> = [("x", x), ("y", y)]
                .into_iter()
                .filter(|(name, _)| own.contains(name))
                .map(|(name, schema)| (name.to_owned(), schema))
                .collect();
            let mut object =
                json!({"type": "object", "properties": properties, "required": required});
            // In an open object, a property that gets a schema counts as new, although callers
            // could send it before with any value. The inclusion law does not hold for these.
            if !is_open || own.len() < 2 {
                object["additionalProperties"] = json!(false);
            }
            object
        },
    );
    let object = object.boxed();
    let nested = object.clone().prop_map(
        |object| json!({"type": "array", "items": {"anyOf": [object, {"type": "null"}]}}),
    );
    prop_oneof![schema(), object, nested]
}

/// Random values that the schemas of [`schema`] often accept.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop::sample::select(vec![
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(2),
        json!(3),
        json!(2.5),
        json!(-1),
        json!(""),
        json!("a"),
        json!("bb"),
        json!("aaa"),
    ]);
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            prop::collection::btree_map("[xy]", inner, 0..3).prop_map(|members| json!(members)),
        ]
    })
}

/// The schema of an object that requires one property.
fn object_with(schema: &Value) -> Value {
    json!({"type": "object", "properties": {"p": schema}, "required": ["p"]})
}

fn accepts(schema: &Schema, value: &Value) -> bool {
    schema.validator().expect("a schema").is_valid(&json!({"p": value}))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn equal_schemas_have_no_changes(schema in schema_or_object()) {
        let holder = object_with(&schema);
        prop_assert!(compare_input(&holder, &holder.clone()).is_empty());
        prop_assert!(compare_output(&holder, &holder.clone()).is_empty());
    }

    /// An input that changes from A to B is compatible if B accepts everything that A accepts; an
    /// output that changes from B to A is compatible under the same condition. So both must have
    /// the same effect. The law fails if a rule has the wrong effect in one direction.
    #[test]
    fn input_and_output_are_mirror_images(old in schema(), new in schema()) {
        let (old, new) = (object_with(&old), object_with(&new));
        prop_assert_eq!(worst_effect(&compare_input(&old, &new)), worst_effect(&compare_output(&new, &old)));
    }

    /// The comparer must never call a change compatible that makes an accepted value invalid. The
    /// validator, which shares no code with the comparer, is the judge.
    #[test]
    fn compatible_schemas_accept_every_old_value(old in schema_or_object(), new in schema_or_object(), values in prop::collection::vec(value(), 40)) {
        let (old, new) = (object_with(&old), object_with(&new));
        let effect = worst_effect(&compare_input(&old, &new));
        let (before, now) = (read_schema(old), read_schema(new));
        for value in values.iter().filter(|value| accepts(&before, value)) {
            prop_assert!(effect >= Effect::Undecided || accepts(&now, value), "{value}");
        }
    }
}
