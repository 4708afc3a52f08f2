//! What is said about a tool and its parameters, and how it runs: what models read, and what is for nobody.

use catalog::{Aspects, Tool, aspect::Remark};
use serde_json::Value;

use crate::{
    Change, ChangeRule, Direction, Effect,
    rules::text::{
        ANNOTATIONS_CHANGED, CATEGORY_CHANGED, DEFAULT_ADDED, DEFAULT_CHANGED, DEFAULT_REMOVED,
        DESCRIPTION_CHANGED, ERRORS_CHANGED, EXAMPLES_CHANGED, IDEMPOTENCY_CHANGED, LAUNCH_CHANGED,
        NOTES_CHANGED, SECURITY_CHANGED, VERSION_CHANGED,
    },
};

/// What schemas hold for themselves.
const UNSAID: [&str; 6] = ["$schema", "$id", "$comment", "$anchor", "$defs", "definitions"];

/// What two schemas say beside what they take, as pairs of keyword and value.
pub(crate) fn of_schemas(
    old: &[(&str, &Value)],
    new: &[(&str, &Value)],
    direction: Direction,
    pointer: &str,
) -> Vec<Change> {
    let get = |said: &[(&str, &Value)], key: &str| {
        said.iter().find(|(own, _)| *own == key).map(|(_, value)| (*value).clone())
    };
    let fresh = new.iter().filter(|(key, _)| get(old, key).is_none());
    let keys = old.iter().chain(fresh).map(|(key, _)| *key).filter(|key| !UNSAID.contains(key));
    let told = |key: &str| {
        let (before, now) = (get(old, key), get(new, key));
        let (rule, message) =
            of_keyword(key, &direction.subject(pointer), before.as_ref(), now.as_ref(), direction)?;
        Some(Change::new(rule, direction, format!("{pointer}/{key}"), message))
    };
    keys.filter_map(told).collect()
}

fn of_keyword(
    key: &str,
    what: &str,
    old: Option<&Value>,
    new: Option<&Value>,
    direction: Direction,
) -> Option<(&'static ChangeRule, String)> {
    let is_same = match (old.and_then(Value::as_str), new.and_then(Value::as_str)) {
        (Some(old), Some(new)) if key != "default" => are_same(old, new),
        _ => old.unwrap_or(&Value::Null) == new.unwrap_or(&Value::Null),
    };
    match (key, direction) {
        _ if is_same => None,
        ("default", Direction::Input) => Some(of_default(what, old, new)),
        ("title" | "description", _) => {
            Some((&DESCRIPTION_CHANGED, format!("the {key} of {what} is another")))
        }
        ("examples" | "example" | "default", _) => {
            Some((&EXAMPLES_CHANGED, format!("the examples of {what} are others")))
        }
        _ => Some((&ANNOTATIONS_CHANGED, format!("`{key}` of {what} is another"))),
    }
}

/// A default of `null` is none.
fn of_default(
    what: &str,
    old: Option<&Value>,
    new: Option<&Value>,
) -> (&'static ChangeRule, String) {
    match (old.filter(|value| !value.is_null()), new.filter(|value| !value.is_null())) {
        (None, Some(new)) => (&DEFAULT_ADDED, format!("{what} is {new} now if it is left out")),
        (Some(old), None) => {
            (&DEFAULT_REMOVED, format!("{what} is no longer {old} if it is left out"))
        }
        (old, new) => {
            let shown = |value: Option<&Value>| {
                value.map_or_else(|| "nothing".to_owned(), ToString::to_string)
            };
            (
                &DEFAULT_CHANGED,
                format!("{what} was {} if it was left out, and is {}", shown(old), shown(new)),
            )
        }
    }
}

/// What is said about two versions of a tool outside of their schemas; `known` are the changes inside.
pub(crate) fn compare(old: &Tool, new: &Tool, known: &[Change]) -> Vec<Change> {
    let mut found = described(old, new);
    found.extend(marked(old, new));
    found.extend(documented(old, new));
    // What is taken decides how it is passed on, so that a new parameter is not told twice.
    let is_input = |change: &Change| {
        change.pointer.starts_with(Direction::Input.pointer())
            && change.effect >= Effect::Compatible
    };
    if runs(old) != runs(new) && !known.iter().any(is_input) {
        found.push(Change::of_tool(&LAUNCH_CHANGED, "", "how it is run is another".to_owned()));
    }
    found
}

