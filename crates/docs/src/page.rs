//! A tool as a Markdown page.

use catalog::{Implementation, Tool};

use crate::{
    fields::{Constraint, Row},
    markdown::{block, cell, code_cell, prose},
    sheet::{Sheet, sheet},
};

/// One tool as a Markdown page: what it says, how it is called, what it takes, what it becomes, what it may do.
pub fn tool_page(tool: &Tool) -> String {
    let sheet = sheet(tool);
    let Sheet {
        title,
        description,
        call,
        examples,
        parameters,
        results,
        errors,
        security,
        runs,
        transcript,
        facts,
    } = sheet;
    let mut page = format!("# {}\n\n", code_cell(&tool.name));
    if let Some(title) = title {
        page.push_str(&format!("**{}**\n\n", cell(&title)));
    }
    push_section(&mut page, "", &prose(&description));
    push_section(&mut page, "Call", &call.map(|call| block("sh", &call)).unwrap_or_default());
    let examples =
        examples.iter().map(|(call, shows)| format!("{}\n{}\n\n", block("sh", call), prose(shows)));
    push_section(&mut page, "Examples", &examples.collect::<String>());
    push_section(&mut page, "Parameters", &parameter_table(&parameters));
    push_section(&mut page, "Result", &result_table(&results));
    push_section(&mut page, "Errors", &errors.as_deref().map(errors_section).unwrap_or_default());
    push_section(
        &mut page,
        "Security",
        &security.iter().map(|remark| format!("- {}\n", cell(remark))).collect::<String>(),
    );
    push_section(
        &mut page,
        "Example",
        &transcript.map(|code| block("r", &code)).unwrap_or_default(),
    );
    push_section(&mut page, "Runs", &runs_section(&tool.implementation, &runs));
    let facts: String =
        facts.iter().map(|(label, value)| format!("| {label} | {} |\n", cell(value))).collect();
    push_section(&mut page, "Facts", &format!("| | |\n|---|---|\n{facts}"));
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

fn parameter_table(rows: &[Row]) -> String {
    if rows.is_empty() {
        return "None.".to_owned();
    }
    let head = "| name | type | required | default | meaning |\n|---|---|---|---|---|\n".to_owned();
    head + &rows.iter().map(parameter_row).collect::<String>()
}

/// A text with blocks of its own in it stays as it is; Markdown has no way to put one into another.
fn errors_section(errors: &str) -> String {
    if errors.contains("```") { block("markdown", errors) } else { prose(errors) }
}

fn result_table(rows: &[Row]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let row = |row: &Row| {
        format!("| {} | {} | {} |\n", code_cell(&row.name), cell(&row.kind), meaning(row))
    };
    "| name | type | meaning |\n|---|---|---|\n".to_owned()
        + &rows.iter().map(row).collect::<String>()
}

fn parameter_row(row: &Row) -> String {
    let required = if row.required { "yes" } else { "no" };
    let default = row.default.as_deref().map(code_cell).unwrap_or_default();
    format!(
        "| {} | {} | {required} | {default} | {} |\n",
        code_cell(&row.name),
        cell(&row.kind),
        meaning(row)
    )
}

fn meaning(row: &Row) -> String {
    match row.constraints.iter().map(constraint).collect::<Vec<_>>().join("; ") {
        constraints if constraints.is_empty() => cell(&row.description),
        constraints => format!("{} ({constraints})", cell(&row.description)).trim().to_owned(),
    }
}

fn constraint(constraint: &Constraint) -> String {
    let values =
        constraint.values.iter().map(|value| code_cell(value)).collect::<Vec<_>>().join(", ");
    format!("{} {values}", cell(&constraint.words)).trim_end().to_owned()
}

fn runs_section(implementation: &Implementation, runs: &[String]) -> String {
    if runs.is_empty() {
        return format!("{}.", crate::change::capitalize(implementation.summary()));
    }
    block(implementation.language().unwrap_or("text"), &runs.join("\n"))
}
