//! Pairs of schemas and the changes between them, in both directions.

use serde_json::{Value, json};

use crate::tools::{
    compare_input, field_changes, input_changes, output_changes, parameter_changes,
};

const NONE: [&str; 0] = [];

#[test]
fn parameters_may_accept_more_and_results_may_promise_more() {
    let (less, more) = (json!({"type": "integer"}), json!({"type": "number"}));
    assert_eq!(parameter_changes(less.clone(), more.clone()), ["type-widened"]);
    assert_eq!(parameter_changes(more.clone(), less.clone()), ["type-narrowed!"]);
    assert_eq!(field_changes(less.clone(), more.clone()), ["type-widened!"]);
    assert_eq!(field_changes(more, less), ["type-narrowed"]);
}

#[test]
fn boolean_schemas_equal_the_objects_that_servers_list_for_them() {
    for (boolean, object) in [(json!(true), json!({})), (json!(false), json!({"not": {}}))] {
        assert_eq!(parameter_changes(boolean.clone(), object.clone()), NONE);
        assert_eq!(field_changes(object, boolean), NONE);
    }
}

#[test]
fn enum_values_have_mirrored_effects() {
    let (less, more) = (json!({"enum": ["a", "b"]}), json!({"enum": ["a", "b", "c"]}));
    assert_eq!(parameter_changes(less.clone(), more.clone()), ["enum-value-added"]);
    assert_eq!(parameter_changes(more.clone(), less.clone()), ["enum-value-removed!"]);
    assert_eq!(field_changes(less.clone(), more.clone()), ["enum-value-added!"]);
    assert_eq!(field_changes(more, less), ["enum-value-removed"]);
}

#[test]
fn required_has_opposite_effects_on_input_and_output() {
    let (free, bound) = (
        json!({"type": "object", "properties": {"a": {}}}),
        json!({"type": "object", "properties": {"a": {}}, "required": ["a"]}),
    );
    assert_eq!(input_changes(free.clone(), bound.clone()), ["parameter-required!"]);
    assert_eq!(input_changes(bound.clone(), free.clone()), ["parameter-optional"]);
    assert_eq!(output_changes(free.clone(), bound.clone()), ["output-promised"]);
    assert_eq!(output_changes(bound, free), ["output-unpromised!"]);
}

#[test]
fn removing_an_optional_parameter_breaks_even_in_an_open_object() {
    let both =
        json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}});
    let one = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    assert_eq!(input_changes(both.clone(), one.clone()), ["parameter-removed!"]);
    assert_eq!(input_changes(one, both), ["parameter-added"]);
}

#[test]
fn spelling_of_a_schema_does_not_matter() {
    let same = [
        json!({"type": ["string", "null"]}),
        json!({"type": ["null", "string"]}),
        json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
        json!({"oneOf": [{"type": "null"}, {"type": "string"}]}),
        json!({"anyOf": [{"allOf": [{"type": "string"}]}, {"const": null}]}),
    ];
    for (old, new) in same.iter().flat_map(|old| same.iter().map(move |new| (old, new))) {
        assert_eq!(parameter_changes(old.clone(), new.clone()), NONE, "{old} {new}");
        assert_eq!(field_changes(old.clone(), new.clone()), NONE, "{old} {new}");
    }
    let (listed, each) =
        (json!({"enum": ["a", "b"]}), json!({"anyOf": [{"const": "b"}, {"const": "a"}]}));
    assert_eq!(parameter_changes(listed, each), NONE);
    assert_eq!(
        parameter_changes(
            json!({"type": "integer", "exclusiveMinimum": 0}),
            json!({"type": "integer", "minimum": 1})
        ),
        NONE
    );
    assert_eq!(parameter_changes(json!({"type": "boolean"}), json!({"enum": [true, false]})), NONE);
}

#[test]
fn follows_references_even_in_a_cycle() {
    let tree = |leaf: &str| {
        json!({"type": "object", "properties": {"root": {"$ref": "#/$defs/node"}}, "$defs": {"node": {
            "type": "object",
            "properties": {"value": {"type": leaf}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
        }}})
    };
    assert_eq!(input_changes(tree("string"), tree("string")), NONE);
    assert_eq!(
        input_changes(tree("string"), tree("integer")),
        ["type-changed!"],
        "once, where it is first"
    );
    let spelled = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let referred = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "string"}}});
    assert_eq!(input_changes(spelled, referred), NONE);
}

#[test]
fn compares_alternatives_in_any_order() {
    let text = json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": false});
    let file = json!({"type": "object", "properties": {"file": {"type": "string"}}, "required": ["file"], "additionalProperties": false});
    let both = json!({"anyOf": [text, file]});
    let turned = json!({"anyOf": [file, text]});
    assert_eq!(parameter_changes(both.clone(), turned), NONE);
    assert_eq!(parameter_changes(both.clone(), text.clone()), ["type-narrowed!"]);
    assert_eq!(parameter_changes(text.clone(), both.clone()), ["type-widened"]);
    assert_eq!(field_changes(text, both.clone()), ["type-widened!"]);
    let counted = json!({"anyOf": [file, {"type": "object", "properties": {"text": {"type": "integer"}}, "required": ["text"], "additionalProperties": false}]});
    assert_eq!(
        parameter_changes(both, counted),
        ["type-changed!"],
        "a single counterpart is compared in detail"
    );
}

