//! Compares texts and annotations: information that decides how models and hosts use a tool, but
//! not which calls it accepts.

use catalog::{NetworkAccess, SpecDetails, Tool, spec_details::Remark};
use serde_json::Value;

use crate::{
    Change, ChangeRule, Direction, Effect,
    rules::text::{
        ANNOTATIONS_CHANGED, CATEGORY_CHANGED, DEFAULT_ADDED, DEFAULT_CHANGED, DEFAULT_REMOVED,
        DESCRIPTION_CHANGED, ERRORS_CHANGED, EXAMPLES_CHANGED, IDEMPOTENCY_CHANGED, LAUNCH_CHANGED,
        NOTES_CHANGED, SECURITY_CHANGED, VERSION_CHANGED,
    },
};

/// Keywords that organize a schema and mean nothing to callers. The contents of `$defs` are
/// compared where they are referenced.
const INTERNAL_KEYWORDS: [&str; 6] =
    ["$schema", "$id", "$comment", "$anchor", "$defs", "definitions"];

/// Annotation keywords of one schema with their values.
pub(crate) type SchemaAnnotations<'a> = [(&'a str, &'a Value)];

/// Compares the annotations (`title`, `default`, `examples`, …) of two schemas at `pointer`.
pub(crate) fn compare_annotations(
    old: &SchemaAnnotations<'_>,
    new: &SchemaAnnotations<'_>,
    direction: Direction,
    pointer: &str,
) -> Vec<Change> {
    let get = |annotations: &SchemaAnnotations<'_>, key: &str| {
        annotations.iter().find(|(own, _)| *own == key).map(|(_, value)| (*value).clone())
    };
    let added = new.iter().filter(|(key, _)| get(old, key).is_none());
    let keys = old.iter().chain(added).map(|(key, _)| *key);
    let keys = keys.filter(|key| !INTERNAL_KEYWORDS.contains(key));
    let compare = |key: &str| {
        let (before, now) = (get(old, key), get(new, key));
        let subject = direction.describe_subject(pointer);
        let (rule, message) =
            compare_annotation(key, &subject, before.as_ref(), now.as_ref(), direction)?;
        Some(Change::in_schema(rule, direction, format!("{pointer}/{key}"), message))
    };
    keys.filter_map(compare).collect()
}

fn compare_annotation(
    key: &str,
    subject: &str,
    old: Option<&Value>,
    new: Option<&Value>,
    direction: Direction,
) -> Option<(&'static ChangeRule, String)> {
    let is_same = match (old.and_then(Value::as_str), new.and_then(Value::as_str)) {
        // The spaces of a default reach the tool; those of a description are layout.
        (Some(old), Some(new)) if key != "default" => has_same_words(old, new),
        // An absent annotation and an explicit `null` mean the same.
        _ => old.unwrap_or(&Value::Null) == new.unwrap_or(&Value::Null),
    };
    if is_same {
        return None;
    }
    Some(match (key, direction) {
        ("default", Direction::Input) => compare_defaults(subject, old, new),
        ("title" | "description", _) => {
            (&DESCRIPTION_CHANGED, format!("the {key} of {subject} changed"))
        }
        // Nothing fills in a default in a result: there it only illustrates.
        ("examples" | "example" | "default", _) => {
            (&EXAMPLES_CHANGED, format!("the examples of {subject} changed"))
        }
        _ => (&ANNOTATIONS_CHANGED, format!("`{key}` of {subject} changed")),
    })
}

fn compare_defaults(
    subject: &str,
    old: Option<&Value>,
    new: Option<&Value>,
) -> (&'static ChangeRule, String) {
    match (old.filter(|value| !value.is_null()), new.filter(|value| !value.is_null())) {
        (None, Some(new)) => (&DEFAULT_ADDED, format!("{subject} has the default {new} now")),
        (Some(old), None) => {
            (&DEFAULT_REMOVED, format!("{subject} no longer has the default {old}"))
        }
        (old, new) => {
            let format = |value: Option<&Value>| {
                value.map_or_else(|| "nothing".to_owned(), ToString::to_string)
            };
            let message =
                format!("the default of {subject} changed from {} to {}", format(old), format(new));
            (&DEFAULT_CHANGED, message)
        }
    }
}

/// Compares two versions of a tool outside of their schemas. `schema_changes` are the changes
/// inside.
pub(crate) fn compare_texts(old: &Tool, new: &Tool, schema_changes: &[Change]) -> Vec<Change> {
    let mut changes = compare_descriptions(old, new);
    changes.extend(compare_tool_annotations(old, new));
    changes.extend(compare_sections(old, new));
    // Parameters are part of the command line, so a new parameter always changes the command. It is
    // already reported.
    let is_in_input = |change: &Change| {
        change.pointer.starts_with(Direction::Input.pointer())
            && change.effect >= Effect::Compatible
    };
    if execution(old) != execution(new) && !schema_changes.iter().any(is_in_input) {
        let message = "the command, mode, timeout or concurrency changed".to_owned();
        changes.push(Change::in_tool(&LAUNCH_CHANGED, "", message));
    }
    changes
}

