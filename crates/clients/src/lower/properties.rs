//! Lowers properties: their names, types and bounds.

use serde_json::{Value, json};

use super::{Lowered, conditions, properties, properties_mut, required};
use crate::schema::{Object, add_description, has_schema, visit_schemas};

/// Maximum length of a parameter name that model providers accept.
const MAX_NAME: usize = 64;

/// Keywords that determine the values of a property.
const TYPES: [&str; 9] = ["type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "not", "if"];

/// Keywords that Codex drops.
const BOUNDS: [&str; 10] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "maxItems",
    "pattern",
    "format",
    "default",
];

fn is_portable(name: &str) -> bool {
    let is_safe = |character: char| character.is_ascii_alphanumeric() || "_.-".contains(character);
    (1..=MAX_NAME).contains(&name.len()) && name.chars().all(is_safe)
}

pub(crate) fn has_foreign_name(schema: &Object) -> bool {
    properties(schema).is_some_and(|known| known.keys().any(|name| !is_portable(name)))
}

/// Renames parameters whose names providers reject.
pub(crate) fn rename(lowered: &mut Lowered) {
    // Combinations would still refer to the parameters by their old names.
    if conditions::has_combination(&lowered.schema) {
        conditions::fold_combinations(lowered);
    }
    if conditions::has_condition(&lowered.schema) {
        conditions::drop_conditions(lowered);
    }
    // A closed schema would now reject the names that the patterns allowed.
    if lowered.schema.shift_remove("patternProperties").is_some() {
        lowered.schema.shift_remove("additionalProperties");
    }
    // The new names need not satisfy it.
    lowered.schema.shift_remove("propertyNames");
    let Some(Value::Object(before)) = lowered.schema.shift_remove("properties") else { return };
    let mut after = Object::new();
    for (name, mut schema) in before.clone() {
        if is_portable(&name) {
            after.insert(name, schema);
            continue;
        }
        let is_taken = |new: &str| before.contains_key(new) || after.contains_key(new);
        let new = find_name(&name, is_taken);
        if let Value::Object(schema) = &mut schema {
            add_description(schema, &format!("(`{name}` in messages.)"));
        }
        after.insert(new.clone(), schema);
        let (old, short) = (format!("`{name}`"), format!("`{new}`"));
        lowered.notes.iter_mut().for_each(|note| *note = note.replace(&old, &short));
        lowered.renamed.push((new, name));
    }
    lowered.schema.insert("properties".to_owned(), after.into());
    if let Some(Value::Array(names)) = lowered.schema.get_mut("required") {
        for name in names {
            let new = lowered.renamed.iter().find(|(_, old)| *name == **old);
            if let Some((new, _)) = new {
                *name = new.as_str().into();
            }
        }
    }
}

fn find_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let is_safe = |character: char| character.is_ascii_alphanumeric() || "_.-".contains(character);
    let safe = name.chars().map(|c| if is_safe(c) { c } else { '_' });
    // Leaves room for a number that makes the name unique.
    let base: String = safe.take(MAX_NAME - 4).collect();
    let base = if base.is_empty() { "_".to_owned() } else { base };
    let numbered = (2..).map(|number| format!("{base}_{number}"));
    let mut names = std::iter::once(base.clone()).chain(numbered);
    names.find(|name| !is_taken(name)).expect("there are fewer parameters than numbers")
}

fn is_untyped(schema: &Value) -> bool {
    let has_text = schema.get("description").is_some();
    has_text && TYPES.iter().all(|keyword| schema.get(keyword).is_none())
}

pub(crate) fn has_untyped(schema: &Object) -> bool {
    has_schema(schema, &|schema| properties(schema).is_some_and(|all| all.values().any(is_untyped)))
}

/// Lists all types for a property without a type.
pub(crate) fn type_untyped(lowered: &mut Lowered) {
    let names = ["string", "number", "boolean", "null", "object"];
    let mut types: Vec<_> = names.iter().map(|name| json!({"type": name})).collect();
    // Some clients reject arrays without `items`.
    types.push(json!({"type": "array", "items": {}}));
    visit_schemas(&mut lowered.schema, &mut |schema| {
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        for property in properties.into_iter().flat_map(Object::values_mut) {
            if is_untyped(property) {
                property["anyOf"] = types.clone().into();
            }
        }
    });
}

pub(crate) fn has_bounds(schema: &Object) -> bool {
    has_schema(schema, &|schema| BOUNDS.iter().any(|keyword| schema.contains_key(*keyword)))
}

/// Repeats in the descriptions the constraints that Codex drops from schemas.
pub(crate) fn describe_bounds(lowered: &mut Lowered) {
    visit_schemas(&mut lowered.schema, &mut |schema| {
        let words: Vec<_> = BOUNDS
            .iter()
            .filter_map(|keyword| {
                let value = schema.get(*keyword)?;
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                Some(match *keyword {
                    "minimum" => format!("at least {value}"),
                    "maximum" => format!("at most {value}"),
                    "exclusiveMinimum" => format!("more than {value}"),
                    "exclusiveMaximum" => format!("less than {value}"),
                    "minLength" => format!("at least {value} characters"),
                    "maxLength" => format!("at most {value} characters"),
                    "maxItems" => format!("at most {value} items"),
                    keyword => format!("{keyword} {value}"),
                })
            })
            .collect();
        if !words.is_empty() {
            add_description(schema, &format!("({})", words.join(", ")));
        }
    });
}

pub(crate) fn has_undeclared_required(schema: &Object) -> bool {
    let known = properties(schema);
    required(schema).iter().any(|name| known.is_none_or(|known| !known.contains_key(*name)))
}

pub(crate) fn declare_required(lowered: &mut Lowered) {
    let names: Vec<_> = required(&lowered.schema).into_iter().map(str::to_owned).collect();
    let Some(known) = properties_mut(&mut lowered.schema) else { return };
    for name in names {
        known.entry(name).or_insert_with(|| json!({}));
    }
}

/// Adds `"type": "object"` at the root. MCP arguments are always an object, so this excludes
/// nothing.
pub(crate) fn make_object(lowered: &mut Lowered) {
    lowered.schema.insert("type".to_owned(), "object".into());
}
