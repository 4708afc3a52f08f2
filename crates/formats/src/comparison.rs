//! Compares a tool with the same tool after conversion, to report losses.

use catalog::{
    Implementation, Mode, Schema, Tool,
    implementation::{Binding, PassBy, Piece, flag_for},
};
use serde_json::{Map, Value, json};

use crate::constraints;

/// Information that a conversion loses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The name of the tool.
    pub tool: String,
    /// The field, by its name in definitions.
    pub field: &'static str,
    /// Whether the field is missing or differs.
    pub message: String,
}

/// A field's name and a function for its value without locations; null if the tool does not have
/// it.
type Field = (&'static str, fn(&Tool) -> Value);

#[rustfmt::skip]
const FIELDS: [Field; 32] = [
    ("inputSchema", |tool| normalize(&tool.input)),
    ("outputSchema", |tool| tool.output.as_ref().map_or(Value::Null, normalize)),
    ("description", |tool| normalize_text(&describe(tool))),
    ("title", |tool| json!(tool.title)),
    ("usage", |tool| json!(tool.description.usage)),
    ("examples", |tool| non_empty(tool.description.examples.iter().map(|example| json!(example.arguments)).collect())),
    ("explanations", list_explanations),
    ("implementation_example", |tool| tool.description.transcript.as_deref().map_or(Value::Null, normalize_text)),
    ("errors", |tool| spec_detail(tool, |details| details.errors.as_ref().map(|errors| errors.text.clone()))),
    ("idempotency", |tool| spec_detail(tool, |details| details.idempotency.as_ref().map(|idempotency| idempotency.text.clone()))),
    ("security", list_security_remarks),
    ("mutates", |tool| json!(tool.annotations.mutates)),
    ("dangerous", |tool| json!(tool.annotations.dangerous)),
    ("idempotent", |tool| json!(tool.annotations.idempotent)),
    ("requires_approval", |tool| json!(tool.annotations.requires_approval)),
    ("network", |tool| json!(tool.annotations.network)),
    ("category", |tool| json!(tool.annotations.category)),
    ("version", |tool| json!(tool.annotations.version)),
    ("consent", |tool| json!(tool.consent.as_ref().map(|consent| [&consent.parameter, &consent.word]))),
    ("alias", list_aliases),
    ("synchronous", |tool| json!(tool.mode == Mode::Synchronous)),
    ("timeout_seconds", |tool| json!(tool.timeout.map(|limit| limit.as_secs_f64()))),
    ("output_bytes", |tool| json!(tool.output_bytes)),
    ("concurrency", |tool| tool.concurrency.map_or(Value::Null, |concurrency| json!(format!("{concurrency:?}")))),
    ("availability_check", |tool| tool.availability.as_ref().map_or(Value::Null, |check| json!(format!("{check:?}")))),
    ("constraints", |tool| constraints::write(&tool.constraints).unwrap_or_default()),
    ("credentials", |tool| if tool.credentials { Value::Bool(true) } else { Value::Null }),
    ("progress_regex", |tool| json!(tool.progress)),
    ("success_exit_codes", |tool| non_empty(tool.success_exit_codes.iter().map(|code| json!(code)).collect())),
    ("hints", |tool| json!(tool.description.hint)),
    ("install_instructions", |tool| json!(tool.description.install)),
    ("execution_time", |tool| json!(tool.measured.map(|took| took.as_secs_f64()))),
];

/// Lists the information of `tool` that `converted`, the tool after conversion, lacks.
pub(crate) fn find_losses(tool: &Tool, converted: &Tool) -> Vec<Loss> {
    let loss =
        |field, message: &str| Loss { tool: tool.name.clone(), field, message: message.to_owned() };
    let implementation = if runs_same(tool, converted) {
        None
    } else if converted.is_callable() {
        Some("the converted tool runs something else")
    } else {
        Some("the converted tool has no program: bind it to one")
    };
    let mut found: Vec<Loss> =
        implementation.map(|message| loss("command", message)).into_iter().collect();
    found.extend(describe_lost_bindings(tool, converted).map(|message| loss("argv", &message)));
    for (field, value_of) in FIELDS {
        let (before, after) = (value_of(tool), value_of(converted));
        // A format may add a default of its own, which is not a loss.
        if before.is_null() || before == after {
            continue;
        }
        let message = if after.is_null() {
            "the format has no field for it"
        } else {
            "the format changes it"
        };
        found.push(loss(field, message));
    }
    found
}

/// The full description of a tool: its shared guidance, then its own text.
pub(crate) fn describe(tool: &Tool) -> String {
    let guidance = tool.description.guidance.as_deref().unwrap_or_default().trim();
    let parts = [guidance, &tool.description.text_in_context()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// Whether two tools run the same program or function in the same way.
pub(crate) fn runs_same(tool: &Tool, other: &Tool) -> bool {
    match (&tool.implementation, &other.implementation) {
        // The types of formals follow from the schema, which is compared on its own.
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

/// The command line without the working directory, which is not part of it.
fn without_folder(pieces: &[Piece]) -> Vec<&Piece> {
    let is_folder = |piece: &&Piece| matches!(piece, Piece::Parameter(binding) if binding.pass_by == PassBy::Folder);
    pieces.iter().filter(|piece| !is_folder(piece)).collect()
}

/// A schema without keywords that only repeat a default.
pub(crate) fn normalize(schema: &Schema) -> Value {
    let mut object: Map<String, Value> = schema.object().as_ref().clone();
    // The served dialect is that of the protocol, whatever a definition names.
    object.remove("$schema");
    if object.get("additionalProperties") == Some(&Value::Bool(true)) {
        object.remove("additionalProperties");
    }
    if object.get("required").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        object.remove("required");
    }
    Value::Object(object)
}

/// A text without line breaks, which formats may place differently.
fn normalize_text(text: &str) -> Value {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.is_empty() { Value::Null } else { Value::String(words) }
}

fn non_empty(items: Vec<Value>) -> Value {
    if items.is_empty() { Value::Null } else { Value::Array(items) }
}

fn list_explanations(tool: &Tool) -> Value {
    let explanations = tool
        .description
        .examples
        .iter()
        .map(|example| normalize_text(&example.explanation))
        .filter(|text| !text.is_null());
    non_empty(explanations.collect())
}

fn spec_detail(tool: &Tool, text_of: fn(&catalog::SpecDetails) -> Option<String>) -> Value {
    tool.details
        .as_ref()
        .and_then(|details| text_of(details))
        .map_or(Value::Null, |text| normalize_text(&text))
}

fn list_security_remarks(tool: &Tool) -> Value {
    let remarks = tool.details.iter().flat_map(|details| &details.security);
    non_empty(remarks.map(|remark| normalize_text(&remark.text)).collect())
}

fn list_aliases(tool: &Tool) -> Value {
    let aliases = tool
        .parameters
        .iter()
        .filter_map(|parameter| Some((parameter.name.clone(), json!(parameter.alias.as_ref()?))));
    let aliases: Map<String, Value> = aliases.collect();
    if aliases.is_empty() { Value::Null } else { Value::Object(aliases) }
}

/// Names the parameters that would reach a program in another way than before.
fn describe_lost_bindings(tool: &Tool, converted: &Tool) -> Option<String> {
    let kept = unusual_bindings(converted);
    let lost: Vec<_> = unusual_bindings(tool)
        .into_iter()
        .filter(|binding| !kept.contains(binding))
        .map(|binding| match (&binding.pass_by, &binding.flag) {
            (PassBy::Argument, None) => format!("`{}` (positional)", binding.parameter),
            (PassBy::Argument, Some(flag)) => format!("`{}` (`{flag}`)", binding.parameter),
            (PassBy::Stdin, _) => format!("`{}` (stdin)", binding.parameter),
            (PassBy::Env(name), _) => format!("`{}` (`${name}`)", binding.parameter),
            _ => format!("`{}`", binding.parameter),
        })
        .collect();
    (!lost.is_empty()).then(|| {
        format!("the format cannot declare how these are passed to a program: {}", lost.join(", "))
    })
}

/// The bindings of a command line that differ from the default: a flag named after the parameter
/// and its value. A flag named after the alias is lost with that, and whether a value is a path is
/// part of the schema.
fn unusual_bindings(tool: &Tool) -> Vec<&Binding> {
    let is_usual = |binding: &Binding| {
        let name = &binding.parameter;
        let own = tool.parameters.iter().find(|parameter| parameter.name == *name);
        let alias = own.and_then(|parameter| parameter.alias.as_deref());
        let usual = Binding::option(name, flag_for(alias.unwrap_or(name)));
        binding.pass_by == PassBy::Folder || *binding == Binding { kind: binding.kind, ..usual }
    };
    let pieces = match &tool.implementation {
        Implementation::Process(process) => process.pieces.as_slice(),
        _ => tool.unbound.as_deref().unwrap_or_default(),
    };
    let bindings = pieces.iter().filter_map(|piece| match piece {
        Piece::Parameter(binding) => Some(binding),
        Piece::Word(_) | Piece::DoubleDash | Piece::Json => None,
    });
    bindings.filter(|binding| !is_usual(binding)).collect()
}
