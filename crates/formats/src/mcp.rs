//! Saved results of `tools/list`, the listing of an MCP server.
//!
//! A file is the whole JSON-RPC message, its result, the array of tools or a single tool,
//! recognized by content. These tools belong to another server: they are documented, and run only
//! if bound.

mod meta;
mod rules;
mod write;

use catalog::{Annotations, Implementation, Location, Mode, Origin, Parameter, Schema, Tool, name};
use serde_json::{Map, Value as Json};

use self::rules::PARTIAL_LISTING;
use crate::{
    context::Context,
    format::{Confidence, Format, Reader, Reading, Writer, WrittenFile},
    json::{Node, Value},
    object::{Object, report_wrong_type},
    report::{NodePath, Report},
    rules::{
        definition::{BAD_NAME, DECLARES_NO_TOOLS},
        schema::NOT_AN_OBJECT_SCHEMA,
        syntax::TOO_MUCH,
    },
    schema::SchemaCheck,
};

pub(crate) static FORMAT: Format = Format {
    name: "mcp",
    title: "Saved results of `tools/list` (MCP)",
    summary: "The result of MCP's `tools/list`",
    location: "Any number of tools per file, in `tools/`.",
    extensions: &["json"],
    folders: &["tools"],
    file_name: None,
    reader: Reader::Data { detect, read },
    writer: Some(Writer {
        help: "The result of MCP's `tools/list`",
        separator: "",
        write: write_files,
    }),
    schema: None,
    template: None,
    rules: rules::RULES,
};

/// Maximum number of tools in one file.
const MAX_TOOLS: usize = 5_000;

/// Keys that only tools of this protocol have.
const OWN: [&str; 5] = ["outputSchema", "annotations", "_meta", "icons", "execution"];

/// Keys that command-line tools have and tools of this protocol do not.
const FOREIGN: [&str; 4] = ["command", "argv", "subcommand", "sequence"];

fn detect(root: &Node<'_>, _: &str) -> Option<Confidence> {
    let is_single = root.get("name").is_some()
        && root.get("inputSchema").is_some()
        && root.has_any(&OWN)
        && !root.has_any(&FOREIGN);
    let is_listing = is_single || find_list(root).is_some_and(|(_, list)| is_tool_list(list));
    is_listing.then_some(Confidence::Certain)
}

fn is_tool_list(list: &Node<'_>) -> bool {
    let is_tool = |item: &Node<'_>| {
        item.get("name").is_some()
            && (item.get("inputSchema").is_some() || item.get("command").is_none())
    };
    matches!(&list.value, Value::Array(items) if items.iter().all(is_tool))
}

/// Finds the array of tools in a file, and the keys that lead to it.
fn find_list<'n, 'a>(root: &'n Node<'a>) -> Option<(&'static [&'static str], &'n Node<'a>)> {
    match &root.value {
        Value::Array(items) if !items.is_empty() => Some((&[], root)),
        // A definition of another format may have a field `tools`, but a listing has no name.
        Value::Object(_) if root.get("name").is_some() => None,
        Value::Object(_) => {
            let result = || root.get("result").and_then(|result| result.get("tools"));
            root.get("tools")
                .map(|list| (&["tools"][..], list))
                .or_else(|| Some((&["result", "tools"][..], result()?)))
        }
        _ => None,
    }
}

fn write_files(tools: &[Tool], name: &str) -> Vec<WrittenFile> {
    vec![WrittenFile::new(name, "json", write::write_listing(tools))]
}

fn read(root: &Node<'_>, _: &str, _: &Context<'_>, report: &mut Report) -> Reading {
    Reading::of_tools(read_tools(root, report))
}

/// Reads the tools: those without an error.
fn read_tools(root: &Node<'_>, report: &mut Report) -> Vec<Tool> {
    let Some((keys, list)) = find_list(root) else {
        return read_tool(&Object { node: root, at: &NodePath::ROOT }, report)
            .into_iter()
            .collect();
    };
    report_cursor(root, report);
    if list.items().is_empty() {
        report.push(report.at_file(&DECLARES_NO_TOOLS, "the list of tools is empty"));
    }
    let (outer, inner);
    let at = match keys {
        [] => &NodePath::ROOT,
        [key] => {
            outer = NodePath::ROOT.key(key);
            &outer
        }
        [first, second, ..] => {
            outer = NodePath::ROOT.key(first);
            inner = outer.key(second);
            &inner
        }
    };
    let mut tools = Vec::new();
    for (index, node) in list.items().iter().enumerate() {
        if report.is_exhausted() || is_over_limit(index, report) {
            break;
        }
        let at = at.index(index);
        let Some(object) = Object::new(node, &at, report) else {
            continue;
        };
        tools.extend(read_tool(&object, report));
        report.tool = None;
    }
    tools
}

