//! Writes parameters: the constraints on a value, and how it is passed if not by the default binding.

use catalog::{
    Tool,
    implementation::{Binding, Items, PassBy, Piece, Separator, ValueKind},
};
use serde_json::{Map, Value, json};

use super::{
    binding::{FOLDER, Subject, value_kind},
    constraint::FIELDS,
    kind::Kind,
    write::pieces,
};

/// The options and positionals of a tool; none if one of them cannot be expressed that way.
pub(super) fn parameters(tool: &Tool) -> Option<(Vec<Value>, Vec<Value>)> {
    let bindings = bindings(tool);
    let (mut options, mut positionals) = (Vec::new(), Vec::new());
    for (name, schema) in tool.input.properties() {
        let schema = schema.as_object()?;
        if is_implied(tool, name, schema) {
            continue;
        }
        let binding = bindings.iter().find(|binding| binding.parameter == name).copied();
        let written = Value::Object(parameter(tool, name, schema, binding)?);
        if binding.is_some_and(is_positional) {
            positionals.push((name, written))
        } else {
            options.push(written)
        }
    }
    // Positionals are identified by their order on the command line, which may differ from the schema.
    positionals
        .sort_by_key(|(name, _)| bindings.iter().position(|binding| binding.parameter == *name));
    Some((options, positionals.into_iter().map(|(_, written)| written).collect()))
}

/// The bindings of a tool with a JSON Schema that differ from the default.
pub(super) fn argv(tool: &Tool) -> Map<String, Value> {
    let mut argv = Map::new();
    let mut position = 0;
    for binding in bindings(tool) {
        let Some(schema) = tool.input.property(&binding.parameter) else {
            continue;
        };
        let mut entry = Map::new();
        if is_positional(binding) {
            entry.insert("positional".to_owned(), position.into());
            position += 1;
        }
        entry.extend(passing(
            binding,
            &subject(tool, &binding.parameter, schema, is_positional(binding)),
        ));
        if !entry.is_empty() {
            argv.insert(binding.parameter.clone(), Value::Object(entry));
        }
    }
    argv
}

fn bindings(tool: &Tool) -> Vec<&Binding> {
    let bindings = pieces(tool).iter().filter_map(|piece| match piece {
        Piece::Parameter(binding) => Some(binding),
        Piece::Word(_) | Piece::DoubleDash | Piece::Json => None,
    });
    bindings.collect()
}

fn is_positional(binding: &Binding) -> bool {
    let by_itself =
        matches!(binding.pass_by, PassBy::Argument | PassBy::File | PassBy::FileIfMultiline(_));
    by_itself && binding.flag.is_none()
}

/// Whether the reader adds a parameter by itself: the working directory and the word of consent.
fn is_implied(tool: &Tool, name: &str, schema: &Map<String, Value>) -> bool {
    let is_folder = name == FOLDER && *schema == folder();
    let is_word = |word: &str| {
        let described = json!({"type": "string", "const": word, "description": format!("`{word}`, only if the user has asked for exactly this")});
        Some(schema) == described.as_object()
    };
    is_folder
        || tool
            .consent
            .as_ref()
            .is_some_and(|consent| consent.parameter == name && is_word(&consent.word))
}

fn folder() -> Map<String, Value> {
    let folder = json!({"type": "string", "format": "path", "description": "Folder to run in"});
    folder.as_object().cloned().unwrap_or_default()
}

fn parameter(
    tool: &Tool,
    name: &str,
    schema: &Map<String, Value>,
    binding: Option<&Binding>,
) -> Option<Map<String, Value>> {
    let mut written = Map::from_iter([("name".to_owned(), name.into())]);
    for (key, value) in schema {
        match key.as_str() {
            "writeOnly" => drop(written.insert("secret".to_owned(), value.clone())),
            // The word of consent is declared by `consent`, outside the parameters.
            "const" if tool.consent.as_ref().is_some_and(|consent| consent.parameter == name) => {}
            key if FIELDS.contains(&key) => drop(written.insert(key.to_owned(), value.clone())),
            _ => return None,
        }
    }
    if tool.input.required().any(|required| required == name) {
        written.insert("required".to_owned(), true.into());
    }
    let subject =
        subject(tool, name, &Value::Object(schema.clone()), binding.is_some_and(is_positional));
    written.extend(subject.alias.map(|alias| ("alias".to_owned(), alias.into())));
    written.extend(binding.map(|binding| passing(binding, &subject)).unwrap_or_default());
    Some(written)
}

fn subject<'t>(tool: &'t Tool, name: &'t str, schema: &Value, is_positional: bool) -> Subject<'t> {
    let alias = tool
        .parameters
        .iter()
        .find(|known| known.name == name)
        .and_then(|known| known.alias.as_deref());
    let format = |schema: &Value| schema["format"].as_str().map_or(ValueKind::Plain, value_kind);
    let own = format(schema);
    let names = if own == ValueKind::Plain { format(&schema["items"]) } else { own };
    Subject {
        name,
        alias,
        is_positional,
        kind: schema["type"].as_str().and_then(Kind::named),
        names,
    }
}

/// The fields in which a binding differs from the default.
fn passing(binding: &Binding, subject: &Subject<'_>) -> Map<String, Value> {
    let default = subject.default_binding();
    let mut fields = Map::new();
    let mut put = |key: &str, value: Value| drop(fields.insert(key.to_owned(), value));
    if let Some(flag) = binding.flag.as_ref().filter(|_| binding.flag != default.flag) {
        put("flag", flag.as_str().into());
    }
    match &binding.separator {
        Separator::Space => {}
        Separator::Equals => put("separator", "=".into()),
        Separator::Nothing => put("separator", "none".into()),
    }
    if let Items::Joined(joint) = &binding.items {
        put("join", joint.as_str().into());
    }
    if let Some(negate) = &binding.negate {
        put("negate", negate.as_str().into());
    }
    if binding.allow_dash {
        put("allow_dash", true.into());
    }
    match &binding.pass_by {
        way if *way == default.pass_by => {}
        PassBy::Argument => put("pass_by", "argument".into()),
        PassBy::Stdin => put("pass_by", "stdin".into()),
        PassBy::Env(variable) => put("env", variable.as_str().into()),
        PassBy::File => put("pass_by", "file".into()),
        PassBy::FileIfMultiline(flag) => {
            put("file_arg", true.into());
            put("file_flag", flag.as_str().into());
        }
        PassBy::Variables => put("pass_by", "variables".into()),
        PassBy::Folder => {}
    }
    if let Some(access) = binding.access {
        put("access", access.word().into());
    }
    fields
}
