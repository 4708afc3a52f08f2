//! Repairs table rows that an unescaped pipe has broken.
//!
//! A formatter run turned `` `str \| null` `` into `` `str \ | null` `` in several real documents:
//! the pipe became a border, and later cells were merged so that the row still has as many cells as
//! the header. A naive reader would take a wrong type, a wrong required flag and a wrong
//! description without noticing. Rows with a bare pipe in a type or a description, which have too
//! many cells, are repaired in the same way.

use super::{
    table::{Column, Row},
    type_expression,
};

/// The cells of a row as they were meant.
pub(super) struct RepairedRow {
    /// The texts, with escaped pipes unescaped.
    pub(super) cells: Vec<String>,
    /// Whether cells had to be joined.
    pub(super) was_broken: bool,
}

impl Row {
    /// The cells under these columns, with those joined again that a pipe has split.
    pub(super) fn repair(&self, text: &str, columns: &[Column]) -> RepairedRow {
        let mut cells: Vec<String> = self
            .cells
            .iter()
            .map(|span| text.get(span.clone()).unwrap_or_default().to_owned())
            .collect();
        // An extra pipe at the end of a line makes an empty cell, which is harmless.
        while cells.len() > columns.len() && cells.last().is_some_and(String::is_empty) {
            cells.pop();
        }
        // The row is repaired even if it has as many cells as the header: in the public documents
        // of this kind, 33 rows in 5 files are broken like that, and none of them has a wrong
        // count.
        let broken = find_broken_cell(&cells, columns);
        if let Some(at) = broken {
            join_with_next(&mut cells, at);
            // A union of three types was split twice.
            while cells.len() > at + 1
                && (cells[at].ends_with('\\') || is_incomplete(&cells, at, columns))
            {
                join_with_next(&mut cells, at);
            }
            if cells.len() < columns.len() {
                split_merged_cell(&mut cells, at, columns);
            }
        }
        RepairedRow {
            cells: cells.iter().map(|cell| cell.replace("\\|", "|")).collect(),
            was_broken: broken.is_some(),
        }
    }
}

/// The index of the cell that a pipe has split from the next one.
///
/// The signs, from the most to the least reliable: unfinished code or a trailing backslash; a type
/// that is followed by another type where another column is due; more cells than columns, which is
/// blamed on the description since prose is where a bare pipe is most likely.
fn find_broken_cell(cells: &[String], columns: &[Column]) -> Option<usize> {
    let by_mark = cells.windows(2).position(|pair| is_unfinished(&pair[0]) && !pair[1].is_empty());
    let has_excess = cells.len() > columns.len();
    let by_type = || {
        let at = columns.iter().position(|column| *column == Column::Type)?;
        // Without excess cells, the next one may legitimately read as a type ("null" as a default),
        // but never as an answer to "required".
        let is_out_of_place = has_excess || columns.get(at + 1) == Some(&Column::Required);
        let is_type = |index: usize| {
            cells.get(index).is_some_and(|cell| type_expression::parse(cell).is_some())
        };
        (is_out_of_place && is_type(at) && is_type(at + 1)).then_some(at)
    };
    let by_count =
        || columns.iter().position(|column| *column == Column::Description).filter(|_| has_excess);
    by_mark.or_else(by_type).or_else(by_count)
}

/// Whether the joined cell at `at` is still incomplete, so that the next one belongs to it too.
fn is_incomplete(cells: &[String], at: usize, columns: &[Column]) -> bool {
    let accepts_next = || match columns.get(at) {
        Some(Column::Type) => {
            cells.get(at + 1).is_some_and(|next| type_expression::parse(next).is_some())
        }
        column => column == Some(&Column::Description),
    };
    cells.len() > columns.len() && (is_unfinished(&cells[at]) || accepts_next())
}

fn join_with_next(cells: &mut Vec<String>, at: usize) {
    let next = cells.remove(at + 1);
    let head = cells[at].trim_end_matches('\\').trim_end();
    cells[at] = format!("{head} | {next}");
}

