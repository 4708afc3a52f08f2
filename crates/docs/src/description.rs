//! The description of a tool as a client sees it.

use catalog::Tool;

/// What a client sees: the shared guidance, an empty line, and the tool's own text.
pub fn description(tool: &Tool) -> String {
    let text = tool.description.text.trim();
    match tool.description.guidance.as_deref().map(str::trim) {
        None | Some("") => text.to_owned(),
        Some(guidance) if text.is_empty() => guidance.to_owned(),
        Some(guidance) => format!("{guidance}\n\n{text}"),
    }
}
