//! Lowers combinations (`anyOf`, `oneOf`, `allOf`, …), which some clients do not accept at the
//! root.

use serde_json::{Value, json};

use super::{Lowered, properties, properties_mut, required};
use crate::schema::Object;

const COMBINATIONS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const CONDITIONS: [&str; 7] =
    ["if", "then", "else", "not", "dependentRequired", "dependentSchemas", "dependencies"];

const MORE_CONDITIONS: &str =
    "Further conditions apply; a call that violates them is refused with the reason.";

/// Maximum number of references that are followed to reach a schema.
const MAX_REFERENCES: usize = 8;

pub(crate) fn has_combination(schema: &Object) -> bool {
    COMBINATIONS.iter().any(|keyword| schema.contains_key(*keyword))
}

/// Declares the properties of all alternatives at the root.
pub(crate) fn fold_combinations(lowered: &mut Lowered) {
    let root = Value::Object(lowered.schema.clone());
    let mut take = |keyword: &str| match lowered.schema.shift_remove(keyword) {
        Some(Value::Array(parts)) => {
            parts.into_iter().map(|part| resolve(&root, part)).collect::<Vec<_>>()
        }
        _ => Vec::new(),
    };
    let [all, any, one] = COMBINATIONS.map(&mut take);
    // Once the combinations are gone, properties that they evaluated would count as unevaluated.
    lowered.schema.shift_remove("unevaluatedProperties");
    for part in all {
        fold_part(lowered, &part);
    }
    for (arms, what) in [(any, "At least one of"), (one, "Exactly one of")] {
        if !arms.is_empty() {
            fold_arms(lowered, arms, what);
        }
    }
}

/// Resolves a reference at the root of a subschema. If it cannot be resolved, the result admits
/// everything.
fn resolve(root: &Value, mut part: Value) -> Object {
    for _ in 0..MAX_REFERENCES {
        let Some(reference) = part.get("$ref").and_then(Value::as_str) else { break };
        // Keywords beside the reference are lost, which makes the result looser, never narrower.
        let target = reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
        part = target.cloned().unwrap_or_default();
    }
    match part {
        Value::Object(schema) if !schema.contains_key("$ref") => schema,
        _ => Object::new(),
    }
}

/// Merges a part that always applies. A property that occurs in both must match both schemas.
fn fold_part(lowered: &mut Lowered, part: &Object) {
    let known = ["type", "properties", "required", "title", "description", "$comment"];
    if part.keys().any(|keyword| !known.contains(&keyword.as_str())) {
        lowered.note(MORE_CONDITIONS);
    }
    let names: Vec<_> = required(part).into_iter().map(str::to_owned).collect();
    require(&mut lowered.schema, &names);
    let Some(own) = properties_mut(&mut lowered.schema) else { return };
    for (name, schema) in properties(part).into_iter().flatten() {
        match own.get_mut(name) {
            Some(known) if known != schema => *known = json!({"allOf": [known.take(), schema]}),
            Some(_) => {}
            None => _ = own.insert(name.clone(), schema.clone()),
        }
    }
}

/// Merges alternatives: the union of their properties, and the names that all of them require.
fn fold_arms(lowered: &mut Lowered, arms: Vec<Object>, what: &str) {
    let described: Vec<_> = arms.iter().map(describe_arm).collect();
    let only_required = described.iter().all(|arm| !arm.is_empty());
    lowered.note(if only_required {
        format!("{what}: {}.", described.join("; "))
    } else {
        MORE_CONDITIONS.to_owned()
    });
    let shared = required(&arms[0])
        .into_iter()
        .filter(|name| arms.iter().all(|arm| required(arm).contains(name)));
    let shared: Vec<_> = shared.map(str::to_owned).collect();
    require(&mut lowered.schema, &shared);
    let Some(own) = properties_mut(&mut lowered.schema) else { return };
    for name in arms.iter().filter_map(properties).flat_map(Object::keys) {
        if !own.contains_key(name) {
            own.insert(name.clone(), unite(&arms, name));
        }
    }
}

/// Unites the schemas of a property that some of the alternatives declare.
fn unite(arms: &[Object], name: &str) -> Value {
    let declared = || arms.iter().filter_map(|arm| properties(arm)?.get(name));
    let is_open = |arm: &Object| {
        arm.get("additionalProperties") != Some(&Value::Bool(false))
            || arm.contains_key("patternProperties")
    };
    let mut schemas: Vec<&Value> = Vec::new();
    // `false` admits no value, so it adds nothing to the union.
    for schema in declared().filter(|schema| **schema != Value::Bool(false)) {
        if !schemas.contains(&schema) {
            schemas.push(schema);
        }
    }
    // An open alternative that does not declare the property admits any value.
    let is_undeclared =
        |arm: &&Object| properties(arm).is_none_or(|known| !known.contains_key(name));
    if arms.iter().filter(is_undeclared).any(is_open) {
        let description = declared().find_map(|schema| schema.get("description"));
        return description.map_or(json!({}), |text| json!({"description": text}));
    }
    match &schemas[..] {
        [] => json!({}),
        [only] => (*only).clone(),
        several => json!({"anyOf": several}),
    }
}

/// Describes the properties that an alternative requires, with their values if those are fixed.
fn describe_arm(arm: &Object) -> String {
    let describe = |name: &str| {
        let fixed = properties(arm).and_then(|known| known.get(name)?.get("const"));
        fixed.map_or(format!("`{name}`"), |value| format!("`{name}` = {value}"))
    };
    required(arm).into_iter().map(describe).collect::<Vec<_>>().join(" and ")
}

fn require(schema: &mut Object, names: &[String]) {
    if names.is_empty() {
        return;
    }
    let mut all: Vec<_> = required(schema).into_iter().map(str::to_owned).collect();
    all.extend(names.iter().filter(|name| !all.contains(name)).cloned().collect::<Vec<_>>());
    schema.insert("required".to_owned(), all.into());
}

pub(crate) fn has_condition(schema: &Object) -> bool {
    CONDITIONS.iter().any(|keyword| schema.contains_key(*keyword))
}

pub(crate) fn drop_conditions(lowered: &mut Lowered) {
    // Properties that only a condition evaluates would otherwise be rejected.
    lowered.schema.shift_remove("unevaluatedProperties");
    for keyword in CONDITIONS {
        let Some(condition) = lowered.schema.shift_remove(keyword) else { continue };
        match (keyword, condition) {
            ("dependentRequired", Value::Object(needs)) => {
                for (name, needed) in needs {
                    let needed = needed.as_array().into_iter().flatten().filter_map(Value::as_str);
                    let needed: Vec<_> = needed.map(|name| format!("`{name}`")).collect();
                    lowered.note(format!("With `{name}`, also give {}.", needed.join(" and ")));
                }
            }
            _ => lowered.note(MORE_CONDITIONS),
        }
    }
}