#[test]
fn finds_nested_changes() {
    let nested = |values: Value| json!({"type": "array", "items": {"type": "object", "properties": {"mode": {"enum": values}}, "additionalProperties": {"type": "integer"}}});
    assert_eq!(
        parameter_changes(nested(json!(["r", "w"])), nested(json!(["r"]))),
        ["enum-value-removed!"]
    );
    let map = |kind: &str| json!({"type": "object", "additionalProperties": {"type": kind}});
    assert_eq!(parameter_changes(map("integer"), map("number")), ["type-widened"]);
    assert_eq!(field_changes(map("integer"), map("number")), ["type-widened!"]);
    let named = json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "integer"}});
    assert_eq!(
        parameter_changes(map("integer"), named),
        ["type-changed!", "parameter-added"],
        "it had a schema before it had a name"
    );
}

#[test]
fn compares_ranges_lengths_and_counts() {
    for (less, more) in [
        (json!({"type": "integer", "minimum": 1}), json!({"type": "integer"})),
        (json!({"type": "number", "exclusiveMaximum": 1}), json!({"type": "number", "maximum": 1})),
        (json!({"type": "string", "maxLength": 10}), json!({"type": "string", "maxLength": 20})),
        (json!({"type": "array", "minItems": 2}), json!({"type": "array", "minItems": 1})),
        (json!({"type": "array", "uniqueItems": true}), json!({"type": "array"})),
        (json!({"type": "integer", "multipleOf": 4}), json!({"type": "integer", "multipleOf": 2})),
        (json!({"type": "object", "maxProperties": 3}), json!({"type": "object"})),
    ] {
        assert_eq!(
            parameter_changes(less.clone(), more.clone()),
            ["range-widened"],
            "{less} {more}"
        );
        assert_eq!(
            parameter_changes(more.clone(), less.clone()),
            ["range-narrowed!"],
            "{less} {more}"
        );
        assert_eq!(field_changes(less.clone(), more.clone()), ["range-widened!"], "{less} {more}");
        assert_eq!(field_changes(more, less), ["range-narrowed"]);
    }
    let shifted = parameter_changes(
        json!({"type": "integer", "minimum": 1, "maximum": 5}),
        json!({"type": "integer", "minimum": 0, "maximum": 4}),
    );
    assert_eq!(shifted, ["range-narrowed!", "range-widened"]);
}

#[test]
fn compares_an_enum_with_a_pattern_by_its_values() {
    let listed = json!({"type": "string", "enum": ["v1", "v2"]});
    assert_eq!(
        parameter_changes(listed.clone(), json!({"type": "string", "pattern": "^v[0-9]$"})),
        ["enum-removed"]
    );
    assert_eq!(
        parameter_changes(listed, json!({"type": "string", "pattern": "^v1$"})),
        ["enum-value-removed!", "enum-removed"]
    );
}

#[test]
fn reports_undecided_changes() {
    let conditional = |value: i64| json!({"type": "object", "properties": {"a": {"type": "integer"}}, "if": {"properties": {"a": {"const": value}}}, "then": {"required": ["b"]}});
    assert_eq!(input_changes(conditional(1), conditional(2)), ["cannot-decide?"]);
    assert_eq!(output_changes(conditional(1), conditional(2)), ["cannot-decide?"]);
    assert_eq!(input_changes(conditional(1), conditional(1)), NONE);
    assert_eq!(
        parameter_changes(
            json!({"type": "string", "pattern": "a"}),
            json!({"type": "string", "pattern": "b"})
        ),
        ["pattern-changed?"]
    );
    let overlapping = |last: &str| json!({"oneOf": [{"type": "number"}, {"type": last}]});
    assert_eq!(
        parameter_changes(overlapping("integer"), overlapping("number")),
        ["cannot-decide?"],
        "`oneOf` with overlapping parts is not `anyOf`"
    );
}

#[test]
fn compares_keywords_next_to_an_unchanged_condition() {
    let either = |extra: Value| json!({"type": "object", "properties": {"a": {"type": "string"}, "b": extra}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]});
    assert_eq!(
        input_changes(either(json!({"type": "string"})), either(json!({"type": "integer"}))),
        ["type-changed!"]
    );
}