fn described(old: &Tool, new: &Tool) -> Vec<Change> {
    let (before, now) = (&old.description, &new.description);
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let parts = [
        (
            &DESCRIPTION_CHANGED,
            "/description",
            "the description",
            before.text.clone(),
            now.text.clone(),
        ),
        (
            &DESCRIPTION_CHANGED,
            "/description",
            "the guidance",
            text(&before.guidance),
            text(&now.guidance),
        ),
        (&DESCRIPTION_CHANGED, "/description", "the hint", text(&before.hint), text(&now.hint)),
        (&DESCRIPTION_CHANGED, "/description", "the usage", text(&before.usage), text(&now.usage)),
        (&DESCRIPTION_CHANGED, "/title", "the title", text(&old.title), text(&new.title)),
        (&NOTES_CHANGED, "", "how to install it", text(&before.install), text(&now.install)),
        (
            &NOTES_CHANGED,
            "",
            "what its examples printed",
            text(&before.transcript),
            text(&now.transcript),
        ),
    ];
    let is_other = |(_, _, _, old, new): &(_, _, _, String, String)| !are_same(old, new);
    let told = |(rule, pointer, what, ..): (&'static ChangeRule, _, _, _, _)| {
        Change::of_tool(rule, pointer, format!("{what} is another"))
    };
    let examples = (before.examples != now.examples).then(|| {
        Change::of_tool(&EXAMPLES_CHANGED, "/examples", "the examples are others".to_owned())
    });
    parts.into_iter().filter(is_other).map(told).chain(examples).collect()
}

fn marked(old: &Tool, new: &Tool) -> Vec<Change> {
    let (before, now) = (&old.annotations, &new.annotations);
    let annotations = [
        ("mutates", before.mutates, now.mutates),
        ("dangerous", before.dangerous, now.dangerous),
        ("idempotent", before.idempotent, now.idempotent),
        ("requires_approval", before.requires_approval, now.requires_approval),
        ("network", before.network, now.network),
    ];
    let shown = |mark: Option<bool>| match mark {
        Some(true) => "yes",
        Some(false) => "no",
        None => "not said",
    };
    let told = |(name, old, new)| {
        let message = format!("`{name}` was {} and is {}", shown(old), shown(new));
        Change::of_tool(&ANNOTATIONS_CHANGED, "/annotations", message)
    };
    let mut found: Vec<Change> =
        annotations.into_iter().filter(|(_, old, new)| old != new).map(told).collect();
    let words = [
        (&CATEGORY_CHANGED, "category", &before.category, &now.category),
        (&VERSION_CHANGED, "version", &before.version, &now.version),
    ];
    for (rule, name, old, new) in words.into_iter().filter(|(_, _, old, new)| old != new) {
        let shown = |word: &Option<String>| {
            word.as_ref().map_or_else(|| "none".to_owned(), |word| format!("`{word}`"))
        };
        found.push(Change::of_tool(
            rule,
            format!("/{name}"),
            format!("the {name} was {} and is {}", shown(old), shown(new)),
        ));
    }
    found
}

fn documented(old: &Tool, new: &Tool) -> Vec<Change> {
    let nothing = Aspects::default();
    let [before, now] = [old, new].map(|tool| tool.aspects.as_deref().unwrap_or(&nothing));
    let remarks = |all: &[Remark]| {
        all.iter().map(|remark| remark.text.as_str()).collect::<Vec<_>>().join("\n")
    };
    let errors = |aspects: &Aspects| {
        aspects.errors.as_ref().map(|errors| errors.text.clone()).unwrap_or_default()
    };
    let twice = |aspects: &Aspects| {
        aspects.idempotency.as_ref().map(|said| said.text.clone()).unwrap_or_default()
    };
    let calls = |aspects: &Aspects| {
        aspects
            .usages
            .iter()
            .map(|usage| format!("{:?}", usage.call))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let parts: [(&'static ChangeRule, &str, String, String); 4] = [
        (&ERRORS_CHANGED, "errors", errors(before), errors(now)),
        (&IDEMPOTENCY_CHANGED, "idempotency", twice(before), twice(now)),
        (&SECURITY_CHANGED, "security", remarks(&before.security), remarks(&now.security)),
        (&EXAMPLES_CHANGED, "examples", calls(before), calls(now)),
    ];
    let is_told = old.description.examples != new.description.examples;
    let is_other = |(_, what, old, new): &(_, &str, String, String)| {
        !are_same(old, new) && (*what != "examples" || !is_told)
    };
    let told = |(rule, what, ..): (_, &str, _, _)| {
        Change::of_tool(rule, format!("/{what}"), format!("what is said about {what} is another"))
    };
    parts.into_iter().filter(is_other).map(told).collect()
}

/// How a tool is run, in a form that can be compared.
fn runs(tool: &Tool) -> impl PartialEq + '_ {
    (&tool.implementation, tool.mode, tool.timeout, tool.concurrency)
}

/// Whether two texts have the same words: how lines are broken does not count.
fn are_same(old: &str, new: &str) -> bool {
    old == new || old.split_whitespace().eq(new.split_whitespace())
}
