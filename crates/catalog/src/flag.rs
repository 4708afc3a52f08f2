//! Flags: valid names and values.
//!
//! Storage and precedence of flags are decided by the callers.

use std::{collections::BTreeMap, fmt};

use serde::Serialize;
use serde_json::{Value, json};

use crate::arguments::type_name;

/// The maximum length of a name, in characters.
pub const LONGEST_NAME: usize = 100;
/// The maximum size of a value, in bytes of JSON.
const LARGEST_VALUE: usize = 64 << 10;

/// Words that some programs accept as booleans. Here they are plain texts, which `check` warns
/// about.
const BOOLEAN_WORDS: [&str; 12] = [
    "true", "on", "yes", "enabled", "enable", "1", "false", "off", "no", "disabled", "disable", "0",
];

/// Flags by name.
pub type FlagValues = BTreeMap<FlagName, FlagValue>;

/// The name of a flag: 1 to 100 letters and digits of any script, `_`, `-` and `.`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct FlagName(String);

/// The value of a flag: true or false, a text, a list of texts, or a map of texts and lists of
/// texts.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct FlagValue(Value);

/// Why a name or a value is rejected: every problem, one per item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlagError(pub Vec<String>);

impl FlagName {
    /// Validates a name.
    pub fn new(name: impl Into<String>) -> Result<Self, FlagError> {
        let name = name.into();
        let is_allowed = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let why = match (name.chars().count(), name.chars().find(|c| !is_allowed(*c))) {
            (0, _) => "it is empty".to_owned(),
            (length, _) if length > LONGEST_NAME => {
                format!("it has {length} characters, more than {LONGEST_NAME}")
            }
            (_, Some(c)) => format!("{c:?} is not allowed"),
            (_, None) => return Ok(Self(name)),
        };
        let shown: String = name.chars().take(LONGEST_NAME).collect();
        let hint = "use letters, digits, `_`, `-` and `.`";
        Err(FlagError(vec![format!(
            "`{}` is not a valid flag name: {why}; {hint}",
            shown.escape_debug()
        )]))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FlagValue {
    /// Validates a value.
    pub fn new(value: Value) -> Result<Self, FlagError> {
        let mut problems = Vec::new();
        match &value {
            Value::Bool(_) | Value::String(_) => {}
            Value::Array(items) => check_texts("", items, &mut problems),
            Value::Object(members) => members.iter().for_each(|(key, member)| match member {
                Value::String(_) => {}
                Value::Array(items) => check_texts(&format!(".{key}"), items, &mut problems),
                other => problems.push(format!(
                    "`{key}` is {}, not a text or a list of texts",
                    type_with_article(other)
                )),
            }),
            other => {
                problems.push(format!("it is {}{}", type_with_article(other), suggest_value(other)))
            }
        }
        let size = value.to_string().len();
        if size > LARGEST_VALUE {
            problems.push(format!("it has {size} bytes, more than {LARGEST_VALUE}"));
        }
        if problems.is_empty() {
            return Ok(Self(value));
        }
        let problems = problems.into_iter().map(|problem| format!("invalid flag value: {problem}"));
        Err(FlagError(problems.collect()))
    }

    /// The value as JSON.
    pub fn json(&self) -> &Value {
        &self.0
    }

    /// Converts the value into JSON.
    pub fn into_json(self) -> Value {
        self.0
    }

    /// Whether it is a text that some programs would read as a boolean.
    pub fn is_boolean_word(&self) -> bool {
        self.0.as_str().is_some_and(|text| {
            BOOLEAN_WORDS.iter().any(|word| word.eq_ignore_ascii_case(text.trim()))
        })
    }
}

impl From<bool> for FlagValue {
    fn from(value: bool) -> Self {
        Self(Value::Bool(value))
    }
}

/// The JSON Schema of a flag value.
pub fn value_schema() -> Value {
    let texts = json!({"type": "string"});
    json!({
        "type": ["boolean", "string", "array", "object"],
        "items": texts,
        "additionalProperties": {"type": ["string", "array"], "items": texts},
    })
}

fn check_texts(path: &str, items: &[Value], problems: &mut Vec<String>) {
    for (index, item) in items.iter().enumerate().filter(|(_, item)| !item.is_string()) {
        let path = path.trim_start_matches('.');
        problems.push(format!("`{path}[{index}]` is {}, not a text", type_with_article(item)));
    }
}

fn type_with_article(value: &Value) -> String {
    match type_name(value) {
        "null" => "null".to_owned(),
        name @ ("integer" | "array" | "object") => format!("an {name}"),
        name => format!("a {name}"),
    }
}

/// The suggestion for an unsupported value.
fn suggest_value(value: &Value) -> String {
    match value {
        Value::Number(number) => format!("; write it as the text \"{number}\""),
        _ => "; use true, false, a text, a list of texts or a map of texts".to_owned(),
    }
}

impl fmt::Display for FlagName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for FlagError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for FlagError {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{FlagName, FlagValue, value_schema};
    use crate::{Schema, arguments};

    #[test]
    fn names_consist_of_letters_digits_and_three_symbols() {
        for good in ["a", "content-format", "größe.v2", "名前", "_x", &"x".repeat(100)] {
            assert!(FlagName::new(good).is_ok(), "{good}");
        }
        for (bad, why) in
            [("", "empty"), ("a b", "' '"), ("a/b", "'/'"), ("a\n", "'\\n'"), ("🚩", "'🚩'")]
        {
            let error = FlagName::new(bad).expect_err(bad).to_string();
            assert!(error.contains(why), "{error}");
        }
        assert!(FlagName::new("x".repeat(101)).is_err());
    }

    #[test]
    fn the_schema_and_the_check_agree() {
        let schema = json!({"type": "object", "properties": {"value": value_schema()}});
        let schema = Schema::new(schema.as_object().expect("an object").clone());
        let good = [
            json!(true),
            json!("on"),
            json!([]),
            json!(["a", "b"]),
            json!({"a": "b", "c": ["d"]}),
            json!({}),
        ];
        let bad = [
            json!(1),
            json!(1.5),
            json!(null),
            json!(["a", 1]),
            json!([["a"]]),
            json!({"a": true}),
            json!({"a": ["b", {}]}),
        ];
        for (values, expected) in [(good.as_slice(), true), (bad.as_slice(), false)] {
            for value in values {
                assert_eq!(FlagValue::new(value.clone()).is_ok(), expected, "{value}");
                let errors =
                    arguments::validate(&schema, &json!({"value": value})).expect("a schema");
                assert_eq!(errors.is_empty(), expected, "{value}");
            }
        }
    }

    #[test]
    fn reports_every_problem_of_a_value() {
        let problems = FlagValue::new(json!({"a": 1, "b": ["x", 2, 3], "c": "fine"}))
            .expect_err("three problems")
            .0;
        assert_eq!(problems.len(), 3, "{problems:?}");
        assert!(problems[1].ends_with("`b[1]` is an integer, not a text"), "{problems:?}");
        let number = FlagValue::new(json!(5)).expect_err("a number").to_string();
        assert!(number.ends_with("it is an integer; write it as the text \"5\""), "{number}");
        assert!(FlagValue::new(json!("x".repeat(70_000))).is_err());
    }
}
