//! The front matter of a document: whether it has one, what it says, and how it gets a title.

use serde_json::{Map, Value};

use crate::{FrontMatterError, yaml};

/// The front matter of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Front {
    /// There is none. What only looks like it, a ruled line say, is text.
    Absent,
    /// What it says.
    Present(Map<String, Value>),
    /// It cannot be read.
    Broken(FrontMatterError),
}

/// A document that was given a title.
#[derive(Clone, Debug, PartialEq)]
pub struct Titled {
    /// Its text.
    pub text: String,
    /// What became of the title.
    pub became: WhatBecame,
}

/// What became of a title.
#[derive(Clone, Debug, PartialEq)]
pub enum WhatBecame {
    /// The document had no front matter, and has one with the title now.
    Added,
    /// Its front matter had no title, and has it now.
    Set,
    /// Its front matter has a title of its own, this one, which stays.
    Kept(String),
    /// Its front matter cannot be read; nothing was changed.
    Unread(FrontMatterError),
}

/// Where the front matter of a text is.
struct Block<'a> {
    /// Where what is between the annotations begins.
    start: usize,
    /// What is between the annotations.
    yaml: &'a str,
    /// How many lines come before it.
    lines_before: usize,
}

/// The front matter of a text.
pub fn front(text: &str) -> Front {
    match find(text) {
        Ok(None) => Front::Absent,
        Ok(Some(block)) => read(&block),
        Err(error) => Front::Broken(error),
    }
}

/// The title that a document has, as it is written: R in it is not run.
pub fn title(text: &str) -> Option<String> {
    match front(text) {
        Front::Present(values) => title_of(&values),
        Front::Absent | Front::Broken(_) => None,
    }
}

/// Gives a document a title, unless it has one.
pub fn titled(text: &str, title: &str) -> Titled {
    let line = yaml::write::document(&Map::from_iter([("title".to_owned(), Value::from(title))]));
    match front(text) {
        Front::Absent => {
            Titled { text: format!("---\n{line}---\n\n{text}"), became: WhatBecame::Added }
        }
        Front::Broken(error) => Titled { text: text.to_owned(), became: WhatBecame::Unread(error) },
        Front::Present(values) => match find(text) {
            Ok(Some(block)) if !has_title(&values) => set(text, &block, &values, title),
            _ => Titled {
                text: text.to_owned(),
                became: WhatBecame::Kept(title_of(&values).unwrap_or_default()),
            },
        },
    }
}

/// Puts a title into front matter that has none, however that is written: as its first line, in place of one that says
/// nothing, or within braces. What would change anything else that it says is not taken.
fn set(text: &str, block: &Block<'_>, values: &Map<String, Value>, title: &str) -> Titled {
    let (before, after) = (&text[..block.start], &text[block.start + block.yaml.len()..]);
    let line = yaml::write::document(&Map::from_iter([("title".to_owned(), Value::from(title))]));
    let line = if before.ends_with("\r\n") { line.replace('\n', "\r\n") } else { line };
    let others =
        block.yaml.split_inclusive('\n').filter(|line| !is_empty_title(line)).collect::<String>();
    let braces = block.yaml.replacen('{', &format!("{{title: {}, ", Value::from(title)), 1);
    let ways = [format!("{line}{}", block.yaml), format!("{line}{others}"), braces];
    let mut made = ways.into_iter().map(|yaml| format!("{before}{yaml}{after}"));
    match made.find(|text| matches!(front(text), Front::Present(now) if is_titled(&now, values))) {
        Some(text) => Titled { text, became: WhatBecame::Set },
        None => {
            let error = FrontMatterError {
                line: block.lines_before,
                message: "a title cannot be put into it".to_owned(),
            };
            Titled { text: text.to_owned(), became: WhatBecame::Unread(error) }
        }
    }
}

/// Whether a title says anything.
fn has_title(values: &Map<String, Value>) -> bool {
    match values.get("title") {
        None | Some(Value::Null) => false,
        Some(Value::String(title)) => !title.trim().is_empty(),
        Some(_) => true,
    }
}

/// Whether a line of front matter is a title that says nothing.
fn is_empty_title(line: &str) -> bool {
    let value =
        line.strip_prefix("title:").map(|value| value.trim().trim_matches(['"', '\'']).trim());
    matches!(value, Some("" | "~" | "null"))
}

/// Whether values have a title now, and are those of before otherwise.
fn is_titled(now: &Map<String, Value>, before: &Map<String, Value>) -> bool {
    let others =
        |values: &Map<String, Value>| values.iter().filter(|(key, _)| *key != "title").count();
    let is_there = |(key, value): (&String, &Value)| key == "title" || now.get(key) == Some(value);
    now.get("title").is_some_and(|title| !title.is_null())
        && others(now) == others(before)
        && before.iter().all(is_there)
}

/// How many lines the front matter takes, with its annotations and what is before it.
pub(super) fn lines(text: &str) -> usize {
    match (find(text), front(text)) {
        (Ok(Some(block)), Front::Present(_) | Front::Broken(_)) => {
            block.lines_before + block.yaml.lines().count() + 1
        }
        _ => 0,
    }
}

fn title_of(values: &Map<String, Value>) -> Option<String> {
    let title = match values.get("title")? {
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Value::Number(number) => number.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    Some(title).filter(|title| !title.is_empty())
}

/// Finds the front matter: as R Markdown does, after empty lines as well.
fn find(text: &str) -> Result<Option<Block<'_>>, FrontMatterError> {
    let mut at = text.len() - text.trim_start_matches('\u{feff}').len();
    for (index, line) in text[at..].split_inclusive('\n').enumerate() {
        at += line.len();
        match line.trim_end() {
            "" => {}
            "---" => return closed(text, at, index + 1),
            _ => break,
        }
    }
    Ok(None)
}

