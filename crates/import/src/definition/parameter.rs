//! Options and positional arguments as JSON.

use serde_json::{Map, Value, json};

use crate::program::{Flag, Origin, Positional, Separator};

/// A key of the definition, and where its value was read.
type Facts = Vec<(&'static str, Origin)>;

/// The names of parameters on the path to a tool, which must differ.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    names: Vec<String>,
    flags: Vec<String>,
}

impl Names {
    /// The name of an option; none if a level above already has it.
    pub(super) fn claim_option(&mut self, flag: &Flag) -> Option<String> {
        let main = flag_of(flag);
        if self.flags.iter().any(|known| known == main) {
            return None;
        }
        self.flags.push(main.to_owned());
        Some(self.claim(&parameter_name(main)))
    }

    pub(super) fn claim_positional(&mut self, name: &str) -> String {
        self.claim(&parameter_name(&name.to_lowercase()))
    }

    fn claim(&mut self, name: &str) -> String {
        let is_free = |name: &String| !self.names.contains(name) && name != "working_directory";
        let candidates =
            std::iter::once(name.to_owned()).chain((2..).map(|n| format!("{name}-{n}")));
        let free = candidates.into_iter().find(is_free).unwrap_or_default();
        self.names.push(free.clone());
        free
    }
}

/// The flag that is written on the command line.
pub(super) fn flag_of(flag: &Flag) -> &str {
    flag.main_name()
}

/// A name that clients accept for a parameter: the flag without dashes, with words for other characters.
fn parameter_name(flag: &str) -> String {
    let mut name = String::new();
    for c in flag.trim_start_matches('-').chars() {
        match c {
            c if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') => name.push(c),
            '#' => name.push_str("hash"),
            '?' => name.push_str("question"),
            '+' => name.push_str("plus-"),
            '@' => name.push_str("at"),
            _ => name.push('-'),
        }
    }
    let name = name.trim_matches('-').to_owned();
    if name.is_empty() { "value".to_owned() } else { name.chars().take(64).collect() }
}

/// What a value is.
struct ValueType {
    name: &'static str,
    is_path: bool,
}

pub(super) fn write_flag(flag: &Flag, name: &str) -> (Value, Facts) {
    let mut json = Map::new();
    let mut facts: Facts = vec![("type", flag.origin.clone())];
    let main = flag_of(flag);
    json.insert("name".to_owned(), name.into());
    let derived = if name.chars().count() == 1 { format!("-{name}") } else { format!("--{name}") };
    if main != derived {
        json.insert("flag".to_owned(), main.into());
    }
    let text = flag.description.as_ref().map(|fact| fact.value.clone()).unwrap_or_default();
    match &flag.value {
        None => {
            json.insert("type".to_owned(), "boolean".into());
        }
        Some(value) => {
            let default = flag.default.as_ref().map(|fact| fact.value.as_str());
            let found = find_type(&value.name, &text, default);
            let mut item = Map::new();
            item.insert("type".to_owned(), found.name.into());
            if found.is_path {
                item.insert("format".to_owned(), "path".into());
            }
            if let Some(choices) = &flag.choices {
                item.insert("type".to_owned(), "string".into());
                item.remove("format");
                item.insert("enum".to_owned(), json!(distinct(&choices.value)));
                facts.push(("enum", choices.origin.clone()));
            }
            if flag.repeats.is_some() {
                json.insert("type".to_owned(), "array".into());
                json.insert("items".to_owned(), Value::Object(item));
            } else {
                json.extend(item);
            }
            let separator = match value.separator {
                Separator::Equals if main.starts_with("--") || value.is_optional => Some("="),
                Separator::Nothing if main.starts_with("--") => Some("="),
                Separator::Nothing => Some("none"),
                // An optional value must be attached, or the program takes it for an argument.
                Separator::Space if value.is_optional && main.starts_with("--") => Some("="),
                Separator::Space | Separator::Equals => None,
            };
            if let Some(separator) = separator {
                json.insert("separator".to_owned(), separator.into());
            }
            if is_secret(main) {
                json.insert("secret".to_owned(), true.into());
            }
        }
    }
    if let (None, Some(negation)) = (&flag.value, &flag.negation) {
        json.insert("negate".to_owned(), negation.as_str().into());
        facts.push(("negate", flag.origin.clone()));
    }
    if let Some(required) = &flag.required {
        json.insert("required".to_owned(), true.into());
        facts.push(("required", required.origin.clone()));
    }
    if let Some(repeats) = flag.repeats.as_ref().filter(|_| flag.value.is_some()) {
        facts.push(("items", repeats.origin.clone()));
    }
    if let Some(default) = &flag.default {
        facts.push(("default", default.origin.clone()));
    }
    let optional = flag.value.as_ref().is_some_and(|value| value.is_optional);
    let text =
        complete_text(&text, flag.default.as_ref().map(|fact| fact.value.as_str()), optional);
    if !text.is_empty() {
        json.insert("description".to_owned(), text.into());
        if let Some(description) = &flag.description {
            facts.push(("description", description.origin.clone()));
        }
    }
    (Value::Object(json), facts)
}

