//! A complete format, to show what one is made of and to test that the table is all it takes: this
//! one is in a table of its own, and is recognized, read and written like any other.

use std::collections::HashSet;

use catalog::{Implementation, Origin, Rule, Schema, Severity, SourceId, Tool};
use serde_json::json;

use crate::{
    context::{Context, Guidance},
    convert::convert_among,
    document::Document,
    format::{
        Confidence, FilledTemplate, Format, Reader, Reading, Template, TemplateError, Writer,
        WrittenFile,
    },
    json::Node,
    mtdf,
    report::Report,
    table::{FORMATS, list_rules},
};

/// Tools as an object of descriptions by name: `{"greetings": {"hello": "Say hello"}}`.
static GREETINGS: Format = Format {
    name: "greetings",
    title: "Greetings",
    summary: "Greetings as JSON",
    location: "Anywhere.",
    extensions: &["json"],
    folders: &["tools"],
    file_name: None,
    reader: Reader::Data { detect, read },
    writer: Some(Writer { help: "Greetings as JSON", separator: "", write }),
    schema: Some(|| json!({"type": "object"})),
    template: Some(Template { help: "A greeting", fill }),
    rules: &[&RUDE],
};

static TABLE: &[&Format] = &[&mtdf::FORMAT, &GREETINGS];

static RUDE: Rule = Rule {
    code: "TC199",
    name: "rude",
    severity: Severity::Warning,
    why: "A greeting should be kind.",
    bad: r#"{"greetings": {"hello": "Go away"}}"#,
    good: r#"{"greetings": {"hello": "Say hello"}}"#,
};

fn detect(root: &Node<'_>, _: &str) -> Option<Confidence> {
    root.has_any(&["greetings"]).then_some(Confidence::Strong)
}

fn read(root: &Node<'_>, _: &str, _: &Context<'_>, report: &mut Report) -> Reading {
    let greetings = root.get("greetings").map(Node::members).unwrap_or_default();
    let tools = greetings.iter().map(|greeting| {
        let text = greeting.value.as_str().unwrap_or_default();
        if text == "Go away" {
            report.push(report.at_file(&RUDE, "this is rude"));
        }
        let origin = Origin::whole_file(report.source());
        Tool::new(&*greeting.key, text, Schema::empty(), Implementation::Missing, origin)
    });
    Reading::of_tools(tools.collect())
}

fn write(tools: &[Tool], name: &str) -> Vec<WrittenFile> {
    let greetings: serde_json::Map<_, _> = tools
        .iter()
        .map(|tool| (tool.name.clone(), tool.description.text.clone().into()))
        .collect();
    vec![WrittenFile::new(name, "json", json!({"greetings": greetings}).to_string())]
}

fn fill(name: &str) -> Result<FilledTemplate, TemplateError> {
    let text = json!({"greetings": {name: "Say hello"}}).to_string();
    Ok(FilledTemplate { file: WrittenFile::new(name, "json", text), next_step: "greet".to_owned() })
}

fn read_file(file: &WrittenFile) -> Reading {
    let source = SourceId::new(&file.name);
    let document = Document::parse_as(TABLE, &source, file.text.as_bytes());
    assert_eq!(document.format().map(|format| format.name), Some("greetings"));
    document.read(&Guidance::default())
}

#[test]
fn a_template_is_read_as_its_format() {
    let template = GREETINGS.template.as_ref().expect("a template");
    let reading = read_file(&template.fill("hello").expect("a draft").file);
    assert_eq!(reading.tools[0].name, "hello");
    assert_eq!(reading.diagnostics, []);
}

#[test]
fn problems_of_a_format_are_reported_and_listed() {
    let file = WrittenFile::new("rude", "json", RUDE.bad.to_owned());
    assert_eq!(read_file(&file).diagnostics[0].code, RUDE.code);
    let codes: Vec<_> = list_rules(TABLE).iter().map(|rule| rule.code).collect();
    assert!(codes.contains(&RUDE.code) && codes.is_sorted());
    assert!(!list_rules(FORMATS).iter().any(|rule| rule.code == RUDE.code));
}

#[test]
fn tools_are_converted_and_losses_reported() {
    let text = r#"{"name": "hello", "description": "Say hello", "title": "Hello", "command": "echo",
        "inputSchema": {"type": "object", "properties": {}, "additionalProperties": false}}"#;
    let document = Document::parse_as(TABLE, &SourceId::new("hello.json"), text.as_bytes());
    assert_eq!(document.format().map(|format| format.name), Some("mtdf"));
    let tools = document.read(&Guidance::default()).tools;
    let writer = GREETINGS.writer.as_ref().expect("a writer");
    let converted = convert_among(TABLE, &tools, writer, "greetings");
    assert_eq!(converted.files[0].text, r#"{"greetings":{"hello":"Say hello"}}"#);
    let lost: Vec<_> = converted.losses.iter().map(|loss| loss.field).collect();
    assert_eq!(lost, ["command", "title", "synchronous"]);
}

#[test]
fn names_are_unique() {
    let names: HashSet<_> = FORMATS.iter().map(|format| format.name).collect();
    assert_eq!(names.len(), FORMATS.len());
}
