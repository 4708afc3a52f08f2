//! What holds for all schemas.

use catalog::Schema;
use compat::{Change, Effect};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::tools::{compare_input, compare_output, schema as read_schema};

fn worst(changes: &[Change]) -> Effect {
    changes.iter().map(|change| change.effect).max().unwrap_or(Effect::Metadata)
}

/// Schemas of values, from few enough words that two of them have something in common.
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

/// The same, and objects whose properties have names.
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
            // Where others are let through, a name that is given a type is a new parameter, whatever was let through under it.
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

/// The schema of an object with one property.
fn holding(schema: &Value) -> Value {
    json!({"type": "object", "properties": {"p": schema}, "required": ["p"]})
}

fn admits(schema: &Schema, value: &Value) -> bool {
    schema.validator().expect("a schema").is_valid(&json!({"p": value}))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_changes_if_nothing_changes(schema in schema_or_object()) {
        let holder = holding(&schema);
        prop_assert!(compare_input(&holder, &holder.clone()).is_empty());
        prop_assert!(compare_output(&holder, &holder.clone()).is_empty());
    }

    #[test]
    fn what_breaks_one_way_in_breaks_the_other_way_out(old in schema(), new in schema()) {
        let (old, new) = (holding(&old), holding(&new));
        prop_assert_eq!(worst(&compare_input(&old, &new)), worst(&compare_output(&new, &old)));
    }

    #[test]
    fn what_is_called_compatible_takes_every_value_that_was_taken(old in schema_or_object(), new in schema_or_object(), values in prop::collection::vec(value(), 40)) {
        let (old, new) = (holding(&old), holding(&new));
        let effect = worst(&compare_input(&old, &new));
        let (before, now) = (read_schema(old), read_schema(new));
        for value in values.iter().filter(|value| admits(&before, value)) {
            prop_assert!(effect >= Effect::Undecided || admits(&now, value), "{value}");
        }
    }
}
