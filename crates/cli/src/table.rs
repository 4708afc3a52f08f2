//! Aligned columns that fit the terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::terminal::{self, Paint};

/// The space between two columns.
const GAP: &str = "  ";
/// Minimum width of the last column. If less is left, lines wrap.
const MIN_LAST: usize = 20;

/// A column, by its heading.
#[derive(Clone, Copy)]
pub(crate) struct Column {
    name: &'static str,
    is_right: bool,
    /// Minimum width, for tables that are printed row by row, whose later rows are unknown.
    least: usize,
}

impl Column {
    pub(crate) const fn left_aligned(name: &'static str) -> Self {
        Self { name, is_right: false, least: 0 }
    }

    /// A column of numbers.
    pub(crate) const fn right_aligned(name: &'static str) -> Self {
        Self { name, is_right: true, least: 0 }
    }

    pub(crate) const fn with_min_width(self, least: usize) -> Self {
        Self { least, ..self }
    }
}

/// A text in a table.
pub(crate) struct Cell {
    text: String,
    paint: Option<Paint>,
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self { text: to_line(&text), paint: None }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl Cell {
    /// The width of the text in columns.
    pub(crate) fn width(&self) -> usize {
        self.text.width()
    }

    /// A cell in a colour, where colours are used.
    pub(crate) fn with_paint(text: impl Into<String>, paint: Paint) -> Self {
        Self { paint: Some(paint), ..text.into().into() }
    }
}

/// Whether the headings are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Header {
    Shown,
    Hidden,
}

/// Renders rows below their headings. The last column is truncated to the width of the terminal;
/// output that is not read on a terminal is never truncated.
pub(crate) fn render(columns: &[Column], rows: &[Vec<Cell>], header: Header) -> Vec<String> {
    render_to(columns, rows, header, terminal::width())
}

fn render_to(
    columns: &[Column],
    rows: &[Vec<Cell>],
    header: Header,
    width: Option<usize>,
) -> Vec<String> {
    let heading: Vec<_> =
        columns.iter().map(|column| Cell::with_paint(column.name, Paint::Dim)).collect();
    let heading = (header == Header::Shown).then_some(heading);
    let all: Vec<_> = heading.iter().chain(rows).collect();
    let widths: Vec<_> = columns
        .iter()
        .enumerate()
        .map(|(index, column)| {
            let cells = all.iter().filter_map(|row| row.get(index));
            cells.map(|cell| cell.text.width()).max().unwrap_or(0).max(column.least)
        })
        .collect();
    let last = columns.len().saturating_sub(1);
    let before = widths.iter().take(last).map(|width| width + GAP.len()).sum::<usize>();
    let room = width.map_or(usize::MAX, |width| width.saturating_sub(before).max(MIN_LAST));
    let render_row = |row: &&Vec<Cell>| {
        let cells = row.iter().zip(columns).zip(&widths).enumerate();
        let cells = cells.map(|(index, ((cell, column), width))| {
            if index == last {
                return paint(&truncate(&cell.text, room), cell.paint);
            }
            let blanks = " ".repeat(width.saturating_sub(cell.text.width()));
            let text = paint(&cell.text, cell.paint);
            if column.is_right { blanks + &text } else { text + &blanks }
        });
        cells.collect::<Vec<_>>().join(GAP).trim_end().to_owned()
    };
    all.iter().map(render_row).collect()
}

fn paint(text: &str, paint: Option<Paint>) -> String {
    paint.filter(|_| !text.is_empty()).map_or(text.to_owned(), |paint| terminal::paint(text, paint))
}

/// Truncates a line to a width in columns, after a whole word if there is one.
pub(crate) fn truncate(line: &str, width: usize) -> String {
    if line.width() <= width {
        return line.to_owned();
    }
    // The column of the ellipsis.
    let mut used = 1;
    let end = line.char_indices().find_map(|(at, c)| {
        used += c.width().unwrap_or(0);
        (used > width).then_some(at)
    });
    let head = &line[..end.unwrap_or(line.len())];
    // Truncating inside a word is better than leaving more than a third of the line empty.
    let words =
        head.rfind(' ').filter(|at| *at * 3 > head.len() * 2).map_or(head, |at| &head[..at]);
    format!("{}…", words.trim_end_matches([' ', ',', ';', ':', '.']))
}

/// Escapes control characters: texts come from tools and clients, and must not move the cursor.
fn to_line(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    runtime::escape_controls(&line).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{Cell, Column, Header, render_to, truncate};

    #[test]
    fn aligns_columns_and_truncates_the_last_one() {
        let columns = [
            Column::left_aligned("TOOL"),
            Column::right_aligned("TAKES"),
            Column::left_aligned("TEXT"),
        ];
        let row = |cells: [&str; 3]| cells.map(Cell::from).into_iter().collect::<Vec<_>>();
        let rows = [
            row(["a", "5 ms", "one two three four five six"]),
            row(["日本", "12 min", "\x1b[2J line\nbreak"]),
        ];
        let lines = render_to(&columns, &rows, Header::Shown, Some(35));
        insta::assert_snapshot!(lines.join("\n"), @r"
        TOOL   TAKES  TEXT
        a       5 ms  one two three four…
        日本  12 min  \u{1b}[2J line break
        ");
        let lines = render_to(&columns, &rows, Header::Hidden, None);
        assert!(lines[0].ends_with("five six"), "{lines:?}");
    }

    #[test]
    fn truncates_after_a_whole_word() {
        assert_eq!(truncate("Counts words.", 13), "Counts words.");
        assert_eq!(truncate("Counts words, lines", 16), "Counts words…");
        assert_eq!(truncate("abcdefghijkl", 6), "abcde…");
        assert_eq!(truncate("日本語テキスト", 7), "日本語…");
    }
}
