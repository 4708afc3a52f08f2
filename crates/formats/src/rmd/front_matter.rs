//! The front matter of a document: finding it, reading it, and adding a title to it.
//!
//! R Markdown finds front matter differently from other Markdown tools, so this does not build on
//! [`FrontMatter`](crate::FrontMatter): blank lines may precede it, keys are case-sensitive, and
//! two horizontal rules around a paragraph must not be mistaken for it.

use serde_json::{Map, Value};

use crate::{FrontMatterError, yaml};

/// A document after [`set_title`].
#[derive(Clone, Debug, PartialEq)]
pub struct TitleEdit {
    /// The text of the document, unchanged if no title was written.
    pub text: String,
    /// The effect on the title.
    pub outcome: TitleOutcome,
}

/// The result of [`set_title`].
#[derive(Clone, Debug, PartialEq)]
pub enum TitleOutcome {
    /// The document had no front matter; a block with the title was added.
    Added,
    /// The front matter had no title; the title was added to it.
    Set,
    /// The front matter already has this title, which was kept.
    Kept(String),
    /// The front matter is invalid or cannot take a title; nothing was changed.
    Failed(FrontMatterError),
}

/// The location of the front matter in a text.
struct Block<'a> {
    /// Byte offset of the line after the opening `---`.
    start: usize,
    /// The text between the two delimiters.
    yaml: &'a str,
    /// Number of lines up to and including the opening `---`.
    lines_before: usize,
}

/// Reads the front matter of a document; none if it has no front matter.
pub fn read_front_matter(text: &str) -> Result<Option<Map<String, Value>>, FrontMatterError> {
    match find_block(text)? {
        Some(block) => block.parse(),
        None => Ok(None),
    }
}

/// Reads the title as it is written. Inline R such as `` `r Sys.Date()` `` is not evaluated.
pub fn read_title(text: &str) -> Option<String> {
    read_front_matter(text).ok()?.and_then(|values| to_title(&values))
}

/// Adds a title to a document that has none.
pub fn set_title(text: &str, title: &str) -> TitleEdit {
    let unchanged = |outcome| TitleEdit { text: text.to_owned(), outcome };
    match read_front_matter(text) {
        Ok(None) => TitleEdit {
            text: format!("---\n{}---\n\n{text}", write_title(title)),
            outcome: TitleOutcome::Added,
        },
        Ok(Some(values)) if has_title(&values) => {
            unchanged(TitleOutcome::Kept(to_title(&values).unwrap_or_default()))
        }
        Ok(Some(values)) => match insert_title(text, &values, title) {
            Ok(text) => TitleEdit { text, outcome: TitleOutcome::Set },
            Err(error) => unchanged(TitleOutcome::Failed(error)),
        },
        Err(error) => unchanged(TitleOutcome::Failed(error)),
    }
}

/// Inserts a title into front matter without one.
///
/// The text is spliced rather than serialized again, which would lose the author's comments,
/// quoting and key order. Each candidate is parsed, and the first that differs only in the title
/// wins, since a splice into YAML that we did not write can change other fields.
fn insert_title(
    text: &str,
    values: &Map<String, Value>,
    title: &str,
) -> Result<String, FrontMatterError> {
    let block = find_block(text)?.expect("the front matter was read from this text");
    let (before, after) = (&text[..block.start], &text[block.start + block.yaml.len()..]);
    let line = write_title(title);
    let line = if before.ends_with("\r\n") { line.replace('\n', "\r\n") } else { line };
    let untitled: String =
        block.yaml.split_inclusive('\n').filter(|line| !is_blank_title(line)).collect();
    let candidates = [
        format!("{line}{}", block.yaml),
        // A second `title:` would be a duplicate key, so a blank one is replaced.
        format!("{line}{untitled}"),
        // A flow mapping (`{author: me}`) takes the title inside its braces.
        block.yaml.replacen('{', &format!("{{title: {}, ", Value::from(title)), 1),
    ];
    let is_equivalent = |text: &String| matches!(read_front_matter(text), Ok(Some(edited)) if adds_only_title(&edited, values));
    candidates
        .into_iter()
        .map(|yaml| format!("{before}{yaml}{after}"))
        .find(is_equivalent)
        .ok_or_else(|| FrontMatterError {
            line: block.lines_before,
            message: "a title cannot be added without changing other fields".to_owned(),
        })
}