fn compare_descriptions(old: &Tool, new: &Tool) -> Vec<Change> {
    let (before, now) = (&old.description, &new.description);
    let optional = [
        (&DESCRIPTION_CHANGED, "/description", "the guidance", &before.guidance, &now.guidance),
        (&DESCRIPTION_CHANGED, "/description", "the hint", &before.hint, &now.hint),
        (&DESCRIPTION_CHANGED, "/description", "the usage", &before.usage, &now.usage),
        (&DESCRIPTION_CHANGED, "/title", "the title", &old.title, &new.title),
        (&NOTES_CHANGED, "", "the install instructions", &before.install, &now.install),
        (&NOTES_CHANGED, "", "the recorded output", &before.transcript, &now.transcript),
    ];
    let mut changes = Vec::new();
    if !has_same_words(&before.text, &now.text) {
        let message = "the description changed".to_owned();
        changes.push(Change::in_tool(&DESCRIPTION_CHANGED, "/description", message));
    }
    for (rule, pointer, subject, old, new) in optional {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        if !has_same_words(&text(old), &text(new)) {
            changes.push(Change::in_tool(rule, pointer, format!("{subject} changed")));
        }
    }
    if before.examples != now.examples {
        let message = "the examples changed".to_owned();
        changes.push(Change::in_tool(&EXAMPLES_CHANGED, "/examples", message));
    }
    changes
}

fn compare_tool_annotations(old: &Tool, new: &Tool) -> Vec<Change> {
    let (before, now) = (&old.annotations, &new.annotations);
    let flags = [
        ("mutates", before.mutates, now.mutates),
        ("dangerous", before.dangerous, now.dangerous),
        ("idempotent", before.idempotent, now.idempotent),
        ("requires_approval", before.requires_approval, now.requires_approval),
    ];
    let format_flag = |flag: Option<bool>| match flag {
        Some(true) => "yes",
        Some(false) => "no",
        None => "not declared",
    };
    let mut changes = Vec::new();
    for (name, old, new) in flags.into_iter().filter(|(_, old, new)| old != new) {
        let message = format!("`{name}` changed from {} to {}", format_flag(old), format_flag(new));
        changes.push(Change::in_tool(&ANNOTATIONS_CHANGED, "/annotations", message));
    }
    changes.extend(compare_network(before.network.as_ref(), now.network.as_ref()));
    let names = [
        (&CATEGORY_CHANGED, "category", &before.category, &now.category),
        (&VERSION_CHANGED, "version", &before.version, &now.version),
    ];
    for (rule, name, old, new) in names.into_iter().filter(|(_, _, old, new)| old != new) {
        let format_name = |name: &Option<String>| {
            name.as_ref().map_or_else(|| "none".to_owned(), |name| format!("`{name}`"))
        };
        let message =
            format!("the {name} changed from {} to {}", format_name(old), format_name(new));
        changes.push(Change::in_tool(rule, format!("/{name}"), message));
    }
    changes
}

fn compare_network(old: Option<&NetworkAccess>, new: Option<&NetworkAccess>) -> Option<Change> {
    let describe = |network: Option<&NetworkAccess>| {
        network.map_or_else(|| "not declared".to_owned(), ToString::to_string)
    };
    if old == new {
        return None;
    }
    let mut message = format!("`network` changed from {} to {}", describe(old), describe(new));
    // With lists, the direction is not obvious from the two texts.
    if let (Some(old), Some(new)) = (old, new)
        && [old, new].iter().any(|access| matches!(access, NetworkAccess::Only(_)))
    {
        let is_wider = !old.covers(new);
        message += if is_wider { ": it can reach more" } else { ": it cannot reach more" };
    }
    Some(Change::in_tool(&ANNOTATIONS_CHANGED, "/annotations", message))
}

/// Compares the sections of specifications that have no schema.
fn compare_sections(old: &Tool, new: &Tool) -> Vec<Change> {
    let none = SpecDetails::default();
    let [before, now] = [old, new].map(|tool| tool.details.as_deref().unwrap_or(&none));
    let errors = |details: &SpecDetails| {
        details.errors.as_ref().map(|errors| errors.text.clone()).unwrap_or_default()
    };
    let idempotency = |details: &SpecDetails| {
        details.idempotency.as_ref().map(|section| section.text.clone()).unwrap_or_default()
    };
    let sections: [(&'static ChangeRule, &str, String, String); 4] = [
        (&ERRORS_CHANGED, "errors", errors(before), errors(now)),
        (&IDEMPOTENCY_CHANGED, "idempotency", idempotency(before), idempotency(now)),
        (
            &SECURITY_CHANGED,
            "security",
            join_remarks(&before.security),
            join_remarks(&now.security),
        ),
        (&EXAMPLES_CHANGED, "examples", join_calls(before), join_calls(now)),
    ];
    // Examples of a specification are examples of the description too: report them once.
    let are_examples_reported = old.description.examples != new.description.examples;
    sections
        .into_iter()
        .filter(|(_, name, old, new)| {
            !has_same_words(old, new) && (*name != "examples" || !are_examples_reported)
        })
        .map(|(rule, name, ..)| {
            Change::in_tool(rule, format!("/{name}"), format!("the section on {name} changed"))
        })
        .collect()
}

fn join_remarks(remarks: &[Remark]) -> String {
    remarks.iter().map(|remark| remark.text.as_str()).collect::<Vec<_>>().join("\n")
}

fn join_calls(details: &SpecDetails) -> String {
    details.usages.iter().map(|usage| format!("{:?}", usage.call)).collect::<Vec<_>>().join("\n")
}

/// Everything that decides how a tool runs.
fn execution(tool: &Tool) -> impl PartialEq + '_ {
    let more = (&tool.success_exit_codes, &tool.constraints, tool.credentials);
    (&tool.implementation, tool.mode, tool.timeout, tool.concurrency, more)
}

/// Whether two texts differ only in white space. Wrapping lines differently is not a change.
fn has_same_words(old: &str, new: &str) -> bool {
    old == new || old.split_whitespace().eq(new.split_whitespace())
}
