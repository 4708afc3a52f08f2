//! Fixes that do not change meaning: tables of fields get their canonical form.
//!
//! Broken rows are repaired, cells aligned by `` | ``, column titles and types spelled as the
//! template and JSON Schema spell them.

use std::ops::Range;

use catalog::{
    Location, Origin, SourceId, SpecDetails, Tool, markdown::find_excess, spec_details::Section,
};

use super::{
    markdown::{BlockKind, MarkdownDocument, trim_span},
    outline::build_outline,
    read_document,
    table::{Column, Row, Table},
    title::find_section,
    type_expression,
};
use crate::{format::MAX_BYTES, report::Report};

/// A replacement of a piece of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes to replace.
    pub span: Range<usize>,
    /// The replacement.
    pub text: String,
}

/// Finds the edits that bring a specification into its canonical form, in document order.
///
/// There are none if the text is not a specification, if the edits would change what is read from
/// it, or if they would leave something to fix: applying them once is always enough.
pub fn find_fixes(source: &SourceId, text: &str) -> Vec<Edit> {
    if !super::is_specification(source, text)
        || text.contains('\0')
        || text.len() > MAX_BYTES
        || find_excess(text).is_some()
    {
        return Vec::new();
    }
    let edits = find_edits(text);
    // The reader decides: an edit that changes what it reads is never made, whatever caused the
    // change.
    let is_safe = || {
        let fixed = apply_edits(text, &edits);
        read_meaning(source, text) == read_meaning(source, &fixed) && find_edits(&fixed).is_empty()
    };
    if edits.is_empty() || !is_safe() { Vec::new() } else { edits }
}

fn find_edits(text: &str) -> Vec<Edit> {
    let document = MarkdownDocument::parse(text);
    let mut edits = Vec::new();
    for entry in build_outline(&document).entries {
        let mut section = None;
        for block in &document.blocks[entry.blocks] {
            match &block.kind {
                BlockKind::Heading { title, .. } => section = find_section(document.slice(title)),
                BlockKind::Table(table) if table.lists_fields(text) && has_fields(section) => {
                    edits.extend(find_table_edits(text, table, section))
                }
                _ => {}
            }
        }
    }
    edits
}

/// Applies edits to a text. One that overlaps an earlier one is skipped.
pub fn apply_edits(text: &str, edits: &[Edit]) -> String {
    let mut fixed = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits.iter().filter(|edit| edit.span.end <= text.len()) {
        if edit.span.start >= at {
            fixed.push_str(&text[at..edit.span.start]);
            fixed.push_str(&edit.text);
            at = edit.span.end;
        }
    }
    fixed.push_str(&text[at..]);
    fixed
}

/// The tools of a document without locations, which fixes move.
fn read_meaning(source: &SourceId, text: &str) -> Vec<Tool> {
    let mut report = Report::new(source);
    // Linked schemas are the same before and after, so they are not read.
    let (mut tools, _) = read_document(text, &|_| Err(String::new()), &mut report);
    for tool in &mut tools {
        tool.origin = Origin::whole_file(source);
        tool.parameters.iter_mut().for_each(|parameter| parameter.location = Location::Whole);
        tool.details = tool.details.take().map(|details| Box::new(keep_prose(*details)));
    }
    tools
}

/// Keeps only the texts about errors, security and idempotency. The rest is either in the tool too,
/// or consists of locations.
fn keep_prose(details: SpecDetails) -> SpecDetails {
    let SpecDetails { mut errors, mut security, mut idempotency, .. } = details;
    errors.iter_mut().for_each(|errors| errors.location = Location::Whole);
    security.iter_mut().for_each(|remark| remark.location = Location::Whole);
    idempotency.iter_mut().for_each(|idempotency| idempotency.location = Location::Whole);
    SpecDetails { errors, security, idempotency, ..SpecDetails::default() }
}

/// Whether tables of a section declare parameters or a result. The tables of other sections are
/// text that people are shown as it is.
fn has_fields(section: Option<Section>) -> bool {
    !matches!(
        section,
        Some(Section::Errors | Section::Idempotency | Section::Examples | Section::Security)
    )
}

