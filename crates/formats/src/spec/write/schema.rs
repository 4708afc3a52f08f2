//! Writes a schema as a table if the table is read back as the same schema, else as JSON.

use catalog::{Implementation, Schema, SourceId, Tool};
use serde_json::{Map, Value, json};

use super::{
    super::{fix::format_row, json_block, rules::UNREADABLE_PARAMETERS, type_expression},
    to_pretty_json, write_fence,
};
use crate::{
    context::{Context, Guidance},
    report::Report,
};

pub(super) fn write_input(schema: &Schema) -> String {
    // "None" is read as exactly this schema.
    if schema == &Schema::empty() {
        return "None.".to_owned();
    }
    let table = write_table(schema, "Parameter Name", RequiredColumn::Included);
    choose_form(schema, table, "3. Input Schema", |tool| Some(tool.input.clone()))
}

/// Writes the result, if anything is known about it.
pub(super) fn write_output(tool: &Tool) -> Option<String> {
    let Some(schema) = &tool.output else {
        return matches!(tool.implementation, Implementation::Process(_))
            .then(|| "The output of the program, as text.".to_owned());
    };
    let table = write_table(schema, "Field Name", RequiredColumn::Omitted);
    Some(choose_form(schema, table, "4. Output Schema", |tool| tool.output.clone()))
}

/// Returns the first of these that is read back as the same schema: the table, the table with the
/// JSON after it, the JSON alone.
///
/// Trying is simpler and safer than predicting what a table can express.
fn choose_form(
    schema: &Schema,
    table: Option<String>,
    section: &str,
    select: fn(&Tool) -> Option<Schema>,
) -> String {
    let full = write_json(schema);
    let both = table.as_ref().map(|table| format!("{table}\nIn full:\n\n{full}"));
    let is_read_back = |content: &String| {
        let document =
            format!("# MCP Tool Specification\n\n## Tool: `t`\n\n### {section}\n\n{content}\n");
        let mut report = Report::new(&SourceId::new("again.md"));
        let context = Context { guidance: &Guidance::default(), linked: &|_| Err(String::new()) };
        let tools = super::super::read(&document, &context, &mut report).tools;
        // A document with only an output section lacks parameters, which is not a problem of the
        // output.
        let is_clean = report.finish().iter().all(|found| found.code == UNREADABLE_PARAMETERS.code);
        is_clean && tools.first().and_then(select).as_ref() == Some(schema)
    };
    [table, both].into_iter().flatten().find(is_read_back).unwrap_or(full)
}

/// Writes a schema as JSON. One that is not of an object gets a `$schema`, without which it would
/// be read as an example of a result.
fn write_json(schema: &Schema) -> String {
    let mut object = schema.object().as_ref().clone();
    if object.get("type") != Some(&json!("object")) && !object.contains_key("$ref") {
        object.shift_insert(0, "$schema".to_owned(), json_block::DIALECT.into());
    }
    write_fence("json", &to_pretty_json(&Value::Object(object)))
}

/// Whether a table has the column "Required".
#[derive(Clone, Copy, PartialEq, Eq)]
enum RequiredColumn {
    Included,
    Omitted,
}

/// A row of a table.
struct FieldRow {
    name: String,
    type_text: String,
    is_required: bool,
    default: Option<String>,
    description: String,
    example: Option<String>,
}

/// Writes the properties of a schema as a table; `None` if there are none, or if one has a type
/// that no type expression can describe.
fn write_table(schema: &Schema, title: &str, required_column: RequiredColumn) -> Option<String> {
    let mut rows = Vec::new();
    let required: Vec<&str> = schema.required().collect();
    for (name, property) in schema.properties() {
        push_rows(&mut rows, name, property.as_object()?, required.contains(&name))?;
    }
    if rows.is_empty() {
        return None;
    }
    let has_required = required_column == RequiredColumn::Included;
    let has_default = rows.iter().any(|row| row.default.is_some());
    let mut titles = vec![title, "Type"];
    titles.extend(has_required.then_some("Required"));
    titles.extend(has_default.then_some("Default"));
    titles.extend(["Description", "Example Value"]);
    let mut lines = vec![
        write_row(titles.iter().map(|title| (*title).to_owned())),
        write_row(titles.iter().map(|_| ":---".to_owned())),
    ];
    let code = |value: &Option<String>| {
        value.as_ref().map(|value| format!("`{value}`")).unwrap_or_default()
    };
    for row in &rows {
        let mut cells = vec![format!("`{}`", row.name), format!("`{}`", row.type_text)];
        cells.extend(has_required.then(|| if row.is_required { "Yes" } else { "No" }.to_owned()));
        cells.extend(has_default.then(|| code(&row.default)));
        cells.push(row.description.clone());
        cells.push(code(&row.example));
        lines.push(write_row(cells.into_iter()));
    }
    Some(lines.join("\n") + "\n")
}

fn write_row(cells: impl Iterator<Item = String>) -> String {
    format_row(cells.map(|cell| cell.replace('|', "\\|")))
}

/// Appends a row for a property, and rows for the properties nested in it, named by their paths.
fn push_rows(
    rows: &mut Vec<FieldRow>,
    name: &str,
    schema: &Map<String, Value>,
    is_required: bool,
) -> Option<()> {
    let mut own = schema.clone();
    let mut take = |key: &str| own.shift_remove(key);
    let (description, default, examples) = (take("description"), take("default"), take("examples"));
    let mut nested = take("properties").map(|properties| (name.to_owned(), properties));
    if let Some(Value::Object(items)) = own.get_mut("items")
        && let Some(properties) = items.shift_remove("properties")
    {
        nested = Some((format!("{name}[]"), properties));
    }
    rows.push(FieldRow {
        name: name.to_owned(),
        // A type that drops keywords is still useful next to the full JSON.
        type_text: type_expression::render(&own)
            .or_else(|| type_expression::render(&keep_type_keywords(&own)))?,
        is_required,
        default: default.map(|value| value.to_string()),
        description: description.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned(),
        example: examples.as_ref().and_then(|examples| examples.get(0)).map(Value::to_string),
    });
    if let Some((parent, Value::Object(properties))) = nested {
        for (child, schema) in &properties {
            // A table cannot require a nested property. If the schema does, reading back fails and
            // JSON is used.
            push_rows(rows, &format!("{parent}.{child}"), schema.as_object()?, false)?;
        }
    }
    Some(())
}

/// The schema without the keywords that type expressions do not have, such as `minLength`.
fn keep_type_keywords(schema: &Map<String, Value>) -> Map<String, Value> {
    let mut kept = Map::new();
    for (key, value) in schema {
        match (key.as_str(), value) {
            ("items" | "additionalProperties", Value::Object(inner)) => {
                kept.insert(key.clone(), Value::Object(keep_type_keywords(inner)));
            }
            ("type" | "enum", _) => drop(kept.insert(key.clone(), value.clone())),
            ("format", Value::String(format))
                if type_expression::NAMED_FORMATS.contains(&format.as_str()) =>
            {
                kept.insert(key.clone(), value.clone());
            }
            _ => {}
        }
    }
    kept
}
