//! Tables: rows and cells with their bytes, and the mending of rows that a formatter has torn.

use std::ops::Range;

use super::{kind, page::trimmed};

/// A table.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) header: Row,
    pub(super) rows: Vec<Row>,
}

/// A row and the bytes of its cells.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    pub(super) cells: Vec<Range<usize>>,
    pub(super) span: Range<usize>,
}

/// What a column holds.
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

/// A row as it is meant.
pub(super) struct Mended {
    /// The texts of the cells, pipes as they are meant.
    pub(super) cells: Vec<String>,
    /// Whether cells had to be joined.
    pub(super) was_torn: bool,
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
                cells.push(trimmed(text, &(span.start + start..span.start + at)));
                start = at + 1;
            }
            is_escaped = byte == b'\\' && !is_escaped;
        }
        if start < line.len() {
            cells.push(trimmed(text, &(span.start + start..span.end)));
        }
        Self { cells, span }
    }

    /// The cells under these columns; what an escaped pipe has torn apart is joined again.
    pub(super) fn mend(&self, text: &str, columns: &[Column]) -> Mended {
        let mut cells: Vec<String> = self
            .cells
            .iter()
            .map(|span| text.get(span.clone()).unwrap_or_default().to_owned())
            .collect();
        while cells.len() > columns.len() && cells.last().is_some_and(String::is_empty) {
            cells.pop();
        }
        let torn = tear(&cells, columns);
        if let Some(at) = torn {
            join(&mut cells, at);
            while cells.len() > at + 1
                && (cells[at].ends_with('\\') || is_long(&cells, at, columns))
            {
                join(&mut cells, at);
            }
            if cells.len() < columns.len() {
                part(&mut cells, at, columns);
            }
        }
        Mended {
            cells: cells.iter().map(|cell| unescaped(cell)).collect(),
            was_torn: torn.is_some(),
        }
    }
}

/// The cell that a pipe has parted from the next one: code or a backslash shows it, else a type that goes on where
/// something else is due, else that there are more cells than columns.
fn tear(cells: &[String], columns: &[Column]) -> Option<usize> {
    let by_mark = cells.windows(2).position(|pair| is_torn(&pair[0]) && !pair[1].is_empty());
    let is_long = cells.len() > columns.len();
    let by_type = || {
        let at = columns.iter().position(|column| *column == Column::Type)?;
        let is_due = is_long || columns.get(at + 1) == Some(&Column::Required);
        let is_type =
            |index: usize| cells.get(index).is_some_and(|cell| kind::parse(cell).is_some());
        (is_due && is_type(at) && is_type(at + 1)).then_some(at)
    };
    let by_count =
        || columns.iter().position(|column| *column == Column::Description).filter(|_| is_long);
    by_mark.or_else(by_type).or_else(by_count)
}

/// Whether there are more cells than columns still, and the one that was joined is where they come from.
fn is_long(cells: &[String], at: usize, columns: &[Column]) -> bool {
    let goes_on = || match columns.get(at) {
        Some(Column::Type) => cells.get(at + 1).is_some_and(|next| kind::parse(next).is_some()),
        column => column == Some(&Column::Description),
    };
    cells.len() > columns.len() && (is_torn(&cells[at]) || goes_on())
}

/// Joins a cell with the next one.
fn join(cells: &mut Vec<String>, at: usize) {
    let next = cells.remove(at + 1);
    let head = cells[at].trim_end_matches('\\').trim_end();
    cells[at] = format!("{head} | {next}");
}

/// Parts the cell that took in its neighbour when the row was torn.
fn part(cells: &mut Vec<String>, joined: usize, columns: &[Column]) {
    let last = cells.len() - 1;
    let answer =
        columns.iter().position(|column| *column == Column::Required).filter(|index| *index < last);
    let answered = answer.and_then(|index| Some((index, after_answer(&cells[index])?)));
    let cut = match (after_code(&cells[joined]), columns.get(last..)) {
        _ if answered.is_some() => answered,
        (Some(end), _) if joined == last => Some((joined, end)),
        (_, Some([Column::Required, ..])) => after_answer(&cells[last]).map(|end| (last, end)),
        (_, Some([Column::Default, ..])) => after_code(&cells[last]).map(|end| (last, end)),
        (_, Some([_, Column::Example])) => {
            before_last_code(&cells[last]).map(|start| (last, start))
        }
        _ => None,
    };
    if let Some((index, at)) = cut {
        let (head, tail) = cells[index].split_at(at);
        let (head, tail) = (head.trim_end().to_owned(), tail.trim().to_owned());
        cells.splice(index..=index, [head, tail]);
    }
}

/// The end of the code that a cell begins with, if more follows it.
fn after_code(cell: &str) -> Option<usize> {
    let end = cell.strip_prefix('`')?.find('`')? + 2;
    (!cell[end..].trim().is_empty()).then_some(end)
}

/// The end of the yes or no that a cell begins with, if more follows it.
fn after_answer(cell: &str) -> Option<usize> {
    let (answer, rest) = cell.split_once(' ')?;
    let is_answer = ["yes", "no"].iter().any(|word| answer.eq_ignore_ascii_case(word));
    (is_answer && !rest.trim().is_empty()).then_some(answer.len())
}

