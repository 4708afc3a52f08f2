//! Reads definitions, and describes the tools and diagnostics that result.

use catalog::{
    Diagnostic, Implementation, Severity, SourceId, Tool,
    implementation::{Binding, Items, PassBy, Piece, Separator},
};
use formats::{Document, Guidance, Reading, Writer, find_format};
use serde_json::{Value, json};

pub(crate) fn source() -> SourceId {
    SourceId::new("tools/test.json")
}

pub(crate) fn read(definition: &Value) -> Reading {
    read_text(&definition.to_string())
}

pub(crate) fn read_text(text: &str) -> Reading {
    formats::read(&source(), text.as_bytes(), &Guidance::default())
}

/// The only tool of a definition without errors.
pub(crate) fn tool(definition: &Value) -> Tool {
    let mut reading = read(definition);
    let errors: Vec<_> = reading.diagnostics.iter().filter(|found| found.is_error()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    assert_eq!(reading.tools.len(), 1, "{:#?}", reading.diagnostics);
    reading.tools.remove(0)
}

pub(crate) fn names(reading: &Reading) -> Vec<&str> {
    reading.tools.iter().map(|tool| tool.name.as_str()).collect()
}

/// `error TC021 /command` for each diagnostic.
pub(crate) fn summary(diagnostics: &[Diagnostic]) -> Vec<String> {
    diagnostics
        .iter()
        .map(|found| {
            format!(
                "{} {} {}",
                found.severity.as_str(),
                found.code,
                found.origin.pointer().unwrap_or("-")
            )
        })
        .collect()
}

pub(crate) fn errors(diagnostics: &[Diagnostic]) -> Vec<String> {
    summary(
        &diagnostics
            .iter()
            .filter(|found| found.severity == Severity::Error)
            .cloned()
            .collect::<Vec<_>>(),
    )
}

/// The name of a document's format, if it has one.
pub(crate) fn format_of(document: &Document<'_>) -> Option<&'static str> {
    document.format().map(|format| format.name)
}

/// The writer of a format that tools can be written in.
pub(crate) fn writer(format: &str) -> &'static Writer {
    find_format(format).and_then(|format| format.writer.as_ref()).expect("a format with a writer")
}

/// The JSON Schema of a format that has one.
pub(crate) fn schema_of(format: &str) -> Value {
    find_format(format).and_then(|format| format.schema).expect("a format with a schema")()
}

/// A definition with one leaf, whose fields are `leaf`.
pub(crate) fn with_leaf(leaf: Value) -> Value {
    let mut leaf = leaf;
    leaf["name"] = json!("default");
    leaf["description"] = json!("A leaf");
    json!({"name": "t", "description": "A tool", "command": "prog", "subcommand": [leaf]})
}

/// A definition with one leaf that has one option.
pub(crate) fn with_option(option: Value) -> Value {
    with_leaf(json!({"options": [option]}))
}

/// The command line of a tool in short: fixed words, and parameters in angle brackets.
pub(crate) fn line(tool: &Tool) -> String {
    let Implementation::Process(process) = &tool.implementation else {
        return format!("{:?}", tool.implementation);
    };
    let pieces = process.pieces.iter().filter_map(|piece| match piece {
        Piece::Word(word) => Some(word.clone()),
        Piece::DoubleDash => Some("--".to_owned()),
        Piece::Json => Some("< JSON".to_owned()),
        Piece::Parameter(binding) => describe_binding(binding),
    });
    std::iter::once(process.program.clone()).chain(pieces).collect::<Vec<_>>().join(" ")
}

fn describe_binding(binding: &Binding) -> Option<String> {
    let name = &binding.parameter;
    let joined = match &binding.items {
        Items::Each => String::new(),
        Items::Joined(joint) => format!("{joint}.."),
        Items::Pairs { separator, join } => {
            format!("{separator}{}..", join.as_deref().unwrap_or_default())
        }
    };
    let separator = match binding.separator {
        Separator::Space => " ",
        Separator::Equals => "=",
        Separator::Nothing => "",
    };
    let flag = binding.flag.as_ref().map(|flag| format!("{flag}{separator}")).unwrap_or_default();
    let negate = binding.negate.as_ref().map(|flag| format!("|{flag}")).unwrap_or_default();
    let dash = if binding.allow_dash { "-" } else { "" };
    match &binding.pass_by {
        PassBy::Argument => Some(format!("{flag}<{dash}{name}{joined}{negate}>")),
        PassBy::Stdin => Some(format!("<stdin:{name}>")),
        PassBy::Env(variable) => Some(format!("<{variable}:{name}>")),
        PassBy::File => Some(format!("{flag}<file:{name}>")),
        PassBy::FileIfMultiline(file_flag) => Some(format!("{flag}<{name} or {file_flag} file>")),
        PassBy::Variables => Some(format!("<variables:{name}>")),
        PassBy::Folder => None,
    }
}
