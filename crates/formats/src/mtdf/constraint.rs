//! Constraints on the value of a parameter, checked and converted to JSON Schema.

use fancy_regex::Regex;
use serde_json::{Map, Value as Json, json};

use super::{
    parameter_type::ParameterType,
    rules::parameter::{BAD_DEFAULT, BAD_ENUM, BOUND_ALIAS, EMPTY_RANGE},
};
use crate::{
    json::{Node, Value},
    object::{KnownFields, Object, report_wrong_type},
    report::{Report, summarize},
    schema::check_pattern,
};

const RANGES: [(&str, &str); 3] =
    [("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems")];

/// The fields that constrain a value.
#[rustfmt::skip]
pub(crate) const FIELDS: &[&str] = &[
    "type", "description", "format", "enum", "default", "pattern", "minimum", "maximum", "min", "max",
    "minLength", "maxLength", "minItems", "maxItems", "items",
];

const ITEM: KnownFields = KnownFields { groups: &[FIELDS], critical: &["format"] };

/// Only this many items of a default are checked.
const MAX_ITEMS: usize = 100;

/// The JSON Schema of a value of type `value_type` with the constraints of `object`.
pub(crate) fn read(
    object: &Object<'_, '_>,
    value_type: ParameterType,
    report: &mut Report,
) -> Map<String, Json> {
    let mut schema = Map::new();
    let mut put = |key: &str, value: Option<Json>| {
        if let Some(value) = value {
            schema.insert(key.to_owned(), value);
        }
    };
    put("type", Some(value_type.as_str().into()));
    put("description", object.text("description", report).map(Json::from));
    put("format", object.non_blank("format", report).map(Json::from));
    put("enum", read_enum(object, value_type, report));
    put("pattern", read_pattern(object, report));
    for (low, high) in RANGES {
        let found = (read_bound(object, low, report), read_bound(object, high, report));
        check_range(object, (low, found.0), (high, found.1), report);
        put(low, found.0.map(Node::to_value));
        put(high, found.1.map(Node::to_value));
    }
    put("items", read_items(object, value_type, report));
    put("default", read_default(object, value_type, report));
    schema
}

fn read_items(
    object: &Object<'_, '_>,
    value_type: ParameterType,
    report: &mut Report,
) -> Option<Json> {
    let at = object.at.key("items");
    let Some(node) = object.node("items") else {
        // Some clients reject arrays without `items`, and every item becomes a word of the command
        // line.
        return (value_type == ParameterType::Array).then(|| json!({"type": "string"}));
    };
    let items = Object::new(node, &at, report)?;
    items.check_known(&ITEM, report);
    let value_type = if items.has("type") {
        ParameterType::read(&items, report)?
    } else {
        ParameterType::String
    };
    Some(Json::Object(read(&items, value_type, report)))
}

fn read_enum(
    object: &Object<'_, '_>,
    value_type: ParameterType,
    report: &mut Report,
) -> Option<Json> {
    let values = object.list("enum", report)?;
    let at = object.at.key("enum");
    if values.is_empty() {
        report.push(
            report
                .at_value(&BAD_ENUM, &at, "`enum` allows no value at all")
                .hint("list the allowed values, or remove `enum`"),
        );
    }
    for (index, value) in values.iter().enumerate().filter(|(_, value)| !value_type.admits(value)) {
        let message = format!("this value of `enum` is not of type `{}`", value_type.as_str());
        let problem = report
            .at_value(&BAD_ENUM, &at.index(index), message)
            .with_expected(value_type.as_str())
            .with_received(summarize(value));
        let hint = if value_type == ParameterType::Array {
            "to constrain the items, put `enum` into `items`"
        } else {
            "change the value or the type"
        };
        report.push(problem.hint(hint));
    }
    Some(Json::Array(values.iter().map(Node::to_value).collect()))
}

fn read_pattern(object: &Object<'_, '_>, report: &mut Report) -> Option<Json> {
    let pattern = object.text("pattern", report)?;
    check_pattern(pattern, &object.at.key("pattern"), report);
    Some(pattern.into())
}

