//! Writes tools as a specification: the eight sections of the template, in its order.
//!
//! Nothing is made up: a section without information contains "Not specified." Whatever is
//! written must be read back as the same tool, which `convert` checks.

mod schema;

use catalog::{Implementation, NetworkAccess, Tool, spec_details::Section};
use serde_json::{Value, json};

use self::schema::{write_input, write_output};
use super::inline::{NOT_SPECIFIED, collapse_whitespace};
use crate::comparison::describe;

/// Writes all tools as one document.
pub(crate) fn write_document(tools: &[Tool], title: &str) -> String {
    let mut document = format!("# {title} - MCP Tool Specification\n");
    for tool in tools {
        document.push_str(&format!("\n---\n\n## Tool: `{}`\n", tool.name));
        for (label, value) in list_properties(tool) {
            document.push_str(&format!("\n**{label}**: {value}\n"));
        }
        for section in Section::ALL {
            let content = write_section(tool, section);
            document.push_str(&format!(
                "\n### {}. {}\n\n{}\n",
                section.number(),
                section.title(),
                content.trim_end()
            ));
        }
    }
    document
}

/// The labelled properties below the heading, before the sections.
fn list_properties(tool: &Tool) -> Vec<(&'static str, String)> {
    let annotations = &tool.annotations;
    let answer = |flag: Option<bool>| flag.map(|yes| if yes { "Yes" } else { "No" }.to_owned());
    let properties = [
        ("Version", annotations.version.clone()),
        ("Category", annotations.category.as_ref().map(|category| format!("`{category}`"))),
        ("Mutates", answer(annotations.mutates)),
        ("Dangerous", answer(annotations.dangerous)),
        ("Requires Approval", answer(annotations.requires_approval)),
        ("Network", annotations.network.as_ref().map(write_network)),
    ];
    properties.into_iter().filter_map(|(label, value)| Some((label, value?))).collect()
}

fn write_network(network: &NetworkAccess) -> String {
    match network {
        NetworkAccess::None => "No".to_owned(),
        NetworkAccess::Internet => "Yes".to_owned(),
        NetworkAccess::Only(list) => {
            list.iter().map(|entry| format!("`{entry}`")).collect::<Vec<_>>().join(", ")
        }
    }
}

fn write_section(tool: &Tool, section: Section) -> String {
    let content = match section {
        Section::Purpose => Some(write_paragraphs(&describe(tool))),
        Section::InvocationName => Some(format!("`{}`", tool.name)),
        Section::Input => Some(write_input(&tool.input)),
        Section::Output => write_output(tool),
        Section::Errors => write_errors(tool),
        Section::Idempotency => Some(write_idempotency(tool)),
        Section::Examples => Some(write_examples(tool)),
        Section::Security => Some(write_security(tool)),
    };
    content.filter(|content| !content.is_empty()).unwrap_or_else(|| NOT_SPECIFIED.to_owned())
}

/// The error section of the source or, for a tool that is served, the error object of our server.
fn write_errors(tool: &Tool) -> Option<String> {
    let own = tool.details.as_ref().and_then(|details| details.errors.as_ref());
    if let Some(errors) = own.filter(|errors| !errors.text.trim().is_empty()) {
        return Some(errors.text.clone());
    }
    if matches!(tool.implementation, Implementation::Missing) {
        return None;
    }
    let example = json!({
        "status": "failure", "error_type": "invalid_arguments", "error_message": "what is wrong with the arguments",
        "error_details": {"details": []},
    });
    let fence = write_fence("json", &to_pretty_json(&example));
    Some(format!("A failed call returns the standard error object.\n\n{fence}"))
}

fn write_idempotency(tool: &Tool) -> String {
    let own = tool.details.as_ref().and_then(|details| details.idempotency.as_ref());
    let answer = match (own, tool.annotations.idempotent) {
        (Some(idempotency), _) => collapse_whitespace(&idempotency.text),
        (None, Some(true)) => "Yes".to_owned(),
        (None, Some(false)) => "No".to_owned(),
        // "Not specified" would be read as a no, by its first word.
        (None, None) => "Unknown".to_owned(),
    };
    format!("- **Idempotent**: {answer}\n")
}

fn write_examples(tool: &Tool) -> String {
    let mut written = String::new();
    for example in &tool.description.examples {
        let call = json!({"tool_name": tool.name, "arguments": example.arguments});
        let explanation = collapse_whitespace(&example.explanation);
        if !explanation.is_empty() {
            written.push_str(&format!("{}\n\n", escape_start(&explanation)));
        }
        written.push_str(&format!("{}\n", write_fence("json", &to_pretty_json(&call))));
    }
    // The usages of a specification include calls that are not examples, such as those of other
    // tools.
    let usages = tool.details.iter().flat_map(|details| &details.usages);
    for call in usages.filter_map(|usage| usage.call.as_ref()) {
        let mut examples = tool.description.examples.iter();
        if examples.all(|example| call.get("arguments") != Some(&json!(example.arguments))) {
            written.push_str(&format!("{}\n", write_fence("json", &to_pretty_json(call))));
        }
    }
    // The example of a RAVE definition is R code, not a call.
    if let Some(code) = &tool.description.transcript {
        written.push_str(&write_fence("r", code));
    }
    written
}

fn write_security(tool: &Tool) -> String {
    let remarks = tool.details.iter().flat_map(|details| &details.security);
    remarks.map(|remark| format!("- {}\n", collapse_whitespace(&remark.text))).collect()
}

/// Writes a code block whose fence is longer than any run of backticks in the text.
fn write_fence(language: &str, text: &str) -> String {
    let longest_run = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat((longest_run + 1).max(3));
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end())
}

fn to_pretty_json(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("a JSON value can always be serialized")
}

/// Writes a text as paragraphs and bullets, and escapes whatever else it would be in Markdown: the
/// description of another format must not become a heading or a table here.
fn write_paragraphs(text: &str) -> String {
    let mut blocks: Vec<(bool, String)> = Vec::new();
    // Whether the next line continues the last block.
    let mut is_open = false;
    for line in text.lines().map(str::trim) {
        let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
        match (item, blocks.last_mut()) {
            (None, _) if line.is_empty() => is_open = false,
            (Some(item), Some((true, list))) if is_open => list.push_str(&format!("\n- {item}")),
            (Some(item), _) => blocks.push((true, format!("- {item}"))),
            (None, Some((_, block))) if is_open => block.push_str(&format!(" {line}")),
            (None, _) => blocks.push((false, line.to_owned())),
        }
        is_open |= !line.is_empty();
    }
    let written = blocks
        .into_iter()
        .map(|(is_list, block)| if is_list { block } else { escape_start(&block) });
    written.collect::<Vec<_>>().join("\n\n")
}

/// Escapes the start of a line that Markdown would take for something other than a paragraph, or
/// that our reader would take for a label.
fn escape_start(line: &str) -> String {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = &line[..line.len() - rest.len()];
    let is_block = line.starts_with(['#', '>', '|', '=', '~', '-', '+', '<'])
        || line.starts_with("```")
        || line.starts_with("**");
    if is_block || !digits.is_empty() && rest.starts_with(['.', ')']) {
        format!("{digits}\\{rest}")
    } else {
        line.to_owned()
    }
}
