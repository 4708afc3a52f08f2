//! `await`: waits for operations and gives their results.
//!
//! How to write a tool: crates/toolkit/templates/tool.md.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    time::{Duration, Instant},
};

use runtime::{
    Operations, Until, Viewer,
    operation::{Operation, OperationId, Owner},
};
use serde_json::{Value, json};
use toolkit::{Arguments, Content, Context, Failure, Native, Outcome};

use crate::{
    arguments::{id_schema, ids, schema, text},
    report::{result_content, summarize_operation, to_object_with_result},
};

/// How long is waited, unless it is said, and at most: clients give a request a minute.
const USUAL: f64 = 50.0;
const LONGEST: f64 = 55.0;
/// How often the caller is told how far it is.
const TICK: Duration = Duration::from_secs(1);

const TEXT: &str = "Waits for operations to end and gives their results. Without arguments, for one of yours that runs. When \
                    the time is over, says how far they are: they run on, and you can wait again.";

pub(crate) fn native(operations: &Operations) -> Native {
    let operations = operations.clone();
    let input = schema(
        json!({
            "id": id_schema("The operation to wait for."),
            "ids": {"type": "array", "items": id_schema("An operation."), "maxItems": 100, "description": "Several to wait for."},
            "until": {
                "type": "string", "enum": ["any", "all"], "default": "any",
                "description": "Whether to wait for the first or for all of them.",
            },
            "timeout_seconds": {
                "type": "number", "minimum": 0, "maximum": LONGEST, "default": USUAL,
                "description": "How long to wait.",
            },
        }),
        &[],
    );
    Native::new("await", TEXT, input, move |arguments: Arguments, context: Context| {
        let operations = operations.clone();
        async move { Ok(wait(&operations, &arguments, &context).await.unwrap_or_else(Into::into)) }
    })
    .title("Wait for operations")
    .read_only()
}

async fn wait(
    operations: &Operations,
    arguments: &Arguments,
    context: &Context,
) -> Result<Outcome, Failure> {
    let owner = Owner(context.owner().to_string());
    let ids = ids(arguments)?;
    let until = if text(arguments, "until") == Some("all") { Until::All } else { Until::Any };
    let limit = arguments
        .get("timeout_seconds")
        .and_then(Value::as_f64)
        .unwrap_or(USUAL)
        .clamp(0.0, LONGEST);
    let limit = Duration::from_secs_f64(limit);
    let found = tokio::select! {
        found = operations.wait(Viewer::Owner(&owner), &ids, until, limit) => found?,
        never = tell(operations, &owner, &ids, context) => match never {},
    };
    let ended: Vec<OperationId> = found
        .iter()
        .filter(|operation| operation.state.is_final())
        .map(|operation| operation.id.clone())
        .collect();
    if !ended.is_empty() {
        operations.collect(ended).await?;
    }
    Ok(outcome(&found))
}

/// Tells the caller how far it is while it waits. The caller sees time pass; what runs says the rest.
async fn tell(
    operations: &Operations,
    owner: &Owner,
    ids: &[OperationId],
    context: &Context,
) -> Infallible {
    let mut events = operations.subscribe();
    let mut said: BTreeMap<OperationId, String> = BTreeMap::new();
    let begun = Instant::now();
    loop {
        tokio::time::sleep(TICK).await;
        while let Ok(event) = events.try_recv() {
            let operation = &event.operation;
            if operation.owner == *owner && (ids.is_empty() || ids.contains(&operation.id)) {
                said.insert(operation.id.clone(), summarize_operation(operation));
            }
        }
        let message = said.values().cloned().collect::<Vec<_>>().join("; ");
        let message = (!message.is_empty()).then_some(message);
        context.report_progress(begun.elapsed().as_secs_f64(), None, message.as_deref()).await;
    }
}

fn outcome(operations: &[Operation]) -> Outcome {
    let (ended, running): (Vec<_>, Vec<_>) =
        operations.iter().partition(|operation| operation.state.is_final());
    let mut content: Vec<_> =
        ended.iter().flat_map(|operation| result_content(operation)).collect();
    if !running.is_empty() {
        let lines: Vec<_> =
            running.iter().map(|operation| summarize_operation(operation)).collect();
        content.push(Content::Text(format!("Still running:\n{}", lines.join("\n"))));
    }
    if operations.is_empty() {
        content.push(Content::Text("Nothing of yours is running.".to_owned()));
    }
    let status = if running.is_empty() { "done" } else { "still_running" };
    let list: Vec<_> = operations.iter().map(to_object_with_result).collect();
    Outcome::structured(content, json!({"status": status, "operations": list}))
}
