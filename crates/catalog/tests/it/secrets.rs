//! Secret arguments, which are never logged or stored.

use catalog::arguments;
use serde_json::{Value, json};

use crate::policy_fixture::{arguments, tool};

#[test]
fn a_mark_anywhere_in_a_schema_makes_the_argument_secret() {
    let tool = tool(
        "login",
        json!({
            "user": {"type": "string"},
            "password": {"type": "string", "format": "password"},
            "token": {"type": "string", "writeOnly": true},
            "login": {"type": "object", "properties": {"pin": {"type": "string", "writeOnly": true}}},
            "keys": {"type": "array", "items": {"anyOf": [{"type": "null"}, {"type": "string", "format": "password"}]}},
            "format": {"enum": ["password"]},
        }),
    );
    let secret: Vec<_> =
        tool.input.properties().map(|(name, _)| name).filter(|name| tool.is_secret(name)).collect();
    assert_eq!(secret, ["password", "token", "login", "keys"]);
}

#[test]
fn follows_references_and_stops_at_cycles() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/one"}, "b": {"$ref": "#/$defs/two"}, "c": {"$ref": "#/$defs/three"}},
        "allOf": [{"properties": {"d": {"writeOnly": true}}}],
        "patternProperties": {"^x": {"format": "password"}},
        "$defs": {
            "one": {"anyOf": [{"$ref": "#/$defs/two"}, {"format": "password"}]},
            "two": {"items": {"$ref": "#/$defs/one"}},
            "three": {"items": {"$ref": "#/$defs/three"}},
        },
    });
    let schema = catalog::Schema::new(arguments(schema));
    let secret = ["a", "b", "c", "d", "x1"].map(|name| schema.is_secret(name));
    assert_eq!(secret, [true, true, false, true, true]);
}

#[test]
fn redaction_keeps_other_arguments() {
    let tool = tool(
        "login",
        json!({"user": {"type": "string"}, "password": {"type": "string", "format": "password"}}),
    );
    let given = arguments(json!({"user": "ada", "password": "hunter2"}));
    assert_eq!(
        Value::Object(arguments::redact(&tool, &given)),
        json!({"user": "ada", "password": "[secret]"})
    );
}

#[test]
fn argument_errors_contain_no_secrets() {
    let mut tool = tool(
        "login",
        json!({"pin": {"type": "integer", "format": "password"}, "user": {"type": "string"}}),
    );
    let errors =
        arguments::validate(&tool.input, &json!({"pin": "hunter2", "user": 7})).expect("a schema");
    let received: Vec<_> = errors.iter().map(|error| error.received.clone()).collect();
    assert_eq!(received, [json!("[secret]"), json!(7)]);

    let mut object = (**tool.input.object()).clone();
    object.insert("minProperties".to_owned(), json!(3));
    tool.input = catalog::Schema::new(object);
    let errors =
        arguments::validate(&tool.input, &json!({"pin": 1, "user": "ada"})).expect("a schema");
    assert_eq!(errors[0].received, json!({"pin": "[secret]", "user": "ada"}));
}