/// Reads one end of a range. `min` and `max` are aliases that many definitions use.
fn read_bound<'n>(object: &Object<'n, '_>, key: &str, report: &mut Report) -> Option<&'n Node<'n>> {
    let alias = match key {
        "minimum" => "min",
        "maximum" => "max",
        _ => return object.count(key, report).and_then(|_| object.node(key)),
    };
    // The standard name is read last, so that it wins over the alias.
    let mut found = None;
    for key in [alias, key] {
        let Some(node) = object.node(key) else {
            continue;
        };
        match node.as_number() {
            Some(_) => found = Some(node),
            None => report_wrong_type(node, &object.at.key(key), "number", report),
        }
    }
    if object.has(alias) {
        let problem = report.at_key(
            &BOUND_ALIAS,
            &object.at.key(alias),
            format!("`{alias}` is read as `{key}`"),
        );
        report.push(problem.hint(format!("write `{key}`")));
    }
    found
}

fn check_range(
    object: &Object<'_, '_>,
    (low_key, low): (&str, Option<&Node<'_>>),
    (high_key, high): (&str, Option<&Node<'_>>),
    report: &mut Report,
) {
    if let (Some(low), Some(high)) = (low, high)
        && to_number(low) > to_number(high)
    {
        let message = format!("`{low_key}` is greater than `{high_key}`");
        report.push(report.at_value(&EMPTY_RANGE, object.at, message).hint("swap the two"));
    }
}

fn to_number(node: &Node<'_>) -> Option<f64> {
    node.as_number().and_then(serde_json::Number::as_f64)
}

fn read_default(
    object: &Object<'_, '_>,
    value_type: ParameterType,
    report: &mut Report,
) -> Option<Json> {
    let node = object.node("default")?;
    if let Some(expected) = find_violation(object.node, value_type, node) {
        let problem = report.at_value(
            &BAD_DEFAULT,
            &object.at.key("default"),
            "the default violates the constraints of the parameter",
        );
        report.push(
            problem
                .with_expected(expected)
                .with_received(summarize(node))
                .hint("change the default or the constraints"),
        );
    }
    Some(node.to_value())
}

/// The constraint that a value violates, if any.
fn find_violation(
    constraints: &Node<'_>,
    value_type: ParameterType,
    value: &Node<'_>,
) -> Option<String> {
    if !value_type.admits(value) {
        return Some(value_type.as_str().to_owned());
    }
    if let Some(allowed) = constraints.get("enum")
        && !allowed.items().iter().any(|item| item.to_value() == value.to_value())
    {
        return Some("one of the values of `enum`".to_owned());
    }
    match &value.value {
        Value::Number(_) => {
            find_range_violation(constraints, ["minimum", "maximum"], to_number(value)?)
        }
        Value::String(text) => {
            let length = find_range_violation(
                constraints,
                ["minLength", "maxLength"],
                text.chars().count() as f64,
            );
            length.or_else(|| find_pattern_violation(constraints, text))
        }
        Value::Array(items) => {
            let count =
                find_range_violation(constraints, ["minItems", "maxItems"], items.len() as f64);
            count.or_else(|| find_item_violation(constraints, items))
        }
        _ => None,
    }
}

fn find_range_violation(
    constraints: &Node<'_>,
    [low, high]: [&str; 2],
    value: f64,
) -> Option<String> {
    let limit = |key: &str| constraints.get(key).and_then(to_number);
    if limit(low).is_some_and(|limit| value < limit) {
        return Some(format!("at least `{low}`"));
    }
    limit(high).is_some_and(|limit| value > limit).then(|| format!("at most `{high}`"))
}

fn find_pattern_violation(constraints: &Node<'_>, text: &str) -> Option<String> {
    let pattern = constraints.get("pattern").and_then(Node::as_str)?;
    let regex = Regex::new(pattern).ok()?;
    // An error means that the backtracking limit was reached, which decides nothing.
    matches!(regex.is_match(text), Ok(false)).then(|| format!("a match of the pattern {pattern}"))
}

fn find_item_violation(constraints: &Node<'_>, items: &[Node<'_>]) -> Option<String> {
    let rules = constraints.get("items")?;
    let value_type = match rules.get("type") {
        Some(node) => ParameterType::from_name(node.as_str()?)?,
        None => ParameterType::String,
    };
    items
        .iter()
        .take(MAX_ITEMS)
        .find_map(|item| find_violation(rules, value_type, item))
        .map(|expected| format!("items that are {expected}"))
}
