//! Guidance files: texts that many definitions share.

mod rules;

use serde_json::{Value as Json, json};

use self::rules::{BAD_GUIDANCE, NO_GUIDANCE};
use crate::{
    context::{Context, Guidance},
    format::{Confidence, Format, Reader, Reading},
    json::{Node, Value},
    report::{NodePath, Report, summarize, type_name},
};

/// The name of the file, which a crib has at its root or in `tools/`.
pub const GUIDANCE_FILE: &str = "tool_guidance.json";

pub(crate) static FORMAT: Format = Format {
    name: "guidance",
    title: "Shared guidance",
    summary: GUIDANCE_FILE,
    location: "One file, `tool_guidance.json`, in `tools/` or at the root of the crib.",
    extensions: &["json"],
    folders: &[],
    file_name: None,
    reader: Reader::Data { detect, read: check },
    writer: None,
    schema: Some(schema),
    template: None,
    rules: rules::RULES,
};

/// Top-level keys that no definition of a tool has. `legacy_guidance`, `general_guidance` and
/// `tool_specific_guidance` occur in published files but have no effect.
const KEYS: [&str; 5] = [
    "guidance_blocks",
    "templates",
    "legacy_guidance",
    "general_guidance",
    "tool_specific_guidance",
];

fn schema() -> Json {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Guidance",
        "description": "Texts that definitions refer to by `guidance_key`; they precede the description.",
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
            "description": "A block, used where the others have no text with its name.",
            "type": ["object", "string"],
            "properties": {"guidance": {"description": "The text.", "type": "string"}},
        },
    })
}

fn detect(root: &Node<'_>, _: &str) -> Option<Confidence> {
    let members = root.members();
    // Early files have no `guidance_blocks`, only blocks, each with its `guidance`.
    let is_blocks =
        !members.is_empty() && members.iter().all(|member| member.value.get("guidance").is_some());
    (root.has_any(&KEYS) || is_blocks).then_some(Confidence::Weak)
}

/// Reports the problems of a guidance file that is read among definitions.
fn check(root: &Node<'_>, _: &str, _: &Context<'_>, report: &mut Report) -> Reading {
    read(root, report);
    Reading::default()
}

/// Reads the texts: `guidance_blocks` win over `templates`, and both over other blocks.
pub(crate) fn read(root: &Node<'_>, report: &mut Report) -> Guidance {
    let mut guidance = Guidance::default();
    if !root.is_object() {
        report_wrong_type(root, &NodePath::ROOT, "object", report);
        return guidance;
    }
    let at = NodePath::ROOT;
    read_blocks(root, "guidance_blocks", &mut guidance, report);
    read_blocks(root, "templates", &mut guidance, report);
    for member in root.members() {
        let at = at.key(&member.key);
        match (&*member.key, &member.value.value) {
            ("guidance_blocks" | "templates" | "$schema", _) => {}
            (key, Value::Object(_)) => {
                match member.value.get("guidance").map(|node| (node, node.as_str())) {
                    Some((_, Some(text))) => guidance.add(key, text),
                    Some((node, None)) => {
                        report_wrong_type(node, &at.key("guidance"), "string", report)
                    }
                    None => {}
                }
            }
            (_, Value::String(_)) => {}
            _ => report_wrong_type(&member.value, &at, "object", report),
        }
    }
    if guidance.is_empty() && report.errors() == 0 {
        report.push(
            report.at_file(&NO_GUIDANCE, "the file has no guidance that a definition can refer to"),
        );
    }
    guidance
}

fn read_blocks(root: &Node<'_>, key: &str, guidance: &mut Guidance, report: &mut Report) {
    let at = NodePath::ROOT;
    let at = at.key(key);
    let Some(blocks) = root.get(key) else { return };
    if !blocks.is_object() {
        return report_wrong_type(blocks, &at, "object", report);
    }
    for member in blocks.members() {
        match &member.value.value {
            Value::String(text) => guidance.add(&member.key, text),
            Value::Object(_) if key == "templates" => {}
            _ => report_wrong_type(&member.value, &at.key(&member.key), "string", report),
        }
    }
}

fn report_wrong_type(node: &Node<'_>, at: &NodePath<'_>, expected: &str, report: &mut Report) {
    let problem = report.at_value(
        &BAD_GUIDANCE,
        at,
        format!("expected {expected}, received {}", type_name(node)),
    );
    report.push(problem.with_expected(expected).with_received(summarize(node)));
}
