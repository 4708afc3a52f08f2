//! The parameters and the fields of the result of a tool, with those that are inside of others.

use catalog::{Implementation, Tool, implementation::Access, spec_details::OutputField};
use serde_json::{Map, Value};

use crate::schema::{choices, kind};

/// Fields deeper inside others than this are not listed; the schema has them.
const DEEPEST: usize = 4;

/// A parameter or a field of the result.
pub(crate) struct Row {
    /// Its name; of one inside another, the way there: `a.b`, `items[].id`.
    pub(crate) name: String,
    /// How deep it lies inside others.
    pub(crate) depth: usize,
    pub(crate) kind: String,
    pub(crate) required: bool,
    pub(crate) default: Option<String>,
    /// What the value must be beyond its type, and its other name.
    pub(crate) constraints: Vec<Constraint>,
    pub(crate) description: String,
}

/// Something a value must be: words for people, and values that stand for themselves.
pub(crate) struct Constraint {
    pub(crate) words: String,
    pub(crate) values: Vec<String>,
}

impl Constraint {
    pub(crate) fn new(words: impl Into<String>, values: impl IntoIterator<Item = String>) -> Self {
        Self { words: words.into(), values: values.into_iter().collect() }
    }
}

/// The parameters of a tool.
pub(crate) fn parameters(tool: &Tool) -> Vec<Row> {
    let mut rows = Vec::new();
    push(&mut rows, tool.input.object(), "", 0);
    for row in rows.iter_mut().filter(|row| row.depth == 0) {
        let alias = tool
            .parameters
            .iter()
            .find(|known| known.name == row.name)
            .and_then(|known| known.alias.as_ref());
        row.constraints.extend(alias.map(|alias| Constraint::new("short form", [alias.clone()])));
        row.constraints.extend(
            access(tool, &row.name).map(|access| Constraint::new(done_with_it(access), [])),
        );
    }
    rows
}

/// The fields of a tool's result: by its schema, else as its document names them.
pub(crate) fn results(tool: &Tool) -> Vec<Row> {
    let mut rows = Vec::new();
    match &tool.output {
        Some(schema) => push(&mut rows, schema.object(), "", 0),
        None => rows.extend(tool.details.iter().flat_map(|details| &details.outputs).map(named)),
    }
    rows
}

fn named(field: &OutputField) -> Row {
    Row {
        name: field.name.clone(),
        depth: 0,
        kind: "any".to_owned(),
        required: false,
        default: None,
        constraints: Vec::new(),
        description: field.description.clone(),
    }
}

/// The properties of a schema, each with those inside of it.
fn push(rows: &mut Vec<Row>, schema: &Map<String, Value>, outer: &str, depth: usize) {
    let required = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    let required: Vec<&str> = required.collect();
    for (name, property) in
        schema.get("properties").and_then(Value::as_object).into_iter().flatten()
    {
        let path = format!("{outer}{name}");
        rows.push(Row {
            depth,
            kind: kind(property),
            required: required.contains(&name.as_str()),
            default: property.get("default").filter(|default| !default.is_null()).map(plain),
            constraints: constraints(property),
            description: property
                .get("description")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned(),
            name: path.clone(),
        });
        if depth < DEEPEST {
            property
                .as_object()
                .into_iter()
                .for_each(|inner| push(rows, inner, &format!("{path}."), depth + 1));
            let items = property.get("items").and_then(Value::as_object);
            items.into_iter().for_each(|inner| push(rows, inner, &format!("{path}[]."), depth + 1));
        }
    }
}

fn access(tool: &Tool, parameter: &str) -> Option<Access> {
    let Implementation::Process(process) = &tool.implementation else {
        return None;
    };
    process.bindings().find(|binding| binding.parameter == parameter)?.access
}

fn done_with_it(access: Access) -> &'static str {
    match access {
        Access::Read => "is read",
        Access::Write => "is written",
        Access::ReadWrite => "is read and written",
    }
}

fn constraints(schema: &Value) -> Vec<Constraint> {
    let get = |keyword: &str| schema.get(keyword).map(plain);
    let mut found = Vec::new();
    match choices(schema).as_slice() {
        [] => {}
        [only] if schema.get("enum").is_none() => {
            found.push(Constraint::new("always", [plain(only)]))
        }
        some => found.push(Constraint::new("one of", some.iter().map(|value| plain(value)))),
    }
    found.extend(get("pattern").map(|pattern| Constraint::new("matches", [pattern])));
    let bounds = [
        range(get("minimum"), get("maximum"), ""),
        get("exclusiveMinimum").map(|limit| format!("more than {limit}")),
        get("exclusiveMaximum").map(|limit| format!("less than {limit}")),
        range(get("minLength"), get("maxLength"), " character"),
        range(get("minItems"), get("maxItems"), " item"),
        (schema.get("uniqueItems") == Some(&Value::Bool(true))).then(|| "no item twice".to_owned()),
    ];
    found.extend(bounds.into_iter().flatten().map(|words| Constraint::new(words, [])));
    let items = schema.get("items").map(constraints).unwrap_or_default();
    found.extend(
        items.into_iter().map(|of| Constraint::new(format!("each {}", of.words), of.values)),
    );
    found
}

fn range(low: Option<String>, high: Option<String>, unit: &str) -> Option<String> {
    let plural = |count: &str| {
        if unit.is_empty() || count == "1" { unit.to_owned() } else { format!("{unit}s") }
    };
    match (low, high) {
        (Some(low), Some(high)) => Some(format!("{low} to {high}{}", plural(&high))),
        (Some(low), None) => Some(format!("at least {low}{}", plural(&low))),
        (None, Some(high)) => Some(format!("at most {high}{}", plural(&high))),
        (None, None) => None,
    }
}

/// A value for people: a text without its quotes.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) if !text.is_empty() => text.clone(),
        other => other.to_string(),
    }
}
