//! No text by an author changes the structure of a page.

use catalog::Catalog;
use proptest::prelude::*;
use serde_json::json;

use crate::sample_tools::{plain_tool, schema};

/// Text with characters that have a meaning in Markdown or HTML, and some that have none.
fn hostile_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("|".to_owned()),
        Just("\\".to_owned()),
        Just("`".to_owned()),
        Just("``".to_owned()),
        Just("```".to_owned()),
        Just("<script>".to_owned()),
        Just("</td>".to_owned()),
        Just("<!--".to_owned()),
        Just("&lt;".to_owned()),
        Just("\n".to_owned()),
        Just("\r".to_owned()),
        Just("\n\n".to_owned()),
        Just("~~~".to_owned()),
        Just("# ".to_owned()),
        Just("---".to_owned()),
        Just("[a](b)".to_owned()),
        Just("![a](b)".to_owned()),
        Just("    ".to_owned()),
        Just("\u{2028}".to_owned()),
        Just("\u{b}".to_owned()),
        "[a-z *_]{0,6}",
        any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_breaks_a_table_or_becomes_html(text in hostile_text(), name in hostile_text(), value in hostile_text()) {
        let mut tool = plain_tool("tool");
        tool.title = Some(text.clone());
        tool.description.text = text.clone();
        tool.description.guidance = Some(value.clone());
        tool.description.hint = Some(value.clone());
        tool.annotations.category = Some(name.clone());
        let property = json!({"type": "string", "description": text, "default": value, "enum": [value, text], "pattern": name});
        tool.input = schema(json!({"type": "object", "properties": {name.clone(): property}, "required": [name]}));
        let (catalog, _) = Catalog::merge([tool]);
        for page in docs::render_markdown_site(&catalog, &text) {
            check_structure(&page.text)?;
        }
    }
}

/// Checks that every line outside a code block has no `<` outside code spans, and that all rows of
/// a table have the same number of cells.
fn check_structure(page: &str) -> Result<(), TestCaseError> {
    let mut fence: Option<String> = None;
    let mut columns = None;
    let mut headings = Vec::new();
    for line in page.lines() {
        let ticks: String = line.chars().take_while(|c| *c == '`').collect();
        match &fence {
            Some(open) if line == open => fence = None,
            Some(_) => {}
            None if ticks.len() >= 3 && !line[ticks.len()..].contains('`') => fence = Some(ticks),
            None => {
                prop_assert!(!remove_code_spans(line).contains('<'), "html in {line:?} of\n{page}");
                if line.starts_with('|') {
                    let cells = count_cells(line);
                    prop_assert_eq!(
                        *columns.get_or_insert(cells),
                        cells,
                        "cells of {:?} of\n{}",
                        line,
                        page
                    );
                } else {
                    columns = None;
                    prop_assert!(!line.contains('|'), "pipe in {line:?}");
                }
                headings.extend(line.strip_prefix("## ").map(str::to_owned));
            }
        }
    }
    prop_assert_eq!(fence, None, "an open fence in\n{}", page);
    let expected: &[&str] =
        if page.contains("## Facts") { &["Call", "Parameters", "Runs", "Facts"] } else { &[] };
    prop_assert_eq!(headings, expected, "headings of\n{}", page);
    Ok(())
}

/// Counts the pipes of a row as GitHub does: not those after a backslash.
fn count_cells(line: &str) -> usize {
    let mut pipes = 0;
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\\' if characters.peek().is_some_and(char::is_ascii_punctuation) => {
                let _ = characters.next();
            }
            '|' => pipes += 1,
            _ => {}
        }
    }
    pipes
}

/// Removes code spans as CommonMark delimits them: by runs of backticks of the same length.
fn remove_code_spans(line: &str) -> String {
    let characters: Vec<char> = line.chars().collect();
    let run = |at: usize| characters[at..].iter().take_while(|c| **c == '`').count();
    let (mut out, mut at) = (String::new(), 0);
    while at < characters.len() {
        match characters[at] {
            '\\' => at += 2,
            '`' => {
                let length = run(at);
                let mut close = at + length;
                while close < characters.len() && run(close) != length {
                    close += run(close).max(1);
                }
                at = if close < characters.len() { close + length } else { at + length };
            }
            c => {
                out.push(c);
                at += 1;
            }
        }
    }
    out
}
