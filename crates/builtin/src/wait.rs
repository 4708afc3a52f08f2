//! `await`: waits for operations and returns their results.
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
    arguments::{collect_ids, get_text, id_schema, object_schema},
    report::{result_content, summarize_operation, to_object_with_result},
};

/// How long to wait, in seconds. Many clients time out a request after a minute.
const DEFAULT_TIMEOUT: f64 = 50.0;
const MAX_TIMEOUT: f64 = 55.0;
/// The interval between progress notifications.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

const DESCRIPTION: &str = "Waits for operations to end and returns their results; without arguments, for any of yours. \
                           After the timeout, returns their progress: they keep running.";

pub(crate) fn native(operations: &Operations) -> Native {
    let operations = operations.clone();
    let input = object_schema(
        json!({
            "id": id_schema("The operation to wait for."),
            "ids": {"type": "array", "items": {"type": "string"}, "maxItems": 100, "description": "Several operations."},
            "until": {
                "type": "string", "enum": ["any", "all"], "default": "any",
                "description": "Which of them must have ended.",
            },
            "timeout_seconds": {
                "type": "number", "minimum": 0, "maximum": MAX_TIMEOUT, "default": DEFAULT_TIMEOUT,
                "description": "How long to wait.",
            },
        }),
        &[],
    );
    Native::new("await", DESCRIPTION, input, move |arguments: Arguments, context: Context| {
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
    let ids = collect_ids(arguments)?;
    let until = if get_text(arguments, "until") == Some("all") { Until::All } else { Until::Any };
    let limit = arguments
        .get("timeout_seconds")
        .and_then(Value::as_f64)
        .unwrap_or(DEFAULT_TIMEOUT)
        .clamp(0.0, MAX_TIMEOUT);
    let limit = Duration::from_secs_f64(limit);
    let found = tokio::select! {
        found = operations.wait(Viewer::Owner(&owner), &ids, until, limit) => found?,
        // Reporting never completes; it is dropped when the wait is over.
        never = report_progress(operations, &owner, &ids, context) => match never {},
    };
    let ended: Vec<OperationId> = found
        .iter()
        .filter(|operation| operation.state.is_final())
        .map(|operation| operation.id.clone())
        .collect();
    if !ended.is_empty() {
        // The results are part of this response, so they need not be delivered with the next call.
        operations.collect(ended).await?;
    }
    Ok(build_outcome(&found))
}

/// Reports progress while waiting: the elapsed time as the value, which always increases as the
/// protocol requires, and the summaries of the operations as the message.
async fn report_progress(
    operations: &Operations,
    owner: &Owner,
    ids: &[OperationId],
    context: &Context,
) -> Infallible {
    let mut events = operations.subscribe();
    let mut summaries: BTreeMap<OperationId, String> = BTreeMap::new();
    let start = Instant::now();
    loop {
        tokio::time::sleep(PROGRESS_INTERVAL).await;
        // If events were missed, this round ends here and the next one continues with those that
        // are left.
        while let Ok(event) = events.try_recv() {
            let operation = &event.operation;
            if operation.owner == *owner && (ids.is_empty() || ids.contains(&operation.id)) {
                summaries.insert(operation.id.clone(), summarize_operation(operation));
            }
        }
        let message = summaries.values().cloned().collect::<Vec<_>>().join("; ");
        let message = (!message.is_empty()).then_some(message);
        context.report_progress(start.elapsed().as_secs_f64(), None, message.as_deref()).await;
    }
}

fn build_outcome(operations: &[Operation]) -> Outcome {
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
        content.push(Content::Text("None of your operations is running.".to_owned()));
    }
    let status = if running.is_empty() { "done" } else { "still_running" };
    let list: Vec<_> = operations.iter().map(to_object_with_result).collect();
    Outcome::structured(content, json!({"status": status, "operations": list}))
}
