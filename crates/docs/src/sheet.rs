//! What is known of a tool, in the order in which people ask: the content of a page and of `show`,
//! without the form of either.

use std::time::SystemTime;

use catalog::{Concurrency, Decision, Example, Implementation, Mode, Policy, Tool};
use serde_json::{Map, Value};

use crate::{
    Size, command_line,
    fields::{self, Row},
};

/// What is known of a tool.
pub(crate) struct Sheet {
    /// Its name for people, where that is not its name.
    pub(crate) title: Option<String>,
    /// The description as a client sees it.
    pub(crate) description: String,
    /// A call with the least it needs, as a command.
    pub(crate) call: Option<String>,
    /// Calls as commands, and what they show.
    pub(crate) examples: Vec<(String, String)>,
    /// Its parameters, in order, each with what is inside of it behind it.
    pub(crate) parameters: Vec<Row>,
    /// The fields of its result, likewise.
    pub(crate) results: Vec<Row>,
    /// What is said about errors.
    pub(crate) errors: Option<String>,
    /// What is said about security, point by point.
    pub(crate) security: Vec<String>,
    /// What it becomes: a command line or steps.
    pub(crate) runs: Vec<String>,
    /// Code that uses it, with its output.
    pub(crate) transcript: Option<String>,
    /// Everything else, as labels and values.
    pub(crate) facts: Vec<(&'static str, String)>,
}

/// Puts together what is known of a tool.
pub(crate) fn sheet(tool: &Tool) -> Sheet {
    Sheet {
        title: tool.title.clone().filter(|title| *title != tool.name),
        description: Size::Concise.describe()(tool),
        examples: examples(tool),
        call: tool.is_callable().then(|| call(tool)),
        parameters: fields::parameters(tool),
        results: fields::results(tool),
        errors: tool
            .details
            .as_ref()
            .and_then(|details| Some(details.errors.as_ref()?.text.clone())),
        security: tool
            .details
            .iter()
            .flat_map(|details| &details.security)
            .map(|remark| remark.text.clone())
            .collect(),
        runs: command_line::lines(tool),
        transcript: tool.description.transcript.clone(),
        facts: facts(tool),
    }
}

fn call(tool: &Tool) -> String {
    let required =
        tool.input.required().map(|name| (name.to_owned(), sample(tool.input.property(name))));
    command(tool, required.collect())
}

/// A call from the terminal, by the name that documentation uses.
fn command(tool: &Tool, arguments: Map<String, Value>) -> String {
    let call = format!("toolcrib call {}", command_line::quoted(tool.bare_name()));
    match arguments.is_empty() {
        true => call,
        false => {
            format!("{call} --args {}", command_line::quoted(&Value::Object(arguments).to_string()))
        }
    }
}

fn examples(tool: &Tool) -> Vec<(String, String)> {
    let shown = |arguments: &Map<String, Value>| match tool.is_callable() {
        true => command(tool, arguments.clone()),
        // Nothing can call it from here: what a client would send.
        false => {
            serde_json::json!({"tool_name": tool.bare_name(), "arguments": arguments}).to_string()
        }
    };
    let each = |example: &Example| (shown(&example.arguments), example.explanation.clone());
    tool.description.examples.iter().map(each).collect()
}

/// A value that shows what is asked for.
fn sample(schema: Option<&Value>) -> Value {
    let Some(schema) = schema else {
        return Value::from("…");
    };
    let choice = schema.get("enum").and_then(|choices| choices.get(0));
    if let Some(known) = schema.get("const").or(schema.get("default")).or(choice) {
        return known.clone();
    }
    match first_type(schema) {
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(Value::from(1)),
        Some("boolean") => Value::Bool(true),
        Some("array") => Value::Array(vec![sample(schema.get("items"))]),
        Some("object") => Value::Object(Map::new()),
        _ => Value::from("…"),
    }
}

fn facts(tool: &Tool) -> Vec<(&'static str, String)> {
    let annotations = &tool.annotations;
    let mut facts = vec![("effect", effect(tool).to_owned())];
    let mut push = |label, value: Option<String>| facts.extend(value.map(|value| (label, value)));
    push(
        "repeating",
        annotations.idempotent.map(|yes| {
            if yes { "changes nothing more" } else { "has its effect again" }.to_owned()
        }),
    );
    let said =
        tool.details.as_ref().and_then(|details| Some(details.idempotency.as_ref()?.text.clone()));
    push("idempotency", said);
    push("approval", is_asked_about(tool).then(|| "each call must be approved".to_owned()));
    push(
        "consent",
        tool.consent
            .as_ref()
            .map(|consent| format!("{} must be {}", consent.parameter, consent.word)),
    );
    push(
        "network",
        annotations.network.map(|yes| if yes { "needed" } else { "not needed" }.to_owned()),
    );
    push("category", annotations.category.clone());
    push("version", annotations.version.clone());
    push("answer", tool.is_callable().then(|| answer(tool.mode).to_owned()));
    push(
        "measured",
        tool.measured.map(|took| format!("its examples took {} s", took.as_secs_f64())),
    );
    push("time limit", tool.timeout.map(|limit| format!("{} s", limit.as_secs_f64())));
    push("beside others", tool.concurrency.map(|beside| concurrency(beside).to_owned()));
    push("hint", tool.description.hint.clone());
    push("installing", tool.description.install.clone());
    let place = tool
        .origin
        .pointer()
        .filter(|pointer| !pointer.is_empty())
        .map(|pointer| format!("#{pointer}"));
    push("defined in", Some(format!("{}{}", tool.origin.source, place.unwrap_or_default())));
    facts
}

fn is_asked_about(tool: &Tool) -> bool {
    let decision = Policy::default().decide(tool, &Map::new(), SystemTime::UNIX_EPOCH);
    matches!(decision, Decision::Ask { .. })
}

fn effect(tool: &Tool) -> &'static str {
    let is_script = matches!(&tool.implementation, Implementation::Process(process) if process.is_shell_script());
    match (tool.annotations.mutates, tool.annotations.dangerous) {
        _ if is_script => "runs a shell script; treated as dangerous",
        (_, Some(true)) => "changes things in a way that is hard to undo",
        (Some(false), _) => "changes nothing",
        (Some(true), _) => "changes things",
        (None, _) => "not said; treated as changing things in a way that is hard to undo",
    }
}

fn answer(mode: Mode) -> &'static str {
    match mode {
        Mode::Synchronous => "the result",
        Mode::Asynchronous => "the result, or an operation whose result follows",
    }
}

fn concurrency(concurrency: Concurrency) -> &'static str {
    match concurrency {
        Concurrency::Exclusive => "nothing else that writes",
        Concurrency::ReadOnly => "anything: it only reads",
        Concurrency::Service => "anything: it goes on by itself",
    }
}

fn first_type(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(kind) => Some(kind),
        Value::Array(kinds) => kinds.first()?.as_str(),
        _ => None,
    }
}
