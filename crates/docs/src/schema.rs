//! A JSON Schema in words: what kind of value it asks for, and the list of arguments that tools are
//! documented with.

use catalog::Schema;
use serde_json::Value;

/// The arguments that a schema asks for, as a Markdown list: name, whether it must be given, its
/// default, its type, and what it is. Nothing if there are none.
pub fn schema_markdown(schema: &Schema) -> String {
    let required: Vec<_> = schema.required().collect();
    let lines: String = schema
        .properties()
        .map(|(name, property)| argument(name, property, required.contains(&name)))
        .collect();
    if lines.is_empty() { lines } else { format!("## Arguments\n\n{lines}") }
}

fn argument(name: &str, schema: &Value, is_required: bool) -> String {
    let default = schema
        .get("default")
        .filter(|default| !default.is_null())
        .map(|default| format!(", default {default}"));
    let presence = if is_required { "required" } else { "optional" };
    let mut line =
        format!("- **{name}** ({presence}{}): {}\n", default.unwrap_or_default(), typed(schema));
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    line.extend(
        text.lines()
            .filter(|text| !text.trim().is_empty())
            .map(|text| format!("  - {}\n", text.trim())),
    );
    line
}

/// The type, with the values where there are only some.
fn typed(schema: &Value) -> String {
    let values = |values: &[&Value]| {
        values.iter().map(|value| value.to_string()).collect::<Vec<_>>().join(", ")
    };
    match choices(schema).as_slice() {
        [] => kind(schema),
        [only] => format!("always {only}"),
        some => format!("enum: {}", values(some)),
    }
}

/// The only values that a schema admits; empty if it admits others, too.
pub(crate) fn choices(schema: &Value) -> Vec<&Value> {
    if let Some(only) = schema.get("const") {
        return vec![only];
    }
    if let Some(Value::Array(choices)) = schema.get("enum") {
        return choices.iter().collect();
    }
    let arms: Vec<Vec<&Value>> = arms(schema).map(choices).collect();
    if arms.iter().any(Vec::is_empty) { Vec::new() } else { arms.concat() }
}

/// The type in words: `path`, `integer`, `array of path`, `map of string`, `string or null`.
pub(crate) fn kind(schema: &Value) -> String {
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => return kind_of_arms(schema),
    };
    types.into_iter().map(|word| type_word(word, schema)).collect::<Vec<_>>().join(" or ")
}

fn type_word(word: &str, schema: &Value) -> String {
    let inside = |keyword| {
        schema
            .get(keyword)
            .filter(|inside| inside.is_object())
            .map(kind)
            .filter(|kind| kind != "any")
    };
    let format = schema.get("format").and_then(Value::as_str);
    match word {
        "string" => format.unwrap_or("string").to_owned(),
        "array" => {
            inside("items").map_or_else(|| word.to_owned(), |items| format!("array of {items}"))
        }
        "object" => inside("additionalProperties")
            .map_or_else(|| word.to_owned(), |values| format!("map of {values}")),
        _ => word.to_owned(),
    }
}

fn kind_of_arms(schema: &Value) -> String {
    let mut kinds: Vec<String> = Vec::new();
    for kind in arms(schema).map(kind) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    match (kinds.is_empty(), choices(schema).first()) {
        (false, _) => kinds.join(" or "),
        (true, Some(value)) => catalog::arguments::type_name(value).to_owned(),
        (true, None) => "any".to_owned(),
    }
}

fn arms(schema: &Value) -> impl Iterator<Item = &Value> {
    schema.get("anyOf").or(schema.get("oneOf")).and_then(Value::as_array).into_iter().flatten()
}