/// Whether the limit is reached; reports it once.
fn is_over_limit(index: usize, report: &mut Report) -> bool {
    if index == MAX_TOOLS {
        let found = report.at_file(
            &TOO_MUCH,
            format!("there are more than {MAX_TOOLS} tools; the rest is not read"),
        );
        report.push(found.hint("split the file"));
    }
    index >= MAX_TOOLS
}

/// Reports a listing that has further pages.
fn report_cursor(root: &Node<'_>, report: &mut Report) {
    let cursor = root.get("nextCursor").or_else(|| root.get("result")?.get("nextCursor"));
    if cursor.and_then(Node::as_str).is_some_and(|cursor| !cursor.is_empty()) {
        let found = report.at_file(&PARTIAL_LISTING, "this is one page of a longer list of tools");
        report.push(found.hint("fetch the remaining pages and merge their tools"));
    }
}

/// Reads one tool; none if it has an error.
fn read_tool(object: &Object<'_, '_>, report: &mut Report) -> Option<Tool> {
    let errors = report.errors();
    let name = object.required("name", report)?;
    report.tool = Some(name.to_owned());
    if let Err(problem) = name::check(name) {
        let found = report.at_value(
            &BAD_NAME,
            &object.at.key("name"),
            format!("`{name}` is not a valid tool name: {problem}"),
        );
        report.push(
            found
                .with_received(name)
                .hint("clients accept ASCII letters, digits, `_`, `-` and `.`, up to 64 of them"),
        );
    }
    let text = object.text("description", report).unwrap_or_default();
    let title = object.non_blank("title", report).map(str::to_owned);
    let input = read_schema(object, "inputSchema", report);
    let output = object.has("outputSchema").then(|| read_schema(object, "outputSchema", report));
    let annotations = read_annotations(object, report);
    if report.errors() > errors {
        return None;
    }
    let origin = Origin::value(report.source(), object.at.pointer());
    let mut tool = Tool::new(name, text, Schema::new(input), Implementation::Missing, origin);
    tool.title = title;
    tool.output = output.map(Schema::new);
    tool.annotations = annotations;
    // The server that owns the tool decides how long a call takes; the protocol does not declare
    // it.
    tool.mode = Mode::Synchronous;
    tool.parameters = locate_parameters(object, &tool.input);
    if let Some(meta) = object.node("_meta") {
        meta::read(&meta.to_value(), &mut tool);
    }
    Some(tool)
}

/// Reads and checks a schema; without one a tool takes no arguments.
fn read_schema(
    object: &Object<'_, '_>,
    key: &'static str,
    report: &mut Report,
) -> Map<String, Json> {
    let at = object.at.key(key);
    let Some(node) = object.node(key) else {
        return Schema::empty().object().as_ref().clone();
    };
    if !node.is_object() {
        report_wrong_type(node, &at, "object", report);
        return Map::new();
    }
    if key == "inputSchema" && node.get("type").and_then(Node::as_str) != Some("object") {
        let found = report.at_value(
            &NOT_AN_OBJECT_SCHEMA,
            &at.key("type"),
            "the schema does not describe an object, but arguments are one",
        );
        report
            .push(found.with_expected("`\"type\": \"object\"`").hint("add `\"type\": \"object\"`"));
    }
    SchemaCheck::new(node, report).run(&at);
    let mut schema = node.to_value().as_object().cloned().unwrap_or_default();
    schema.remove("$schema");
    schema
}

/// Reads the hints. The protocol defines defaults for missing hints, but a default is not a
/// declaration by the author, so nothing is inferred from it.
fn read_annotations(object: &Object<'_, '_>, report: &mut Report) -> Annotations {
    let at = object.at.key("annotations");
    let Some(hints) = object.node("annotations").and_then(|node| Object::new(node, &at, report))
    else {
        return Annotations::default();
    };
    let mut hint = |key| hints.flag(key, report);
    Annotations {
        mutates: hint("readOnlyHint").map(|reads| !reads),
        dangerous: hint("destructiveHint"),
        idempotent: hint("idempotentHint"),
        network: hint("openWorldHint").map(Into::into),
        ..Annotations::default()
    }
}

fn locate_parameters(object: &Object<'_, '_>, input: &Schema) -> Vec<Parameter> {
    let at = object.at.key("inputSchema");
    let at = at.key("properties");
    let locate = |name: &str| Location::Value(at.key(name).pointer());
    input
        .properties()
        .map(|(name, _)| Parameter { name: name.to_owned(), alias: None, location: locate(name) })
        .collect()
}
