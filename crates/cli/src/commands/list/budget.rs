//! Estimates how much of a model's context the tools take.

use std::{cmp::Reverse, fmt::Write};

use serde_json::Value;

/// Average bytes per token. Tokenizers differ, but for English text and JSON they are close to
/// this.
const BYTES_PER_TOKEN: usize = 4;

/// A table of the served tools with their estimated tokens, the most expensive first, and the sum.
pub(super) fn render(served: &[Value]) -> String {
    let mut rows: Vec<_> =
        served.iter().map(|tool| (count_tokens(tool), tool["name"].as_str())).collect();
    rows.sort_by_key(|(tokens, name)| (Reverse(*tokens), *name));
    let total: usize = rows.iter().map(|(tokens, _)| tokens).sum();
    let width = total.to_string().len();
    let mut text = String::new();
    for (tokens, name) in rows {
        writeln!(text, "{tokens:width$}  {}", name.unwrap_or_default())
            .expect("writing to a string");
    }
    writeln!(text, "{total:width$}  in all, estimated as a quarter of the bytes in `tools/list`")
        .expect("writing to a string");
    text
}

fn count_tokens(tool: &Value) -> usize {
    tool.to_string().len().div_ceil(BYTES_PER_TOKEN)
}
