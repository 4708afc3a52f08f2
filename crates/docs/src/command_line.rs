//! What a tool becomes when it is called, in the notation of manual pages: `[…]` may be absent and
//! `...` repeats.

use catalog::{
    Implementation, Tool,
    implementation::{
        Binding, Items, PassBy, Piece, Process, PythonFunction, RFunction, Separator, Step,
    },
};
use serde_json::Value;

/// The command line, or the steps of a sequence; nothing for a tool without a program of its own.
pub(crate) fn lines(tool: &Tool) -> Vec<String> {
    match &tool.implementation {
        Implementation::Process(process) => vec![command_line(tool, process)],
        Implementation::Sequence(sequence) => {
            sequence.steps.iter().enumerate().map(|(index, of)| step(index + 1, of)).collect()
        }
        Implementation::R(function) => vec![r_call(function)],
        Implementation::Python(function) => vec![python_call(tool, function)],
        Implementation::Tool(other) => vec![format!("the tool {other}")],
        _ => Vec::new(),
    }
}

/// The call as R shows it; what is not exported is reached by three colons, which reach the rest, too.
fn r_call(function: &RFunction) -> String {
    let formals: Vec<_> = function.formals.iter().map(|formal| formal.parameter.as_str()).collect();
    format!("{}:::{}({})", function.package, function.function, formals.join(", "))
}

/// The call as Python shows it.
fn python_call(tool: &Tool, function: &PythonFunction) -> String {
    let arguments: Vec<_> = tool.input.properties().map(|(name, _)| format!("{name}=…")).collect();
    format!("{}.{}({})", function.module, function.function, arguments.join(", "))
}

/// A word as a POSIX shell takes it, in quotes where it needs them.
pub(crate) fn quoted(word: &str) -> String {
    // `shlex` would also quote characters such as `=`, which are literal inside of a word.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        shlex::try_quote(word).map_or_else(|_| word.to_owned(), Into::into)
    }
}

/// Environment stands before the program and standard input behind it, as in a shell.
fn command_line(tool: &Tool, process: &Process) -> String {
    let (mut before, mut behind) = (Vec::new(), Vec::new());
    let mut words = vec![quoted(&process.program)];
    for piece in &process.pieces {
        match piece {
            Piece::Word(word) => words.push(quoted(word)),
            Piece::DoubleDash => words.push("[--]".to_owned()),
            Piece::Json => behind.push("< <arguments as JSON>".to_owned()),
            Piece::Parameter(binding) => match &binding.pass_by {
                PassBy::Env(variable) => before.push(optional(
                    tool,
                    binding,
                    format!("{variable}=<{}>", binding.parameter),
                )),
                PassBy::Variables => {
                    before.push(optional(tool, binding, format!("<{}>", binding.parameter)))
                }
                PassBy::Stdin => {
                    behind.push(optional(tool, binding, format!("< <{}>", binding.parameter)))
                }
                PassBy::Folder => {}
                PassBy::Argument | PassBy::File | PassBy::FileIfMultiline(_) => {
                    words.push(argument(tool, binding))
                }
            },
        }
    }
    before.into_iter().chain(words).chain(behind).collect::<Vec<_>>().join(" ")
}

fn argument(tool: &Tool, binding: &Binding) -> String {
    let kind = tool
        .input
        .property(&binding.parameter)
        .and_then(|schema| schema.get("type"))
        .and_then(Value::as_str);
    if let (Some("boolean"), Some(flag)) = (kind, &binding.flag) {
        let negate =
            binding.negate.as_ref().map(|negate| format!(" | {negate}")).unwrap_or_default();
        return format!("[{flag}{negate}]");
    }
    let value = match (&binding.pass_by, &binding.items) {
        (PassBy::File, _) => format!("<file of {}>", binding.parameter),
        (_, Items::Joined(by)) if kind == Some("array") => {
            format!("<{}>[{by}...]", binding.parameter)
        }
        _ => format!("<{}>", binding.parameter),
    };
    let whole = match (&binding.flag, &binding.separator) {
        (None, _) => value,
        (Some(flag), Separator::Space) => format!("{flag} {value}"),
        (Some(flag), Separator::Equals) => format!("{flag}={value}"),
        (Some(flag), Separator::Nothing) => format!("{flag}{value}"),
    };
    let repeats = kind == Some("array") && binding.items == Items::Each;
    match repeats {
        true if binding.flag.is_some() && is_required(tool, binding) => {
            format!("{whole} [{whole}]...")
        }
        true => format!("{}...", optional(tool, binding, whole)),
        false => optional(tool, binding, whole),
    }
}

fn optional(tool: &Tool, binding: &Binding, whole: String) -> String {
    if is_required(tool, binding) { whole } else { format!("[{whole}]") }
}

fn is_required(tool: &Tool, binding: &Binding) -> bool {
    tool.input.required().any(|name| name == binding.parameter)
}

fn step(number: usize, step: &Step) -> String {
    let is_empty = step.arguments.as_object().is_none_or(serde_json::Map::is_empty);
    let arguments = if is_empty { String::new() } else { format!(" {}", step.arguments) };
    let exists = step
        .skip_if_exists
        .as_ref()
        .map(|file| format!(", unless {file} exists"))
        .unwrap_or_default();
    let missing =
        step.skip_if_missing.as_ref().map(|file| format!(", if {file} exists")).unwrap_or_default();
    format!("{number}. {}{arguments}{exists}{missing}", step.tool)
}
