//! JSON Schemas in words: the type of a value, and a list of arguments.

use catalog::Schema;
use serde_json::Value;

/// The arguments of a schema as a Markdown list: name, whether it is required, default, type and
/// description. Empty if there are none.
pub fn schema_to_markdown(schema: &Schema) -> String {
    let required: Vec<_> = schema.required().collect();
    let items = schema
        .properties()
        .map(|(name, property)| render_argument(name, property, required.contains(&name)));
    let list: String = items.collect();
    if list.is_empty() { list } else { format!("## Arguments\n\n{list}") }
}

fn render_argument(name: &str, schema: &Value, is_required: bool) -> String {
    let presence = if is_required { "required" } else { "optional" };
    let default = schema.get("default").filter(|default| !default.is_null());
    let default = default.map(|default| format!(", default {default}")).unwrap_or_default();
    let mut item =
        format!("- **{name}** ({presence}{default}): {}\n", describe_type_or_values(schema));
    let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let lines = description.lines().map(str::trim).filter(|line| !line.is_empty());
    item.extend(lines.map(|line| format!("  - {line}\n")));
    item
}

fn describe_type_or_values(schema: &Value) -> String {
    match allowed_values(schema).as_slice() {
        [] => describe_type(schema),
        [only] => format!("always {only}"),
        values => {
            let values: Vec<_> = values.iter().map(ToString::to_string).collect();
            format!("enum: {}", values.join(", "))
        }
    }
}

/// The values that a schema allows, if it lists them; empty if other values are valid, too.
pub(crate) fn allowed_values(schema: &Value) -> Vec<&Value> {
    if let Some(only) = schema.get("const") {
        return vec![only];
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        return values.iter().collect();
    }
    let alternatives: Vec<Vec<&Value>> = alternatives(schema).map(allowed_values).collect();
    // One alternative without a list allows values that the others do not list.
    if alternatives.iter().any(Vec::is_empty) { Vec::new() } else { alternatives.concat() }
}

/// The type in words: `path`, `integer`, `array of path`, `map of string`, `string or null`.
pub(crate) fn describe_type(schema: &Value) -> String {
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(only)) => vec![only],
        Some(Value::Array(types)) => types.iter().filter_map(Value::as_str).collect(),
        _ => return describe_alternatives(schema),
    };
    let types = types.into_iter().map(|name| describe_named_type(name, schema));
    types.collect::<Vec<_>>().join(" or ")
}

fn describe_named_type(name: &str, schema: &Value) -> String {
    let inner = |keyword| {
        let inner = schema.get(keyword).filter(|inner| inner.is_object());
        inner.map(describe_type).filter(|inner| inner != "any")
    };
    let described = match name {
        "string" => schema.get("format").and_then(Value::as_str).map(str::to_owned),
        "array" => inner("items").map(|items| format!("array of {items}")),
        "object" => inner("additionalProperties").map(|values| format!("map of {values}")),
        _ => None,
    };
    described.unwrap_or_else(|| name.to_owned())
}

fn describe_alternatives(schema: &Value) -> String {
    let mut types: Vec<String> = Vec::new();
    for alternative in alternatives(schema).map(describe_type) {
        if !types.contains(&alternative) {
            types.push(alternative);
        }
    }
    if !types.is_empty() {
        return types.join(" or ");
    }
    // A schema with `const` or `enum` needs no `type`: its first value has one.
    let first = allowed_values(schema).first().copied();
    first.map_or("any", catalog::arguments::type_name).to_owned()
}

fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    schema.get("anyOf").or(schema.get("oneOf")).and_then(Value::as_array).into_iter().flatten()
}
