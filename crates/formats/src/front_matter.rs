//! Front matter: YAML between two lines of `---` at the beginning of a Markdown file.
//!
//! R Markdown documents have rules of their own, see `rmd`.

use serde_json::{Map, Value};

/// A text, split into front matter and body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrontMatter<'a> {
    /// The values by key. Keys are converted to lower case, since authors write `Title` as well as
    /// `title`.
    pub values: Map<String, Value>,
    /// The text after the front matter.
    pub body: &'a str,
    /// Number of lines of the front matter, including its delimiters.
    pub lines: usize,
}

/// Why front matter is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontMatterError {
    /// Line number in the file, from 1.
    pub line: usize,
    /// The problem, without its location.
    pub message: String,
}

impl<'a> FrontMatter<'a> {
    /// Splits a text. A text that does not begin with a line of `---`, or has no closing one, has
    /// no front matter: it may begin with a horizontal rule. A byte order mark is skipped.
    pub fn parse(text: &'a str) -> Result<Self, FrontMatterError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let Some((yaml, body)) = split(text) else {
            return Ok(Self { body: text, ..Self::default() });
        };
        let lines = text[..text.len() - body.len()].matches('\n').count();
        let values = match parse(yaml)? {
            Value::Null => Map::new(),
            Value::Object(values) => {
                values.into_iter().map(|(key, value)| (key.to_lowercase(), value)).collect()
            }
            _ => {
                return Err(FrontMatterError {
                    line: 2,
                    message: "expected `key: value` pairs".to_owned(),
                });
            }
        };
        Ok(Self { values, body, lines })
    }

    /// A value that is a string and not blank.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.values.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
    }
}

/// Splits a text into the YAML between the delimiters and the text after them.
fn split(text: &str) -> Option<(&str, &str)> {
    let (first, rest) = text.split_once('\n')?;
    if first.trim_end() != "---" {
        return None;
    }
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        // `...` ends a YAML document, and pandoc accepts it too.
        if matches!(line.trim_end(), "---" | "...") {
            return Some((&rest[..at], &rest[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

fn parse(yaml: &str) -> Result<Value, FrontMatterError> {
    crate::yaml::read(yaml)
        // The line of `---` comes first and is not part of the YAML.
        .map_err(|error| FrontMatterError { line: error.line + 1, message: error.message })
}
