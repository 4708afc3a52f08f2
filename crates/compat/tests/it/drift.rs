//! Defined tools against those that a server lists.

use std::collections::HashSet;

use catalog::{Diagnostic, Origin, SourceId, Tool};
use compat::find_drift;
use serde_json::json;
use testing::{echo_tool, schema};

/// Two defined tools of which the server lists one, differently, and a third one.
fn defined_and_listed() -> (Vec<Tool>, Vec<Tool>) {
    let with_count = |count: &str, text: &str| {
        let mut tool = echo_tool("count");
        tool.description.text = text.to_owned();
        tool.input = schema(
            json!({"type": "object", "properties": {"limit": {"type": count}, "path": {"type": "string"}}}),
        );
        tool
    };
    let defined = vec![with_count("number", "Count lines"), echo_tool("gone")];
    let listed =
        vec![with_count("integer", "Count all lines"), echo_tool("extra"), echo_tool("status")];
    (defined, listed)
}

fn format_diagnostics(diagnostics: &[Diagnostic]) -> String {
    let format = |found: &Diagnostic| {
        let hint = found.hint.as_deref().unwrap_or_default();
        format!("{} {} {}\n  {hint}\n", found.severity.as_str(), found.code, found.message)
    };
    diagnostics.iter().map(format).collect()
}

#[test]
fn reports_missing_undocumented_and_differing_tools() {
    let (defined, listed) = defined_and_listed();
    let listing = Origin::whole_file(&SourceId::new("server"));
    let found = find_drift(&defined, &listed, &HashSet::from(["status"]), &listing);
    insta::assert_snapshot!(format_diagnostics(&found), @"
    error TC828 `count` differs on the server: the type of `limit` changed from `number` to `integer`, which is narrower (type-narrowed)
      correct the definition or the server
    warning TC828 `count` is described differently on the server: the description changed
      correct the definition or the server
    error TC827 the server does not list `gone`
      add it to the server, or remove the definition
    error TC826 the server lists `extra`, which no definition describes
      add a definition, or remove the tool from the server
    ");
}

#[test]
fn ignores_fields_that_one_side_does_not_declare() {
    let mut defined = echo_tool("count");
    defined.output = Some(schema(json!({"type": "object"})));
    defined.annotations.network = Some(true.into());
    defined.annotations.version = Some("1.0.0".to_owned());
    let mut listed = echo_tool("count");
    listed.annotations = catalog::Annotations::default();
    listed.output = defined.output.clone();
    let listing = Origin::whole_file(&SourceId::new("server"));
    assert_eq!(find_drift(&[defined], &[listed], &HashSet::new(), &listing), []);
}
