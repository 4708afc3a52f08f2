//! `status`: the caller's operations, a page at a time.
//!
//! How to write a tool: crates/toolkit/templates/tool.md.

use runtime::{
    Operations,
    journal::{Cursor, Filter, Page},
    operation::{Owner, State},
};
use serde_json::{Value, json};
use toolkit::{Arguments, Content, Context, ErrorType, Failure, Native, Outcome};

use crate::{
    arguments::{id_schema, ids, schema, text, unknown},
    report::{summarize_operation, to_object},
};

/// How many operations a page has, unless it is said, and at most.
const USUAL: u64 = 20;
const MOST: u64 = 100;

const TEXT: &str = "Lists your operations, newest first: calls that were started and whose results follow, with how far \
                    they are. Without arguments, all of them. To wait for results use `await`.";

pub(crate) fn native(operations: &Operations) -> Native {
    let operations = operations.clone();
    let states: Vec<_> = State::ALL.into_iter().map(State::as_str).collect();
    let input = schema(
        json!({
            "id": id_schema("Only this operation."),
            "tool": {"type": "string", "maxLength": 128, "description": "Only operations of tools whose name begins so."},
            "state": {"type": "string", "enum": states, "description": "Only operations in this state."},
            "limit": {"type": "integer", "minimum": 1, "maximum": MOST, "default": USUAL, "description": "How many at most."},
            "cursor": {"type": "string", "maxLength": 256, "description": "The `next_cursor` of the page before."},
        }),
        &[],
    );
    Native::new(
        "status",
        TEXT,
        input,
        move |arguments: Arguments, context: Context| {
            let operations = operations.clone();
            async move {
                Ok(status(&operations, &arguments, &context)
                    .await
                    .unwrap_or_else(Into::into))
            }
        },
    )
    .title("Operations")
    .read_only()
}

async fn status(
    operations: &Operations,
    arguments: &Arguments,
    context: &Context,
) -> Result<Outcome, Failure> {
    let ids = ids(arguments)?;
    let is_one = !ids.is_empty();
    let filter = Filter {
        owner: Some(Owner(context.owner().to_string())),
        ids,
        tool: text(arguments, "tool").map(str::to_owned),
        states: text(arguments, "state").and_then(State::of).into_iter().collect(),
    };
    let cursor = text(arguments, "cursor").map(cursor).transpose()?;
    let limit = arguments.get("limit").and_then(Value::as_u64).unwrap_or(USUAL).min(MOST);
    let page = operations.list(filter, cursor, usize::try_from(limit).unwrap_or(1)).await?;
    if is_one
        && page.operations.is_empty()
        && !arguments.contains_key("state")
        && !arguments.contains_key("tool")
    {
        return Err(unknown(text(arguments, "id").unwrap_or_default()));
    }
    Ok(outcome(&page))
}

fn cursor(text: &str) -> Result<Cursor, Failure> {
    let is_one = i64::from_str_radix(text, 16).is_ok_and(|number| number >= 0);
    let unknown = || {
        Failure::new(
            ErrorType::InvalidArguments,
            format!("`{text}` is no cursor; list again from the start"),
        )
    };
    is_one.then(|| Cursor(text.to_owned())).ok_or_else(unknown)
}

fn outcome(page: &Page) -> Outcome {
    let mut lines: Vec<_> = page.operations.iter().map(summarize_operation).collect();
    if lines.is_empty() {
        lines.push("There are no such operations.".to_owned());
    }
    let mut structured =
        json!({"operations": page.operations.iter().map(to_object).collect::<Vec<_>>()});
    if let Some(Cursor(next)) = &page.next {
        lines.push(format!("There are more: ask again with the cursor `{next}`."));
        structured["next_cursor"] = json!(next);
    }
    Outcome::structured(vec![Content::Text(lines.join("\n"))], structured)
}