/// The block that begins at `start`, if it ends and is no ruled line.
fn closed(
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
    match yaml::is_yaml(first) && !first.trim().is_empty() {
        true => Err(FrontMatterError {
            line: lines_before,
            message: "it has no second line of `---`".to_owned(),
        }),
        false => Ok(None),
    }
}

fn read(block: &Block<'_>) -> Front {
    match yaml::read(block.yaml) {
        Ok(Value::Object(values)) => Front::Present(values),
        Ok(Value::Null)
            if block.yaml.trim().is_empty() || !block.yaml.starts_with(['\n', '\r']) =>
        {
            Front::Present(Map::new())
        }
        // Text between two ruled lines.
        Ok(_) => Front::Absent,
        Err(_) if block.yaml.starts_with(['\n', '\r']) => Front::Absent,
        Err(error) => Front::Broken(FrontMatterError {
            line: error.line + block.lines_before,
            message: error.message,
        }),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Front, WhatBecame, front, title, titled};

    #[test]
    fn a_title_is_found_whatever_its_quoting() {
        for written in
            ["A: b", "'A: b'", "\"A: b\"", ">-\n  A:\n  b", "|\n  A: b", "\"A\\u003a b\""]
        {
            let written = if written == "A: b" { "\"A: b\"" } else { written };
            assert_eq!(
                title(&format!("---\nsubtitle: no\ntitle: {written}\n---\n")).as_deref(),
                Some("A: b"),
                "{written}"
            );
        }
        assert_eq!(title("---\ntitle: Plain text\n...\n").as_deref(), Some("Plain text"));
        assert_eq!(
            title("\n---\ntitle: 2026\n---\n").as_deref(),
            Some("2026"),
            "after an empty line"
        );
        assert_eq!(title("\u{feff}---\r\ntitle: 'it''s'\r\n---\r\n").as_deref(), Some("it's"));
        assert_eq!(
            title("---\ntitle: \"`r Sys.Date()`\"\n---\n").as_deref(),
            Some("`r Sys.Date()`"),
            "R is not run"
        );
    }

    #[test]
    fn what_is_no_title_is_not_taken_for_one() {
        for text in [
            "",
            "# title: no\n",
            "text\n---\ntitle: late\n---\n",
            "---\nsubtitle: x\n---\ntitle: body\n",
            "---\ntitle:\n---\n",
        ] {
            assert_eq!(title(text), None, "{text}");
        }
    }

    #[test]
    fn ruled_lines_are_text() {
        for text in
            ["---\n\nsome text\n\n---\nmore", "---\nsome text\n---\n", "---\n\nno end", "---"]
        {
            assert_eq!(front(text), Front::Absent, "{text:?}");
        }
    }

    #[test]
    fn broken_front_matter_is_told_with_its_line() {
        let Front::Broken(error) = front("\n---\ntitle: \"open\n---\n") else {
            panic!("it is broken")
        };
        assert!(error.line >= 3, "{error:?}");
        let Front::Broken(error) = front("---\ntitle: x\n\nbody") else { panic!("it has no end") };
        assert_eq!((error.line, error.message.as_str()), (1, "it has no second line of `---`"));
    }

    #[test]
    fn a_document_gets_a_title_where_it_has_none() {
        assert_eq!(titled("text", "A: \"b\"").text, "---\ntitle: 'A: \"b\"'\n---\n\ntext");
        let set = titled("---\r\nauthor: me\r\n---\r\nx", "T");
        assert_eq!(
            (set.text.as_str(), set.became),
            ("---\r\ntitle: T\r\nauthor: me\r\n---\r\nx", WhatBecame::Set)
        );
        assert_eq!(titled("---\n---\n", "T").text, "---\ntitle: T\n---\n");
        let kept = titled("---\ntitle: own\n---\n", "T");
        assert_eq!(
            (kept.text.as_str(), kept.became),
            ("---\ntitle: own\n---\n", WhatBecame::Kept("own".into()))
        );
        assert!(matches!(titled("---\na: [\n---\n", "T").became, WhatBecame::Unread(_)));
    }

    #[test]
    fn a_title_is_put_in_however_front_matter_is_written() {
        for (text, expected) in [
            ("---\nauthor: me\ntitle:\n---\ntitle:\n", "---\ntitle: T\nauthor: me\n---\ntitle:\n"),
            ("---\ntitle: ''\nauthor: me\n---\n", "---\ntitle: T\nauthor: me\n---\n"),
            ("---\nauthor: me\ntitle: \" \"\n---\n", "---\ntitle: T\nauthor: me\n---\n"),
            ("---\n{author: me}\n---\n", "---\n{title: \"T\", author: me}\n---\n"),
            ("---\n# nothing yet\n---\n", "---\ntitle: T\n# nothing yet\n---\n"),
        ] {
            let made = titled(text, "T");
            assert_eq!((made.text.as_str(), made.became), (expected, WhatBecame::Set));
            assert_eq!(title(&made.text).as_deref(), Some("T"));
        }
        let indented = titled("---\n  author: me\n---\n", "T");
        assert!(
            matches!(indented.became, WhatBecame::Unread(_)),
            "it would not be front matter any more"
        );
        assert_eq!(indented.text, "---\n  author: me\n---\n");
    }

    proptest! {
        #[test]
        fn every_title_is_read_back(given in "(?s).{0,60}", body in "[a-z#\n-]{0,40}") {
            let made = titled(&format!("x{body}"), &given);
            let expected = given.split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert_eq!(title(&made.text).unwrap_or_default(), expected);
            prop_assert!(made.text.ends_with(&body));
        }
    }
}
