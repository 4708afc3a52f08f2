//! One parameter or one field of the result, however it is written: a row, a bullet, a signature.

use std::ops::Range;

use catalog::Location;
use serde_json::{Map, Value};

use super::{
    inline::{code, is_name, is_placeholder, one_line},
    kind,
    table::{Column, Mended},
};

/// A parameter or a field.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) span: Range<usize>,
    /// What its value is; nothing where no type is said or it is not known.
    pub(super) schema: Map<String, Value>,
    /// The type as it is written, if it is no type that is known.
    pub(super) unknown: Option<String>,
    pub(super) is_typed: bool,
    pub(super) required: Required,
    /// The default as it is written, if it is not of the type.
    pub(super) odd_default: Option<String>,
    pub(super) description: String,
    pub(super) example: Option<Value>,
    /// The fields inside it.
    pub(super) inner: Vec<Field>,
}

/// Whether a parameter must be given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Required {
    Yes,
    No,
    /// Under a condition that no schema of ours says.
    Sometimes(String),
    /// Nobody says.
    Unsaid,
}

impl Field {
    /// A field of which only the name is known.
    pub(super) fn named(name: &str, span: Range<usize>) -> Self {
        Self {
            name: name.to_owned(),
            span,
            schema: Map::new(),
            unknown: None,
            is_typed: false,
            required: Required::Unsaid,
            odd_default: None,
            description: String::new(),
            example: None,
            inner: Vec::new(),
        }
    }

    /// The fields of a row: several if it names several, none if it says that there are none.
    pub(super) fn of_row(row: &Mended, columns: &[Column], span: Range<usize>) -> Vec<Self> {
        let cell = |wanted: Column| {
            let index = columns.iter().position(|column| *column == wanted)?;
            row.cells.get(index).map(|cell| cell.trim())
        };
        let names = cell(Column::Name).map(names).unwrap_or_default();
        let Some(first) = names.first() else {
            return Vec::new();
        };
        let mut field = Self::named(first, span);
        let kind = cell(Column::Type).unwrap_or_default();
        field.set_type(kind);
        if let Some(listed) = remarked(kind, &VALUES) {
            field.set_values(listed);
        }
        field.required = required(cell(Column::Required), cell(Column::Default));
        field.description = cell(Column::Description).map(one_line).unwrap_or_default();
        field.set_default(cell(Column::Default).or_else(|| remarked(kind, &["default"])));
        // Words that are neither code nor JSON are a remark: "see below".
        let is_value =
            |cell: &&str| cell.starts_with('`') || serde_json::from_str::<Value>(cell).is_ok();
        field.example = cell(Column::Example).filter(is_value).and_then(|cell| field.value(cell));
        names.into_iter().map(|name| Self { name: name.to_owned(), ..field.clone() }).collect()
    }

    /// Takes a type as it is written.
    pub(super) fn set_type(&mut self, text: &str) {
        if kind::is_blank(text) {
            return;
        }
        match kind::parse(text) {
            Some(schema) => {
                self.is_typed = true;
                self.schema = schema;
            }
            None if is_placeholder(text) => {}
            None => self.unknown = Some(bare(text).to_owned()),
        }
    }

    /// Takes the values that a remark behind a type lists: `"a", "b"` of `string (enum: "a", "b")`.
    pub(super) fn set_values(&mut self, listed: &str) {
        if !self.is_typed && self.unknown.is_none() {
            self.set_type("string");
        }
        let values: Option<Vec<Value>> =
            listed.split([',', '|']).map(|value| self.value(value)).collect();
        if let Some(values) = values.filter(|values| values.len() > 1) {
            self.schema.insert("enum".to_owned(), Value::Array(values));
        }
    }

    /// Takes a default as it is written, else one that the description tells.
    pub(super) fn set_default(&mut self, text: Option<&str>) {
        let written = text.map(bare).filter(|text| !says_nothing(text));
        let told = || self.told_default();
        match written {
            Some("None" | "null") if !kind::admits(&self.schema, &Value::Null) => {}
            Some(text) => match self.value(text) {
                // Without a value there is nothing to fill in: the parameter is just left out.
                Some(Value::Null) => {}
                Some(value) => drop(self.schema.insert("default".to_owned(), value)),
                None => self.odd_default = Some(text.to_owned()),
            },
            None => {
                if let Some(value) = told() {
                    self.schema.insert("default".to_owned(), value);
                }
            }
        }
    }

    /// A default that the description tells: `Default: 30`, `(default: "main")`.
    fn told_default(&self) -> Option<Value> {
        let lower = self.description.to_ascii_lowercase();
        let at = lower.find("default")? + "default".len();
        let rest = self.description.get(at..)?.trim_start_matches(['s', ':', '=', ' ']);
        let rest = rest.strip_prefix("is ").or_else(|| rest.strip_prefix("to ")).unwrap_or(rest);
        let (text, is_quoted) = match rest.chars().next()? {
            '`' => (code(rest).first()?.0, true),
            quote @ ('"' | '\'') => {
                let end = rest[1..].find(quote)?;
                (&rest[..end + 2], true)
            }
            _ => (rest.split([' ', ')', ',', ';']).next()?.trim_end_matches('.'), false),
        };
        let value = self.value(text)?;
        (!value.is_null() && (is_quoted || !value.is_string())).then_some(value)
    }

