//! How a call of a tool is carried out, in the notation of manual pages: `[…]` is optional and
//! `...` repeats.

use catalog::{
    Implementation, Tool,
    implementation::{
        Binding, Items, PassBy, Piece, Process, PythonFunction, RFunction, Separator, Step,
    },
};
use serde_json::Value;

/// The command line, the function call or the steps of a sequence; empty for native tools and for
/// tools without an implementation.
pub(crate) fn render_invocation(tool: &Tool) -> Vec<String> {
    match &tool.implementation {
        Implementation::Process(process) => vec![render_command_line(tool, process)],
        Implementation::Sequence(sequence) => {
            let steps = sequence.steps.iter().enumerate();
            steps.map(|(index, step)| render_step(index + 1, step)).collect()
        }
        Implementation::R(function) => vec![render_r_call(function)],
        Implementation::Python(function) => vec![render_python_call(tool, function)],
        Implementation::Tool(name) => vec![format!("the tool {name}")],
        _ => Vec::new(),
    }
}

/// Quotes a word for a POSIX shell, if necessary.
pub(crate) fn shell_quote(word: &str) -> String {
    // `shlex` also quotes `=`, `,` and `%`, which are literal inside a word: `--level=3` stays
    // readable.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=,+@%".contains(c);
    let starts_plain = !word.starts_with(['=', '%']);
    if !word.is_empty() && starts_plain && word.chars().all(is_plain) {
        return word.to_owned();
    }
    // No argument can contain a NUL. A definition that has one is still quoted, so that the rest of
    // the word cannot be taken for another command.
    let quoted = shlex::Quoter::new().allow_nul(true).quote(word);
    quoted.expect("only a NUL cannot be quoted, and it is allowed").into_owned()
}

/// Three colons, because the function need not be exported.
fn render_r_call(function: &RFunction) -> String {
    let formals: Vec<_> = function.formals.iter().map(|formal| formal.parameter.as_str()).collect();
    format!("{}:::{}({})", function.package, function.function, formals.join(", "))
}

fn render_python_call(tool: &Tool, function: &PythonFunction) -> String {
    let arguments: Vec<_> = tool.input.properties().map(|(name, _)| format!("{name}=…")).collect();
    format!("{}.{}({})", function.module, function.function, arguments.join(", "))
}

/// As in a shell, variables precede the program and standard input follows it.
fn render_command_line(tool: &Tool, process: &Process) -> String {
    let (mut variables, mut input) = (Vec::new(), Vec::new());
    let mut words = vec![shell_quote(&process.program)];
    for piece in &process.pieces {
        match piece {
            Piece::Word(word) => words.push(shell_quote(word)),
            Piece::DoubleDash => words.push("[--]".to_owned()),
            Piece::Json => input.push("< <arguments as JSON>".to_owned()),
            Piece::Parameter(binding) => {
                let name = &binding.parameter;
                let optional = |text| bracket_optional(tool, binding, text);
                match &binding.pass_by {
                    PassBy::Env(variable) => {
                        variables.push(optional(format!("{variable}=<{name}>")));
                    }
                    PassBy::Variables => variables.push(optional(format!("<{name}>"))),
                    PassBy::Stdin => input.push(optional(format!("< <{name}>"))),
                    PassBy::Folder => {}
                    PassBy::Argument | PassBy::File | PassBy::FileIfMultiline(_) => {
                        words.push(render_argument(tool, binding));
                    }
                }
            }
        }
    }
    variables.into_iter().chain(words).chain(input).collect::<Vec<_>>().join(" ")
}

fn render_argument(tool: &Tool, binding: &Binding) -> String {
    let schema = tool.input.property(&binding.parameter);
    let value_type = schema.and_then(|schema| schema.get("type")).and_then(Value::as_str);
    if let (Some("boolean"), Some(flag)) = (value_type, &binding.flag) {
        let negated = binding.negate.as_ref().map(|negate| format!(" | {negate}"));
        return format!("[{flag}{}]", negated.unwrap_or_default());
    }
    let repeats = matches!(
        (value_type, &binding.items),
        (Some("array"), Items::Each) | (_, Items::Pairs { join: None, .. })
    );
    let is_array = value_type == Some("array");
    let name = &binding.parameter;
    let value = match (&binding.pass_by, &binding.items) {
        (PassBy::File, _) => format!("<file of {name}>"),
        (_, Items::Joined(separator)) if is_array => format!("<{name}>[{separator}...]"),
        (_, Items::Pairs { separator, join }) => {
            let more = join.as_ref().map(|join| format!("[{join}...]"));
            format!("<name>{separator}<{name}>{}", more.unwrap_or_default())
        }
        _ => format!("<{name}>"),
    };
    let argument = match (&binding.flag, &binding.separator) {
        (None, _) => value,
        (Some(flag), Separator::Space) => format!("{flag} {value}"),
        (Some(flag), Separator::Equals) => format!("{flag}={value}"),
        (Some(flag), Separator::Nothing) => format!("{flag}{value}"),
    };
    if !repeats {
        bracket_optional(tool, binding, argument)
    } else if binding.flag.is_some() && is_required(tool, binding) {
        format!("{argument} [{argument}]...")
    } else {
        format!("{}...", bracket_optional(tool, binding, argument))
    }
}

fn bracket_optional(tool: &Tool, binding: &Binding, text: String) -> String {
    if is_required(tool, binding) { text } else { format!("[{text}]") }
}

fn is_required(tool: &Tool, binding: &Binding) -> bool {
    tool.input.required().any(|name| name == binding.parameter)
}

fn render_step(number: usize, step: &Step) -> String {
    let has_arguments = step.arguments.as_object().is_some_and(|object| !object.is_empty());
    let arguments = if has_arguments { format!(" {}", step.arguments) } else { String::new() };
    let unless = step.skip_if_exists.as_ref().map(|file| format!(", unless {file} exists"));
    let only_if = step.skip_if_missing.as_ref().map(|file| format!(", if {file} exists"));
    let conditions: String = unless.into_iter().chain(only_if).collect();
    format!("{number}. {}{arguments}{conditions}", step.tool)
}
