//! Parses the arguments of a prompt into the variables of its template.

use std::{collections::BTreeMap, fmt, sync::Arc};

use formats::{ArgumentDefinition, PromptArguments};
use minijinja::{
    Value,
    value::{Object, ObjectRepr},
};
use serde_json::Value as Json;
use toolkit::{Arguments, closest};

/// An argument that requests the description instead of the prompt.
const HELP: &str = "--help";

/// The purpose of a request for a prompt.
pub(super) enum PromptInput {
    /// Its description.
    Help,
    /// The prompt, rendered with these variables.
    Values(Value),
}

/// The argument names of words, in order: `arg1` to `arg9`, `argA` to `argF`.
pub(super) fn placeholder_names() -> impl Iterator<Item = String> {
    ('1'..='9').chain('A'..='F').map(|digit| format!("arg{digit}"))
}

/// Parses the arguments. Fails with a message for the caller.
pub(super) fn parse(
    interface: &PromptArguments,
    arguments: &Arguments,
) -> Result<PromptInput, String> {
    // Clients put the first word that a user types into any of the arguments.
    if arguments.values().filter_map(Json::as_str).any(|word| word.trim() == HELP) {
        return Ok(PromptInput::Help);
    }
    match interface {
        PromptArguments::Named(known) => parse_named(known, arguments).map(PromptInput::Values),
        PromptArguments::CommandLine(usage) => {
            parse_words(usage, arguments).map(PromptInput::Values)
        }
    }
}

fn parse_named(known: &[ArgumentDefinition], arguments: &Arguments) -> Result<Value, String> {
    if let Some(unknown) =
        arguments.keys().find(|name| known.iter().all(|argument| argument.name != **name))
    {
        return Err(unknown_argument_error(
            unknown,
            known.iter().map(|argument| argument.name.as_str()),
        ));
    }
    let mut values = BTreeMap::new();
    for argument in known {
        // Forms of clients send an empty text for a field that was left blank.
        let given = arguments.get(&argument.name).map(to_text).filter(|text| !text.is_empty());
        let given = given.or_else(|| argument.default.clone());
        if let Some(given) = given
            .as_ref()
            .filter(|given| !argument.choices.is_empty() && !argument.choices.contains(given))
        {
            return Err(format!(
                "`{}` is `{given}` but must be one of {}",
                argument.name,
                argument.choices.join(", ")
            ));
        }
        if given.is_none() && argument.required {
            return Err(format!(
                "the prompt needs `{}`{}",
                argument.name,
                argument.description.as_ref().map_or_else(String::new, |text| format!(": {text}"))
            ));
        }
        values.insert(argument.name.clone(), Value::from(given));
    }
    Ok(Value::from(values))
}

/// Parses words and options. Words keep the order of their names; gaps between them are allowed.
fn parse_words(usage: &str, arguments: &Arguments) -> Result<Value, String> {
    let names: Vec<_> = placeholder_names().collect();
    // Some clients change the case of argument names.
    let is_known = |name: &str| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    if let Some(unknown) = arguments.keys().find(|name| !is_known(name)) {
        return Err(format!("the prompt takes words and options; it has no argument `{unknown}`"));
    }
    let given = |name: &String| {
        arguments
            .iter()
            .find(|(given, _)| given.eq_ignore_ascii_case(name))
            .map(|(_, value)| to_text(value))
    };
    let (mut words, mut options, mut options_ended) = (Vec::new(), BTreeMap::new(), false);
    for word in names.iter().filter_map(given).filter(|word| !word.is_empty()) {
        match word.strip_prefix("--") {
            // As in a shell, `--` ends the options.
            Some("") if !options_ended => options_ended = true,
            Some(option) if !options_ended => {
                let (name, value) = parse_option(option);
                options.insert(name, value);
            }
            _ => words.push(word),
        }
    }
    // `<word>` is required, `[word]` is optional.
    if words.len() < usage.split_whitespace().filter(|word| word.starts_with('<')).count() {
        return Err(format!("the prompt needs more words: {usage}"));
    }
    let joined = words.join(" ");
    Ok(
        minijinja::context! { args => words, text => joined, options => Value::from_object(Options(options)) },
    )
}

/// Parses `key=value`, `key` (true) or `no-key` (false). `-` in names becomes `_`, as templates
/// need.
fn parse_option(option: &str) -> (String, Value) {
    let name = |name: &str| name.replace('-', "_");
    match (option.split_once('='), option.strip_prefix("no-")) {
        (Some((key, value)), _) => (name(key), Value::from(value)),
        (None, Some(key)) => (name(key), Value::from(false)),
        (None, None) => (name(option), Value::from(true)),
    }
}

fn unknown_argument_error<'a>(
    unknown: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> String {
    let near = closest(unknown, known.clone()).map(|near| format!("; did you mean `{near}`?"));
    let all: Vec<_> = known.collect();
    let hint = near.unwrap_or_else(|| {
        if all.is_empty() {
            "; it takes no arguments".to_owned()
        } else {
            format!("; it takes {}", all.join(", "))
        }
    });
    format!("the prompt has no argument `{unknown}`{hint}")
}

/// Converts a value to text. The protocol has only strings here, but some clients send other types.
fn to_text(value: &Json) -> String {
    match value {
        Json::String(text) => text.trim().to_owned(),
        Json::Null => String::new(),
        other => other.to_string(),
    }
}

/// Options by name. A missing option is `none` in templates rather than undefined.
struct Options(BTreeMap<String, Value>);

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("options")
    }
}

impl Object for Options {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Map
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        // Undefined names are errors in templates, and an option that was not passed is not an
        // error.
        Some(self.0.get(key.as_str()?).cloned().unwrap_or(Value::from(())))
    }
}
