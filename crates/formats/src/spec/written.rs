//! JSON in a page: schemas, calls and results in fences, in code and in linked files.

use std::ops::Range;

use serde_json::{Map, Value, json};

use crate::json::{self, Node};

/// The dialect that our schemas are written in. One that says so is a schema, whatever it is of.
pub(super) const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// What a piece of JSON is.
pub(super) struct Written<'t> {
    /// The value, as far as it can be read.
    pub(super) root: Option<Node<'t>>,
    /// Why it is no JSON, and at which byte that shows.
    pub(super) problem: Option<(String, usize)>,
    /// Where its bytes begin in the page.
    pub(super) base: usize,
}

/// Reads JSON at these bytes of a page.
pub(super) fn read<'t>(text: &'t str, span: &Range<usize>) -> Written<'t> {
    let part = text.get(span.clone()).unwrap_or_default();
    let parsed = json::parse(part);
    let problem = parsed
        .problems
        .first()
        .map(|problem| (problem.message.clone(), span.start + problem.offset));
    Written { root: parsed.root.filter(|_| !parsed.is_lossy), problem, base: span.start }
}

/// A schema that was written out, and where its properties stand.
pub(super) struct Schema {
    pub(super) object: catalog::Schema,
    pub(super) properties: Vec<(String, Range<usize>)>,
    pub(super) span: Range<usize>,
}

/// The schema of arguments in a value: itself, that of a whole tool in it, or a map of parameters.
pub(super) fn input(root: &Node<'_>, base: usize) -> Option<Schema> {
    let whole =
        ["inputSchema", "input_schema", "parameters"].into_iter().find_map(|key| root.get(key));
    match whole.filter(|_| root.get("name").is_some()) {
        Some(schema) => schema_of(schema, base),
        None => schema_of(root, base).map(of_an_object).or_else(|| parameters(root, base)),
    }
}

/// Arguments are an object, whether or not the schema says so.
fn of_an_object(schema: Schema) -> Schema {
    let mut object = (**schema.object.object()).clone();
    object.entry("type").or_insert_with(|| json!("object"));
    Schema { object: catalog::Schema::new(object), ..schema }
}

/// The schema of arguments in JSON that leaves things out: `...` counts as nothing.
pub(super) fn without_gaps(part: &str, base: usize) -> Option<Schema> {
    let filled = filled(part)?;
    let parsed = json::parse(&filled);
    parsed.root.filter(|_| !parsed.is_lossy).and_then(|root| input(&root, base))
}

/// A text of the same length without the `...` outside of texts, and without the comma before or behind them; nothing
/// if it has none.
fn filled(part: &str) -> Option<String> {
    let mut bytes = part.as_bytes().to_vec();
    let (mut in_text, mut was_filled, mut at) = (false, false, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if in_text => at += 1,
            b'"' => in_text = !in_text,
            b'.' if !in_text && bytes[at..].starts_with(b"...") => {
                was_filled = true;
                at += fill(&mut bytes, at);
            }
            _ => {}
        }
        at += 1;
    }
    String::from_utf8(bytes).ok().filter(|_| was_filled)
}

/// Fills a gap, and tells how many bytes follow its first.
fn fill(bytes: &mut [u8], at: usize) -> usize {
    let before = bytes[..at].iter().rposition(|byte| !byte.is_ascii_whitespace());
    let behind = bytes[at + 3..]
        .iter()
        .position(|byte| !byte.is_ascii_whitespace())
        .map(|next| at + 3 + next);
    let is_value = before.is_some_and(|before| bytes[before] == b':');
    bytes[at..at + 3].copy_from_slice(if is_value { b"{} " } else { b"   " });
    let comma = before.filter(|at| bytes[*at] == b',').or(behind.filter(|at| bytes[*at] == b','));
    if let Some(comma) = comma.filter(|_| !is_value) {
        bytes[comma] = b' ';
    }
    2
}

/// A JSON Schema of an object.
pub(super) fn schema_of(root: &Node<'_>, base: usize) -> Option<Schema> {
    let is_object = root.get("type").and_then(Node::as_str) == Some("object");
    let has_properties = root.get("properties").is_some_and(Node::is_object);
    let says_so = root.get("$schema").is_some();
    if !is_object && !has_properties && root.get("$ref").is_none() && !says_so {
        return None;
    }
    let Value::Object(mut object) = root.to_value() else {
        return None;
    };
    object.remove("$schema");
    if !says_so {
        object.entry("type").or_insert_with(|| json!("object"));
    }
    let properties = root.get("properties").map(|node| places(node, base)).unwrap_or_default();
    Some(Schema {
        object: catalog::Schema::new(object),
        properties,
        span: moved(root.span.range(), base),
    })
}

/// Parameters by name, each of which says itself whether it is required.
fn parameters(root: &Node<'_>, base: usize) -> Option<Schema> {
    let members = root.members();
    if members.is_empty() || !members.iter().all(|member| member.value.get("type").is_some()) {
        return None;
    }
    let mut properties = Map::new();
    let mut required = Vec::new();
    for member in members {
        let mut property = member.value.to_value();
        if let Some(Value::Bool(true)) =
            property.as_object_mut().and_then(|property| property.remove("required"))
        {
            required.push(Value::from(&*member.key));
        }
        properties.insert(member.key.as_ref().to_owned(), property);
    }
    let Value::Object(mut object) = json!({"type": "object", "properties": properties}) else {
        return None;
    };
    if !required.is_empty() {
        object.insert("required".to_owned(), Value::Array(required));
    }
    object.insert("additionalProperties".to_owned(), Value::Bool(false));
    Some(Schema {
        object: catalog::Schema::new(object),
        properties: places(root, base),
        span: moved(root.span.range(), base),
    })
}

fn places(node: &Node<'_>, base: usize) -> Vec<(String, Range<usize>)> {
    node.members()
        .iter()
        .map(|member| (member.key.as_ref().to_owned(), moved(member.key_span.range(), base)))
        .collect()
}

fn moved(span: Range<usize>, base: usize) -> Range<usize> {
    span.start + base..span.end + base
}

/// Whether a value is a call of a tool rather than a schema or a result.
pub(super) fn is_call(value: &Value) -> bool {
    let has = |keys: &[&str]| keys.iter().any(|key| value.get(key).is_some());
    has(&["tool_name", "tool", "name"]) && has(&["arguments", "parameters", "input", "args"])
}

/// What results like this one look like, no stricter than one example allows.
pub(super) fn inferred(value: &Value, depth: usize) -> Map<String, Value> {
    const DEEPEST: usize = 8;
    let kind = match value {
        Value::Null => return Map::new(),
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let mut schema = Map::from_iter([("type".to_owned(), Value::from(kind))]);
    if let (Value::Object(members), true) = (value, depth < DEEPEST) {
        let properties = members
            .iter()
            .map(|(name, member)| (name.clone(), Value::Object(inferred(member, depth + 1))));
        schema.insert("properties".to_owned(), Value::Object(properties.collect()));
    }
    schema
}
