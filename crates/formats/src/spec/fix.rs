//! What can be written better without meaning anything else: tables of parameters and fields.
//!
//! Torn rows are joined, cells parted by `` | ``, types spelled as in JSON Schema. A fix that would change what is read
//! from the page is not made.

use std::ops::Range;

use catalog::{Location, SourceId, SpecDetails, Tool, spec_details::Section};

use super::{
    kind,
    outline::outline,
    page::{Kind, Page, trimmed},
    read_page,
    table::{Column, Row, Table},
    title::section,
};
use crate::{format::MAX_BYTES, report::Report};

/// A piece of text to be put in the place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that go.
    pub span: Range<usize>,
    /// What comes instead.
    pub text: String,
}

/// The edits that write a specification better, in the order of the text. None if it is good as it is, no specification,
/// or if they would change what it means or leave something to fix.
pub fn fixes(source: &SourceId, text: &str) -> Vec<Edit> {
    if !super::is_specification(source, text) || text.contains('\0') || text.len() > MAX_BYTES {
        return Vec::new();
    }
    let edits = edits(text);
    let is_sound = || {
        let fixed = apply(text, &edits);
        meaning(source, text) == meaning(source, &fixed) && self::edits(&fixed).is_empty()
    };
    if edits.is_empty() || !is_sound() { Vec::new() } else { edits }
}

/// The edits that give every table of fields its form.
fn edits(text: &str) -> Vec<Edit> {
    let page = Page::parse(text);
    let mut edits = Vec::new();
    for entry in outline(&page).entries {
        let mut under = None;
        for block in &page.blocks[entry.blocks] {
            match &block.kind {
                Kind::Heading { title, .. } => under = section(page.str(title)),
                Kind::Table(table) if table.lists_fields(text) && is_of_fields(under) => {
                    edits.extend(of_table(text, table, under))
                }
                _ => {}
            }
        }
    }
    edits
}

/// A text with edits made; those that overlap an earlier one are left out.
pub fn apply(text: &str, edits: &[Edit]) -> String {
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

/// What is read from a page, without the places.
fn meaning(source: &SourceId, text: &str) -> Vec<Tool> {
    let mut report = Report::new(source);
    let (mut tools, _) = read_page(text, &|_| Err(String::new()), &mut report);
    for tool in &mut tools {
        tool.origin = catalog::Origin::whole(source);
        tool.parameters.iter_mut().for_each(|parameter| parameter.location = Location::Whole);
        tool.details = tool.details.take().map(|details| Box::new(said(*details)));
    }
    tools
}

/// What is said about errors, security and repeated calls, without the places.
fn said(mut details: SpecDetails) -> SpecDetails {
    details.errors.iter_mut().for_each(|errors| errors.location = Location::Whole);
    details.security.iter_mut().for_each(|remark| remark.location = Location::Whole);
    details.idempotency.iter_mut().for_each(|idempotency| idempotency.location = Location::Whole);
    let SpecDetails { errors, security, idempotency, .. } = details;
    SpecDetails { errors, security, idempotency, ..SpecDetails::default() }
}

/// Whether tables of a section are parameters or a result: others are text that people are shown as it is.
fn is_of_fields(under: Option<Section>) -> bool {
    !matches!(
        under,
        Some(Section::Errors | Section::Idempotency | Section::Examples | Section::Security)
    )
}

fn of_table(text: &str, table: &Table, under: Option<Section>) -> Vec<Edit> {
    let columns = table.columns(text);
    let rule = rule(text, table);
    let is_even = rule.as_ref().is_some_and(|rule| rule.cells.len() == columns.len());
    if !is_even {
        return Vec::new();
    }
    let rule = rule.map(|rule| {
        (line(rule.cells.iter().map(|cell| alignment(&text[cell.clone()]).to_owned())), rule.span)
    });
    let titles = table
        .header
        .cells
        .iter()
        .zip(&columns)
        .map(|(cell, column)| title(*column, &text[cell.clone()], &columns, under));
    let header = (line(titles), table.header.span.clone());
    let rows = table.rows.iter().filter_map(|row| {
        let mended = row.mend(text, &columns);
        let fits = mended.cells.len() <= columns.len();
        let cells = columns.iter().enumerate().map(|(index, column)| {
            cell(*column, mended.cells.get(index).map_or("", |cell| cell.trim()))
        });
        fits.then(|| (line(cells), row.span.clone()))
    });
    let lines = std::iter::once(header).chain(rule).chain(rows);
    lines
        .filter(|(line, span)| *line != text[span.clone()])
        .map(|(text, span)| Edit { span, text })
        .collect()
}

/// The title of a column as it is asked for; one that says more than what the column holds stays as it is.
fn title(column: Column, text: &str, columns: &[Column], under: Option<Section>) -> String {
    // Without one of these it is the title that makes the rows fields.
    let is_clear = columns
        .iter()
        .any(|column| matches!(column, Column::Type | Column::Required | Column::Default));
    let asked = match (column, under) {
        (Column::Name, Some(Section::Input)) if is_clear => "Parameter Name",
        (Column::Name, Some(Section::Output)) if is_clear => "Field Name",
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
    asked.to_owned()
}

/// The line between the header and the rows.
fn rule(text: &str, table: &Table) -> Option<Row> {
    let start = table.header.span.end + text[table.header.span.end..].find('\n')? + 1;
    let end = text[start..].find('\n').map_or(text.len(), |end| start + end);
    let row = Row::split(text, trimmed(text, &(start..end)));
    let is_rule =
        |cell: &Range<usize>| text[cell.clone()].bytes().all(|byte| matches!(byte, b'-' | b':'));
    row.cells.iter().all(is_rule).then_some(row)
}

fn alignment(cell: &str) -> &'static str {
    match (cell.starts_with(':'), cell.ends_with(':')) {
        (true, true) => ":---:",
        (false, true) => "---:",
        (true, false) => ":---",
        (false, false) => "---",
    }
}

fn line(cells: impl Iterator<Item = String>) -> String {
    cells.fold("|".to_owned(), |line, cell| {
        if cell.is_empty() { format!("{line}  |") } else { format!("{line} {cell} |") }
    })
}

fn cell(column: Column, text: &str) -> String {
    let text = match column {
        Column::Type => respelled(text),
        Column::Required => match text.trim_matches('*').to_ascii_lowercase().as_str() {
            "yes" => "Yes".to_owned(),
            "no" => "No".to_owned(),
            _ => text.to_owned(),
        },
        _ => text.to_owned(),
    };
    text.replace('|', "\\|")
}

fn respelled(text: &str) -> String {
    let inner = text
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'))
        .filter(|inner| !inner.contains('`'));
    match inner {
        Some(inner) => {
            kind::respelled(inner).map_or_else(|| text.to_owned(), |spelled| format!("`{spelled}`"))
        }
        None => kind::respelled(text).unwrap_or_else(|| text.to_owned()),
    }
}
