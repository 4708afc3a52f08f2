//! Schemas in a specification: as a table if the table is read as the same schema, else written out.

use catalog::{Implementation, Schema, SourceId, Tool};
use serde_json::{Map, Value, json};

use super::{
    kind,
    rules::UNREADABLE_PARAMETERS,
    write::{fence, pretty},
};
use crate::{
    context::{Context, Guidance},
    report::Report,
};

/// What arguments a tool takes.
pub(super) fn input(schema: &Schema) -> String {
    if schema == &Schema::empty() {
        return "None.".to_owned();
    }
    let table = table(schema, "Parameter Name", Requirement::Said);
    best(schema, table, "3. Input Schema", |tool| Some(tool.input.clone()))
}

/// What a tool returns, if anything is known of it.
pub(super) fn output(tool: &Tool) -> Option<String> {
    let Some(schema) = &tool.output else {
        return matches!(tool.implementation, Implementation::Process(_))
            .then(|| "What the program prints, as text.".to_owned());
    };
    let table = table(schema, "Field Name", Requirement::Unsaid);
    Some(best(schema, table, "4. Output Schema", |tool| tool.output.clone()))
}

/// A table if it says everything, else the schema, behind the table if the two agree.
fn best(
    schema: &Schema,
    table: Option<String>,
    section: &str,
    read: fn(&Tool) -> Option<Schema>,
) -> String {
    let whole = block(schema);
    let both = table.as_ref().map(|table| format!("{table}\nIn full:\n\n{whole}"));
    let is_same = |content: &String| {
        let page =
            format!("# MCP Tool Specification\n\n## Tool: `t`\n\n### {section}\n\n{content}\n");
        let mut report = Report::new(&SourceId::new("again.md"));
        let context = Context { guidance: &Guidance::default(), linked: &|_| Err(String::new()) };
        let tools = super::read(&page, &context, &mut report).tools;
        // A page with only the section of the result lacks its parameters.
        let is_quiet = report.finish().iter().all(|found| found.code == UNREADABLE_PARAMETERS.code);
        is_quiet && tools.first().and_then(read).as_ref() == Some(schema)
    };
    [table, both].into_iter().flatten().find(is_same).unwrap_or(whole)
}

/// A schema as JSON. One that is not of an object says what it is.
fn block(schema: &Schema) -> String {
    let mut object = schema.object().as_ref().clone();
    if object.get("type") != Some(&json!("object")) && !object.contains_key("$ref") {
        object.shift_insert(0, "$schema".to_owned(), super::written::DIALECT.into());
    }
    fence("json", &pretty(&Value::Object(object)))
}

/// Whether a table says what must be given.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Requirement {
    Said,
    Unsaid,
}

/// A row of a table.
struct Row {
    name: String,
    kind: String,
    is_required: bool,
    default: Option<String>,
    description: String,
    example: Option<String>,
}

/// The fields of a schema as a table; none if one has a type that a table does not say, or there are none.
fn table(schema: &Schema, title: &str, requirement: Requirement) -> Option<String> {
    let mut rows = Vec::new();
    let required: Vec<&str> = schema.required().collect();
    for (name, property) in schema.properties() {
        push(&mut rows, name, property.as_object()?, required.contains(&name))?;
    }
    let has_default = rows.iter().any(|row| row.default.is_some());
    let mut head = vec![title, "Type"];
    head.extend((requirement == Requirement::Said).then_some("Required"));
    head.extend(has_default.then_some("Default"));
    head.extend(["Description", "Example Value"]);
    let mut lines = vec![
        line(head.iter().map(|cell| (*cell).to_owned())),
        line(head.iter().map(|_| ":---".to_owned())),
    ];
    for row in &rows {
        let mut cells = vec![format!("`{}`", row.name), format!("`{}`", row.kind)];
        cells.extend(
            (requirement == Requirement::Said)
                .then(|| if row.is_required { "Yes" } else { "No" }.to_owned()),
        );
        cells.extend(
            has_default.then(|| {
                row.default.as_ref().map(|value| format!("`{value}`")).unwrap_or_default()
            }),
        );
        cells.push(row.description.clone());
        cells.push(row.example.as_ref().map(|value| format!("`{value}`")).unwrap_or_default());
        lines.push(line(cells.into_iter()));
    }
    (!rows.is_empty()).then(|| lines.join("\n") + "\n")
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let cells = cells.map(|cell| cell.replace('|', "\\|"));
    cells.fold("|".to_owned(), |line, cell| {
        if cell.is_empty() { format!("{line}  |") } else { format!("{line} {cell} |") }
    })
}

/// A field, and below it those inside.
fn push(
    rows: &mut Vec<Row>,
    name: &str,
    schema: &Map<String, Value>,
    is_required: bool,
) -> Option<()> {
    let mut own = schema.clone();
    let mut take = |key: &str| own.shift_remove(key);
    let (description, default, examples) = (take("description"), take("default"), take("examples"));
    let mut inner = take("properties").map(|fields| (name.to_owned(), fields));
    if let Some(Value::Object(items)) = own.get_mut("items")
        && let Some(fields) = items.shift_remove("properties")
    {
        inner = Some((format!("{name}[]"), fields));
    }
    rows.push(Row {
        name: name.to_owned(),
        kind: kind::spelled(&own).or_else(|| kind::spelled(&simple(&own)))?,
        is_required,
        default: default.map(|value| value.to_string()),
        description: description.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned(),
        example: examples.as_ref().and_then(|examples| examples.get(0)).map(Value::to_string),
    });
    let Some((outer, Value::Object(fields))) = inner else {
        return Some(());
    };
    for (field, schema) in &fields {
        push(rows, &format!("{outer}.{field}"), schema.as_object()?, false)?;
    }
    Some(())
}

/// A schema with nothing but what a type can say.
fn simple(schema: &Map<String, Value>) -> Map<String, Value> {
    let mut simple = Map::new();
    for (key, value) in schema {
        match (key.as_str(), value) {
            ("items" | "additionalProperties", Value::Object(inner)) => {
                simple.insert(key.clone(), Value::Object(self::simple(inner)));
            }
            ("type" | "enum", _) => drop(simple.insert(key.clone(), value.clone())),
            ("format", Value::String(format)) if kind::FORMATS.contains(&format.as_str()) => {
                simple.insert(key.clone(), value.clone());
            }
            _ => {}
        }
    }
    simple
}