/// The start of the code that a cell ends with, if more stands before it.
fn before_last_code(cell: &str) -> Option<usize> {
    let start = cell.trim_end().strip_suffix('`')?.rfind('`')?;
    (start > 0).then_some(start)
}

/// Whether a cell ends in the middle of code or with the backslash of a pipe.
pub(super) fn is_torn(cell: &str) -> bool {
    cell.ends_with('\\') || cell.bytes().filter(|byte| *byte == b'`').count() % 2 == 1
}

fn unescaped(cell: &str) -> String {
    cell.replace("\\|", "|")
}

impl Table {
    /// What the columns hold, by their titles.
    pub(super) fn columns(&self, text: &str) -> Vec<Column> {
        self.header
            .cells
            .iter()
            .map(|cell| Column::of(text.get(cell.clone()).unwrap_or_default()))
            .collect()
    }

    /// The title of the first column, in lower case.
    pub(super) fn first_title(&self, text: &str) -> String {
        self.header
            .cells
            .first()
            .map(|cell| plain(text.get(cell.clone()).unwrap_or_default()))
            .unwrap_or_default()
    }

    /// Whether its rows are parameters or fields: they have names and something is said of their values.
    pub(super) fn lists_fields(&self, text: &str) -> bool {
        let columns = self.columns(text);
        // A number or a type may stand before the name.
        let is_named =
            columns.iter().take(2).any(|column| *column == Column::Name) && !self.lists_tools(text);
        let says = [Column::Type, Column::Required, Column::Default]
            .iter()
            .any(|column| columns.contains(column));
        is_named && (says || self.first_title(text).starts_with("parameter"))
    }

    /// Whether its rows are tools.
    pub(super) fn lists_tools(&self, text: &str) -> bool {
        matches!(self.first_title(text).as_str(), "tool" | "tools" | "tool name" | "exposed name")
    }
}

impl Column {
    fn of(title: &str) -> Self {
        match plain(title).as_str() {
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

fn plain(title: &str) -> String {
    title.trim_matches(['*', '`', '_', ' ']).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::{Column, Row};

    fn mended(line: &str, columns: &[Column]) -> Vec<String> {
        Row::split(line, 0..line.len()).mend(line, columns).cells
    }

    const FIVE: [Column; 5] =
        [Column::Name, Column::Type, Column::Required, Column::Default, Column::Description];

    #[test]
    fn keeps_an_escaped_pipe_in_its_cell() {
        assert_eq!(
            mended(r"| `a` | `str \| None` | No |", &FIVE[..3]),
            ["`a`", "`str | None`", "No"]
        );
    }

    #[test]
    fn joins_types_and_texts_that_a_bare_pipe_has_torn() {
        let columns =
            [Column::Name, Column::Type, Column::Required, Column::Description, Column::Example];
        for (line, cells) in [
            (
                r#"| a | string | null | No | Text | `"x"` |"#,
                ["a", "string | null", "No", "Text", r#"`"x"`"#],
            ),
            (
                r#"| a | str | None | No Text | `"x"` |"#,
                ["a", "str | None", "No", "Text", r#"`"x"`"#],
            ),
            (
                r#"| a | `str` | `None` | No | Text | `"x"` |"#,
                ["a", "`str` | `None`", "No", "Text", r#"`"x"`"#],
            ),
            (
                r#"| a | str | int | None | Yes | Text | 1 |"#,
                ["a", "str | int | None", "Yes", "Text", "1"],
            ),
            (
                r#"| a | `str \ | int \ | None` | Yes | Text `"x"` |"#,
                ["a", "`str | int | None`", "Yes", "Text", r#"`"x"`"#],
            ),
            (
                r#"| a | str | Yes | This | or that | `"x"` |"#,
                ["a", "str", "Yes", "This | or that", r#"`"x"`"#],
            ),
            (r#"| a | str | Yes | Text | `"x"` | |"#, ["a", "str", "Yes", "Text", r#"`"x"`"#]),
        ] {
            assert_eq!(mended(line, &columns), cells, "{line}");
        }
    }

    #[test]
    fn joins_what_a_formatter_has_torn() {
        let cells = mended(r"| `a` | `str \ | null` | No | `null` Branch to walk |", &FIVE);
        assert_eq!(cells, ["`a`", "`str | null`", "No", "`null`", "Branch to walk"]);
        let three = [Column::Name, Column::Type, Column::Description];
        assert_eq!(
            mended(r"| `a` | `str \ | null` The action |", &three),
            ["`a`", "`str | null`", "The action"]
        );
        let required = [Column::Name, Column::Type, Column::Required, Column::Description];
        let cells = mended(r"| `a` | `str \ | None` | No HTML body |", &required);
        assert_eq!(cells, ["`a`", "`str | None`", "No", "HTML body"]);
        let example =
            [Column::Name, Column::Type, Column::Required, Column::Description, Column::Example];
        let cells =
            mended(r"| `a` | `x \ | null` | No | Names, `[1]` if not given. `[2]` |", &example);
        assert_eq!(cells, ["`a`", "`x | null`", "No", "Names, `[1]` if not given.", "`[2]`"]);
    }
}
