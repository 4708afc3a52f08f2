//! A tool as a Markdown page.

use catalog::{Implementation, Tool};

use crate::{
    fields::{Constraint, Field},
    markdown::{capitalize, code_block, code_cell, escape_cell, escape_prose},
    tool_docs::ToolDocs,
};

/// The Markdown page of a tool. Sections without content are omitted.
pub fn render_tool_page(tool: &Tool) -> String {
    let docs = ToolDocs::new(tool);
    let mut page = format!("# {}\n\n", code_cell(&tool.name));
    if let Some(title) = &docs.title {
        page.push_str(&format!("**{}**\n\n", escape_cell(title)));
    }
    let code = |language: &str, text: &Option<String>| {
        text.as_ref().map(|text| code_block(language, text)).unwrap_or_default()
    };
    let examples = docs.examples.iter().map(|(call, explanation)| {
        format!("{}\n{}\n\n", code_block("sh", call), escape_prose(explanation))
    });
    let security = docs.security.iter().map(|remark| format!("- {}\n", escape_cell(remark)));
    let facts =
        docs.facts.iter().map(|(label, value)| format!("| {label} | {} |\n", escape_cell(value)));
    let sections = [
        ("", escape_prose(&docs.description)),
        ("Call", code("sh", &docs.call)),
        ("Examples", examples.collect()),
        ("Parameters", render_parameters(&docs.parameters)),
        ("Result", render_results(&docs.results)),
        ("Errors", docs.errors.as_deref().map(render_errors).unwrap_or_default()),
        ("Security", security.collect()),
        ("Example", code("r", &docs.transcript)),
        ("Runs", render_invocation(&tool.implementation, &docs.invocation)),
        ("Facts", format!("| | |\n|---|---|\n{}", facts.collect::<String>())),
    ];
    for (heading, content) in sections {
        push_section(&mut page, heading, &content);
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

fn push_section(page: &mut String, heading: &str, content: &str) {
    if content.trim().is_empty() {
        return;
    }
    if !heading.is_empty() {
        page.push_str(&format!("## {heading}\n\n"));
    }
    page.push_str(content.trim_end());
    page.push_str("\n\n");
}

fn render_parameters(parameters: &[Field]) -> String {
    if parameters.is_empty() {
        return "None.".to_owned();
    }
    let head = "| name | type | required | default | meaning |\n|---|---|---|---|---|\n";
    let rows = parameters.iter().map(|field| {
        format!(
            "| {} | {} | {} | {} | {} |\n",
            code_cell(&field.name),
            escape_cell(&field.type_text),
            if field.required { "yes" } else { "no" },
            field.default.as_deref().map(code_cell).unwrap_or_default(),
            render_meaning(field)
        )
    });
    head.to_owned() + &rows.collect::<String>()
}

fn render_results(results: &[Field]) -> String {
    if results.is_empty() {
        return String::new();
    }
    let rows = results.iter().map(|field| {
        format!(
            "| {} | {} | {} |\n",
            code_cell(&field.name),
            escape_cell(&field.type_text),
            render_meaning(field)
        )
    });
    "| name | type | meaning |\n|---|---|---|\n".to_owned() + &rows.collect::<String>()
}

/// The description of a field, and its constraints in parentheses.
fn render_meaning(field: &Field) -> String {
    let description = escape_cell(&field.description);
    if field.constraints.is_empty() {
        return description;
    }
    let constraints: Vec<_> = field.constraints.iter().map(render_constraint).collect();
    format!("{description} ({})", constraints.join("; ")).trim().to_owned()
}

fn render_constraint(constraint: &Constraint) -> String {
    let values: Vec<_> = constraint.values.iter().map(|value| code_cell(value)).collect();
    format!("{} {}", escape_cell(&constraint.text), values.join(", ")).trim_end().to_owned()
}

/// A text with code blocks is quoted as a whole: escaping it would break the blocks, and passing it
/// through could break the page.
fn render_errors(errors: &str) -> String {
    if errors.contains("```") { code_block("markdown", errors) } else { escape_prose(errors) }
}

fn render_invocation(implementation: &Implementation, invocation: &[String]) -> String {
    if invocation.is_empty() {
        return format!("{}.", capitalize(implementation.summary()));
    }
    code_block(implementation.language().unwrap_or("text"), &invocation.join("\n"))
}
