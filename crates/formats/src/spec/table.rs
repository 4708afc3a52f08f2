//! Tables: rows and cells with their spans, and the meaning of columns.

use std::ops::Range;

use super::markdown::trim_span;

#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) header: Row,
    pub(super) rows: Vec<Row>,
}

/// A row and the spans of its cells, as many as the line has.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    pub(super) cells: Vec<Range<usize>>,
    pub(super) span: Range<usize>,
}

/// The content of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Name,
    Type,
    Required,
    Default,
    Description,
    Example,
    Other,
}

impl Row {
    /// Splits a line at the pipes that are not escaped.
    pub(super) fn split(text: &str, span: Range<usize>) -> Self {
        let line = text.get(span.clone()).unwrap_or_default();
        let mut cells = Vec::new();
        let mut start = usize::from(line.starts_with('|'));
        let mut is_escaped = false;
        for (at, byte) in line.bytes().enumerate().skip(start) {
            if byte == b'|' && !is_escaped {
                cells.push(trim_span(text, &(span.start + start..span.start + at)));
                start = at + 1;
            }
            // An escaped backslash does not escape the pipe after it.
            is_escaped = byte == b'\\' && !is_escaped;
        }
        if start < line.len() {
            cells.push(trim_span(text, &(span.start + start..span.end)));
        }
        Self { cells, span }
    }
}

impl Table {
    /// The columns, by their titles.
    pub(super) fn columns(&self, text: &str) -> Vec<Column> {
        self.header
            .cells
            .iter()
            .map(|cell| Column::from_title(text.get(cell.clone()).unwrap_or_default()))
            .collect()
    }

    /// Whether its rows are parameters or fields of a result: they have a name, and a column that
    /// only fields have. "Property | Value" tables are about the tool itself.
    pub(super) fn lists_fields(&self, text: &str) -> bool {
        let columns = self.columns(text);
        // A number or a type may come before the name.
        let has_name = columns.iter().take(2).any(|column| *column == Column::Name);
        let describes_values = [Column::Type, Column::Required, Column::Default]
            .iter()
            .any(|column| columns.contains(column));
        has_name
            && !self.lists_tools(text)
            && (describes_values || self.first_title(text).starts_with("parameter"))
    }

    /// Whether its rows are tools.
    pub(super) fn lists_tools(&self, text: &str) -> bool {
        matches!(self.first_title(text).as_str(), "tool" | "tools" | "tool name" | "exposed name")
    }

    fn first_title(&self, text: &str) -> String {
        let first = self.header.cells.first();
        first.map(|cell| normalize(text.get(cell.clone()).unwrap_or_default())).unwrap_or_default()
    }
}

impl Column {
    fn from_title(title: &str) -> Self {
        match normalize(title).as_str() {
            "name" | "parameter" | "parameter name" | "field" | "field name" | "input"
            | "argument" | "arg" | "param" | "key" | "output" => Self::Name,
            "type" | "data type" | "datatype" => Self::Type,
            "required" | "required?" | "mandatory" => Self::Required,
            "default" | "default value" => Self::Default,
            "description" | "behavior" | "behaviour" | "contract" | "meaning" | "notes"
            | "purpose" | "summary" | "details" => Self::Description,
            "example" | "examples" | "example value" | "sample" => Self::Example,
            _ => Self::Other,
        }
    }
}

fn normalize(title: &str) -> String {
    title.trim_matches(['*', '`', '_', ' ']).to_ascii_lowercase()
}
