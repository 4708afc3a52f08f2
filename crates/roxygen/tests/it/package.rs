//! A package of R files, compiled, and the definitions that result.

use catalog::{Diagnostic, SourceId};
use formats::Guidance;
use roxygen::{Compilation, Definition, ExampleRecord, compile};
use serde_json::{Value, json};

/// R files of a package, by path.
pub(crate) fn r_files(files: &[(&str, &str)]) -> Vec<(SourceId, String)> {
    files.iter().map(|(name, text)| (SourceId::new(name), (*text).to_owned())).collect()
}

/// Compiles a package `pkg` of these files.
pub(crate) fn compile_files(files: &[(&str, &str)]) -> Compilation {
    compile("pkg", &r_files(files), &|_| None)
}

/// Compiles a package `pkg` of one file, `R/a.R`.
pub(crate) fn compile_text(text: &str) -> Compilation {
    compile_files(&[("R/a.R", text)])
}

/// The definition file of a tool as data, after checking that readers of the format accept it.
pub(crate) fn read_back(definition: &Definition) -> Value {
    let text = definition.to_yaml(&ExampleRecord::default());
    let source = SourceId::new(definition.file_name());
    let reading = formats::read(&source, text.as_bytes(), &Guidance::default());
    let errors: Vec<_> = reading.diagnostics.iter().filter(|found| found.is_error()).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{text}");
    let value = formats::yaml_value(&text).expect("YAML");
    check_format(&value);
    value
}

/// The rules of the format document, "JSON Schema Compliance".
fn check_format(value: &Value) {
    let schema = formats::find_format("rave").and_then(|format| format.schema).expect("a schema");
    let format = jsonschema::validator_for(&schema()).expect("a valid schema");
    assert!(format.is_valid(value), "{value:#}");
    for schema in [&value["parameters"], &value["returns"]] {
        if !schema.is_null() {
            jsonschema::draft7::meta::validate(schema).unwrap_or_else(|error| panic!("{error}"));
            check_schema(schema);
        }
    }
    assert!(value["parameters"]["required"].is_array());
    let properties = value["parameters"]["properties"].as_object().expect("properties");
    assert!(properties.values().all(|property| property["description"].is_string()), "{value:#}");
}

/// Every property has a type, every array has items, and defaults and examples are valid.
fn check_schema(schema: &Value) {
    let is = |name: &str| {
        schema["type"] == name
            || schema["type"].as_array().is_some_and(|names| names.iter().any(|one| one == name))
    };
    assert!(!schema["type"].is_null(), "{schema}");
    assert!(!is("array") || schema["items"].is_object(), "{schema}");
    assert!(schema.get("enum").is_none_or(Value::is_array), "{schema}");
    let validator = jsonschema::draft7::new(schema).expect("a schema");
    let examples = schema["examples"].as_array().into_iter().flatten();
    for value in schema.get("default").into_iter().chain(examples) {
        assert!(validator.is_valid(value), "{value} in {schema}");
    }
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties.for_each(|(_, property)| check_schema(property));
    schema.get("items").into_iter().for_each(check_schema);
}

/// The diagnostics of a rule.
pub(crate) fn with_code<'a>(diagnostics: &'a [Diagnostic], code: &str) -> Vec<&'a Diagnostic> {
    diagnostics.iter().filter(|found| found.code == code).collect()
}

/// The codes of all diagnostics.
pub(crate) fn codes(compilation: &Compilation) -> Vec<&str> {
    compilation.diagnostics.iter().map(|found| found.code).collect()
}

/// The line in `text`, from 1, of each diagnostic of a rule.
pub(crate) fn lines_of(compilation: &Compilation, code: &str, text: &str) -> Vec<usize> {
    with_code(&compilation.diagnostics, code)
        .into_iter()
        .map(|found| line_of(found, text))
        .collect()
}

/// The line in `text`, from 1, of a diagnostic.
pub(crate) fn line_of(found: &Diagnostic, text: &str) -> usize {
    text[..formats::locate(text, &found.origin.location).start].matches('\n').count() + 1
}

/// A function `f` with one formal and the `@param` text of it: the compilation and the schema.
pub(crate) fn compile_param(formal: &str, text: &str) -> (Compilation, Value) {
    let name = formal.split([' ', '=']).next().unwrap_or_default();
    let text = text.replace('\n', "\n#'   ");
    let compilation = compile_text(&format!(
        "#' T\n#' @param {name} {text}\n#' @examples f()\n#' @keywords mcp-tool\nf <- function({formal}) 1\n"
    ));
    let schema = read_back(&compilation.definitions[0])["parameters"]["properties"][name].clone();
    (compilation, schema)
}

/// The same schema without its description.
pub(crate) fn without_description(mut schema: Value) -> Value {
    schema.as_object_mut().map(|fields| fields.remove("description"));
    schema
}

/// A property with a type and a description.
pub(crate) fn property(schema_type: &str, description: &str) -> Value {
    json!({"type": schema_type, "description": description})
}

/// An array property whose items have a type.
pub(crate) fn array(items: &str, description: &str) -> Value {
    json!({"type": "array", "description": description, "items": {"type": items}})
}

/// An object with more fields.
pub(crate) fn with(mut object: Value, more: &Value) -> Value {
    let more = more.as_object().expect("an object").clone();
    object.as_object_mut().expect("an object").extend(more);
    object
}
