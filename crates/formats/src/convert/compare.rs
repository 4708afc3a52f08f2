//! What of a tool is not in the tool that was read again.

use catalog::{
    Implementation, Mode, Schema, Tool,
    implementation::{Binding, PassBy, Piece, flag_for},
};
use serde_json::{Map, Value, json};

use super::{Loss, text};

/// Something that a tool has: its name, and its value without places. Null is nothing.
type Field = (&'static str, fn(&Tool) -> Value);

#[rustfmt::skip]
const FIELDS: [Field; 28] = [
    ("inputSchema", |tool| schema(&tool.input)),
    ("outputSchema", |tool| tool.output.as_ref().map_or(Value::Null, schema)),
    ("description", |tool| words(&text(tool))),
    ("title", |tool| json!(tool.title)),
    ("usage", |tool| json!(tool.description.usage)),
    ("examples", |tool| some(tool.description.examples.iter().map(|example| json!(example.arguments)).collect())),
    ("explanations", explanations),
    ("implementation_example", |tool| tool.description.transcript.as_deref().map_or(Value::Null, words)),
    ("errors", |tool| aspect(tool, |aspects| aspects.errors.as_ref().map(|errors| errors.text.clone()))),
    ("idempotency", |tool| aspect(tool, |aspects| aspects.idempotency.as_ref().map(|said| said.text.clone()))),
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

/// What of `tool` is not in `again`, field by field.
pub(super) fn losses(tool: &Tool, again: &Tool) -> Vec<Loss> {
    let loss =
        |field, message: &str| Loss { tool: tool.name.clone(), field, message: message.to_owned() };
    let implementation = match (is_launched_alike(tool, again), again.is_callable()) {
        (true, _) => None,
        (false, true) => Some("it runs something else than before"),
        (false, false) => Some("how it runs is not said: bind it to a program"),
    };
    let mut found: Vec<Loss> =
        implementation.map(|message| loss("command", message)).into_iter().collect();
    found.extend(
        (unusual(tool) != unusual(again))
            .then(|| loss("argv", "how its values reach a program is not said")),
    );
    for (field, of) in FIELDS {
        let (before, after) = (of(tool), of(again));
        match (before == after, after.is_null()) {
            _ if before.is_null() => {}
            (true, _) => {}
            (false, true) => found.push(loss(field, "there is no place for it")),
            (false, false) => found.push(loss(field, "it reads otherwise")),
        }
    }
    found
}

/// Whether two tools start the same.
pub(super) fn is_launched_alike(tool: &Tool, again: &Tool) -> bool {
    match (&tool.implementation, &again.implementation) {
        (Implementation::R(one), Implementation::R(other)) => {
            (&one.package, &one.function) == (&other.package, &other.function)
        }
        (Implementation::Process(one), Implementation::Process(other)) => {
            one.program == other.program && placed(&one.pieces) == placed(&other.pieces)
        }
        (one, other) => one == other,
    }
}

/// A command line without the folder it runs in, which stands nowhere in it.
fn placed(pieces: &[Piece]) -> Vec<&Piece> {
    let is_folder = |piece: &&Piece| matches!(piece, Piece::Parameter(binding) if binding.pass_by == PassBy::Folder);
    pieces.iter().filter(|piece| !is_folder(piece)).collect()
}

/// The schema without what is so anyway.
pub(super) fn schema(schema: &Schema) -> Value {
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

/// A text whatever its lines are.
fn words(text: &str) -> Value {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.is_empty() { Value::Null } else { Value::String(words) }
}

fn some(items: Vec<Value>) -> Value {
    if items.is_empty() { Value::Null } else { Value::Array(items) }
}

fn explanations(tool: &Tool) -> Value {
    let said = tool
        .description
        .examples
        .iter()
        .map(|example| words(&example.explanation))
        .filter(|words| !words.is_null());
    some(said.collect())
}

fn aspect(tool: &Tool, of: fn(&catalog::Aspects) -> Option<String>) -> Value {
    tool.aspects.as_ref().and_then(|aspects| of(aspects)).map_or(Value::Null, |text| words(&text))
}

fn security(tool: &Tool) -> Value {
    let remarks = tool.aspects.iter().flat_map(|aspects| &aspects.security);
    some(remarks.map(|remark| words(&remark.text)).collect())
}

fn aliases(tool: &Tool) -> Value {
    let known =
        tool.parameters.iter().filter_map(|of| Some((of.name.clone(), json!(of.alias.as_ref()?))));
    let known: Map<String, Value> = known.collect();
    if known.is_empty() { Value::Null } else { Value::Object(known) }
}

/// How values of a tool without a program would reach one, where that is not what anybody would guess.
fn unusual(tool: &Tool) -> Vec<&Binding> {
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
