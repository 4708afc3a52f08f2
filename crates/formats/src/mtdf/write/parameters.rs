//! Writes parameters: their constraints, and their binding where it differs from the default.

use catalog::{
    Tool,
    implementation::{
        Binding, Items, PassBy, Piece, Separator, ValueKind, WORKING_DIRECTORY_DESCRIPTION,
    },
};
use serde_json::{Map, Value, json};

use super::{
    super::{
        binding::{BindingContext, FOLDER, value_kind},
        constraint::FIELDS,
        parameter_type::ParameterType,
    },
    pieces,
};

/// The options and positionals of a tool; none if one of them cannot be expressed that way.
pub(super) fn write_parameters(tool: &Tool) -> Option<(Vec<Value>, Vec<Value>)> {
    let bindings = bindings(tool);
    let (mut options, mut positionals) = (Vec::new(), Vec::new());
    for (name, schema) in tool.input.properties() {
        let schema = schema.as_object()?;
        if is_implied(tool, name, schema) {
            continue;
        }
        let binding = bindings.iter().find(|binding| binding.parameter == name).copied();
        let parameter = Value::Object(write_parameter(tool, name, schema, binding)?);
        if binding.is_some_and(is_positional) {
            positionals.push((name, parameter))
        } else {
            options.push(parameter)
        }
    }
    // Positionals are identified by their order on the command line, which may differ from the
    // schema.
    positionals
        .sort_by_key(|(name, _)| bindings.iter().position(|binding| binding.parameter == *name));
    Some((options, positionals.into_iter().map(|(_, parameter)| parameter).collect()))
}

/// The bindings of a tool with a JSON Schema that differ from the default.
pub(super) fn write_argv(tool: &Tool) -> Map<String, Value> {
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
        let context = binding_context(tool, &binding.parameter, schema, is_positional(binding));
        entry.extend(write_binding(binding, &context));
        entry.extend(write_double_dash(tool, binding));
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
    let is_argument =
        matches!(binding.pass_by, PassBy::Argument | PassBy::File | PassBy::FileIfMultiline(_));
    is_argument && binding.flag.is_none()
}

/// Whether the reader adds a parameter by itself: the working directory and the consent word.
fn is_implied(tool: &Tool, name: &str, schema: &Map<String, Value>) -> bool {
    let is_folder = name == FOLDER && *schema == folder_schema();
    let is_consent = |word: &str| {
        let added = json!({"type": "string", "const": word, "description": format!("`{word}`, only if the user has asked for exactly this")});
        Some(schema) == added.as_object()
    };
    is_folder
        || tool
            .consent
            .as_ref()
            .is_some_and(|consent| consent.parameter == name && is_consent(&consent.word))
}

fn folder_schema() -> Map<String, Value> {
    let folder =
        json!({"type": "string", "format": "path", "description": WORKING_DIRECTORY_DESCRIPTION});
    folder.as_object().cloned().unwrap_or_default()
}

fn write_parameter(
    tool: &Tool,
    name: &str,
    schema: &Map<String, Value>,
    binding: Option<&Binding>,
) -> Option<Map<String, Value>> {
    let mut parameter = Map::from_iter([("name".to_owned(), name.into())]);
    for (key, value) in schema {
        match key.as_str() {
            "writeOnly" => drop(parameter.insert("secret".to_owned(), value.clone())),
            // The field `consent` declares the word, outside the parameters.
            "const" if tool.consent.as_ref().is_some_and(|consent| consent.parameter == name) => {}
            key if FIELDS.contains(&key) => drop(parameter.insert(key.to_owned(), value.clone())),
            // A parameter cannot have this keyword. The tool is then written with its JSON Schema.
            _ => return None,
        }
    }
    if tool.input.required().any(|required| required == name) {
        parameter.insert("required".to_owned(), true.into());
    }
    let context = binding_context(
        tool,
        name,
        &Value::Object(schema.clone()),
        binding.is_some_and(is_positional),
    );
    parameter.extend(context.alias.map(|alias| ("alias".to_owned(), alias.into())));
    if let Some(binding) = binding {
        parameter.extend(write_binding(binding, &context));
        parameter.extend(write_double_dash(tool, binding));
    }
    Some(parameter)
}

fn binding_context<'t>(
    tool: &'t Tool,
    name: &'t str,
    schema: &Value,
    is_positional: bool,
) -> BindingContext<'t> {
    let alias = tool
        .parameters
        .iter()
        .find(|known| known.name == name)
        .and_then(|known| known.alias.as_deref());
    let format = |schema: &Value| schema["format"].as_str().map_or(ValueKind::Plain, value_kind);
    let own = format(schema);
    let value_kind = if own == ValueKind::Plain { format(&schema["items"]) } else { own };
    BindingContext {
        name,
        alias,
        is_positional,
        parameter_type: schema["type"].as_str().and_then(ParameterType::from_name),
        value_kind,
    }
}

/// `double_dash`, if `--` is before the binding on the command line.
fn write_double_dash(tool: &Tool, binding: &Binding) -> Option<(String, Value)> {
    let mut pairs = pieces(tool).windows(2);
    let has_one = pairs
        .any(|pair| matches!(pair, [Piece::DoubleDash, Piece::Parameter(next)] if next == binding));
    has_one.then(|| ("double_dash".to_owned(), true.into()))
}

/// Writes the fields in which a binding differs from the default.
fn write_binding(binding: &Binding, context: &BindingContext<'_>) -> Map<String, Value> {
    let default = context.default_binding();
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
    match &binding.items {
        Items::Each => {}
        Items::Joined(separator) => put("join", separator.as_str().into()),
        Items::Pairs { separator, join } => {
            put("pairs", separator.as_str().into());
            if let Some(join) = join {
                put("join", join.as_str().into());
            }
        }
    }
    if let Some(negate) = &binding.negate {
        put("negate", negate.as_str().into());
    }
    if binding.allow_dash {
        put("allow_dash", true.into());
    }
    match &binding.pass_by {
        pass_by if *pass_by == default.pass_by => {}
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
