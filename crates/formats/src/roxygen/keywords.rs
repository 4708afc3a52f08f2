//! `@keywords`: whether a function is a tool, and what is marked about it.

use catalog::{Severity, closest};

use super::{block::Block, remarks::Remarks};
use crate::rules::roxygen::{SEVERAL_CATEGORIES, UNKNOWN_KEYWORD};

/// What all `@keywords` of a block say together.
#[derive(Debug, Default)]
pub(crate) struct Keywords {
    pub(crate) category: Option<String>,
    pub(crate) is_dangerous: bool,
    pub(crate) requires_approval: bool,
    pub(crate) is_read_only: bool,
    pub(crate) needs_network: bool,
}

const TOOL: &str = "mcp-tool";
const FLAGS: [&str; 5] = [TOOL, "mcp-dangerous", "mcp-requires-approval", "mcp-read-only", "mcp-network"];

/// Whether a block marks a tool, by exactly this word.
pub(crate) fn marks_tool(block: &Block<'_>) -> bool {
    block.all("keywords").flat_map(|tag| tag.words()).any(|word| word == TOOL)
}

/// Reads all `@keywords` of a block.
pub(crate) fn read(block: &Block<'_>, remarks: &mut Remarks) -> Keywords {
    let mut found = Keywords::default();
    for tag in block.all("keywords") {
        for word in tag.words().filter(|word| word.starts_with("mcp-")) {
            match word {
                TOOL => {}
                "mcp-dangerous" => found.is_dangerous = true,
                "mcp-requires-approval" => found.requires_approval = true,
                "mcp-read-only" => found.is_read_only = true,
                "mcp-network" => found.needs_network = true,
                _ => match word.strip_prefix("mcp-category-").filter(|category| !category.is_empty()) {
                    Some(category) => {
                        if let Some(earlier) = found.category.replace(category.to_owned()).filter(|earlier| earlier != category) {
                            let message = format!("there are several categories; `{category}` counts, `{earlier}` does not");
                            remarks.say(&SEVERAL_CATEGORIES, tag.at, message, "keep one of them");
                        }
                    }
                    None if word.starts_with("mcp-output-") => {
                        remarks.say_as(
                            Severity::Note,
                            &UNKNOWN_KEYWORD,
                            tag.at,
                            format!("`{word}` has no effect here"),
                            "it may stay",
                        );
                    }
                    None => unknown(word, tag.at, remarks),
                },
            }
        }
    }
    found
}

/// A keyword that nobody knows. One that is nearly a safety flag must not be passed over.
fn unknown(word: &str, at: usize, remarks: &mut Remarks) {
    let near = closest(word, FLAGS);
    let is_safety = near.is_some_and(|near| near == FLAGS[1] || near == FLAGS[2]);
    let severity = if is_safety { Severity::Error } else { Severity::Warning };
    let hint = near.map_or_else(
        || format!("known are {} and mcp-category-NAME", FLAGS.join(", ")),
        |near| format!("did you mean `{near}`?"),
    );
    remarks.say_as(severity, &UNKNOWN_KEYWORD, at, format!("the keyword `{word}` is unknown"), hint);
}
