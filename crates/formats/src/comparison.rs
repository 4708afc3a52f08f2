//! A tool compared with the same tool written in another format and read again.

use catalog::{
    Implementation, Mode, Schema, Tool,
    implementation::{Binding, PassBy, Piece, flag_for},
};
use serde_json::{Map, Value, json};

/// Something that a converted tool does not say any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The tool's name.
    pub tool: String,
    /// The field, by its name in definitions.
    pub field: &'static str,
    /// What happened to it.
    pub message: String,
}

/// A field's name, and its value without locations; null if the tool does not have it.
type Field = (&'static str, fn(&Tool) -> Value);

#[rustfmt::skip]
const FIELDS: [Field; 28] = [
    ("inputSchema", |tool| normalize(&tool.input)),
    ("outputSchema", |tool| tool.output.as_ref().map_or(Value::Null, normalize)),
    ("description", |tool| words(&describe(tool))),
    ("title", |tool| json!(tool.title)),
    ("usage", |tool| json!(tool.description.usage)),
    ("examples", |tool| non_empty(tool.description.examples.iter().map(|example| json!(example.arguments)).collect())),
    ("explanations", explanations),
    ("implementation_example", |tool| tool.description.transcript.as_deref().map_or(Value::Null, words)),
    ("errors", |tool| spec_detail(tool, |details| details.errors.as_ref().map(|errors| errors.text.clone()))),
    ("idempotency", |tool| spec_detail(tool, |details| details.idempotency.as_ref().map(|idempotency| idempotency.text.clone()))),
    ("security", security),
    ("mutates", |tool| json!(tool.annotations.mutates)),
    ("dangerous", |tool| json!(tool.annotations.dangerous)),
    ("idempotent", |tool| json!(tool.annotations.idempotent)),
    ("requires_approval", |tool| json!(tool.annotations.requires_approval)),
    ("network", |tool| json!(tool.annotations.network)),
    ("category", |tool| json!(tool.annotations.category)),
    ("version", |tool| json!(tool.annotations.version)),
    ("consent", |tool| json!(tool.consent.as_ref().map(|consent| [&consent.parameter, &consent.word]))),
    ("alias", aliases),
    ("synchronous", |tool| json!(tool.mode == Mode::Synchronous)),
    ("timeout_seconds", |tool| json!(tool.timeout.map(|limit| limit.as_secs_f64()))),
    ("concurrency", |tool| tool.concurrency.map_or(Value::Null, |beside| json!(format!("{beside:?}")))),
    ("availability_check", |tool| tool.availability.as_ref().map_or(Value::Null, |check| json!(format!("{check:?}")))),
    ("progress_regex", |tool| json!(tool.progress)),
    ("hints", |tool| json!(tool.description.hint)),
    ("install_instructions", |tool| json!(tool.description.install)),
    ("execution_time", |tool| json!(tool.measured.map(|took| took.as_secs_f64()))),
];

/// What `again`, the tool as it was read back, does not say of `tool`.
pub(crate) fn find_losses(tool: &Tool, again: &Tool) -> Vec<Loss> {
    let loss =
        |field, message: &str| Loss { tool: tool.name.clone(), field, message: message.to_owned() };
    let implementation = match (is_launched_alike(tool, again), again.is_callable()) {
        (true, _) => None,
        (false, true) => Some("it runs something else"),
        (false, false) => Some("it names no program any more: bind it to one"),
    };
    let mut found: Vec<Loss> =
        implementation.map(|message| loss("command", message)).into_iter().collect();
    found.extend(
        (unusual_bindings(tool) != unusual_bindings(again))
            .then(|| loss("argv", "how its values are passed to a program is not kept")),
    );
    for (field, of) in FIELDS {
        let (before, after) = (of(tool), of(again));
        if before.is_null() || before == after {
            continue;
        }
        let message = if after.is_null() {
            "the format has no field for it"
        } else {
            "it is read differently"
        };
        found.push(loss(field, message));
    }
    found
}

/// The text that a tool is described by: the guidance it shares with others, then its own.
pub(crate) fn describe(tool: &Tool) -> String {
    let parts = [
        tool.description.guidance.as_deref().unwrap_or_default().trim(),
        tool.description.text.trim(),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// Whether two tools run the same program or function in the same way.
pub(crate) fn is_launched_alike(tool: &Tool, again: &Tool) -> bool {
    match (&tool.implementation, &again.implementation) {
        (Implementation::R(one), Implementation::R(other)) => {
            (&one.package, &one.function) == (&other.package, &other.function)
        }
        (Implementation::Process(one), Implementation::Process(other)) => {
            one.program == other.program
                && without_folder(&one.pieces) == without_folder(&other.pieces)
        }
        (one, other) => one == other,
    }
}

/// A command line without the working folder, which is not on it.
fn without_folder(pieces: &[Piece]) -> Vec<&Piece> {
    let is_folder = |piece: &&Piece| matches!(piece, Piece::Parameter(binding) if binding.pass_by == PassBy::Folder);
    pieces.iter().filter(|piece| !is_folder(piece)).collect()
}

/// A schema without keywords that repeat the default.
pub(crate) fn normalize(schema: &Schema) -> Value {
    let mut object: Map<String, Value> = schema.object().as_ref().clone();
    object.remove("$schema");
    if object.get("additionalProperties") == Some(&Value::Bool(true)) {
        object.remove("additionalProperties");
    }
    if object.get("required").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        object.remove("required");
    }
    Value::Object(object)
}

/// A text without its line breaks, which formats may wrap differently.
fn words(text: &str) -> Value {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.is_empty() { Value::Null } else { Value::String(words) }
}

fn non_empty(items: Vec<Value>) -> Value {
    if items.is_empty() { Value::Null } else { Value::Array(items) }
}

fn explanations(tool: &Tool) -> Value {
    let explanations = tool
        .description
        .examples
        .iter()
        .map(|example| words(&example.explanation))
        .filter(|words| !words.is_null());
    non_empty(explanations.collect())
}

fn spec_detail(tool: &Tool, of: fn(&catalog::SpecDetails) -> Option<String>) -> Value {
    tool.details.as_ref().and_then(|details| of(details)).map_or(Value::Null, |text| words(&text))
}

fn security(tool: &Tool) -> Value {
    let remarks = tool.details.iter().flat_map(|details| &details.security);
    non_empty(remarks.map(|remark| words(&remark.text)).collect())
}

fn aliases(tool: &Tool) -> Value {
    let aliases =
        tool.parameters.iter().filter_map(|of| Some((of.name.clone(), json!(of.alias.as_ref()?))));
    let aliases: Map<String, Value> = aliases.collect();
    if aliases.is_empty() { Value::Null } else { Value::Object(aliases) }
}

/// Bindings of a tool without a program that are not what a reader would assume: a flag named
/// after the parameter.
fn unusual_bindings(tool: &Tool) -> Vec<&Binding> {
    let is_usual = |binding: &Binding| {
        let is_flag = binding.flag.as_deref() == Some(flag_for(&binding.parameter).as_str());
        binding.pass_by == PassBy::Folder
            || is_flag && binding.pass_by == PassBy::Argument && binding.negate.is_none()
    };
    let bindings = tool.unbound.iter().flatten().filter_map(|piece| match piece {
        Piece::Parameter(binding) => Some(binding),
        Piece::Word(_) | Piece::DoubleDash | Piece::Json => None,
    });
    bindings.filter(|binding| !is_usual(binding)).collect()
}