/// The title as a line of YAML, quoted if necessary.
fn write_title(title: &str) -> String {
    yaml::write_yaml(&Map::from_iter([("title".to_owned(), Value::from(title))]))
}

fn has_title(values: &Map<String, Value>) -> bool {
    match values.get("title") {
        None | Some(Value::Null) => false,
        Some(Value::String(title)) => !title.trim().is_empty(),
        Some(_) => true,
    }
}

/// Whether a line of front matter is a `title:` without a value.
fn is_blank_title(line: &str) -> bool {
    let value =
        line.strip_prefix("title:").map(|value| value.trim().trim_matches(['"', '\'']).trim());
    matches!(value, Some("" | "~" | "null"))
}

/// Whether edited front matter has a title and is otherwise unchanged.
fn adds_only_title(edited: &Map<String, Value>, original: &Map<String, Value>) -> bool {
    let count_others =
        |values: &Map<String, Value>| values.keys().filter(|key| *key != "title").count();
    edited.get("title").is_some_and(|title| !title.is_null())
        && count_others(edited) == count_others(original)
        && original.iter().all(|(key, value)| key == "title" || edited.get(key) == Some(value))
}

/// Counts the lines up to and including the closing delimiter; 0 without front matter.
pub(super) fn count_lines(text: &str) -> usize {
    match find_block(text) {
        Ok(Some(block)) if !matches!(block.parse(), Ok(None)) => {
            block.lines_before + block.yaml.lines().count() + 1
        }
        _ => 0,
    }
}

/// The title as one line of text. YAML reads `title: 2026` as a number, which is a title all the
/// same.
fn to_title(values: &Map<String, Value>) -> Option<String> {
    let title = match values.get("title")? {
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Value::Number(number) => number.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    Some(title).filter(|title| !title.is_empty())
}

/// Finds the front matter. Like R Markdown, accepts blank lines before it.
fn find_block(text: &str) -> Result<Option<Block<'_>>, FrontMatterError> {
    let mut at = text.len() - text.trim_start_matches('\u{feff}').len();
    for (index, line) in text[at..].split_inclusive('\n').enumerate() {
        at += line.len();
        match line.trim_end() {
            "" => {}
            "---" => return close_block(text, at, index + 1),
            _ => break,
        }
    }
    Ok(None)
}

/// Finds the end of the block that begins at `start`. Without an end, the opening `---` is a
/// horizontal rule if prose follows it, and an error if a YAML key does.
fn close_block(
    text: &str,
    start: usize,
    lines_before: usize,
) -> Result<Option<Block<'_>>, FrontMatterError> {
    let rest = &text[start..];
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if matches!(line.trim_end(), "---" | "...") {
            return Ok(Some(Block { start, yaml: &rest[..at], lines_before }));
        }
        at += line.len();
    }
    let first = rest.lines().next().unwrap_or_default();
    if yaml::is_yaml(first) && !first.trim().is_empty() {
        return Err(FrontMatterError {
            line: lines_before,
            message: "the closing `---` is missing".to_owned(),
        });
    }
    Ok(None)
}