fn find_table_edits(text: &str, table: &Table, section: Option<Section>) -> Vec<Edit> {
    let columns = table.columns(text);
    // A separator that does not match the header makes the columns ambiguous.
    let Some(separator) =
        find_separator(text, table).filter(|row| row.cells.len() == columns.len())
    else {
        return Vec::new();
    };
    let alignments =
        separator.cells.iter().map(|cell| canonical_alignment(&text[cell.clone()]).to_owned());
    let titles = table
        .header
        .cells
        .iter()
        .zip(&columns)
        .map(|(cell, column)| canonical_title(*column, &text[cell.clone()], &columns, section));
    let mut lines = vec![
        (format_row(titles), table.header.span.clone()),
        (format_row(alignments), separator.span.clone()),
    ];
    for row in &table.rows {
        let repaired = row.repair(text, &columns);
        // A row that still has too many cells after the repair is left for people.
        if repaired.cells.len() <= columns.len() {
            let cells = columns.iter().enumerate().map(|(index, column)| {
                canonical_cell(*column, repaired.cells.get(index).map_or("", |cell| cell.trim()))
            });
            lines.push((format_row(cells), row.span.clone()));
        }
    }
    lines
        .into_iter()
        .filter(|(line, span)| *line != text[span.clone()])
        .map(|(text, span)| Edit { span, text })
        .collect()
}

/// The title that the template gives a column. A more specific one, such as "Contract", is kept.
fn canonical_title(
    column: Column,
    text: &str,
    columns: &[Column],
    section: Option<Section>,
) -> String {
    // Without one of these columns, only the title of the first one makes the rows fields.
    let can_rename_first = columns
        .iter()
        .any(|column| matches!(column, Column::Type | Column::Required | Column::Default));
    let title = match (column, section) {
        (Column::Name, Some(Section::Input)) if can_rename_first => "Parameter Name",
        (Column::Name, Some(Section::Output)) if can_rename_first => "Field Name",
        (Column::Type, _) => "Type",
        (Column::Required, _) => "Required",
        (Column::Default, _) => "Default",
        (Column::Description, _)
            if text.trim_matches(['*', '`', ' ']).eq_ignore_ascii_case("description") =>
        {
            "Description"
        }
        (Column::Example, _) => "Example Value",
        _ => text,
    };
    title.to_owned()
}

/// The line between the header and the rows.
fn find_separator(text: &str, table: &Table) -> Option<Row> {
    let start = table.header.span.end + text[table.header.span.end..].find('\n')? + 1;
    let end = text[start..].find('\n').map_or(text.len(), |end| start + end);
    let row = Row::split(text, trim_span(text, &(start..end)));
    let is_separator =
        |cell: &Range<usize>| text[cell.clone()].bytes().all(|byte| matches!(byte, b'-' | b':'));
    row.cells.iter().all(is_separator).then_some(row)
}

fn canonical_alignment(cell: &str) -> &'static str {
    match (cell.starts_with(':'), cell.ends_with(':')) {
        (true, true) => ":---:",
        (false, true) => "---:",
        (true, false) => ":---",
        (false, false) => "---",
    }
}

/// Formats a row of cells whose pipes are already escaped.
pub(super) fn format_row(cells: impl Iterator<Item = String>) -> String {
    cells.fold("|".to_owned(), |line, cell| {
        if cell.is_empty() { format!("{line}  |") } else { format!("{line} {cell} |") }
    })
}

fn canonical_cell(column: Column, text: &str) -> String {
    let text = match column {
        Column::Type => canonical_type(text),
        Column::Required => match text.trim_matches('*').to_ascii_lowercase().as_str() {
            "yes" => "Yes".to_owned(),
            "no" => "No".to_owned(),
            _ => text.to_owned(),
        },
        _ => text.to_owned(),
    };
    // Repairing a row unescapes its pipes.
    text.replace('|', "\\|")
}

fn canonical_type(text: &str) -> String {
    let code = text
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'))
        .filter(|code| !code.contains('`'));
    let canonical = match code {
        Some(code) => type_expression::canonicalize(code).map(|spelled| format!("`{spelled}`")),
        None => type_expression::canonicalize(text),
    };
    canonical.unwrap_or_else(|| text.to_owned())
}