#[test]
fn deep_and_wide_schemas_take_bounded_time() {
    let deep = |last: &str| {
        (0..500).fold(json!({"type": last}), |inner, _| json!({"type": "array", "items": inner}))
    };
    assert_eq!(parameter_changes(deep("string"), deep("integer")), ["cannot-decide?"]);
    let wide = |count: usize| {
        let arm = |at: usize| json!({"type": "object", "properties": {"kind": {"const": at}, "child": {"$ref": "#/$defs/any"}}});
        let all: Vec<Value> = (0..count).map(arm).collect();
        json!({"type": "object", "properties": {"p": {"$ref": "#/$defs/any"}}, "$defs": {"any": {"anyOf": all}}})
    };
    assert!(
        input_changes(wide(60), wide(61))
            .iter()
            .all(|found| found.starts_with("type-widened") || found.starts_with("cannot-decide"))
    );
}

#[test]
fn recursive_schemas_terminate() {
    let bomb = |last: &str| {
        json!({"type": "object", "properties": {"p": {"$ref": "#/$defs/a"}}, "$defs": {
            "a": {"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}, {"type": last}]},
            "b": {"not": {"allOf": [{"$ref": "#/$defs/b"}, {"$ref": "#/$defs/b"}], "type": last}},
        }})
    };
    assert!(!input_changes(bomb("string"), bomb("integer")).is_empty());
    let negated = |last: &str| json!({"type": "object", "not": {"$ref": "#/$defs/b"}, "$defs": bomb(last)["$defs"]});
    assert_eq!(input_changes(negated("string"), negated("integer")), ["cannot-decide?"]);
    let anything = json!({"type": "object", "properties": {"p": {}}});
    let list = json!({"type": "object", "properties": {"p": {"$ref": "#/$defs/l"}}, "$defs": {"l": {"items": {"$ref": "#/$defs/l"}, "type": ["array", "null"]}}});
    assert_eq!(
        input_changes(anything, list),
        ["type-narrowed!", "type-narrowed!"],
        "the root and its items"
    );
}

#[test]
fn messages_name_the_path_of_a_value() {
    let nested = |kind: &str| {
        json!({"type": "object", "properties": {"jobs": {"type": "array", "items": {"type": "object", "properties": {
            "limit": {"type": "object", "additionalProperties": {"type": kind}},
        }}}}})
    };
    let changes = compare_input(&nested("integer"), &nested("string"));
    assert_eq!(
        changes[0].message,
        "the type of `jobs[].limit.*` changed from `integer` to `string`"
    );
    assert_eq!(
        changes[0].pointer,
        "/inputSchema/properties/jobs/items/properties/limit/additionalProperties/type"
    );
    let closed = json!({"type": "object", "additionalProperties": false});
    let changes = compare_input(&json!({"type": "object"}), &closed);
    assert_eq!(changes[0].message, "additional properties of the parameters are no longer allowed");
}

#[test]
fn resolves_a_reference_next_to_other_keywords() {
    let least = |least: u64| json!({"type": "object", "properties": {"p": {"$ref": "#/$defs/n", "maximum": 9}}, "$defs": {"n": {"type": "integer", "minimum": least}}});
    assert_eq!(input_changes(least(1), least(2)), ["cannot-decide?"]);
    assert_eq!(
        input_changes(
            least(1),
            json!({"title": "t", "type": "object", "properties": least(1)["properties"], "$defs": least(1)["$defs"]})
        ),
        ["description-changed"]
    );
}

#[test]
fn resolves_anchors_and_does_not_trust_unknown_ones() {
    let anchored = |least: u64| json!({"type": "object", "properties": {"p": {"$ref": "#n"}}, "$defs": {"n": {"$anchor": "n", "type": "integer", "minimum": least}}});
    assert_eq!(input_changes(anchored(1), anchored(2)), ["range-narrowed!"]);
    let dangling = |title: &str| json!({"type": "object", "title": title, "properties": {"p": {"$ref": "#n"}}});
    assert_eq!(
        input_changes(dangling("a"), dangling("b")),
        ["cannot-decide?", "description-changed"]
    );
}

#[test]
fn ignores_enum_values_that_violate_their_own_schema() {
    let listed = json!({"type": "string", "enum": ["a", "bbb"]});
    assert_eq!(
        parameter_changes(listed, json!({"type": "string", "enum": ["a", "bbb"], "maxLength": 1})),
        ["enum-value-removed!"]
    );
}

#[test]
fn a_changed_default_is_behavioural() {
    let with = |default: Value| json!({"type": "integer", "default": default});
    assert_eq!(parameter_changes(with(json!(1)), with(json!(2))), ["default-changed"]);
    assert_eq!(
        parameter_changes(with(json!(null)), json!({"type": "integer"})),
        NONE,
        "`null` is no default"
    );
}

#[test]
fn rewrapping_a_text_is_not_a_change() {
    let saying = |text: &str| json!({"type": "string", "description": text});
    assert_eq!(parameter_changes(saying("one\n  two"), saying("one two")), NONE);
    assert_eq!(parameter_changes(saying("one"), saying("two")), ["description-changed"]);
}
