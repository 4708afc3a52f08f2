//! The parameters and result fields of a tool, including nested ones.

use catalog::{Implementation, Tool, implementation::Access, spec_details::OutputField};
use serde_json::{Map, Value};

use crate::schema::{allowed_values, describe_type};

/// The nesting depth up to which fields are listed; deeper ones are only in the schema.
const MAX_DEPTH: usize = 4;

/// A parameter or a field of the result.
pub(crate) struct Field {
    /// The name; a path such as `a.b` or `items[].id` if the field is nested.
    pub(crate) name: String,
    /// The number of fields around it.
    pub(crate) depth: usize,
    /// The type, in words.
    pub(crate) type_text: String,
    pub(crate) required: bool,
    pub(crate) default: Option<String>,
    /// Constraints beyond the type; also its alias and how a path is accessed.
    pub(crate) constraints: Vec<Constraint>,
    pub(crate) description: String,
}

/// A constraint on a value: words, then literal values.
pub(crate) struct Constraint {
    pub(crate) text: String,
    pub(crate) values: Vec<String>,
}

impl Constraint {
    fn new(text: impl Into<String>, values: impl IntoIterator<Item = String>) -> Self {
        Self { text: text.into(), values: values.into_iter().collect() }
    }
}

/// Lists the parameters of a tool in definition order, each followed by its nested fields.
pub(crate) fn list_parameters(tool: &Tool) -> Vec<Field> {
    let mut fields = Vec::new();
    push_properties(&mut fields, tool.input.object(), "", 0);
    for field in fields.iter_mut().filter(|field| field.depth == 0) {
        let parameter = tool.parameters.iter().find(|parameter| parameter.name == field.name);
        let alias = parameter.and_then(|parameter| parameter.alias.clone());
        let access = find_access(tool, &field.name).map(describe_access);
        field.constraints.extend(alias.map(|alias| Constraint::new("alias", [alias])));
        field.constraints.extend(access.map(|access| Constraint::new(access, [])));
    }
    fields
}

/// Lists the fields of a tool's result, from its output schema or else from its specification.
pub(crate) fn list_results(tool: &Tool) -> Vec<Field> {
    let mut fields = Vec::new();
    match &tool.output {
        Some(schema) => push_properties(&mut fields, schema.object(), "", 0),
        None => {
            let documented = tool.details.iter().flat_map(|details| &details.outputs);
            fields.extend(documented.map(from_documented));
        }
    }
    fields
}

fn from_documented(field: &OutputField) -> Field {
    Field {
        name: field.name.clone(),
        depth: 0,
        type_text: "any".to_owned(),
        required: false,
        default: None,
        constraints: Vec::new(),
        description: field.description.clone(),
    }
}

/// Appends the properties of a schema, each followed by its nested fields.
fn push_properties(
    fields: &mut Vec<Field>,
    schema: &Map<String, Value>,
    prefix: &str,
    depth: usize,
) {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|names| names.iter().any(|other| other == name));
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let path = format!("{prefix}{name}");
        let description = property.get("description").and_then(Value::as_str).unwrap_or_default();
        fields.push(Field {
            name: path.clone(),
            depth,
            type_text: describe_type(property),
            required: is_required(name),
            // A default of null only means that the value may be left out.
            default: property.get("default").filter(|default| !default.is_null()).map(to_text),
            constraints: list_constraints(property),
            description: description.to_owned(),
        });
        if depth == MAX_DEPTH {
            continue;
        }
        if let Some(object) = property.as_object() {
            push_properties(fields, object, &format!("{path}."), depth + 1);
        }
        if let Some(items) = property.get("items").and_then(Value::as_object) {
            push_properties(fields, items, &format!("{path}[]."), depth + 1);
        }
    }
}

fn find_access(tool: &Tool, parameter: &str) -> Option<Access> {
    let Implementation::Process(process) = &tool.implementation else {
        return None;
    };
    process.bindings().find(|binding| binding.parameter == parameter)?.access
}

fn describe_access(access: Access) -> &'static str {
    match access {
        Access::Read => "is read",
        Access::Write => "is written",
        Access::ReadWrite => "is read and written",
    }
}

fn list_constraints(schema: &Value) -> Vec<Constraint> {
    let get = |keyword: &str| schema.get(keyword).map(to_text);
    let mut constraints = Vec::new();
    match allowed_values(schema).as_slice() {
        [] => {}
        [only] if schema.get("enum").is_none() => {
            constraints.push(Constraint::new("always", [to_text(only)]));
        }
        values => {
            let values = values.iter().map(|value| to_text(value));
            constraints.push(Constraint::new("one of", values));
        }
    }
    constraints.extend(get("pattern").map(|pattern| Constraint::new("matches", [pattern])));
    let is_unique = schema.get("uniqueItems") == Some(&Value::Bool(true));
    let bounds = [
        describe_range(get("minimum"), get("maximum"), ""),
        get("exclusiveMinimum").map(|limit| format!("more than {limit}")),
        get("exclusiveMaximum").map(|limit| format!("less than {limit}")),
        describe_range(get("minLength"), get("maxLength"), " character"),
        describe_range(get("minItems"), get("maxItems"), " item"),
        is_unique.then(|| "unique items".to_owned()),
    ];
    constraints.extend(bounds.into_iter().flatten().map(|text| Constraint::new(text, [])));
    let of_items = schema.get("items").map(list_constraints).unwrap_or_default();
    constraints.extend(
        of_items.into_iter().map(|constraint| Constraint {
            text: format!("each {}", constraint.text),
            ..constraint
        }),
    );
    constraints
}

/// A range in words. `unit` is singular and starts with a space, or is empty.
fn describe_range(low: Option<String>, high: Option<String>, unit: &str) -> Option<String> {
    let unit_for = |count: &str| {
        if unit.is_empty() || count == "1" { unit.to_owned() } else { format!("{unit}s") }
    };
    match (low, high) {
        (Some(low), Some(high)) => Some(format!("{low} to {high}{}", unit_for(&high))),
        (Some(low), None) => Some(format!("at least {low}{}", unit_for(&low))),
        (None, Some(high)) => Some(format!("at most {high}{}", unit_for(&high))),
        (None, None) => None,
    }
}

/// A string without quotes, any other value as JSON. The empty string keeps its quotes to be
/// visible.
fn to_text(value: &Value) -> String {
    match value {
        Value::String(text) if !text.is_empty() => text.clone(),
        other => other.to_string(),
    }
}
