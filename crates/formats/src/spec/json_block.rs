//! JSON in a document: schemas, calls and results in fences, in inline code and in linked files.

use std::ops::Range;

use serde_json::{Map, Value, json};

use crate::json::{self, Node};

/// The dialect that our writer declares. A `$schema` makes any JSON a schema, even one without
/// `type` or `properties`.
pub(super) const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// A piece of JSON.
pub(super) struct JsonBlock<'t> {
    /// The value, unless a part of it was lost to syntax errors.
    pub(super) root: Option<Node<'t>>,
    /// The first syntax error, and its offset in the document.
    pub(super) problem: Option<(String, usize)>,
    /// The offset of the JSON in the document.
    pub(super) base: usize,
}

impl<'t> JsonBlock<'t> {
    /// Parses the JSON at a span of a document.
    pub(super) fn parse(text: &'t str, span: &Range<usize>) -> Self {
        let parsed = json::parse(text.get(span.clone()).unwrap_or_default());
        let problem = parsed
            .problems
            .first()
            .map(|problem| (problem.message.clone(), span.start + problem.offset));
        // A lossy tree would be a schema that silently lacks properties.
        Self { root: parsed.root.filter(|_| !parsed.is_lossy), problem, base: span.start }
    }
}

/// A schema, and where it and its properties are in the document.
pub(super) struct LocatedSchema {
    pub(super) schema: catalog::Schema,
    pub(super) properties: Vec<(String, Range<usize>)>,
    pub(super) span: Range<usize>,
}

/// Finds the schema of parameters in a value, which may be that schema, a whole tool definition, or
/// a map from parameter names to schemas.
pub(super) fn find_input_schema(root: &Node<'_>, base: usize) -> Option<LocatedSchema> {
    let keys = ["inputSchema", "input_schema", "parameters"];
    let nested = keys.into_iter().find_map(|key| root.get(key));
    // Without a name, "parameters" is itself a parameter.
    if let Some(schema) = nested.filter(|_| root.get("name").is_some()) {
        return find_object_schema(schema, base);
    }
    find_object_schema(root, base).map(add_object_type).or_else(|| read_parameter_map(root, base))
}

/// Arguments are always an object, even if the schema omits its type.
fn add_object_type(schema: LocatedSchema) -> LocatedSchema {
    let mut object = (**schema.schema.object()).clone();
    object.entry("type").or_insert_with(|| json!("object"));
    LocatedSchema { schema: catalog::Schema::new(object), ..schema }
}

/// Finds the schema of parameters in JSON that is abbreviated with `...`, as if it were complete.
pub(super) fn parse_elided(text: &str, base: usize) -> Option<LocatedSchema> {
    let completed = remove_ellipses(text)?;
    let parsed = json::parse(&completed);
    parsed.root.filter(|_| !parsed.is_lossy).and_then(|root| find_input_schema(&root, base))
}

/// Replaces every `...` outside of strings by blanks of the same length, so that offsets stay
/// valid; `None` without one.
fn remove_ellipses(text: &str) -> Option<String> {
    const ELLIPSIS: &[u8] = b"...";
    let mut bytes = text.as_bytes().to_vec();
    let (mut is_string, mut was_found, mut at) = (false, false, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if is_string => at += 1,
            b'"' => is_string = !is_string,
            b'.' if !is_string && bytes[at..].starts_with(ELLIPSIS) => {
                was_found = true;
                blank_ellipsis(&mut bytes, at);
                at += ELLIPSIS.len() - 1;
            }
            _ => {}
        }
        at += 1;
    }
    String::from_utf8(bytes).ok().filter(|_| was_found)
}

/// Blanks the ellipsis at `at`: in the place of a value it becomes an empty object, in the place of
/// a member or an item it disappears with one adjacent comma.
fn blank_ellipsis(bytes: &mut [u8], at: usize) {
    let end = at + 3;
    let is_text = |byte: &u8| !byte.is_ascii_whitespace();
    let before = bytes[..at].iter().rposition(is_text);
    let after = bytes[end..].iter().position(is_text).map(|next| end + next);
    if before.is_some_and(|before| bytes[before] == b':') {
        bytes[at..end].copy_from_slice(b"{} ");
        return;
    }
    bytes[at..end].copy_from_slice(b"   ");
    let comma = [before, after].into_iter().flatten().find(|at| bytes[*at] == b',');
    if let Some(comma) = comma {
        bytes[comma] = b' ';
    }
}

