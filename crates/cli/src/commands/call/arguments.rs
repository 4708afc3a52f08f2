//! Parses the arguments of a call: `key=value`, and JSON from the command line, a file or standard
//! input.

use std::{
    fs,
    io::{Read, stdin},
    path::{Path, PathBuf},
};

use catalog::{Tool, arguments, closest};
use serde_json::{Value, json};
use toolkit::Arguments;

use crate::error::{CommandError, ErrorKind};

/// The folders for resolving relative paths.
pub(super) struct Folders {
    /// The current folder of the shell.
    pub(super) current: PathBuf,
    pub(super) crib: PathBuf,
}

/// Merges the JSON with each `key=value`, which overrides it.
pub(super) fn parse(
    tool: &Tool,
    text: Option<&str>,
    pairs: &[String],
    folders: &Folders,
) -> Result<Arguments, CommandError> {
    let mut given = text.map_or_else(|| Ok(Arguments::new()), parse_json)?;
    let mut typed = Arguments::new();
    for pair in pairs {
        let (name, text) = split_pair(tool, pair)?;
        let schema = tool.input.property(name).cloned().unwrap_or_else(|| json!({}));
        let value = to_value(&schema, text, folders).map_err(|expected| {
            let message = format!("`{name}` must be {expected}, received `{text}`");
            CommandError::new(ErrorKind::BadArguments, message)
                .hint(format!("run `toolcrib show {}` to see its parameters", tool.name))
        })?;
        match typed.get_mut(name) {
            // A repeated key adds an item to the list.
            Some(Value::Array(items)) => match value {
                Value::Array(more) => items.extend(more),
                value => items.push(value),
            },
            Some(_) => {
                let message = format!("`{name}` is given twice, and is not a list");
                return Err(CommandError::new(ErrorKind::BadArguments, message));
            }
            None => drop(typed.insert(name.to_owned(), value)),
        }
    }
    given.extend(typed);
    Ok(given)
}

/// Splits `key=value`. Unknown names are rejected here rather than by validation, because this
/// error can quote the word as it was typed.
fn split_pair<'p>(tool: &Tool, pair: &'p str) -> Result<(&'p str, &'p str), CommandError> {
    let bad = |message: String| CommandError::new(ErrorKind::BadArguments, message);
    let Some((name, text)) = pair.split_once('=') else {
        let hint = if pair.starts_with(['{', '@']) || pair == "-" {
            "pass JSON with `--args '{…}'`, `--args @FILE` or `--args -`".to_owned()
        } else {
            format!("run `toolcrib show {}` to see its parameters", tool.name)
        };
        return Err(bad(format!("`{pair}` is not `key=value`")).hint(hint));
    };
    let names: Vec<_> = tool.input.properties().map(|(name, _)| name).collect();
    let takes_more =
        tool.input.object().get("additionalProperties").is_none_or(|more| *more == json!(true));
    if names.contains(&name) || (takes_more && names.is_empty()) {
        return Ok((name, text));
    }
    let hint = match closest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => "it has no parameters".to_owned(),
        None => format!("its parameters are {}", names.join(", ")),
    };
    Err(bad(format!("`{}` has no parameter `{name}`", tool.name)).hint(hint))
}

/// Converts a text to a value of the type in the schema, or returns the expected type.
fn to_value(schema: &Value, text: &str, folders: &Folders) -> Result<Value, &'static str> {
    let types = types_of(schema);
    let json = || serde_json::from_str::<Value>(text).ok();
    let is = |name: &str| types.contains(&name);
    if is("array") {
        if let Some(list @ Value::Array(_)) = json() {
            return Ok(list);
        }
        let item = schema.get("items").cloned().unwrap_or_else(|| json!({}));
        return Ok(Value::Array(vec![to_value(&item, text, folders)?]));
    }
    if is("null") && text == "null" {
        return Ok(Value::Null);
    }
    if let Some(value) = json() {
        let fits = match &value {
            Value::Number(number) => is("number") || (is("integer") && !number.is_f64()),
            Value::Bool(_) => is("boolean"),
            Value::Object(_) => is("object"),
            _ => false,
        };
        // Without a type, valid JSON is parsed, and any other text stays a string.
        if fits || (types.is_empty() && !value.is_string()) {
            return Ok(value);
        }
    }
    if is("boolean") && matches!(text, "yes" | "no") {
        return Ok((text == "yes").into());
    }
    if is("string") || types.is_empty() {
        let is_path = schema["format"] == "path";
        return Ok(if is_path { resolve_path(text, folders) } else { text.to_owned() }.into());
    }
    Err(match types[0] {
        "integer" => "an integer",
        "number" => "a number",
        "boolean" => "true or false",
        "object" => "a JSON object",
        _ => "of another type",
    })
}

fn types_of(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        // An enumeration without a type is assumed to contain strings.
        _ if schema.get("enum").is_some() => vec!["string"],
        _ => Vec::new(),
    }
}

/// Makes a path that was typed relative to the current folder relative to the crib, as tools expect
/// it.
fn resolve_path(text: &str, Folders { current, crib }: &Folders) -> String {
    if current == crib || text.is_empty() || Path::new(text).is_absolute() {
        return text.to_owned();
    }
    let path = current.join(text);
    path.strip_prefix(crib).unwrap_or(&path).to_string_lossy().into_owned()
}

/// Parses JSON from the command line, a file (`@FILE`) or standard input (`-`).
fn parse_json(given: &str) -> Result<Arguments, CommandError> {
    let text = if given == "-" {
        let mut text = String::new();
        let read = stdin().lock().read_to_string(&mut text);
        read.map_err(|error| CommandError::machine(format!("cannot read the arguments: {error}")))?;
        text
    } else if let Some(file) = given.strip_prefix('@') {
        let path = Path::new(file);
        fs::read_to_string(path).map_err(|error| CommandError::io("read", path, &error))?
    } else {
        given.to_owned()
    };
    let invalid = |message: String| {
        CommandError::new(ErrorKind::BadArguments, message)
            .hint("pass a JSON object, such as --args '{\"name\": \"value\"}', or key=value")
    };
    match serde_json::from_str(&text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(other) => Err(invalid(format!(
            "the arguments must be an object, received {}",
            arguments::type_name(&other)
        ))),
        Err(error) => Err(invalid(format!("the arguments are not JSON: {error}"))),
    }
}
