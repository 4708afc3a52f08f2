//! Properties for which the protocol has no field, under our own names in `_meta`.

use std::time::Duration;

use catalog::{
    Example, Location, NetworkAccess, SpecDetails, Tool,
    spec_details::{ErrorText, Idempotency, IdempotencyClaim, Remark, Section, Version, VersionOf},
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

const CATEGORY: &str = "toolcrib/category";
const VERSION: &str = "toolcrib/version";
const REQUIRES_APPROVAL: &str = "toolcrib/requires_approval";
const NETWORK: &str = "toolcrib/network";
const EXECUTION_TIME: &str = "toolcrib/execution_time";
const EXAMPLES: &str = "toolcrib/examples";
const ERRORS: &str = "toolcrib/errors";
const IDEMPOTENCY: &str = "toolcrib/idempotency";
const SECURITY: &str = "toolcrib/security";

/// Writes the properties of a tool that belong there.
pub(super) fn write(tool: &Tool) -> Map<String, Value> {
    let mut meta = Map::new();
    let mut put =
        |key: &str, value: Option<Value>| meta.extend(value.map(|value| (key.to_owned(), value)));
    put(CATEGORY, tool.annotations.category.clone().map(Value::from));
    put(VERSION, tool.annotations.version.clone().map(Value::from));
    put(REQUIRES_APPROVAL, tool.annotations.requires_approval.map(Value::from));
    // A hint says only whether the network is used.
    let network = tool.annotations.network.as_ref();
    let list = network.filter(|network| matches!(network, NetworkAccess::Only(_)));
    put(NETWORK, list.map(|list| json!(list)));
    put(EXECUTION_TIME, tool.measured.map(|took| took.as_secs_f64().into()));
    let examples: Vec<Value> = tool.description.examples.iter().map(write_example).collect();
    put(EXAMPLES, (!examples.is_empty()).then_some(Value::Array(examples)));
    if let Some(details) = &tool.details {
        put(ERRORS, details.errors.as_ref().map(|errors| errors.text.clone().into()));
        put(
            IDEMPOTENCY,
            details.idempotency.as_ref().map(|idempotency| idempotency.text.clone().into()),
        );
        let security: Vec<Value> =
            details.security.iter().map(|remark| remark.text.clone().into()).collect();
        put(SECURITY, (!security.is_empty()).then_some(Value::Array(security)));
    }
    meta
}

fn write_example(example: &Example) -> Value {
    if example.explanation.is_empty() {
        json!({"arguments": example.arguments})
    } else {
        json!({"arguments": example.arguments, "explanation": example.explanation})
    }
}

/// Reads our properties into a tool. Values of an unexpected type are ignored: another program
/// wrote them.
pub(super) fn read(meta: &Value, tool: &mut Tool) {
    let text = |key: &str| meta.get(key).and_then(Value::as_str).map(str::to_owned);
    tool.annotations.category = text(CATEGORY);
    tool.annotations.version = text(VERSION);
    tool.annotations.requires_approval = meta.get(REQUIRES_APPROVAL).and_then(Value::as_bool);
    if let Some(list) = meta.get(NETWORK).and_then(|list| NetworkAccess::deserialize(list).ok()) {
        tool.annotations.network = Some(list);
    }
    let seconds = meta.get(EXECUTION_TIME).and_then(Value::as_f64);
    tool.measured = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let examples = meta.get(EXAMPLES).and_then(Value::as_array).into_iter().flatten();
    tool.description.examples = examples.filter_map(read_example).collect();
    if [ERRORS, IDEMPOTENCY, SECURITY].iter().any(|key| meta.get(key).is_some()) {
        tool.details = Some(Box::new(restore_details(meta, tool)));
    }
}

fn read_example(example: &Value) -> Option<Example> {
    let explanation =
        example.get("explanation").and_then(Value::as_str).unwrap_or_default().to_owned();
    Some(Example { arguments: example.get("arguments")?.as_object()?.clone(), explanation })
}

/// Restores the details of a converted specification. All sections count as present: the
/// specification was checked for them before it was converted.
fn restore_details(meta: &Value, tool: &Tool) -> SpecDetails {
    let location = &tool.origin.location;
    let text = |key: &str| meta.get(key).and_then(Value::as_str).map(str::to_owned);
    let remarks = meta
        .get(SECURITY)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    let claim = match tool.annotations.idempotent {
        Some(true) => IdempotencyClaim::Yes,
        Some(false) => IdempotencyClaim::No,
        None => IdempotencyClaim::Unclear,
    };
    let version = |text: String| Version { text, of: VersionOf::Tool, location: location.clone() };
    SpecDetails {
        sections: Section::ALL.map(|section| (section, Location::clone(location))).into(),
        errors: text(ERRORS).map(|text| ErrorText {
            text,
            fields: Vec::new(),
            location: location.clone(),
        }),
        idempotency: text(IDEMPOTENCY).map(|text| Idempotency {
            claim,
            text,
            location: location.clone(),
        }),
        security: remarks
            .map(|text| Remark { text: text.to_owned(), location: location.clone() })
            .collect(),
        version: tool.annotations.version.clone().map(version),
        ..SpecDetails::default()
    }
}
