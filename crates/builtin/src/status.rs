//! `status`: lists the caller's operations, in pages.
//!
//! How to write a tool: crates/toolkit/templates/tool.md.

use runtime::{
    Operations,
    journal::{Cursor, Filter, Page},
    operation::{Owner, State},
};
use serde_json::{Value, json};
use toolkit::{Arguments, Content, Context, Failure, Native, Outcome};

use crate::{
    arguments::{collect_ids, get_text, id_schema, object_schema, unknown_operation_error},
    report::{summarize_operation, to_object},
};

/// Operations per page.
const DEFAULT_LIMIT: u64 = 20;
const MAX_LIMIT: u64 = 100;

const DESCRIPTION: &str = "Lists your operations with state and progress, newest first. An operation is a call that keeps \
                           running after its response.";

pub(crate) fn native(operations: &Operations) -> Native {
    let operations = operations.clone();
    let states: Vec<_> = State::ALL.into_iter().map(State::as_str).collect();
    let input = object_schema(
        json!({
            "id": id_schema("Only this operation."),
            "tool": {"type": "string", "description": "Only tools whose name begins with this."},
            "state": {"type": "string", "enum": states, "description": "Only this state."},
            "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT, "description": "Most operations to list."},
            "cursor": {"type": "string", "description": "`next_cursor` of the previous page."},
        }),
        &[],
    );
    Native::new("status", DESCRIPTION, input, move |arguments: Arguments, context: Context| {
        let operations = operations.clone();
        async move { Ok(list(&operations, &arguments, &context).await.unwrap_or_else(Into::into)) }
    })
    .title("Operations")
    .read_only()
}

async fn list(
    operations: &Operations,
    arguments: &Arguments,
    context: &Context,
) -> Result<Outcome, Failure> {
    let ids = collect_ids(arguments)?;
    let is_single = !ids.is_empty();
    let filter = Filter {
        owner: Some(Owner(context.owner().to_string())),
        ids,
        tool: get_text(arguments, "tool").map(str::to_owned),
        states: get_text(arguments, "state").and_then(State::from_name).into_iter().collect(),
    };
    let cursor = get_text(arguments, "cursor").map(|text| Cursor(text.to_owned()));
    let limit =
        arguments.get("limit").and_then(Value::as_u64).unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT);
    let page = operations.list(filter, cursor, usize::try_from(limit).unwrap_or(1)).await?;
    if is_single
        && page.operations.is_empty()
        // With a filter, an empty list is a valid answer about an existing operation.
        && !arguments.contains_key("state")
        && !arguments.contains_key("tool")
    {
        return Err(unknown_operation_error(get_text(arguments, "id").unwrap_or_default()));
    }
    Ok(build_outcome(&page))
}

fn build_outcome(page: &Page) -> Outcome {
    let mut lines: Vec<_> = page.operations.iter().map(summarize_operation).collect();
    if lines.is_empty() {
        lines.push("No operations match.".to_owned());
    }
    let mut structured =
        json!({"operations": page.operations.iter().map(to_object).collect::<Vec<_>>()});
    if let Some(Cursor(next)) = &page.next {
        lines.push(format!("There are more: call again with the cursor `{next}`."));
        structured["next_cursor"] = json!(next);
    }
    Outcome::structured(vec![Content::Text(lines.join("\n"))], structured)
}
