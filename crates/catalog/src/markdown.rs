//! Bounds the work of parsing Markdown, whose parsers cannot be interrupted.

/// Maximum number of lines, marks and cells in one text, which take about 150 MiB. Long handwritten
/// documents have a tenth of it.
const MAX_NODES: usize = 300_000;
/// Maximum number of marks in one paragraph, which take about a quarter of a second.
const MAX_MARKS: usize = 50_000;

/// Where a text becomes too much work for a parser, in bytes; `None` if it does not.
///
/// The parser makes a few nodes for each line and each mark, takes quadratic time for the marks of
/// one paragraph, and fills up every row of a table to the width of its header: 80 KB of text can
/// be a table of 100 million cells.
pub fn find_excess(text: &str) -> Option<usize> {
    let (mut nodes, mut marks, mut columns, mut offset) = (0, 0, 0, 0);
    // `\r\n`, `\n` and `\r` end a line, and a blank line ends paragraphs and tables.
    for line in text.split_inclusive(['\n', '\r']) {
        let content = line.trim_matches(|c: char| c.is_ascii_whitespace() || c == '>');
        if !content.is_empty() {
            if is_delimiter_row(content) {
                columns = columns.max(content.matches('|').count() + 1);
            }
            let own = content.bytes().filter(|byte| is_mark(*byte)).count();
            marks += own;
            nodes += 1 + own + columns;
        } else if !(line == "\n" && text[..offset].ends_with('\r')) {
            (marks, columns) = (0, 0);
        }
        if nodes > MAX_NODES || marks > MAX_MARKS {
            return Some(offset);
        }
        offset += line.len();
    }
    None
}

/// Whether a line may be the second line of a table, whose header is as wide.
fn is_delimiter_row(line: &str) -> bool {
    line.contains('-') && line.bytes().all(|byte| b"|:-+* \t>".contains(&byte))
}

fn is_mark(byte: u8) -> bool {
    b"[]*_&<`!\\~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::find_excess;

    #[test]
    fn counts_cells_that_the_parser_adds() {
        let table = |columns: usize, rows: usize| {
            let [header, delimiter] = ["|a", "|-"].map(|cell| cell.repeat(columns));
            format!("Text\n\n{header}|\n{delimiter}|\n{}", "|b\n".repeat(rows))
        };
        assert_eq!(find_excess(&table(10, 20_000)), None);
        assert!(find_excess(&table(5_000, 100)).is_some());
        assert!(find_excess(&table(5_000, 100).replace('\n', "\r")).is_some());
        assert!(find_excess(&table(5_000, 100).replace('\n', "\r\n")).is_some());
        assert!(find_excess(&table(5_000, 100).replace('\n', "\n> ")).is_some());
        // A row ends with its line, and a table with a blank line.
        assert_eq!(find_excess(&format!("{}\n{}", table(5_000, 3), "a\n".repeat(9_000))), None);
    }

    #[test]
    fn counts_marks_and_lines() {
        assert_eq!(find_excess(&"a word\n".repeat(50_000)), None);
        assert_eq!(find_excess(&"[".repeat(50_000)), None);
        assert!(find_excess(&"[".repeat(200_000)).is_some());
        assert!(find_excess(&"\n# a".repeat(400_000)).is_some());
    }
}
