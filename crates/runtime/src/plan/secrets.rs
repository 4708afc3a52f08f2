//! Keeps the values of secret arguments out of plans that are shown or recorded.
//!
//! They are masked by parameter: the plan is made a second time with a placeholder for each secret.
//! Searching the plan for their text would hide whatever else has the same text, such as the target of
//! a call.

use std::path::Path;

use catalog::{REDACTED, Tool};
use process::{AccessNeeds, Command, Word};
use serde_json::Value;
use toolkit::Arguments;

use crate::Settings;

/// The arguments of a call with a placeholder for each secret; `None` if none is secret.
pub(super) fn mask(tool: &Tool, arguments: &Arguments) -> Option<Arguments> {
    arguments.keys().any(|name| tool.is_secret(name)).then(|| {
        let mask = |(name, value): (&String, &Value)| {
            let value = if tool.is_secret(name) { placeholder(value) } else { value.clone() };
            (name.clone(), value)
        };
        arguments.iter().map(mask).collect()
    })
}

/// A placeholder of the same shape, so that it reaches the program in the same way.
fn placeholder(value: &Value) -> Value {
    match value {
        Value::Null => Value::Null,
        Value::Object(members) => {
            members.keys().map(|name| (name.clone(), Value::from(REDACTED))).collect()
        }
        Value::Array(items) => items.iter().map(placeholder).collect(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => REDACTED.into(),
    }
}

/// A command of which only the program is shown, for secrets that no placeholder can stand for. What the
/// operator chose stays: variables, and the paths that no argument names.
pub(super) fn hide(settings: &Settings, command: &Command) -> Command {
    let hidden = || REDACTED.to_owned();
    let files = command.files.iter().map(|(name, _)| (name.clone(), hidden()));
    let variables = command.env.iter().map(|variable| {
        let is_chosen = settings.environment.contains(variable);
        if is_chosen { variable.clone() } else { (variable.0.clone(), hidden()) }
    });
    let mut sandbox = command.sandbox.clone();
    let needs = AccessNeeds { is_read_only: false, network: Default::default() };
    let chosen = settings.access().sandbox(Path::new(&command.program), needs);
    for paths in [&mut sandbox.read, &mut sandbox.write] {
        paths.retain(|path| chosen.read.contains(path) || chosen.write.contains(path));
    }
    Command {
        argv: command.argv.first().cloned().into_iter().chain([Word::Text(hidden())]).collect(),
        cwd: hidden(),
        stdin: command.stdin.as_ref().map(|_| hidden()),
        files: files.collect(),
        env: variables.collect(),
        sandbox,
        ..command.clone()
    }
}
