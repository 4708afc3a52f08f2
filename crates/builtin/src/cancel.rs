//! `cancel`: ends an operation with all of its processes, and says what was ended.
//!
//! How to write a tool: crates/toolkit/templates/tool.md.

use runtime::{
    Operations, Viewer,
    operation::{Operation, Owner, State},
    timestamp,
};
use serde_json::{Value, json};
use toolkit::{Arguments, Content, Context, Failure, Native, Outcome};

use crate::arguments::{id, id_schema, schema, text};
use crate::report::to_object;

const TEXT: &str = "Ends one of your operations with all of its processes, and says what was ended and when. An operation that \
                    has ended stays as it is.";

pub(crate) fn native(operations: &Operations) -> Native {
    let operations = operations.clone();
    let input = schema(json!({"id": id_schema("The operation to end.")}), &["id"]);
    let mut native = Native::new(
        "cancel",
        TEXT,
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
    .title("End an operation");
    native.tool.annotations.mutates = Some(true);
    native.tool.annotations.idempotent = Some(true);
    native
}

async fn cancel(
    operations: &Operations,
    arguments: &Arguments,
    context: &Context,
) -> Result<Outcome, Failure> {
    let owner = Owner(context.owner().to_string());
    let id = id(text(arguments, "id").unwrap_or_default())?;
    let operation = operations.cancel(Viewer::Owner(&owner), &id).await?;
    if operation.state == State::Cancelled {
        operations.collect(vec![id]).await?;
    }
    Ok(outcome(&operation))
}

fn outcome(operation: &Operation) -> Outcome {
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
                said(&killed)
            )
        }
        (state, Some(ended)) => {
            let state = state.as_str().replace('_', " ");
            format!(
                "{} `{}` had ended at {} as {state}; nothing was done.",
                operation.id,
                operation.tool,
                timestamp(ended)
            )
        }
        (_, None) => {
            format!("{} `{}` was told to end and has not ended yet.", operation.id, operation.tool)
        }
    };
    Outcome::structured(vec![Content::Text(text)], Value::Object(structured))
}

fn said(killed: &Value) -> String {
    let each = |killed: &Value| {
        let name = killed
            .get("name")
            .or_else(|| killed.get("program"))
            .and_then(Value::as_str)
            .unwrap_or("process");
        format!("{name} ({})", killed["pid"])
    };
    match killed.as_array().map(Vec::as_slice) {
        None | Some([]) => "it had no process".to_owned(),
        Some(killed) => format!("ended {}", killed.iter().map(each).collect::<Vec<_>>().join(", ")),
    }
}
