//! Writes tools as a tree of subcommands, or as one tool with a JSON Schema. The result may lose
//! information: `files` reads it back and compares.

mod files;
mod parameters;

use catalog::{
    Concurrency, Implementation, Mode, Tool,
    implementation::{PassBy, Piece},
};
use serde_json::{Map, Value, json};

pub(super) use self::files::write_files;
use self::parameters::{write_argv, write_parameters};
use super::binding::FOLDER;
use crate::{comparison::describe, constraints};

/// Whether a definition names the program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Program {
    Named,
    Unnamed,
}

/// Writes all tools, whose names begin with `root`, as one tree; none if a tree cannot express
/// them.
fn write_tree(root: &str, tools: &[&Tool], program: Program) -> Option<Map<String, Value>> {
    let mut leaves = Vec::new();
    let mut command: Option<Vec<String>> = None;
    for tool in tools {
        let rest = tool.name.strip_prefix(root)?.trim_start_matches('_');
        let words = fixed_words(tool).filter(|_| program == Program::Named);
        let mut leaf = write_leaf(tool)?;
        let path = match words {
            Some(words) => {
                let (own, path, fixed) = split_words(rest, &words);
                if command.get_or_insert_with(|| own.to_vec()) != own {
                    return None;
                }
                leaf.extend(write_fixed_args(fixed));
                path
            }
            None => vec![if rest.is_empty() { "default" } else { rest }.to_owned()],
        };
        leaves.push((path, leaf));
    }
    let about = match tools {
        // The root needs a description, although only leaves are served.
        [only] => describe(only),
        several => format!("{} tools of `{root}`", several.len()),
    };
    let mut definition = new_definition(root, &about);
    definition.extend(command.map(|words| ("command".to_owned(), Value::from(words.join(" ")))));
    let mut children = Vec::new();
    leaves.into_iter().for_each(|(path, leaf)| insert_leaf(&mut children, &path, leaf));
    definition.insert("subcommand".to_owned(), Value::Array(children));
    Some(definition)
}

/// Writes one tool with its schema unchanged.
fn write_schema_tool(tool: &Tool, program: Program) -> Map<String, Value> {
    let mut definition = new_definition(&tool.name, &describe(tool));
    if let Some(words) = fixed_words(tool).filter(|_| program == Program::Named) {
        let (command, fixed) = words.split_at(count_command_words(&words));
        definition.insert("command".to_owned(), command.join(" ").into());
        definition.extend(write_fixed_args(fixed));
    }
    definition.extend(write_settings(tool));
    definition
        .insert("inputSchema".to_owned(), Value::Object(tool.input.object().as_ref().clone()));
    let argv = write_argv(tool);
    if !argv.is_empty() {
        definition.insert("argv".to_owned(), Value::Object(argv));
    }
    definition.extend(write_order(pieces(tool)));
    definition
}

/// A definition must have a description; a tool without one is described by its name.
fn new_definition(name: &str, about: &str) -> Map<String, Value> {
    let about = if about.is_empty() { name } else { about };
    Map::from_iter([("name".to_owned(), name.into()), ("description".to_owned(), about.into())])
}

/// The program and the fixed words before the first parameter.
fn fixed_words(tool: &Tool) -> Option<Vec<String>> {
    let Implementation::Process(process) = &tool.implementation else {
        return None;
    };
    let fixed = process.pieces.iter().map_while(|piece| match piece {
        Piece::Word(word) => Some(word.clone()),
        Piece::Parameter(_) | Piece::DoubleDash | Piece::Json => None,
    });
    Some(std::iter::once(process.program.clone()).chain(fixed).collect())
}

/// Splits the fixed words of a command line into those of `command`, the names of the nodes from
/// the root to a leaf, and its `fixed_args`. The path consists of the words that make up the rest
/// of the tool's name, so that the tree looks like the command.
fn split_words<'w>(rest: &str, words: &'w [String]) -> (&'w [String], Vec<String>, &'w [String]) {
    let spans = (1..words.len())
        .flat_map(|start| (start + 1..=words.len()).map(move |end| (start, end)).rev());
    let mut spans = spans.filter(|(start, end)| words[*start..*end].join("_") == rest);
    match spans.next() {
        Some((start, end)) if !rest.is_empty() => {
            (&words[..start], words[start..end].to_vec(), &words[end..])
        }
        _ => {
            let name = if rest.is_empty() { "default" } else { rest };
            let (command, fixed) = words.split_at(count_command_words(words));
            (command, vec![name.to_owned()], fixed)
        }
    }
}

/// The number of words that can be written in `command`, which is split at whitespace and has no
/// quoting.
fn count_command_words(words: &[String]) -> usize {
    let is_plain = |word: &&String| !word.is_empty() && !word.contains(char::is_whitespace);
    words.iter().take_while(is_plain).count()
}

fn write_fixed_args(words: &[String]) -> Option<(String, Value)> {
    (!words.is_empty()).then(|| ("fixed_args".to_owned(), json!(words)))
}

/// Inserts a leaf into the tree.
fn insert_leaf(children: &mut Vec<Value>, path: &[String], mut leaf: Map<String, Value>) {
    let Some((name, below)) = path.split_first() else {
        return;
    };
    if below.is_empty() {
        leaf.shift_insert(0, "name".to_owned(), name.as_str().into());
        return children.push(Value::Object(leaf));
    }
    let is_branch =
        |child: &Value| child["name"] == name.as_str() && child["subcommand"].is_array();
    let index = children.iter().position(is_branch).unwrap_or_else(|| {
        children.push(json!({"name": name, "description": format!("Subcommands of `{name}`"), "subcommand": []}));
        children.len() - 1
    });
    if let Some(Value::Array(inner)) = children[index].get_mut("subcommand") {
        insert_leaf(inner, below, leaf);
    }
}

