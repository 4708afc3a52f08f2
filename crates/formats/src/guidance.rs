//! Guidance files: texts that many definitions share, kept in one place.

use std::collections::HashMap;

use serde_json::{Value as Json, json};

use crate::{
    json::{Node, Value},
    report::{At, Report, shown, type_name},
    rules::guidance::{BAD_GUIDANCE, NO_GUIDANCE},
};

/// Top-level keys that no definition of a tool has.
const OF_GUIDANCE: [&str; 5] = [
    "guidance_blocks",
    "templates",
    "legacy_guidance",
    "general_guidance",
    "tool_specific_guidance",
];

/// The texts of guidance files, by key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Guidance {
    texts: HashMap<String, String>,
}

impl Guidance {
    /// The text of a key: a block of `guidance_blocks`, else a template, else the `guidance` of a block beside them.
    pub fn lookup(&self, key: &str) -> Option<&str> {
        self.texts.get(key).map(String::as_str)
    }

    /// The keys, in no order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.texts.keys().map(String::as_str)
    }

    /// Adds the texts of another file; what is already there stays.
    pub fn merge(&mut self, other: Self) {
        for (key, text) in other.texts {
            self.texts.entry(key).or_insert(text);
        }
    }

    fn add(&mut self, key: &str, text: &str) {
        self.texts.entry(key.to_owned()).or_insert_with(|| text.to_owned());
    }
}

/// The JSON Schema of guidance files, for editors.
pub fn guidance_schema() -> Json {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Guidance",
        "description": "Texts that definitions refer to by `guidance_key`; they stand before the description.",
        "type": "object",
        "properties": {
            "$schema": {"type": "string"},
            "guidance_blocks": {
                "description": "Texts by key.",
                "type": "object",
                "additionalProperties": {"type": "string"},
            },
            "templates": {
                "description": "More texts by key, used where `guidance_blocks` has none; groups of texts are not used.",
                "type": "object",
                "additionalProperties": {"type": ["string", "object"]},
            },
        },
        "additionalProperties": {
            "description": "A block of its own, used where the others have no text of its name.",
            "type": ["object", "string"],
            "properties": {"guidance": {"description": "Its text.", "type": "string"}},
        },
    })
}

/// Whether the root of a file is that of a guidance file: by its keys, or all of it blocks with `guidance`.
pub(crate) fn is_guidance(root: &Node<'_>) -> bool {
    let members = root.members();
    let has_key = members.iter().any(|member| OF_GUIDANCE.contains(&&*member.key));
    has_key
        || !members.is_empty()
            && members.iter().all(|member| member.value.get("guidance").is_some())
}

/// Reads the texts of a guidance file.
pub(crate) fn read(root: &Node<'_>, report: &mut Report) -> Guidance {
    let mut guidance = Guidance::default();
    if !root.is_object() {
        wrong(root, &At::ROOT, "object", report);
        return guidance;
    }
    let at = At::ROOT;
    read_blocks(root, "guidance_blocks", &mut guidance, report);
    read_blocks(root, "templates", &mut guidance, report);
    for member in root.members() {
        let at = at.key(&member.key);
        match (&*member.key, &member.value.value) {
            ("guidance_blocks" | "templates" | "$schema", _) => {}
            (key, Value::Object(_)) => {
                match member.value.get("guidance").map(|node| (node, node.as_str())) {
                    Some((_, Some(text))) => guidance.add(key, text),
                    Some((node, None)) => wrong(node, &at.key("guidance"), "string", report),
                    None => {}
                }
            }
            (_, Value::String(_)) => {}
            _ => wrong(&member.value, &at, "object", report),
        }
    }
    if guidance.texts.is_empty() && report.errors() == 0 {
        report.push(
            report.whole(&NO_GUIDANCE, "the file has no guidance that a definition can refer to"),
        );
    }
    guidance
}

fn read_blocks(root: &Node<'_>, key: &str, guidance: &mut Guidance, report: &mut Report) {
    let at = At::ROOT;
    let at = at.key(key);
    let Some(blocks) = root.get(key) else { return };
    if !blocks.is_object() {
        return wrong(blocks, &at, "object", report);
    }
    for member in blocks.members() {
        match &member.value.value {
            Value::String(text) => guidance.add(&member.key, text),
            Value::Object(_) if key == "templates" => {}
            _ => wrong(&member.value, &at.key(&member.key), "string", report),
        }
    }
}

fn wrong(node: &Node<'_>, at: &At<'_>, expected: &str, report: &mut Report) {
    let problem = report.value(
        &BAD_GUIDANCE,
        at,
        format!("expected {expected}, received {}", type_name(node)),
    );
    report.push(problem.expected(expected).received(shown(node)));
}
