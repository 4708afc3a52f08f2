//! How clients compose the name of a tool for the model.

use super::Advertised;

/// For each client: the pattern of the composed name, and its maximum length in characters.
pub(super) static NAMES: &[(&str, &str, usize)] = &[
    ("claude-code", "mcp__SERVER__TOOL", 128),
    ("codex", "mcp__SERVER__TOOL", 128),
    ("copilot-cli", "SERVER-TOOL", 64),
    ("gemini", "mcp_SERVER_TOOL", 63),
    ("cline", "SERVER__TOOL", 64),
    ("cursor", "SERVERTOOL", 59),
    ("zed", "TOOL", 64),
];

pub(super) fn find_long(client: &str, tool: &Advertised<'_>) -> Option<String> {
    let (_, form, limit) = NAMES.iter().find(|(name, ..)| *name == client)?;
    let name = form.replace("SERVER", tool.server).replace("TOOL", tool.name);
    let length = name.chars().count();
    (length > *limit)
        .then(|| format!("the name `{name}` of {length} characters, more than {limit}"))
}