/// Reads a value as the JSON Schema of an object; `None` if it does not look like one.
pub(super) fn find_object_schema(root: &Node<'_>, base: usize) -> Option<LocatedSchema> {
    let is_object = root.get("type").and_then(Node::as_str) == Some("object");
    let has_properties = root.get("properties").is_some_and(Node::is_object);
    let has_dialect = root.get("$schema").is_some();
    if !is_object && !has_properties && root.get("$ref").is_none() && !has_dialect {
        return None;
    }
    let Value::Object(mut object) = root.to_value() else {
        return None;
    };
    object.remove("$schema");
    // With a declared dialect, a schema without a type admits any value.
    if !has_dialect {
        object.entry("type").or_insert_with(|| json!("object"));
    }
    let properties =
        root.get("properties").map(|node| locate_members(node, base)).unwrap_or_default();
    Some(LocatedSchema {
        schema: catalog::Schema::new(object),
        properties,
        span: shift(root.span.range(), base),
    })
}

/// Reads a map from names to schemas. Each may have `"required": true`, which JSON Schema has on
/// the object instead.
fn read_parameter_map(root: &Node<'_>, base: usize) -> Option<LocatedSchema> {
    // A member without a type makes the value an example of arguments.
    let members = root.members();
    if members.is_empty() || !members.iter().all(|member| member.value.get("type").is_some()) {
        return None;
    }
    let mut properties = Map::new();
    let mut required = Vec::new();
    for member in members {
        let mut property = member.value.to_value();
        let flag = property.as_object_mut().and_then(|property| property.remove("required"));
        if flag == Some(Value::Bool(true)) {
            required.push(Value::from(&*member.key));
        }
        properties.insert(member.key.as_ref().to_owned(), property);
    }
    let mut object = Map::from_iter([
        ("type".to_owned(), json!("object")),
        ("properties".to_owned(), Value::Object(properties)),
    ]);
    if !required.is_empty() {
        object.insert("required".to_owned(), Value::Array(required));
    }
    // The list is complete, as a table is.
    object.insert("additionalProperties".to_owned(), Value::Bool(false));
    Some(LocatedSchema {
        schema: catalog::Schema::new(object),
        properties: locate_members(root, base),
        span: shift(root.span.range(), base),
    })
}

/// The keys of an object with their spans in the document.
fn locate_members(node: &Node<'_>, base: usize) -> Vec<(String, Range<usize>)> {
    node.members()
        .iter()
        .map(|member| (member.key.as_ref().to_owned(), shift(member.key_span.range(), base)))
        .collect()
}

fn shift(span: Range<usize>, base: usize) -> Range<usize> {
    span.start + base..span.end + base
}

/// Whether a value is a call of a tool, in any of the forms that documents use, rather than a
/// schema or a result.
pub(super) fn is_call(value: &Value) -> bool {
    let has_any = |keys: &[&str]| keys.iter().any(|key| value.get(key).is_some());
    has_any(&["tool_name", "tool", "name"])
        && has_any(&["arguments", "parameters", "input", "args"])
}

/// Infers a schema from an example of a result. It is no stricter than one example justifies: every
/// number is a `number`, `null` may be anything, and nothing is required.
pub(super) fn infer_schema(example: &Value) -> Map<String, Value> {
    infer_nested_schema(example, 0)
}

fn infer_nested_schema(example: &Value, depth: usize) -> Map<String, Value> {
    const MAX_DEPTH: usize = 8;
    let type_name = match example {
        Value::Null => return Map::new(),
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let mut schema = Map::from_iter([("type".to_owned(), Value::from(type_name))]);
    if let Value::Object(members) = example
        && depth < MAX_DEPTH
    {
        let properties = members.iter().map(|(name, member)| {
            (name.clone(), Value::Object(infer_nested_schema(member, depth + 1)))
        });
        schema.insert("properties".to_owned(), Value::Object(properties.collect()));
    }
    schema
}
