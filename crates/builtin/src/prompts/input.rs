//! What a person wrote after the name of a prompt, as what its template knows.

use std::{collections::BTreeMap, fmt, sync::Arc};

use formats::{ArgumentDefinition, Interface};
use minijinja::{
    Value,
    value::{Object, ObjectRepr},
};
use serde_json::Value as Json;
use toolkit::{Arguments, closest};

/// What asks for an explanation instead of the prompt.
const HELP: &str = "--help";

/// What a person asked for.
pub(super) enum PromptInput {
    /// An explanation.
    Help,
    /// The prompt, with these values.
    Values(Value),
}

/// The names under which clients pass words, in their order: `arg1` to `arg9`, `argA` to `argF`.
pub(super) fn hidden_names() -> impl Iterator<Item = String> {
    ('1'..='9').chain('A'..='F').map(|digit| format!("arg{digit}"))
}

/// Reads what was given; what is wrong with it in words.
pub(super) fn read(interface: &Interface, arguments: &Arguments) -> Result<PromptInput, String> {
    if arguments.values().filter_map(Json::as_str).any(|word| word.trim() == HELP) {
        return Ok(PromptInput::Help);
    }
    match interface {
        Interface::Named(known) => named(known, arguments).map(PromptInput::Values),
        Interface::Words(wanted) => words(wanted, arguments).map(PromptInput::Values),
    }
}

fn named(known: &[ArgumentDefinition], arguments: &Arguments) -> Result<Value, String> {
    if let Some(unknown) =
        arguments.keys().find(|name| known.iter().all(|argument| argument.name != **name))
    {
        return Err(unexpected(unknown, known.iter().map(|argument| argument.name.as_str())));
    }
    let mut values = BTreeMap::new();
    for argument in known {
        let given = arguments.get(&argument.name).map(text).filter(|text| !text.is_empty());
        let given = given.or_else(|| argument.default.clone());
        if let Some(given) = given
            .as_ref()
            .filter(|given| !argument.choices.is_empty() && !argument.choices.contains(given))
        {
            return Err(format!(
                "`{}` is `{given}`, and must be one of {}",
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

/// Words in the order of their names, however many are left out between them, and the options among them.
fn words(wanted: &str, arguments: &Arguments) -> Result<Value, String> {
    let names: Vec<_> = hidden_names().collect();
    let is_known = |name: &str| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    if let Some(unknown) = arguments.keys().find(|name| !is_known(name)) {
        return Err(format!("the prompt takes words and options, and no argument `{unknown}`"));
    }
    let given = |name: &String| {
        arguments
            .iter()
            .find(|(given, _)| given.eq_ignore_ascii_case(name))
            .map(|(_, value)| text(value))
    };
    let (mut words, mut options, mut is_over) = (Vec::new(), BTreeMap::new(), false);
    for word in names.iter().filter_map(given).filter(|word| !word.is_empty()) {
        match word.strip_prefix("--") {
            Some("") if !is_over => is_over = true,
            Some(option) if !is_over => {
                let (name, value) = read_option(option);
                options.insert(name, value);
            }
            _ => words.push(word),
        }
    }
    // What stands in `<>` must be there, what stands in `[]` may.
    if words.len() < wanted.split_whitespace().filter(|word| word.starts_with('<')).count() {
        return Err(format!("the prompt needs more words: {wanted}"));
    }
    let joined = words.join(" ");
    Ok(
        minijinja::context! { args => words, text => joined, options => Value::from_object(Options(options)) },
    )
}

/// `key=value`, `key` for true, `no-key` for false. Templates write `_` for `-` in names.
fn read_option(option: &str) -> (String, Value) {
    let name = |name: &str| name.replace('-', "_");
    match (option.split_once('='), option.strip_prefix("no-")) {
        (Some((key, value)), _) => (name(key), Value::from(value)),
        (None, Some(key)) => (name(key), Value::from(false)),
        (None, None) => (name(option), Value::from(true)),
    }
}

fn unexpected<'a>(unknown: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let near = closest(unknown, known.clone()).map(|near| format!("; did you mean `{near}`?"));
    let all: Vec<_> = known.collect();
    let hint = near.unwrap_or_else(|| {
        if all.is_empty() {
            "; it takes none".to_owned()
        } else {
            format!("; it takes {}", all.join(", "))
        }
    });
    format!("the prompt has no argument `{unknown}`{hint}")
}

/// A value as text: clients pass texts, some pass what they mean.
fn text(value: &Json) -> String {
    match value {
        Json::String(text) => text.trim().to_owned(),
        Json::Null => String::new(),
        other => other.to_string(),
    }
}

/// Options by name. One that was not given is none, not undefined.
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
        Some(self.0.get(key.as_str()?).cloned().unwrap_or(Value::from(())))
    }
}