    /// A value of this field's type, as people write one.
    pub(super) fn value(&self, text: &str) -> Option<Value> {
        let text = bare(text);
        let json = serde_json::from_str(text).ok().or_else(|| python(text));
        let is_text = self.schema.get("type").is_some_and(|kind| kind == "string");
        match json.filter(|value| kind::admits(&self.schema, value)) {
            Some(value) => Some(value),
            None if is_text && !kind::is_blank(text) && !text.starts_with('"') => {
                let value = Value::from(text);
                kind::admits(&self.schema, &value).then_some(value)
            }
            None => None,
        }
    }

    /// Where it is written.
    pub(super) fn location(&self) -> Location {
        Location::Span(self.span.clone())
    }
}

/// The names in a cell: itself, or what it begins with in code before a remark; nothing if it says that there are none.
fn names(cell: &str) -> Vec<&str> {
    let name = bare(cell);
    let is_none = matches!(
        name.to_ascii_lowercase().as_str(),
        "" | "none" | "—" | "-" | "--" | "n/a" | "*(none)*" | "(none)" | "..."
    );
    match is_none || name.contains(' ') {
        false => vec![name],
        true if cell.trim_start_matches('*').starts_with('`') => {
            code(cell).into_iter().map(|(name, _)| name).filter(|name| is_name(name)).collect()
        }
        true => Vec::new(),
    }
}

/// Words before the values that a field can have.
const VALUES: [&str; 3] = ["enum", "one of", "values"];

/// The first of the values that a part of a remark begins to list: `a` in `one of: a`.
pub(super) fn first_value(part: &str) -> Option<&str> {
    behind(part, &VALUES)
}

/// What stands behind one of these words in the parentheses behind a type: `3` in `integer (default: 3)`.
fn remarked<'c>(cell: &'c str, words: &[&str]) -> Option<&'c str> {
    let cell = cell.trim().trim_end_matches('`');
    let (_, remark) = cell.strip_suffix(')')?.split_once('(')?;
    behind(remark, words)
}

/// What stands behind the one of these words that a text begins with.
fn behind<'t>(text: &'t str, words: &[&str]) -> Option<&'t str> {
    let starts =
        |word: &&&str| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    let word = words.iter().find(starts)?;
    let rest = text[word.len()..].strip_prefix([':', '=', ' '])?;
    Some(rest.trim_start_matches([':', '=', ' ']).trim()).filter(|said| !said.is_empty())
}

/// A text without the code annotations or emphasis around it.
pub(super) fn bare(text: &str) -> &str {
    let text = text.trim();
    let inner = text.trim_matches('*').trim();
    // Nothing but stars is a pattern.
    let text = if inner.is_empty() { text } else { inner };
    match code(text).as_slice() {
        [(inner, span)] if span.start <= 2 && span.end + 2 >= text.len() => inner,
        _ => text,
    }
}

/// Values as Python writes them.
fn python(text: &str) -> Option<Value> {
    match text {
        "True" => return Some(Value::Bool(true)),
        "False" => return Some(Value::Bool(false)),
        "None" => return Some(Value::Null),
        _ => {}
    }
    if let Some(inner) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        return (!inner.contains('\'')).then(|| Value::from(inner));
    }
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    serde_json::from_str(&format!("[{inner}]")).ok()
}

fn says_nothing(text: &str) -> bool {
    let word = text.trim_matches(['(', ')', '_']).to_ascii_lowercase();
    kind::is_blank(text) || text == "none" || matches!(word.as_str(), "required" | "required.")
}

/// What the columns say about whether a parameter must be given: its own, else that of defaults.
fn required(cell: Option<&str>, default: Option<&str>) -> Required {
    let Some(cell) = cell.map(|cell| bare(cell).to_ascii_lowercase()) else {
        return match default.map(bare) {
            Some(default) if says_nothing(default) => Required::Yes,
            Some(_) => Required::No,
            None => Required::Unsaid,
        };
    };
    match cell.trim_end_matches('.') {
        "yes" | "true" | "required" | "mandatory" | "y" | "x" | "✓" | "✔" | "✔️" | "✅" => {
            Required::Yes
        }
        "no" | "false" | "optional" | "n" | "✗" | "✘" | "❌" => Required::No,
        cell if kind::is_blank(cell) || is_placeholder(cell) => Required::Unsaid,
        cell if cell.starts_with("no") => Required::No,
        cell => Required::Sometimes(cell.to_owned()),
    }
}

/// The fields of a signature in code: `a: str, b: int = 3`.
pub(super) fn of_signature(text: &str, start: usize) -> Option<Field> {
    let (name, rest) = text.split_once(':')?;
    let name = name.trim();
    let (kind, default) =
        rest.split_once('=').map_or((rest, None), |(kind, default)| (kind, Some(default.trim())));
    if !is_name(name) {
        return None;
    }
    let mut field = Field::named(name, start..start + name.len());
    field.schema = kind::parse(kind)?;
    field.is_typed = true;
    field.required = if default.is_some() { Required::No } else { Required::Yes };
    field.set_default(default);
    Some(field)
}
