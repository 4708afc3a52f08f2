//! The variables of a condition: `args` and `tool`.

use std::{collections::HashMap, sync::Arc};

use cel::{Context, Env, Value as Cel};
use serde_json::{Map, Value, json};

use super::expression::ENVIRONMENT;
use crate::Tool;

/// Maximum nesting of arguments: evaluation recurses with it.
const MAX_DEPTH: usize = 128;

/// The members of `tool` in policies.
pub(super) const TOOL_MEMBERS: [&str; 9] = [
    "name",
    "category",
    "version",
    "mutates",
    "dangerous",
    "idempotent",
    "requires_approval",
    "network",
    "consent",
];

/// The members of `tool` in custom rules.
pub(super) const MODEL_MEMBERS: [&str; 20] = [
    "name",
    "title",
    "description",
    "category",
    "version",
    "mutates",
    "dangerous",
    "idempotent",
    "requires_approval",
    "network",
    "consent",
    "input",
    "output",
    "served",
    "file",
    "sections",
    "security",
    "errors",
    "idempotency",
    "examples",
];

/// The variables of one evaluation, and their size for the cost estimate.
pub(crate) struct Scope<'a> {
    pub(super) context: Context<'a, 'a>,
    pub(super) size: Size,
}

/// The size of a value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    /// Number of values.
    pub(super) values: u64,
    /// Bytes of text.
    pub(super) bytes: u64,
    /// Nesting depth.
    pub(super) depth: usize,
}

impl Scope<'_> {
    /// The variables for a call of `tool`.
    pub(super) fn new(tool: &Tool, arguments: &Map<String, Value>) -> Self {
        let mut context = Context::with_env(Arc::<Env>::clone(&ENVIRONMENT));
        let mut size = Size::default();
        let args = map(arguments, 1, &mut size);
        context.add_variable_from_value("args", args);
        context.add_variable_from_value("tool", call_variable(tool));
        Self { context, size }
    }

    /// Variables for conditions that may use only the arguments.
    pub(crate) fn for_arguments(arguments: &Map<String, Value>) -> Self {
        let mut context = Context::with_env(Arc::<Env>::clone(&ENVIRONMENT));
        let mut size = Size::default();
        context.add_variable_from_value("args", map(arguments, 1, &mut size));
        Self { context, size }
    }

    /// The variables for checking the definition of `tool`.
    pub(crate) fn for_definition(tool: &Tool) -> Self {
        let mut context = Context::with_env(Arc::<Env>::clone(&ENVIRONMENT));
        let mut size = Size::default();
        let Value::Object(model) = definition_variable(tool) else {
            return Self { context, size };
        };
        let model = map(&model, 1, &mut size);
        context.add_variable_from_value("tool", model);
        Self { context, size }
    }
}

/// The `tool` variable of custom rules.
fn definition_variable(tool: &Tool) -> Value {
    let details = tool.details.clone().unwrap_or_default();
    let annotations = &tool.annotations;
    let schema = |schema: &crate::Schema| Value::Object((**schema.object()).clone());
    json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description.text,
        "category": annotations.category,
        "version": annotations.version,
        "mutates": annotations.mutates,
        "dangerous": annotations.dangerous,
        "idempotent": annotations.idempotent,
        "requires_approval": annotations.requires_approval,
        "network": annotations.uses_network(),
        "consent": tool.consent.is_some(),
        "input": schema(&tool.input),
        "output": tool.output.as_ref().map(schema),
        "served": tool.is_callable(),
        "file": tool.origin.source.as_str(),
        "sections": details.sections.iter().map(|(section, _)| section.title()).collect::<Vec<_>>(),
        "security": details.security.iter().map(|remark| remark.text.as_str()).collect::<Vec<_>>(),
        "errors": details.errors.map(|errors| errors.text),
        "idempotency": details.idempotency.map(|idempotency| idempotency.text),
        "examples": details.usages.into_iter().filter_map(|usage| usage.call).collect::<Vec<_>>(),
    })
}

impl Size {
    /// Whether it is nested too deeply to evaluate; deeper values have been replaced by null.
    pub(super) fn is_too_deep(&self) -> bool {
        self.depth > MAX_DEPTH
    }
}

fn call_variable(tool: &Tool) -> Cel {
    let annotations = &tool.annotations;
    let flag = |mark: Option<bool>| mark.map_or(Cel::Null, Cel::Bool);
    let words = |mark: &Option<String>| mark.as_deref().map_or(Cel::Null, text);
    let values = [
        text(&tool.name),
        words(&annotations.category),
        words(&annotations.version),
        flag(annotations.mutates),
        flag(annotations.dangerous),
        flag(annotations.idempotent),
        flag(annotations.requires_approval),
        // A policy for tools with network access also applies to those with a list.
        flag(annotations.uses_network()),
        Cel::Bool(tool.consent.is_some()),
    ];
    TOOL_MEMBERS.map(str::to_owned).into_iter().zip(values).collect::<HashMap<_, _>>().into()
}

/// Converts an argument to CEL. Whole numbers become `int` where they fit, so that arithmetic with
/// literals works: CEL does not mix `int` and `double`.
fn convert(value: &Value, depth: usize, size: &mut Size) -> Cel {
    size.values += 1;
    match value {
        Value::Null => Cel::Null,
        Value::Bool(yes) => Cel::Bool(*yes),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => Cel::Int(number),
            (None, Some(number)) => Cel::UInt(number),
            (None, None) => number.as_f64().map_or(Cel::Null, Cel::Float),
        },
        Value::String(words) => {
            size.bytes += words.len() as u64;
            text(words)
        }
        Value::Array(_) | Value::Object(_) if depth > MAX_DEPTH => Cel::Null,
        Value::Array(items) => {
            size.depth = size.depth.max(depth + 1);
            Cel::List(Arc::new(items.iter().map(|item| convert(item, depth + 1, size)).collect()))
        }
        Value::Object(members) => map(members, depth + 1, size),
    }
}

fn map(members: &Map<String, Value>, depth: usize, size: &mut Size) -> Cel {
    size.depth = size.depth.max(depth);
    size.bytes += members.keys().map(|key| key.len() as u64).sum::<u64>();
    let members: HashMap<String, Cel> =
        members.iter().map(|(key, value)| (key.clone(), convert(value, depth, size))).collect();
    members.into()
}

fn text(words: &str) -> Cel {
    Cel::String(Arc::new(words.to_owned()))
}
