//! A parameter or a field of the result, whichever way it is written.

use std::ops::Range;

use serde_json::{Map, Value};

use super::{
    inline::{collapse_whitespace, find_code_spans, is_name, is_placeholder},
    row_repair::RepairedRow,
    table::Column,
    type_expression,
};

/// A parameter or a field of the result.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) span: Range<usize>,
    /// The schema of its value; empty if the type is missing or unknown.
    pub(super) schema: Map<String, Value>,
    /// The type as written, if it cannot be read.
    pub(super) unknown_type: Option<String>,
    pub(super) is_typed: bool,
    pub(super) required: Required,
    /// The default as written, if it is not a value of the type.
    pub(super) mismatched_default: Option<String>,
    pub(super) description: String,
    pub(super) example: Option<Value>,
    /// The fields of its value, or of the items of its value.
    pub(super) nested: Vec<Field>,
}

/// Whether a parameter must be given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Required {
    Yes,
    No,
    /// Under this condition, which a table can only give in words.
    Conditional(String),
    Unspecified,
}

impl Field {
    /// A field of which only the name is known.
    pub(super) fn named(name: &str, span: Range<usize>) -> Self {
        Self {
            name: name.to_owned(),
            span,
            schema: Map::new(),
            unknown_type: None,
            is_typed: false,
            required: Required::Unspecified,
            mismatched_default: None,
            description: String::new(),
            example: None,
            nested: Vec::new(),
        }
    }

    /// The fields of a row: several if it names several, none if it states that there are none.
    pub(super) fn from_row(row: &RepairedRow, columns: &[Column], span: Range<usize>) -> Vec<Self> {
        let cell = |wanted: Column| {
            let index = columns.iter().position(|column| *column == wanted)?;
            row.cells.get(index).map(|cell| cell.trim())
        };
        let names = cell(Column::Name).map(parse_names).unwrap_or_default();
        let Some(first) = names.first() else {
            return Vec::new();
        };
        let mut field = Self::named(first, span);
        let type_cell = cell(Column::Type).unwrap_or_default();
        // The type comes first: values, default and example are parsed as values of it.
        field.set_type(type_cell);
        if let Some(values) = find_remark(type_cell, &VALUE_LABELS) {
            field.set_values(values);
        }
        field.required = parse_required(cell(Column::Required), cell(Column::Default));
        field.description = cell(Column::Description).map(collapse_whitespace).unwrap_or_default();
        field.set_default(cell(Column::Default).or_else(|| find_remark(type_cell, &["default"])));
        // Words that are neither code nor JSON are a remark, such as "See below".
        let is_value =
            |cell: &&str| cell.starts_with('`') || serde_json::from_str::<Value>(cell).is_ok();
        field.example =
            cell(Column::Example).filter(is_value).and_then(|cell| field.parse_value(cell));
        names.into_iter().map(|name| Self { name: name.to_owned(), ..field.clone() }).collect()
    }

    /// Sets the type from its spelling in the document.
    pub(super) fn set_type(&mut self, text: &str) {
        if type_expression::is_blank(text) {
            return;
        }
        match type_expression::parse(text) {
            Some(schema) => {
                self.is_typed = true;
                self.schema = schema;
            }
            // A placeholder of the template is a missing type, not an unknown one.
            None if is_placeholder(text) => {}
            None => self.unknown_type = Some(strip_markup(text).to_owned()),
        }
    }

    /// Sets the allowed values from a list: `"a", "b"` in `string (enum: "a", "b")`. A single
    /// value, or one that is not of the type, makes it prose.
    pub(super) fn set_values(&mut self, list: &str) {
        if !self.is_typed && self.unknown_type.is_none() {
            self.set_type("string");
        }
        let values: Option<Vec<Value>> =
            list.split([',', '|']).map(|value| self.parse_value(value)).collect();
        if let Some(values) = values.filter(|values| values.len() > 1) {
            self.schema.insert("enum".to_owned(), Value::Array(values));
        }
    }

    /// Sets the default from its spelling, else from the description: in the corpus, 252 rows give
    /// their default only there.
    pub(super) fn set_default(&mut self, text: Option<&str>) {
        let Some(text) = text.map(strip_markup).filter(|text| !is_no_default(text)) else {
            if let Some(value) = self.find_described_default() {
                self.schema.insert("default".to_owned(), value);
            }
            return;
        };
        let is_null = matches!(text, "None" | "null");
        if is_null && !type_expression::admits(&self.schema, &Value::Null) {
            return;
        }
        match self.parse_value(text) {
            // A default of null adds nothing: the parameter is just omitted.
            Some(Value::Null) => {}
            Some(value) => drop(self.schema.insert("default".to_owned(), value)),
            None => self.mismatched_default = Some(text.to_owned()),
        }
    }

    /// The default in the description: `Default: 30`, `(default: "main")`, ``defaults to `x` ``.
    fn find_described_default(&self) -> Option<Value> {
        let lower = self.description.to_ascii_lowercase();
        let at = lower.find("default")? + "default".len();
        // "Default: x", "default = x", "defaults to x" and "default is x" are all in use.
        let rest = self.description.get(at..)?.trim_start_matches(['s', ':', '=', ' ']);
        let rest = rest.strip_prefix("is ").or_else(|| rest.strip_prefix("to ")).unwrap_or(rest);
        let (text, is_quoted) = match rest.chars().next()? {
            '`' => (find_code_spans(rest).first()?.text, true),
            quote @ ('"' | '\'') => {
                let end = rest[1..].find(quote)?;
                (&rest[..end + 2], true)
            }
            _ => (rest.split([' ', ')', ',', ';']).next()?.trim_end_matches('.'), false),
        };
        let value = self.parse_value(text)?;
        // An unquoted word is part of the sentence: "the default behaviour".
        (!value.is_null() && (is_quoted || !value.is_string())).then_some(value)
    }

