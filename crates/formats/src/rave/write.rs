//! Writes a tool as a RAVE file.

use catalog::{Schema, Tool};
use serde_json::{Map, Value, json};

use super::tool::title_from_name;
use crate::{comparison::describe, constraints, yaml};

/// Writes the file of a tool, with the fields in the order in which the format documents them.
pub(crate) fn write_tool(tool: &Tool) -> String {
    let annotations = &tool.annotations;
    let mut fields = Map::new();
    let mut put =
        |key: &str, value: Option<Value>| fields.extend(value.map(|value| (key.to_owned(), value)));
    put("name", Some(tool.name.as_str().into()));
    put(
        "title",
        tool.title.clone().filter(|own| *own != title_from_name(&tool.name)).map(Value::from),
    );
    put("description", Some(describe(tool).into()));
    put("parameters", Some(write_input(&tool.input)));
    put("category", annotations.category.clone().map(Value::from));
    put("dangerous", annotations.dangerous.map(Value::Bool));
    put("requires_approval", annotations.requires_approval.map(Value::Bool));
    put("mutates", annotations.mutates.map(Value::Bool));
    put("network", annotations.network.as_ref().map(|network| json!(network)));
    put("constraints", constraints::write(&tool.constraints));
    put("version", annotations.version.clone().map(Value::from));
    put(
        "returns",
        tool.output.as_ref().map(|schema| Value::Object(schema.object().as_ref().clone())),
    );
    // The format requires an example, so a tool without one gets an empty one.
    let example = tool.description.transcript.as_ref().map(|code| format!("{}\n", code.trim_end()));
    put("implementation_example", Some(example.unwrap_or_default().into()));
    put("execution_time", tool.measured.map(|took| took.as_secs_f64().into()));
    yaml::write_yaml(&fields)
}

/// The schema of the arguments. Readers of this format close a schema without
/// `additionalProperties`, so an open one must be declared.
fn write_input(input: &Schema) -> Value {
    let mut schema = input.object().as_ref().clone();
    schema.entry("additionalProperties").or_insert(Value::Bool(true));
    Value::Object(schema)
}
