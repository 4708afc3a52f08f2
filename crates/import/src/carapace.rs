//! Reads specifications of carapace, which completes command lines from YAML.

use serde_json::Value;

use crate::program::{Command, Fact, Flag, Origin, Separator, ValueSpec};

/// Commands nested deeper than this are not read.
const MAX_DEPTH: usize = 20;

/// Reads a specification that was parsed from YAML. Macros that run a command are ignored.
pub fn read_carapace(spec: &Value, source: &str) -> Option<Command> {
    spec.get("name")?.as_str()?;
    Some(read_command(spec, &Origin { source: source.into(), line: 1 }, 0))
}

fn read_command(spec: &Value, origin: &Origin, depth: usize) -> Command {
    let text = |key: &str| spec.get(key).and_then(Value::as_str).map(str::to_owned);
    let strings = |value: Option<&Value>| -> Vec<String> {
        let items = value.and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let mut command = Command {
        name: text("name").unwrap_or_default(),
        aliases: strings(spec.get("aliases")),
        description: text("description").map(|text| Fact::new(text, origin.clone())),
        is_hidden: spec.get("hidden").and_then(Value::as_bool).unwrap_or(false),
        origin: origin.clone(),
        ..Command::default()
    };
    for key in ["flags", "persistentflags"] {
        let flags = spec.get(key).and_then(Value::as_object).into_iter().flatten();
        for (names, description) in flags {
            if let Some(flag) = read_flag(names, description, spec, origin) {
                command.add_option(flag);
            }
        }
    }
    let below = spec.get("commands").and_then(Value::as_array).into_iter().flatten();
    if depth < MAX_DEPTH {
        let below = below.filter(|sub| sub.get("name").is_some());
        below.for_each(|sub| command.add_subcommand(read_command(sub, origin, depth + 1)));
    }
    command
}

/// A flag whose key has its names and marks: `-o, --optarg?`.
fn read_flag(key: &str, about: &Value, spec: &Value, origin: &Origin) -> Option<Flag> {
    let marks: Vec<char> = key.chars().rev().take_while(|c| "=?*&!".contains(*c)).collect();
    let names = key[..key.len() - marks.len()].split(',').map(|name| name.trim().to_owned());
    let names: Vec<String> = names.filter(|name| name.starts_with('-') && name.len() > 1).collect();
    let has = |mark: char| marks.contains(&mark);
    let fact = |is_set: bool| is_set.then(|| Fact::new((), origin.clone()));
    let long = names.iter().max_by_key(|name| name.len())?.trim_start_matches('-').to_owned();
    let values = spec
        .get("completion")
        .and_then(|completion| completion.get("flag")?.get(&long)?.as_array());
    let text = about.as_str().or_else(|| about.get("description")?.as_str());
    let takes_value = has('=') || has('?') || about.get("nargs").is_some();
    Some(Flag {
        value: takes_value.then(|| ValueSpec {
            name: String::new(),
            is_optional: has('?'),
            separator: if has('?') { Separator::Equals } else { Separator::Space },
        }),
        repeats: fact(has('*')),
        required: fact(has('!')),
        is_hidden: has('&'),
        description: text.map(|text| Fact::new(text.to_owned(), origin.clone())),
        choices: values
            .and_then(|values| read_choices(values))
            .filter(|_| takes_value)
            .map(|choices| Fact::new(choices, origin.clone())),
        origin: origin.clone(),
        names,
        ..Flag::default()
    })
}

/// The completed words, if all of them are literal. A tab begins the text of a word, `$` a macro.
fn read_choices(values: &[Value]) -> Option<Vec<String>> {
    let words = values.iter().map(|value| value.as_str()?.split('\t').next().map(str::to_owned));
    let words: Option<Vec<String>> = words.collect();
    words.filter(|words| !words.is_empty() && words.iter().all(|word| !word.contains('$')))
}
