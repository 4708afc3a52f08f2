//! Short constructors of tools, clauses and arguments.

use std::time::{Duration, SystemTime};

use catalog::{
    Decision, Implementation, Origin, Policy, Schema, SourceId, Tool,
    policy::{Clause, Effect},
};
use serde_json::{Map, Value};

/// The time of every decision.
pub(crate) fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}

/// A tool of this name whose schema has these properties.
pub(crate) fn tool(name: &str, properties: Value) -> Tool {
    let schema = serde_json::json!({"type": "object", "properties": properties});
    let Value::Object(schema) = schema else { unreachable!("made above") };
    Tool::new(
        name,
        "A tool",
        Schema::new(schema),
        Implementation::Native,
        Origin::whole_file(&SourceId::new("a.json")),
    )
}

/// A clause without expiry and reason; an empty `when` matches every call.
pub(crate) fn clause(tools: &str, when: &str, effect: Effect) -> Clause {
    let when = (!when.is_empty()).then(|| when.to_owned());
    Clause { tools: tools.to_owned(), when, effect, until: None, reason: None }
}

pub(crate) fn policy(clauses: impl IntoIterator<Item = Clause>) -> Policy {
    Policy::compile(clauses).expect("clauses that compile")
}

/// The members of a JSON object.
pub(crate) fn arguments(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        other => panic!("{other} is not an object"),
    }
}

pub(crate) fn decision_name(decision: &Decision) -> &'static str {
    match decision {
        Decision::Allow => "allow",
        Decision::Ask { .. } => "ask",
        Decision::Deny { .. } => "deny",
    }
}

/// The reason of a decision; panics if the call is allowed.
pub(crate) fn reason(decision: Decision) -> String {
    match decision {
        Decision::Allow => panic!("allowed"),
        Decision::Ask { reason } | Decision::Deny { reason } => reason,
    }
}
