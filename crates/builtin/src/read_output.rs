//! `read_output`: reads the stored rest of an output that was too long for its result.
//!
//! How to write a tool: crates/toolkit/templates/tool.md.

use regex::{Regex, RegexBuilder};
use runtime::{
    Lines, Operations, OutputName, OutputPage, OutputReader, journal::Filter, operation::Owner,
};
use serde_json::{Value, json};
use tokio::task::spawn_blocking;
use toolkit::{Arguments, Content, Context, ErrorType, Failure, Native, Outcome};

use crate::arguments::{get_text, object_schema};

/// Default number of lines in a page.
const DEFAULT_LIMIT: u64 = 200;
const MAX_LIMIT: u64 = 2_000;

/// Maximum size of a compiled expression in memory, in bytes.
const MAX_PATTERN_BYTES: usize = 1 << 20;

const DESCRIPTION: &str = "Reads lines of a long output that a result shows in part.";

pub(crate) fn native(reader: &OutputReader, operations: &Operations) -> Native {
    let (reader, operations) = (reader.clone(), operations.clone());
    let input = object_schema(
        json!({
            "output": {"type": "string", "description": "As named in the result."},
            "offset": {"type": "integer", "minimum": 1, "default": 1, "description": "First line."},
            "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT, "description": "Most lines."},
            "tail": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "description": "Only the last lines."},
            "search": {"type": "string", "maxLength": 1_000, "description": "Only lines that match this regular expression."},
        }),
        &["output"],
    );
    Native::new("read_output", DESCRIPTION, input, move |arguments: Arguments, context: Context| {
        let (reader, operations) = (reader.clone(), operations.clone());
        async move {
            let read = read(&reader, &operations, &arguments, &context).await;
            Ok(read.unwrap_or_else(Into::into))
        }
    })
    .read_only()
}

async fn read(
    reader: &OutputReader,
    operations: &Operations,
    arguments: &Arguments,
    context: &Context,
) -> Result<Outcome, Failure> {
    let text = get_text(arguments, "output").unwrap_or_default();
    let owner = Owner(context.owner().to_string());
    let name = OutputName::parse(text).ok_or_else(|| unknown_output_error(text))?;
    // Listed, because `get` would load the outcome as well.
    if let Some(id) = name.operation() {
        let filter = Filter { owner: Some(owner.clone()), ids: vec![id], ..Filter::default() };
        if operations.list(filter, None, 1).await?.operations.is_empty() {
            return Err(unknown_output_error(text));
        }
    }
    let number = |name: &str| arguments.get(name).and_then(Value::as_u64);
    let (first, limit) = (number("offset").unwrap_or(1), number("limit"));
    let search = get_text(arguments, "search");
    let lines = match (search.map(compile).transpose()?, number("tail")) {
        (Some(pattern), _) => Lines::Matching(first, pattern),
        (None, Some(count)) => Lines::Last(usize::try_from(count).unwrap_or(usize::MAX)),
        (None, None) => Lines::From(first),
    };
    let default = if number("tail").is_some() { MAX_LIMIT } else { DEFAULT_LIMIT };
    let limit = usize::try_from(limit.unwrap_or(default)).unwrap_or(usize::MAX);
    let is_search = search.is_some();
    let reader = reader.clone();
    let page = spawn_blocking(move || reader.read(&name, &owner, &lines, limit)).await;
    let page = page.ok().flatten().ok_or_else(|| unknown_output_error(text))?;
    Ok(build_outcome(page, is_search))
}

/// Compiles an expression. The regex engine matches in linear time, so no expression can stall the
/// server.
fn compile(pattern: &str) -> Result<Regex, Failure> {
    let built = RegexBuilder::new(pattern).size_limit(MAX_PATTERN_BYTES).build();
    built.map_err(|error| {
        let message = format!("`search` is not a valid regular expression: {error}");
        Failure::new(ErrorType::InvalidArguments, message)
    })
}

/// Worded alike for outputs that were deleted and outputs of other owners, so that a caller cannot
/// probe for them.
fn unknown_output_error(name: &str) -> Failure {
    let message = format!("there is no output `{name}`; old outputs are deleted: repeat the call");
    Failure::new(ErrorType::UnknownOutput, message)
}

fn build_outcome(page: OutputPage, is_search: bool) -> Outcome {
    let line = |(number, text): &(u64, String)| {
        if is_search { format!("{number}: {text}") } else { text.clone() }
    };
    let mut text = page.lines.iter().map(line).collect::<Vec<_>>().join("\n");
    let mut structured = json!({"output": page.uri});
    let notice = match (page.lines.first(), page.lines.last(), page.next) {
        (Some((first, _)), Some((last, _)), next) => {
            (structured["first_line"], structured["last_line"]) = (json!(first), json!(last));
            match next {
                Some(next) => format!("[lines {first} to {last}; for more, pass offset {next}]"),
                None => format!("[lines {first} to {last}; no more]"),
            }
        }
        _ if is_search => "[no line matches]".to_owned(),
        _ => "[no such lines]".to_owned(),
    };
    if let Some(next) = page.next {
        structured["next_offset"] = json!(next);
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&notice);
    structured["text"] = json!(text);
    Outcome::structured(vec![Content::Text(text)], structured)
}