/// The text of an option. A default is described rather than declared: a declared one would be passed to
/// the program in every call, and some programs act differently on an explicit value.
fn complete_text(text: &str, default: Option<&str>, is_optional: bool) -> String {
    let mut text = text.trim().to_owned();
    if let Some(default) = default.filter(|default| !default.is_empty() && !text.contains(default))
    {
        text = format!("{text} [default: {default}]").trim().to_owned();
    }
    if is_optional && !text.is_empty() {
        text.push_str(" (the program also accepts the option without a value)");
    }
    text
}

pub(super) fn write_positional(positional: &Positional, name: &str) -> (Value, Facts) {
    let mut json = Map::new();
    let mut facts: Facts = vec![("type", positional.origin.clone())];
    json.insert("name".to_owned(), name.into());
    let text = positional.description.as_ref().map(|fact| fact.value.clone()).unwrap_or_default();
    let found = find_type(&positional.name, &text, None);
    let mut item = Map::new();
    item.insert("type".to_owned(), found.name.into());
    if found.is_path {
        item.insert("format".to_owned(), "path".into());
    }
    if let Some(choices) = &positional.choices {
        item.insert("enum".to_owned(), json!(distinct(&choices.value)));
        facts.push(("enum", choices.origin.clone()));
    }
    if positional.repeats {
        json.insert("type".to_owned(), "array".into());
        json.insert("items".to_owned(), Value::Object(item));
        facts.push(("items", positional.origin.clone()));
    } else {
        json.extend(item);
    }
    if positional.is_required {
        json.insert("required".to_owned(), true.into());
        facts.push(("required", positional.origin.clone()));
    }
    let described =
        if text.trim().is_empty() { format!("The argument `{}`", positional.name) } else { text };
    json.insert("description".to_owned(), described.trim().into());
    if let Some(description) = &positional.description {
        facts.push(("description", description.origin.clone()));
    }
    (Value::Object(json), facts)
}

fn distinct(values: &[String]) -> Vec<&String> {
    let mut kept: Vec<&String> = Vec::new();
    for value in values {
        if !kept.contains(&value) {
            kept.push(value);
        }
    }
    kept
}

/// The type that a placeholder names.
fn find_type(placeholder: &str, text: &str, default: Option<&str>) -> ValueType {
    const INTEGER: [&str; 12] = [
        "int",
        "integer",
        "uint",
        "int32",
        "int64",
        "uint32",
        "uint64",
        "port",
        "integer range",
        "uint16",
        "int8",
        "uint8",
    ];
    const NUMBER: [&str; 6] = ["float", "number", "float64", "float32", "float range", "double"];
    const COUNT: [&str; 6] = ["num", "n", "count", "seconds", "secs", "jobs"];
    const PATH: [&str; 10] = [
        "file",
        "path",
        "dir",
        "directory",
        "filename",
        "folder",
        "filepath",
        "files",
        "paths",
        "filepath",
    ];
    let lower = placeholder.trim_matches(['<', '>', '[', ']', '.', '…']).to_lowercase();
    let plain = |name| ValueType { name, is_path: false };
    let is_integer =
        |default: Option<&str>| default.is_none_or(|default| default.parse::<i64>().is_ok());
    if INTEGER.contains(&lower.as_str()) && is_integer(default) {
        return plain("integer");
    }
    if NUMBER.contains(&lower.as_str())
        && default.is_none_or(|default| default.parse::<f64>().is_ok())
    {
        return plain("number");
    }
    // Sizes such as `10M` and words such as `auto` are often accepted, so a default has to confirm it.
    if COUNT.contains(&lower.as_str()) && default.is_some() && is_integer(default) {
        return plain("integer");
    }
    let last = lower.rsplit(['_', '-']).next().unwrap_or_default();
    let text = text.to_lowercase();
    let is_other = [
        "url",
        "pattern",
        "standard input",
        "stdin",
        "stdout",
        "standard output",
        "`-`",
        "'-'",
        "\"-\"",
        "glob",
        "regex",
    ];
    let is_path = (PATH.contains(&lower.as_str()) || PATH.contains(&last))
        && !is_other.iter().any(|word| text.contains(word));
    ValueType { name: "string", is_path }
}

/// Whether the value of an option must not be logged.
fn is_secret(flag: &str) -> bool {
    let words: Vec<&str> = flag.trim_start_matches('-').split(['-', '_']).collect();
    let is = |word: &str| words.contains(&word);
    let is_file = is("file") || is("path") || is("url") || is("name") || is("id");
    (is("password")
        || is("passphrase")
        || is("token")
        || is("secret")
        || is("apikey")
        || is("api") && is("key"))
        && !is_file
}
