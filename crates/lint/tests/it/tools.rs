//! Tools built by hand, and the diagnostics of all rules about them.

use catalog::{
    Catalog, Diagnostic, Implementation, Location, Parameter, Tool,
    implementation::{Binding, Piece, Process},
};
use lint::Context;
use serde_json::{Value, json};
use testing::{echo_tool, schema};

/// No rule codes.
pub(crate) const NONE: [&str; 0] = [];

/// A tool without problems, except for what `text` may cause.
pub(crate) fn tool_with_description(text: &str) -> Tool {
    let mut tool = echo_tool("described");
    tool.description.text = text.to_owned();
    tool
}

/// A tool with one optional parameter, passed as an option.
pub(crate) fn tool_with_parameter(name: &str, property: Value) -> Tool {
    let mut tool = echo_tool("parameterized");
    tool.input = schema(
        json!({"type": "object", "properties": {name: property}, "additionalProperties": false}),
    );
    tool.parameters = vec![Parameter {
        name: name.into(),
        alias: None,
        location: Location::Value("/subcommand/0/options/0".into()),
    }];
    let pieces =
        vec![Piece::Parameter(Binding::option(name, catalog::implementation::flag_for(name)))];
    tool.implementation = Implementation::Process(Process { program: "echo".into(), pieces });
    tool
}

/// The diagnostics for a crib with this name and these tools.
pub(crate) fn check_all(crib: &str, tools: Vec<Tool>) -> Vec<Diagnostic> {
    let (catalog, duplicates) = Catalog::merge(tools);
    assert_eq!(duplicates, [], "the names are distinct");
    lint::check(&catalog, &Context { crib: crib.to_owned(), ..Context::default() })
}

/// The diagnostics for one tool.
pub(crate) fn check(tool: Tool) -> Vec<Diagnostic> {
    check_all("my-crib", vec![tool])
}

/// The codes of the diagnostics for one tool.
pub(crate) fn codes(tool: Tool) -> Vec<&'static str> {
    check(tool).into_iter().map(|diagnostic| diagnostic.code).collect()
}

/// Diagnostics as lines of severity, code, place and message, each with its hint below.
pub(crate) fn format_diagnostics(found: &[Diagnostic]) -> String {
    let line = |of: &Diagnostic| {
        let pointer = of.origin.pointer().unwrap_or_default();
        let hint = of.hint.as_ref().map(|hint| format!("\n  {hint}")).unwrap_or_default();
        format!(
            "{} {} {}#{pointer}: {}{hint}",
            of.severity.as_str(),
            of.code,
            of.origin.source,
            of.message
        )
    };
    found.iter().map(line).collect::<Vec<_>>().join("\n")
}
