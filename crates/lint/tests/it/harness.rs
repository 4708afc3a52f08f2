//! Tools made by hand, and what the rules say about them.

use catalog::{
    Annotations, Catalog, Diagnostic, Implementation, Location, Origin, Parameter, Schema,
    SourceId, Tool,
    implementation::{Binding, Piece, Process},
};
use lint::Context;
use serde_json::{Map, Value, json};

/// A tool with nothing wrong with it.
pub(crate) fn tool(name: &str) -> Tool {
    let origin = Origin::value(&SourceId::new(format!("tools/{name}.json")), "");
    let implementation =
        Implementation::Process(Process { program: "echo".into(), pieces: Vec::new() });
    let mut tool = Tool::new(
        name,
        "Do something that is well described",
        Schema::empty(),
        implementation,
        origin,
    );
    tool.annotations = Annotations { mutates: Some(false), ..Annotations::default() };
    tool
}

/// A good tool that says `text` about itself.
pub(crate) fn saying(text: &str) -> Tool {
    let mut tool = tool("speaker");
    tool.description.text = text.to_owned();
    tool
}

/// A good tool with one optional parameter, bound as an option.
pub(crate) fn taking(name: &str, schema: Value) -> Tool {
    let mut tool = tool("taker");
    tool.input = object(
        json!({"type": "object", "properties": {name: schema}, "additionalProperties": false}),
    );
    tool.parameters = vec![Parameter {
        name: name.into(),
        alias: None,
        place: Location::Value("/subcommand/0/options/0".into()),
    }];
    let pieces =
        vec![Piece::Parameter(Binding::option(name, catalog::implementation::flag_for(name)))];
    tool.implementation = Implementation::Process(Process { program: "echo".into(), pieces });
    tool
}

/// A schema from JSON.
pub(crate) fn object(value: Value) -> Schema {
    let object: Map<String, Value> = value.as_object().expect("an object").clone();
    Schema::new(object)
}

/// What the rules find in these tools, in a crib of this name.
pub(crate) fn check_in(crib: &str, tools: Vec<Tool>) -> Vec<Diagnostic> {
    let (catalog, duplicates) = Catalog::merge(tools);
    assert_eq!(duplicates, [], "the harness takes distinct names");
    lint::check(&catalog, &Context { crib: crib.to_owned(), ..Context::default() })
}

/// What the rules find in one tool.
pub(crate) fn check(tool: Tool) -> Vec<Diagnostic> {
    check_in("my-crib", vec![tool])
}

/// The codes of what the rules find in one tool.
pub(crate) fn codes(tool: Tool) -> Vec<&'static str> {
    check(tool).into_iter().map(|diagnostic| diagnostic.code).collect()
}

/// What the rules find, as lines of severity, code, place and message.
pub(crate) fn lines(found: &[Diagnostic]) -> String {
    let line = |of: &Diagnostic| {
        let pointer = of.origin.pointer().unwrap_or_default();
        format!(
            "{} {} {}#{pointer}: {}",
            of.severity.as_str(),
            of.code,
            of.origin.source,
            of.message
        )
    };
    found.iter().map(line).collect::<Vec<_>>().join("\n")
}
