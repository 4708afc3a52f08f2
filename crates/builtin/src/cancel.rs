//! `cancel`: cancels an operation, kills its processes and reports them.
//!
//! How to write a tool: crates/toolkit/templates/tool.md.

use runtime::{
    Operations, Viewer,
    operation::{Operation, Owner, State},
    timestamp,
};
use serde_json::{Value, json};
use toolkit::{Arguments, Content, Context, Failure, Native, Outcome};

use crate::{
    arguments::{get_text, id_schema, object_schema, parse_id},
    report::to_object,
};

const DESCRIPTION: &str = "Cancels one of your operations and reports which processes were killed.";

pub(crate) fn native(operations: &Operations) -> Native {
    let operations = operations.clone();
    let input = object_schema(json!({"id": id_schema("The operation to cancel.")}), &["id"]);
    let mut native = Native::new(
        "cancel",
        DESCRIPTION,
        input,
        move |arguments: Arguments, context: Context| {
            let operations = operations.clone();
            async move {
                Ok(cancel(&operations, &arguments, &context)
                    .await
                    .unwrap_or_else(Into::into))
            }
        },
    )
    .title("Cancel an operation");
    native.tool.annotations.mutates = Some(true);
    // Cancelling twice changes nothing, so a client may repeat it.
    native.tool.annotations.idempotent = Some(true);
    native
}

async fn cancel(
    operations: &Operations,
    arguments: &Arguments,
    context: &Context,
) -> Result<Outcome, Failure> {
    let owner = Owner(context.owner().to_string());
    let id = parse_id(get_text(arguments, "id").unwrap_or_default())?;
    let operation = operations.cancel(Viewer::Owner(&owner), &id).await?;
    if operation.state == State::Cancelled {
        // The caller sees the end in this response, so it need not be delivered again.
        operations.collect(vec![id]).await?;
    }
    Ok(build_outcome(&operation))
}

fn build_outcome(operation: &Operation) -> Outcome {
    let killed = operation
        .outcome
        .as_ref()
        .and_then(|outcome| outcome.structured.as_ref()?.get("killed").cloned());
    let killed = killed.unwrap_or_else(|| json!([]));
    let mut structured = to_object(operation);
    structured.insert("killed".to_owned(), killed.clone());
    let text = match (operation.state, operation.ended) {
        (State::Cancelled, Some(ended)) => {
            format!(
                "{} `{}` was cancelled at {}: {}.",
                operation.id,
                operation.tool,
                timestamp(ended),
                describe_killed(&killed)
            )
        }
        (state, Some(ended)) => {
            let state = state.as_str().replace('_', " ");
            format!(
                "{} `{}` had already ended at {} ({state}); nothing was done.",
                operation.id,
                operation.tool,
                timestamp(ended)
            )
        }
        (_, None) => {
            format!(
                "{} `{}` is being cancelled and has not ended yet.",
                operation.id, operation.tool
            )
        }
    };
    Outcome::structured(vec![Content::Text(text)], Value::Object(structured))
}

fn describe_killed(killed: &Value) -> String {
    let each = |killed: &Value| {
        let name = killed
            .get("name")
            .or_else(|| killed.get("program"))
            .and_then(Value::as_str)
            .unwrap_or("process");
        format!("{name} ({})", killed["pid"])
    };
    match killed.as_array().map(Vec::as_slice) {
        None | Some([]) => "it had no processes".to_owned(),
        Some(killed) => {
            format!("killed {}", killed.iter().map(each).collect::<Vec<_>>().join(", "))
        }
    }
}