    /// Parses a value of this field's type from JSON, from Python, or for strings from plain text.
    pub(super) fn parse_value(&self, text: &str) -> Option<Value> {
        let text = strip_markup(text);
        let parsed = serde_json::from_str(text).ok().or_else(|| parse_python(text));
        let is_string = self.schema.get("type").is_some_and(|name| name == "string");
        let plain = || {
            let is_plain = is_string && !type_expression::is_blank(text) && !text.starts_with('"');
            is_plain.then(|| Value::from(text))
        };
        let admits = |value: &Value| type_expression::admits(&self.schema, value);
        parsed.filter(admits).or_else(|| plain().filter(admits))
    }
}

/// The names in a cell: the cell itself, or the code in it before a remark; none for a cell that
/// states that there are none.
fn parse_names(cell: &str) -> Vec<&str> {
    let name = strip_markup(cell);
    let is_none = matches!(
        name.to_ascii_lowercase().as_str(),
        "" | "none" | "—" | "-" | "--" | "n/a" | "*(none)*" | "(none)" | "..."
    );
    // A cell with spaces is a sentence unless it begins with code: "`a` (new)", "`b`, `c`".
    if !is_none && !name.contains(' ') {
        vec![name]
    } else if cell.trim_start_matches('*').starts_with('`') {
        let codes = find_code_spans(cell).into_iter().map(|code| code.text);
        codes.filter(|name| is_name(name)).collect()
    } else {
        Vec::new()
    }
}

/// Words that introduce the values that a field can have.
const VALUE_LABELS: [&str; 3] = ["enum", "one of", "values"];

/// The first of the values that a part of a remark begins to list: `a` in `one of: a`.
pub(super) fn find_first_value(part: &str) -> Option<&str> {
    strip_label(part, &VALUE_LABELS)
}

/// The text after a label in the parentheses after a type: `3` in `integer (default: 3)`.
fn find_remark<'c>(cell: &'c str, labels: &[&str]) -> Option<&'c str> {
    let cell = cell.trim().trim_end_matches('`');
    let (_, remark) = cell.strip_suffix(')')?.split_once('(')?;
    strip_label(remark, labels)
}

/// The text after the label that it begins with.
fn strip_label<'t>(text: &'t str, labels: &[&str]) -> Option<&'t str> {
    let is_prefix = |label: &&&str| {
        text.get(..label.len()).is_some_and(|start| start.eq_ignore_ascii_case(label))
    };
    let label = labels.iter().find(is_prefix)?;
    let rest = text[label.len()..].strip_prefix([':', '=', ' '])?;
    Some(rest.trim_start_matches([':', '=', ' ']).trim()).filter(|rest| !rest.is_empty())
}

/// The text without the emphasis or code marks around it.
pub(super) fn strip_markup(text: &str) -> &str {
    let text = text.trim();
    let inner = text.trim_matches('*').trim();
    // Nothing but asterisks is a glob pattern.
    let text = if inner.is_empty() { text } else { inner };
    // The code must be the whole text, apart from its marks.
    match find_code_spans(text).as_slice() {
        [code] if code.range.start <= 2 && code.range.end + 2 >= text.len() => code.text,
        _ => text,
    }
}

/// Parses the Python literals that JSON does not have: constants, single quotes and tuples.
fn parse_python(text: &str) -> Option<Value> {
    match text {
        "True" => return Some(Value::Bool(true)),
        "False" => return Some(Value::Bool(false)),
        "None" => return Some(Value::Null),
        _ => {}
    }
    if let Some(inner) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        return (!inner.contains('\'')).then(|| Value::from(inner));
    }
    // A tuple becomes an array.
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    serde_json::from_str(&format!("[{inner}]")).ok()
}

/// Whether the cell of a default states that the field has no default.
fn is_no_default(text: &str) -> bool {
    let word = text.trim_matches(['(', ')', '_']).to_ascii_lowercase();
    type_expression::is_blank(text)
        || text == "none"
        || matches!(word.as_str(), "required" | "required.")
}

/// Whether a parameter is required, by its own column, else by that of defaults: in tables without
/// a column "Required", a dash for the default means that the parameter must be given.
fn parse_required(cell: Option<&str>, default: Option<&str>) -> Required {
    let Some(cell) = cell.map(|cell| strip_markup(cell).to_ascii_lowercase()) else {
        return match default.map(strip_markup) {
            Some(default) if is_no_default(default) => Required::Yes,
            Some(_) => Required::No,
            None => Required::Unspecified,
        };
    };
    match cell.trim_end_matches('.') {
        "yes" | "true" | "required" | "mandatory" | "y" | "x" | "✓" | "✔" | "✔️" | "✅" => {
            Required::Yes
        }
        "no" | "false" | "optional" | "n" | "✗" | "✘" | "❌" => Required::No,
        cell if type_expression::is_blank(cell) || is_placeholder(cell) => Required::Unspecified,
        // "No (uses the current folder)" is still a no, but "Yes (if `b` is missing)" is a
        // condition.
        cell if cell.starts_with("no") => Required::No,
        cell => Required::Conditional(cell.to_owned()),
    }
}
