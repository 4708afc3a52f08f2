//! The documentation of a tool, independent of its output format.

use std::time::SystemTime;

use catalog::{Concurrency, Decision, Implementation, Mode, NetworkAccess, Policy, Tool};
use serde_json::{Map, Value, json};

use crate::{
    DescriptionSize,
    command_line::{render_invocation, shell_quote},
    fields::{Field, list_parameters, list_results},
};

/// The documentation of a tool, in the order of its pages.
pub(crate) struct ToolDocs {
    /// The display name, if it differs from the name.
    pub(crate) title: Option<String>,
    /// The description that clients receive.
    pub(crate) description: String,
    /// A command that calls it with only the required arguments; `None` if it cannot be called.
    pub(crate) call: Option<String>,
    /// Example calls and their explanations.
    pub(crate) examples: Vec<(String, String)>,
    pub(crate) parameters: Vec<Field>,
    pub(crate) results: Vec<Field>,
    /// The errors section of its specification.
    pub(crate) errors: Option<String>,
    /// The security remarks of its specification.
    pub(crate) security: Vec<String>,
    /// The command line, function call or steps of a call.
    pub(crate) invocation: Vec<String>,
    /// Code that uses it, with its output.
    pub(crate) transcript: Option<String>,
    /// Everything else, as labels and values.
    pub(crate) facts: Vec<(&'static str, String)>,
}

impl ToolDocs {
    pub(crate) fn new(tool: &Tool) -> Self {
        let details = tool.details.as_deref();
        let errors = details.and_then(|details| details.errors.as_ref());
        let security = details.into_iter().flat_map(|details| &details.security);
        Self {
            title: tool.title.clone().filter(|title| *title != tool.name),
            description: DescriptionSize::Concise.describer()(tool),
            call: tool.is_callable().then(|| render_minimal_call(tool)),
            examples: render_examples(tool),
            parameters: list_parameters(tool),
            results: list_results(tool),
            errors: errors.map(|errors| errors.text.clone()),
            security: security.map(|remark| remark.text.clone()).collect(),
            invocation: render_invocation(tool),
            transcript: tool.description.transcript.clone(),
            facts: collect_facts(tool),
        }
    }
}

fn render_minimal_call(tool: &Tool) -> String {
    let required = tool.input.required();
    let arguments = required.map(|name| (name.to_owned(), sample_value(tool.input.property(name))));
    render_call(tool, arguments.collect())
}

/// A call from a terminal. The name has no prefix, like everywhere in the documentation.
fn render_call(tool: &Tool, arguments: Map<String, Value>) -> String {
    let call = format!("toolcrib call {}", shell_quote(tool.bare_name()));
    if arguments.is_empty() {
        return call;
    }
    format!("{call} --args {}", shell_quote(&Value::Object(arguments).to_string()))
}

fn render_examples(tool: &Tool) -> Vec<(String, String)> {
    let render = |arguments: &Map<String, Value>| {
        if tool.is_callable() {
            render_call(tool, arguments.clone())
        } else {
            // `toolcrib call` would fail, so show the request that a client would send.
            json!({"tool_name": tool.bare_name(), "arguments": arguments}).to_string()
        }
    };
    let examples = tool.description.examples.iter();
    examples.map(|example| (render(&example.arguments), example.explanation.clone())).collect()
}

/// A plausible value for an argument. `…` stands for text that only the caller knows.
fn sample_value(schema: Option<&Value>) -> Value {
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
        Some("array") => Value::Array(vec![sample_value(schema.get("items"))]),
        Some("object") => Value::Object(Map::new()),
        _ => Value::from("…"),
    }
}

fn first_type(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(only) => Some(only),
        Value::Array(types) => types.first()?.as_str(),
        _ => None,
    }
}

fn collect_facts(tool: &Tool) -> Vec<(&'static str, String)> {
    let annotations = &tool.annotations;
    let mut facts = vec![("effect", describe_effect(tool).to_owned())];
    let mut push = |label, value: Option<String>| facts.extend(value.map(|value| (label, value)));
    let yes_no = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    push("idempotent", annotations.idempotent.map(yes_no));
    let idempotency = tool.details.as_ref().and_then(|details| details.idempotency.as_ref());
    push("idempotency", idempotency.map(|idempotency| idempotency.text.clone()));
    push("approval", needs_approval(tool).then(|| "every call needs approval".to_owned()));
    let consent = tool.consent.as_ref();
    push(
        "consent",
        consent.map(|consent| format!("{} must be {}", consent.parameter, consent.word)),
    );
    let constraints = tool.constraints.iter().map(|one| format!("{} ({})", one.message, one.rule));
    let constraints = constraints.collect::<Vec<_>>().join("\n");
    push("constraints", Some(constraints).filter(|text| !text.is_empty()));
    push("credentials", tool.credentials.then(|| "gets yours".to_owned()));
    push("network", annotations.network.as_ref().map(describe_network));
    push("category", annotations.category.clone());
    push("version", annotations.version.clone());
    push("returns", tool.is_callable().then(|| describe_mode(tool.mode).to_owned()));
    push(
        "measured",
        tool.measured.map(|time| format!("{} s for its examples", time.as_secs_f64())),
    );
    push("timeout", tool.timeout.map(|timeout| format!("{} s", timeout.as_secs_f64())));
    let codes: Vec<_> = tool.success_exit_codes.iter().map(i32::to_string).collect();
    push("success", (!codes.is_empty()).then(|| format!("exit code 0, {}", codes.join(", "))));
    push("concurrency", tool.concurrency.map(describe_concurrency).map(str::to_owned));
    push("hint", tool.description.hint.clone());
    push("installation", tool.description.install.clone());
    let pointer = tool.origin.pointer().filter(|pointer| !pointer.is_empty());
    let fragment = pointer.map(|pointer| format!("#{pointer}")).unwrap_or_default();
    push("defined in", Some(format!("{}{fragment}", tool.origin.source)));
    facts
}

/// Whether the default policy asks about a call. The clauses of a crib are not part of a tool.
pub(crate) fn needs_approval(tool: &Tool) -> bool {
    // The default policy has no clauses, so neither arguments nor time matter.
    let decision = Policy::default().decide(tool, &Map::new(), SystemTime::UNIX_EPOCH);
    matches!(decision, Decision::Ask { .. })
}

fn describe_effect(tool: &Tool) -> &'static str {
    let is_script = matches!(&tool.implementation, Implementation::Process(process) if process.is_shell_script());
    match (tool.annotations.mutates, tool.annotations.dangerous) {
        _ if is_script => "runs a shell script; treated as dangerous",
        (Some(false), Some(true)) => "changes nothing, but is dangerous",
        (_, Some(true)) => "makes changes that are hard to undo",
        (Some(false), _) => "changes nothing",
        (Some(true), _) => "makes changes",
        (None, _) => "not declared; treated as making changes that are hard to undo",
    }
}

fn describe_network(network: &NetworkAccess) -> String {
    match network {
        NetworkAccess::None => "not needed".to_owned(),
        NetworkAccess::Internet => "needed".to_owned(),
        NetworkAccess::Only(_) => format!("only {network}"),
    }
}

fn describe_mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Synchronous => "the result",
        Mode::Asynchronous => "the result, or an operation id if the call takes long",
    }
}

fn describe_concurrency(concurrency: Concurrency) -> &'static str {
    match concurrency {
        Concurrency::Exclusive => "runs alone among calls that write",
        Concurrency::ReadOnly => "runs with any other call: it only reads",
        Concurrency::Service => "runs with any other call: it is a long-running service",
    }
}
