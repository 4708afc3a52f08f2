//! Front matter: YAML between two lines of `---` at the beginning of a Markdown file.

use serde_json::{Map, Value};

/// A text with its front matter taken off.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrontMatter<'a> {
    /// What it says, with keys in lower case.
    pub values: Map<String, Value>,
    /// The text after it.
    pub body: &'a str,
    /// How many lines it takes.
    pub lines: usize,
}

/// Front matter that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontMatterError {
    /// The line in the file, from 1.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

impl<'a> FrontMatter<'a> {
    /// Takes the front matter off a text. A text that does not begin with a line of `---`, or has no
    /// second one, has none. A byte order mark does no harm.
    pub fn of(text: &'a str) -> Result<Self, FrontMatterError> {
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
                    message: "it is not a list of `key: value`".to_owned(),
                });
            }
        };
        Ok(Self { values, body, lines })
    }

    /// A value that is a text with something in it.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.values.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
    }
}

/// What stands between the annotations, and what follows them.
fn split(text: &str) -> Option<(&str, &str)> {
    let (first, rest) = text.split_once('\n')?;
    if first.trim_end() != "---" {
        return None;
    }
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if matches!(line.trim_end(), "---" | "...") {
            return Some((&rest[..at], &rest[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

fn parse(yaml: &str) -> Result<Value, FrontMatterError> {
    crate::yaml::read(yaml)
        .map_err(|error| FrontMatterError { line: error.line + 1, message: error.message })
}
