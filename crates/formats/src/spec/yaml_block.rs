//! Parameters in a YAML fence: a JSON Schema written as YAML, a map from names to schemas, or a
//! line per parameter such as `limit: integer, default: 10  # how many`.

use std::{borrow::Cow, ops::Range};

use super::{
    bullet::apply_remark,
    field::Field,
    inline::{collapse_whitespace, is_name},
    json_block::{self, LocatedSchema},
};
use crate::{
    json::{Member, Node},
    yaml,
};

/// The parameters in a fence.
#[derive(Default)]
pub(super) struct YamlBlock {
    pub(super) schema: Option<LocatedSchema>,
    pub(super) fields: Vec<Field>,
    /// Whether the block defines a whole tool: it has a name.
    pub(super) is_definition: bool,
    /// Whether values had to be quoted to make it valid YAML.
    pub(super) was_quoted: bool,
}

/// Reads the fence at a span of a document.
pub(super) fn read(document: &str, span: &Range<usize>) -> YamlBlock {
    let text = document.get(span.clone()).unwrap_or_default();
    let quoted = quote_values_with_colons(text);
    let was_quoted = matches!(quoted, Cow::Owned(_));
    let parsed = yaml::parse(&quoted);
    let Some(root) = parsed.root.filter(|_| !parsed.is_lossy) else {
        return YamlBlock::default();
    };
    let is_definition = root.get("name").and_then(Node::as_str).is_some();
    // The fence often repeats the title of the section as its only key.
    let keys = ["parameters", "inputs", "input", "arguments"];
    let root = keys
        .iter()
        .find_map(|key| root.get(key))
        .filter(|inner| inner.is_object())
        .unwrap_or(&root);
    let mut schema = json_block::find_input_schema(root, span.start);
    let mut fields =
        if schema.is_some() { Vec::new() } else { read_lines(root, &quoted, span.start) };
    if was_quoted {
        // The added quotes have moved everything after them, so only the whole fence is located.
        if let Some(schema) = &mut schema {
            schema.properties.iter_mut().for_each(|(_, property)| property.clone_from(span));
            schema.span.clone_from(span);
        }
        fields.iter_mut().for_each(|field| field.span.clone_from(span));
    }
    YamlBlock { schema, fields, is_definition, was_quoted }
}

/// Reads the schema of the result in a fence that defines a whole tool.
pub(super) fn read_returns(document: &str, span: &Range<usize>) -> Option<LocatedSchema> {
    let text = document.get(span.clone()).unwrap_or_default();
    let quoted = quote_values_with_colons(text);
    let parsed = yaml::parse(&quoted);
    let root = parsed.root.filter(|root| !parsed.is_lossy && root.get("name").is_some())?;
    let keys = ["returns", "output", "outputSchema", "output_schema"];
    let returns = keys.iter().find_map(|key| root.get(key)).filter(|inner| inner.is_object())?;
    let mut schema = json_block::find_object_schema(returns, span.start)?;
    if matches!(quoted, Cow::Owned(_)) {
        schema.properties.iter_mut().for_each(|(_, property)| property.clone_from(span));
        schema.span.clone_from(span);
    }
    Some(schema)
}

/// Reads a mapping from names to descriptions with a type; none unless every member is one.
fn read_lines(root: &Node<'_>, text: &str, base: usize) -> Vec<Field> {
    let read_member = |member: &Member<'_>| {
        let remark = member.value.as_str().filter(|_| is_name(&member.key))?;
        let key = member.key_span.range();
        let mut field = Field::named(&member.key, base + key.start..base + key.end);
        // Comments are not in the tree, so the description comes from the line itself.
        let line = text[key.end..].lines().next().unwrap_or_default();
        field.description = line
            .split_once(" #")
            .map(|(_, comment)| collapse_whitespace(comment))
            .unwrap_or_default();
        // Parentheses separate as commas do: `integer (default: 3)`.
        apply_remark(&mut field, &remark.replace(['(', ')'], ","));
        field.is_typed.then_some(field)
    };
    root.members().iter().map(read_member).collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// Quotes plain values with a colon inside, which YAML rejects: `limit: integer, default: 10`. Half
/// of the YAML fences in real documents have one.
fn quote_values_with_colons(text: &str) -> Cow<'_, str> {
    if !text.lines().any(|line| split_invalid_value(line).is_some()) {
        return Cow::Borrowed(text);
    }
    let lines = text.lines().map(|line| match split_invalid_value(line) {
        Some((head, value)) => format!("{head}'{}'\n", value.replace('\'', "''")),
        None => format!("{line}\n"),
    });
    Cow::Owned(lines.collect())
}

/// Splits a line whose value must be quoted into the key with its colon, and the value.
fn split_invalid_value(line: &str) -> Option<(&str, &str)> {
    let (head, value) = line.split_at(line.find(": ")? + 2);
    let value = value.trim();
    let is_plain = !value.starts_with(['"', '\'', '[', '{', '|', '>', '&', '*', '#']);
    let uncommented = value.split(" #").next().unwrap_or(value);
    (is_plain && uncommented.contains(": ")).then_some((head, value))
}
