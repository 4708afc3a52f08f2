//! Tools as a specification: eight sections each, in the order and under the titles that are asked for.
//!
//! A schema is a table where a table says all of it, and else is written out, so that nothing of it is lost. What the
//! tool does not say is said to be unknown; nothing is made up.

use catalog::{Implementation, Tool, spec_details::Section};
use serde_json::{Value, json};

use super::{
    inline::{UNSAID, one_line},
    schema_write::{input, output},
};
use crate::comparison::describe;

/// A page with all tools.
pub(crate) fn page(tools: &[Tool], title: &str) -> String {
    let mut page = format!("# {title} - MCP Tool Specification\n");
    for tool in tools {
        page.push_str(&format!("\n---\n\n## Tool: `{}`\n", tool.name));
        facts(tool)
            .iter()
            .for_each(|(label, said)| page.push_str(&format!("\n**{label}**: {said}\n")));
        for section in Section::ALL {
            let content = content(tool, section);
            page.push_str(&format!(
                "\n### {}. {}\n\n{}\n",
                section.number(),
                section.title(),
                content.trim_end()
            ));
        }
    }
    page
}

/// What stands under the heading, before the sections.
fn facts(tool: &Tool) -> Vec<(&'static str, String)> {
    let annotations = &tool.annotations;
    let yes = |said: Option<bool>| said.map(|yes| if yes { "Yes" } else { "No" }.to_owned());
    let known = [
        ("Version", annotations.version.clone()),
        ("Category", annotations.category.as_ref().map(|category| format!("`{category}`"))),
        ("Mutates", yes(annotations.mutates)),
        ("Dangerous", yes(annotations.dangerous)),
        ("Requires Approval", yes(annotations.requires_approval)),
        ("Network", yes(annotations.network)),
    ];
    known.into_iter().filter_map(|(label, said)| Some((label, said?))).collect()
}

fn content(tool: &Tool, section: Section) -> String {
    let details = tool.details.as_deref();
    let said = |text: Option<&str>| text.map(paragraph).filter(|text| !text.is_empty());
    match section {
        Section::Purpose => said(Some(&describe(tool))).unwrap_or_else(|| UNSAID.to_owned()),
        Section::InvocationName => format!("`{}`", tool.name),
        Section::Input => input(&tool.input),
        Section::Output => output(tool).unwrap_or_else(|| UNSAID.to_owned()),
        Section::Errors => {
            let written = details
                .and_then(|details| details.errors.as_ref())
                .map(|errors| errors.text.clone());
            written.filter(|text| !text.trim().is_empty()).unwrap_or_else(|| errors(tool))
        }
        Section::Idempotency => idempotency(tool),
        Section::Examples => examples(tool),
        Section::Security => {
            let remarks = details.map(|details| details.security.as_slice()).unwrap_or_default();
            let points: String =
                remarks.iter().map(|remark| format!("- {}\n", one_line(&remark.text))).collect();
            if points.is_empty() { UNSAID.to_owned() } else { points }
        }
    }
}

/// A tool that is served fails in a way that is known.
fn errors(tool: &Tool) -> String {
    if matches!(tool.implementation, Implementation::Missing) {
        return UNSAID.to_owned();
    }
    let example = json!({
        "status": "failure", "error_type": "invalid_arguments", "error_message": "what is wrong with the arguments",
        "error_details": {"details": []},
    });
    format!(
        "A call that fails answers with the standard error object.\n\n{}",
        fence("json", &pretty(&example))
    )
}

fn idempotency(tool: &Tool) -> String {
    let words = tool
        .details
        .as_ref()
        .and_then(|details| Some(one_line(&details.idempotency.as_ref()?.text)));
    let answer = match (words, tool.annotations.idempotent) {
        (Some(words), _) => words,
        (None, Some(true)) => "Yes".to_owned(),
        (None, Some(false)) => "No".to_owned(),
        // Not "not specified": that begins as a no does.
        (None, None) => "Unknown".to_owned(),
    };
    format!("- **Idempotent**: {answer}\n")
}

fn examples(tool: &Tool) -> String {
    let mut written = String::new();
    for example in &tool.description.examples {
        let call = json!({"tool_name": tool.name, "arguments": example.arguments});
        let shows = one_line(&example.explanation);
        let shows = if shows.is_empty() { shows } else { format!("{}\n\n", escaped(&shows)) };
        written.push_str(&format!("{shows}{}\n", fence("json", &pretty(&call))));
    }
    let others = tool
        .details
        .iter()
        .flat_map(|details| &details.usages)
        .filter_map(|usage| usage.call.as_ref());
    for call in others.filter(|call| {
        tool.description
            .examples
            .iter()
            .all(|known| call.get("arguments") != Some(&json!(known.arguments)))
    }) {
        written.push_str(&format!("{}\n", fence("json", &pretty(call))));
    }
    if let Some(code) = &tool.description.transcript {
        written.push_str(&fence("r", code));
    }
    if written.is_empty() { UNSAID.to_owned() } else { written }
}

/// A text in a block of its own.
pub(super) fn fence(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let ticks = "`".repeat((longest + 1).max(3));
    format!("{ticks}{language}\n{}\n{ticks}\n", text.trim_end())
}

pub(super) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("a value is JSON")
}

/// A text as paragraphs and lists, whatever else it would be in Markdown.
fn paragraph(text: &str) -> String {
    let mut blocks: Vec<(bool, String)> = Vec::new();
    let mut is_open = false;
    for line in text.lines().map(str::trim) {
        let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
        match (item, blocks.last_mut()) {
            (None, _) if line.is_empty() => is_open = false,
            (Some(item), Some((true, block))) if is_open => block.push_str(&format!("\n- {item}")),
            (Some(item), _) => blocks.push((true, format!("- {item}"))),
            (None, Some((_, block))) if is_open => block.push_str(&format!(" {line}")),
            (None, _) => blocks.push((false, line.to_owned())),
        }
        is_open |= !line.is_empty();
    }
    let written =
        blocks.into_iter().map(|(is_list, block)| if is_list { block } else { escaped(&block) });
    written.collect::<Vec<_>>().join("\n\n")
}

/// A line that begins a paragraph and nothing else.
fn escaped(line: &str) -> String {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = digits.len() < line.len() && digits.starts_with(['.', ')']);
    let is_block = line.starts_with(['#', '>', '|', '=', '~', '-', '+', '<'])
        || line.starts_with("```")
        || line.starts_with("**");
    match (is_block, is_numbered) {
        (true, _) => format!("\\{line}"),
        (_, true) => format!("{}\\{digits}", &line[..line.len() - digits.len()]),
        _ => line.to_owned(),
    }
}
