//! Parameters in a YAML fence: a JSON Schema written as YAML, parameters by name with a `type` each,
//! or a line for each, as `limit: integer, default: 10  # how many`.

use std::{borrow::Cow, ops::Range};

use super::{
    bullet::take_remark,
    field::Field,
    inline::{is_name, one_line},
    written::{self, Schema},
};
use crate::{json::Node, yaml};

/// What a fence says of parameters.
#[derive(Default)]
pub(super) struct YamlFence {
    pub(super) schema: Option<Schema>,
    pub(super) fields: Vec<Field>,
    /// Whether a text had to be put in quotes to be read.
    pub(super) was_mended: bool,
}

/// Reads the fence at these bytes of a page.
pub(super) fn read(page: &str, span: &Range<usize>) -> YamlFence {
    let text = page.get(span.clone()).unwrap_or_default();
    let quoted = quoted(text);
    let was_mended = matches!(quoted, Cow::Owned(_));
    let parsed = yaml::parse(&quoted);
    let Some(root) = parsed.root.filter(|_| !parsed.is_lossy) else {
        return YamlFence::default();
    };
    let keys = ["parameters", "inputs", "input", "arguments"];
    let root = keys
        .iter()
        .find_map(|key| root.get(key))
        .filter(|inner| inner.is_object())
        .unwrap_or(&root);
    let mut schema = written::input(root, span.start);
    let mut fields = match schema {
        Some(_) => Vec::new(),
        None => fields(root, &quoted, span.start),
    };
    if was_mended {
        // The quotes have moved what follows them.
        schema
            .iter_mut()
            .flat_map(|schema| &mut schema.properties)
            .for_each(|(_, place)| place.clone_from(span));
        schema.iter_mut().for_each(|schema| schema.span.clone_from(span));
        fields.iter_mut().for_each(|field| field.span.clone_from(span));
    }
    YamlFence { schema, fields, was_mended }
}

/// The parameters of a mapping from names to what is said of each; none unless all of it is that.
fn fields(root: &Node<'_>, text: &str, base: usize) -> Vec<Field> {
    let field = |member: &crate::json::Member<'_>| {
        let said = member.value.as_str().filter(|_| is_name(&member.key))?;
        let key = member.key_span.range();
        let mut field = Field::named(&member.key, base + key.start..base + key.end);
        let line = text[key.end..].lines().next().unwrap_or_default();
        field.description =
            line.split_once(" #").map(|(_, comment)| one_line(comment)).unwrap_or_default();
        take_remark(&mut field, &said.replace(['(', ')'], ","));
        field.is_typed.then_some(field)
    };
    root.members().iter().map(field).collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// The text with quotes around plain values that have a colon inside, which YAML does not take.
fn quoted(text: &str) -> Cow<'_, str> {
    let is_odd = |line: &str| value(line).is_some();
    if !text.lines().any(is_odd) {
        return Cow::Borrowed(text);
    }
    let lines = text.lines().map(|line| match value(line) {
        Some((head, value)) => format!("{head}'{}'\n", value.replace('\'', "''")),
        None => format!("{line}\n"),
    });
    Cow::Owned(lines.collect())
}

/// A line that must be quoted: what stands before its value, and the value.
fn value(line: &str) -> Option<(&str, &str)> {
    let at = line.find(": ")? + 2;
    let (head, value) = line.split_at(at);
    let value = value.trim();
    let is_plain = !value.starts_with(['"', '\'', '[', '{', '|', '>', '&', '*', '#']);
    let bare = value.split(" #").next().unwrap_or(value);
    (is_plain && bare.contains(": ")).then_some((head, value))
}