/// A subcommand without its name.
fn write_leaf(tool: &Tool) -> Option<Map<String, Value>> {
    let mut leaf = new_definition(&tool.name, &describe(tool));
    // The name depends on the position in the tree and is inserted there.
    leaf.shift_remove("name");
    leaf.extend(write_settings(tool));
    let is_sequence = matches!(tool.implementation, Implementation::Sequence(_));
    let (options, positionals) = write_parameters(tool)?;
    let is_folder = |parameter: &Value| parameter["name"] == FOLDER;
    // The steps have arguments of their own, so the reader drops all other parameters.
    if is_sequence && options.iter().chain(&positionals).any(|parameter| !is_folder(parameter)) {
        return None;
    }
    for (key, list) in [("options", options), ("positional_args", positionals)] {
        if !list.is_empty() {
            leaf.insert(key.to_owned(), Value::Array(list));
        }
    }
    leaf.extend(write_order(pieces(tool)));
    if let Some(consent) = &tool.consent {
        leaf.insert(
            "consent".to_owned(),
            json!({"parameter": consent.parameter, "word": consent.word}),
        );
    }
    Some(leaf)
}

/// The command line after the program, or the one kept for a program to be bound.
fn pieces(tool: &Tool) -> &[Piece] {
    match &tool.implementation {
        Implementation::Process(process) => &process.pieces,
        _ => tool.unbound.as_deref().unwrap_or_default(),
    }
}

/// The field that declares the order of options and positionals. `--` is a field of the positional
/// that follows it.
fn write_order(pieces: &[Piece]) -> Map<String, Value> {
    let is_of = |wanted: bool| move |piece: &Piece| matches!(piece, Piece::Parameter(binding) if matches!(binding.pass_by, PassBy::Argument | PassBy::File | PassBy::FileIfMultiline(_)) && binding.flag.is_some() == wanted);
    let (option, positional) =
        (pieces.iter().position(is_of(true)), pieces.iter().position(is_of(false)));
    let is_first = option.zip(positional).is_some_and(|(option, positional)| positional < option);
    is_first.then(|| ("positional_args_first".to_owned(), Value::Bool(true))).into_iter().collect()
}

fn write_settings(tool: &Tool) -> Map<String, Value> {
    let annotations = &tool.annotations;
    let mut settings = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        settings.extend(value.map(|value| (key.to_owned(), value)))
    };
    put("title", tool.title.clone().map(Value::from));
    put("synchronous", (tool.mode == Mode::Synchronous).then_some(Value::Bool(true)));
    put("timeout_seconds", tool.timeout.map(|limit| limit.as_secs().into()));
    put("output_bytes", tool.output_bytes.map(Value::from));
    put("mutates", annotations.mutates.map(Value::Bool));
    put("dangerous", annotations.dangerous.map(Value::Bool));
    put("idempotent", annotations.idempotent.map(Value::Bool));
    put("requires_approval", annotations.requires_approval.map(Value::Bool));
    put("network", annotations.network.as_ref().map(|network| json!(network)));
    put("category", annotations.category.clone().map(Value::from));
    put("version", annotations.version.clone().map(Value::from));
    put("concurrency", tool.concurrency.map(|concurrency| concurrency_name(concurrency).into()));
    put("hints", tool.description.hint.as_ref().map(|hint| json!({"default": hint})));
    put("install_instructions", tool.description.install.clone().map(Value::from));
    put("progress_regex", tool.progress.clone().map(Value::from));
    let codes = &tool.success_exit_codes;
    put("credentials", tool.credentials.then_some(Value::Bool(true)));
    put("constraints", constraints::write(&tool.constraints));
    put("success_exit_codes", (!codes.is_empty()).then(|| json!(codes)));
    put("availability_check", write_availability(tool));
    if let Implementation::Sequence(sequence) = &tool.implementation {
        put("sequence", Some(sequence.steps.iter().map(write_step).collect()));
        put("step_delay_ms", Some(sequence.delay_ms.into()));
    }
    settings
}

fn concurrency_name(concurrency: Concurrency) -> &'static str {
    match concurrency {
        Concurrency::Exclusive => "exclusive",
        Concurrency::ReadOnly => "read_only",
        Concurrency::Service => "service",
    }
}

fn write_availability(tool: &Tool) -> Option<Value> {
    let check = tool.availability.as_ref()?;
    let (program, arguments) = check.command.split_first()?;
    let mut object =
        json!({"command": program, "args": arguments, "success_exit_codes": check.success});
    if let Some(folder) = &check.folder {
        object["working_directory"] = folder.as_str().into();
    }
    Some(object)
}

fn write_step(step: &catalog::implementation::Step) -> Value {
    let mut object = json!({"tool": step.tool});
    let texts = [
        ("description", &step.description),
        ("skip_if_file_exists", &step.skip_if_exists),
        ("skip_if_file_missing", &step.skip_if_missing),
    ];
    for (key, text) in texts.into_iter().filter_map(|(key, text)| Some((key, text.as_ref()?))) {
        object[key] = text.as_str().into();
    }
    if step.arguments.as_object().is_some_and(|arguments| !arguments.is_empty()) {
        object["args"] = step.arguments.clone();
    }
    object
}