impl Block<'_> {
    /// Parses the YAML; none if this is prose between two horizontal rules.
    fn parse(&self) -> Result<Option<Map<String, Value>>, FrontMatterError> {
        // Pandoc takes `---` followed by a blank line for a horizontal rule.
        let is_rule = self.yaml.starts_with(['\n', '\r']);
        match yaml::read(self.yaml) {
            Ok(Value::Object(values)) => Ok(Some(values)),
            Ok(Value::Null) if self.yaml.trim().is_empty() || !is_rule => Ok(Some(Map::new())),
            Ok(_) => Ok(None),
            Err(_) if is_rule => Ok(None),
            Err(error) => Err(FrontMatterError {
                line: error.line + self.lines_before,
                message: error.message,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{TitleOutcome, read_front_matter, read_title, set_title};

    #[test]
    fn reads_titles_in_any_quoting() {
        for quoted in ["'A: b'", "\"A: b\"", ">-\n  A:\n  b", "|\n  A: b", "\"A\\u003a b\""] {
            assert_eq!(
                read_title(&format!("---\nsubtitle: no\ntitle: {quoted}\n---\n")).as_deref(),
                Some("A: b"),
                "{quoted}"
            );
        }
        assert_eq!(read_title("---\ntitle: Plain text\n...\n").as_deref(), Some("Plain text"));
        assert_eq!(
            read_title("\n---\ntitle: 2026\n---\n").as_deref(),
            Some("2026"),
            "after an empty line"
        );
        assert_eq!(read_title("\u{feff}---\r\ntitle: 'it''s'\r\n---\r\n").as_deref(), Some("it's"));
        assert_eq!(
            read_title("---\ntitle: \"`r Sys.Date()`\"\n---\n").as_deref(),
            Some("`r Sys.Date()`"),
            "R is not run"
        );
    }

    #[test]
    fn ignores_titles_outside_of_front_matter() {
        for text in [
            "",
            "# title: no\n",
            "text\n---\ntitle: late\n---\n",
            "---\nsubtitle: x\n---\ntitle: body\n",
            "---\ntitle:\n---\n",
        ] {
            assert_eq!(read_title(text), None, "{text}");
        }
    }

    #[test]
    fn horizontal_rules_are_not_front_matter() {
        for text in
            ["---\n\nsome text\n\n---\nmore", "---\nsome text\n---\n", "---\n\nno end", "---"]
        {
            assert_eq!(read_front_matter(text), Ok(None), "{text:?}");
        }
    }

    #[test]
    fn reports_the_line_of_invalid_front_matter() {
        let error =
            read_front_matter("\n---\ntitle: \"open\n---\n").expect_err("an unclosed quote");
        assert!(error.line >= 3, "{error:?}");
        let error = read_front_matter("---\ntitle: x\n\nbody").expect_err("an unclosed block");
        assert_eq!((error.line, error.message.as_str()), (1, "the closing `---` is missing"));
    }

    #[test]
    fn adds_a_title_only_if_it_is_missing() {
        assert_eq!(set_title("text", "A: \"b\"").text, "---\ntitle: 'A: \"b\"'\n---\n\ntext");
        let set = set_title("---\r\nauthor: me\r\n---\r\nx", "T");
        assert_eq!(
            (set.text.as_str(), set.outcome),
            ("---\r\ntitle: T\r\nauthor: me\r\n---\r\nx", TitleOutcome::Set)
        );
        assert_eq!(set_title("---\n---\n", "T").text, "---\ntitle: T\n---\n");
        let kept = set_title("---\ntitle: own\n---\n", "T");
        assert_eq!(
            (kept.text.as_str(), kept.outcome),
            ("---\ntitle: own\n---\n", TitleOutcome::Kept("own".into()))
        );
        assert!(matches!(set_title("---\na: [\n---\n", "T").outcome, TitleOutcome::Failed(_)));
    }

    #[test]
    fn adds_a_title_to_every_style_of_front_matter() {
        for (text, expected) in [
            ("---\nauthor: me\ntitle:\n---\ntitle:\n", "---\ntitle: T\nauthor: me\n---\ntitle:\n"),
            ("---\ntitle: ''\nauthor: me\n---\n", "---\ntitle: T\nauthor: me\n---\n"),
            ("---\nauthor: me\ntitle: \" \"\n---\n", "---\ntitle: T\nauthor: me\n---\n"),
            ("---\n{author: me}\n---\n", "---\n{title: \"T\", author: me}\n---\n"),
            ("---\n# nothing yet\n---\n", "---\ntitle: T\n# nothing yet\n---\n"),
        ] {
            let edited = set_title(text, "T");
            assert_eq!((edited.text.as_str(), edited.outcome), (expected, TitleOutcome::Set));
            assert_eq!(read_title(&edited.text).as_deref(), Some("T"));
        }
        let indented = set_title("---\n  author: me\n---\n", "T");
        assert!(
            matches!(indented.outcome, TitleOutcome::Failed(_)),
            "the result would not be valid YAML"
        );
        assert_eq!(indented.text, "---\n  author: me\n---\n");
    }

    proptest! {
        #[test]
        fn every_title_survives_a_round_trip(given in "(?s).{0,60}", body in "[a-z#\n-]{0,40}") {
            let edited = set_title(&format!("x{body}"), &given);
            let expected = given.split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert_eq!(read_title(&edited.text).unwrap_or_default(), expected);
            prop_assert!(edited.text.ends_with(&body));
        }
    }
}