/// Splits the cell that the formatter merged with its neighbour to restore the number of cells.
/// Which one that is shows by what it begins or ends with: "No Whom to greet", `` `null` Whom to
/// greet ``, ``Whom to greet `"Ada"` ``.
fn split_merged_cell(cells: &mut Vec<String>, joined: usize, columns: &[Column]) {
    let last = cells.len() - 1;
    let required =
        columns.iter().position(|column| *column == Column::Required).filter(|index| *index < last);
    let after_required = required.and_then(|index| Some((index, end_of_answer(&cells[index])?)));
    let cut = match (end_of_code(&cells[joined]), columns.get(last..)) {
        // An answer with text after it is the clearest sign: "No Whom to greet".
        _ if after_required.is_some() => after_required,
        (Some(end), _) if joined == last => Some((joined, end)),
        (_, Some([Column::Required, ..])) => end_of_answer(&cells[last]).map(|end| (last, end)),
        (_, Some([Column::Default, ..])) => end_of_code(&cells[last]).map(|end| (last, end)),
        (_, Some([_, Column::Example])) => {
            start_of_last_code(&cells[last]).map(|start| (last, start))
        }
        _ => None,
    };
    if let Some((index, at)) = cut {
        let (head, tail) = cells[index].split_at(at);
        let (head, tail) = (head.trim_end().to_owned(), tail.trim().to_owned());
        cells.splice(index..=index, [head, tail]);
    }
}

/// The end of the code that a cell begins with, if text follows.
fn end_of_code(cell: &str) -> Option<usize> {
    let end = cell.strip_prefix('`')?.find('`')? + 2;
    (!cell[end..].trim().is_empty()).then_some(end)
}

/// The end of the yes or no that a cell begins with, if text follows.
fn end_of_answer(cell: &str) -> Option<usize> {
    let (answer, rest) = cell.split_once(' ')?;
    let is_answer = ["yes", "no"].iter().any(|word| answer.eq_ignore_ascii_case(word));
    (is_answer && !rest.trim().is_empty()).then_some(answer.len())
}

/// The start of the code that a cell ends with, if text precedes it.
fn start_of_last_code(cell: &str) -> Option<usize> {
    let start = cell.trim_end().strip_suffix('`')?.rfind('`')?;
    (start > 0).then_some(start)
}

/// Whether a cell ends inside of code or with the backslash of an escaped pipe.
fn is_unfinished(cell: &str) -> bool {
    cell.ends_with('\\') || cell.bytes().filter(|byte| *byte == b'`').count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::super::table::{Column, Row};

    fn repair(line: &str, columns: &[Column]) -> Vec<String> {
        Row::split(line, 0..line.len()).repair(line, columns).cells
    }

    const FIVE: [Column; 5] =
        [Column::Name, Column::Type, Column::Required, Column::Default, Column::Description];

    #[test]
    fn keeps_an_escaped_pipe_in_its_cell() {
        assert_eq!(
            repair(r"| `a` | `str \| None` | No |", &FIVE[..3]),
            ["`a`", "`str | None`", "No"]
        );
    }

    #[test]
    fn joins_types_and_texts_split_at_a_bare_pipe() {
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
            assert_eq!(repair(line, &columns), cells, "{line}");
        }
    }

    #[test]
    fn joins_cells_split_by_a_formatter() {
        let cells = repair(r"| `a` | `str \ | null` | No | `null` Branch to walk |", &FIVE);
        assert_eq!(cells, ["`a`", "`str | null`", "No", "`null`", "Branch to walk"]);
        let three = [Column::Name, Column::Type, Column::Description];
        assert_eq!(
            repair(r"| `a` | `str \ | null` The action |", &three),
            ["`a`", "`str | null`", "The action"]
        );
        let required = [Column::Name, Column::Type, Column::Required, Column::Description];
        let cells = repair(r"| `a` | `str \ | None` | No HTML body |", &required);
        assert_eq!(cells, ["`a`", "`str | None`", "No", "HTML body"]);
        let example =
            [Column::Name, Column::Type, Column::Required, Column::Description, Column::Example];
        let cells =
            repair(r"| `a` | `x \ | null` | No | Names, `[1]` if not given. `[2]` |", &example);
        assert_eq!(cells, ["`a`", "`x | null`", "No", "Names, `[1]` if not given.", "`[2]`"]);
    }
}
