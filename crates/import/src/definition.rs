//! Writes a program as a definition in the format MTDF, with the origin of each fact.

mod parameter;

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Map, Value, json};

use self::parameter::{Names, flag_of, write_flag, write_positional};
use crate::{
    caution::find_caution,
    program::{Command, Effect, Flag, Origin},
};

/// Clients accept names of tools up to this length.
const MAX_NAME: usize = 64;

/// A definition, and where its facts come from.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The definition in the format MTDF.
    pub json: Value,
    /// The origins of the facts, by the place in the definition.
    pub origins: Origins,
    /// Names that suggest caution: which tool, and why. Not written to the definition.
    pub cautions: Vec<(String, String)>,
    /// What was left out, for people.
    pub notes: Vec<String>,
}

/// The origin of each fact: by the path of the tool and parameter, such as `remote add --fetch`, then by the
/// key of the definition.
pub type Origins = BTreeMap<String, BTreeMap<String, Origin>>;

/// Writes a definition. `words` are the program and the words before its arguments.
pub fn define(program: &Command, words: &[String]) -> Definition {
    let name = tool_name(&words.join("-"));
    let mut writer = Writer { root: name.clone(), ..Writer::default() };
    let mut json = Map::new();
    json.insert("name".to_owned(), name.clone().into());
    json.insert("description".to_owned(), writer.describe(program, words, "").into());
    json.insert("command".to_owned(), words.join(" ").into());
    writer.fill(&mut json, program, &mut vec![], &Names::default());
    Definition {
        json: Value::Object(json),
        origins: writer.origins,
        cautions: writer.cautions,
        notes: writer.notes,
    }
}

/// A name that clients accept.
fn tool_name(text: &str) -> String {
    let text = text.rsplit('/').next().unwrap_or(text);
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    text.chars().map(|c| if is_allowed(c) { c } else { '-' }).collect()
}

#[derive(Default)]
struct Writer {
    root: String,
    origins: Origins,
    cautions: Vec<(String, String)>,
    notes: Vec<String>,
}

impl Writer {
    /// Records the origin of a key. What was not read has none.
    fn record(&mut self, place: &str, key: &str, origin: &Origin) {
        if !origin.source.is_empty() {
            self.origins
                .entry(place.to_owned())
                .or_default()
                .insert(key.to_owned(), origin.clone());
        }
    }

    fn describe(&mut self, command: &Command, words: &[String], place: &str) -> String {
        match &command.description {
            Some(fact) if !fact.value.trim().is_empty() => {
                self.record(place, "description", &fact.origin);
                fact.value.trim().to_owned()
            }
            _ => format!("Run `{}`", words.join(" ")),
        }
    }

    /// Writes options, arguments and subcommands of a command.
    fn fill(
        &mut self,
        json: &mut Map<String, Value>,
        command: &Command,
        path: &mut Vec<String>,
        above: &Names,
    ) {
        let place = path.join(" ");
        let mut names = above.clone();
        let options = self.write_options(command, &place, &mut names);
        if !options.is_empty() {
            json.insert("options".to_owned(), options.into());
        }
        if command.subcommands.is_empty() {
            self.annotate(json, command, path);
            return self.write_positionals(json, command, &place, &mut names);
        }
        let mut children: Vec<Value> = Vec::new();
        if command.runs_itself && !command.subcommands.iter().any(|sub| sub.name == "default") {
            let mut own = Map::new();
            own.insert("name".to_owned(), "default".into());
            own.insert("description".to_owned(), json["description"].clone());
            self.write_positionals(&mut own, command, &place, &mut names.clone());
            children.push(Value::Object(own));
        }
        for sub in command.subcommands.iter().filter(|sub| !sub.is_hidden) {
            path.push(sub.name.clone());
            if self.can_be_named(path) {
                let place = path.join(" ");
                self.record(&place, "name", &sub.origin);
                let words: Vec<String> =
                    std::iter::once(self.root.clone()).chain(path.iter().cloned()).collect();
                let mut child = Map::new();
                child.insert("name".to_owned(), sub.name.clone().into());
                child.insert("description".to_owned(), self.describe(sub, &words, &place).into());
                self.fill(&mut child, sub, path, &names);
                children.push(Value::Object(child));
            }
            path.pop();
        }
        json.insert("subcommand".to_owned(), children.into());
    }

    /// Whether the name of a tool is one that clients accept.
    fn can_be_named(&mut self, path: &[String]) -> bool {
        let length = self.root.len() + path.iter().map(|word| word.len() + 1).sum::<usize>();
        let is_plain =
            path.last().is_some_and(|word| *word == tool_name(word) && word != "default");
        if length > MAX_NAME || !is_plain {
            self.notes.push(format!(
                "left out `{} {}`: no client accepts such a name",
                self.root,
                path.join(" ")
            ));
        }
        length <= MAX_NAME && is_plain
    }

    fn write_options(&mut self, command: &Command, place: &str, names: &mut Names) -> Vec<Value> {
        let mut written = Vec::new();
        for flag in command.options.iter().filter(|flag| !flag.is_hidden && !flag.names.is_empty())
        {
            // A level below that gives the name another meaning needs it for itself.
            if is_redefined_below(flag, &command.subcommands) {
                self.notes.push(format!(
                    "`{}` has another meaning in a subcommand and is left out above it",
                    flag.main_name()
                ));
                continue;
            }
            let Some(name) = names.claim_option(flag) else { continue };
            let (value, facts) = write_flag(flag, &name);
            let place = join_place(place, flag_of(flag));
            for (key, origin) in facts {
                self.record(&place, key, &origin);
            }
            written.push(value);
        }
        written
    }

    fn write_positionals(
        &mut self,
        json: &mut Map<String, Value>,
        command: &Command,
        place: &str,
        names: &mut Names,
    ) {
        let mut written = Vec::new();
        let mut is_open = false;
        for positional in &command.positionals {
            // What follows an argument that takes all words would get none.
            if is_open && !positional.is_required {
                continue;
            }
            is_open |= positional.repeats;
            let name = names.claim_positional(&positional.name);
            let (value, facts) = write_positional(positional, &name);
            for (key, origin) in facts {
                self.record(&join_place(place, &name), key, &origin);
            }
            written.push(value);
        }
        if !written.is_empty() {
            json.insert("positional_args".to_owned(), written.into());
        }
    }

    /// Writes what the author declares. A verb or an option only makes a proposal.
    fn annotate(&mut self, json: &mut Map<String, Value>, command: &Command, path: &[String]) {
        let place = path.join(" ");
        let flags = command.options.iter().filter_map(|flag| flag.effect.as_ref());
        let strictest = flags.clone().map(|fact| fact.value).max();
        if let Some(effect) = &command.effect {
            // A command that only reads may have an option that writes.
            let applied = strictest.map_or(effect.value, |other| other.max(effect.value));
            json.insert("mutates".to_owned(), (applied != Effect::Read).into());
            self.record(&place, "mutates", &effect.origin);
        }
        let destructive =
            command.effect.iter().chain(flags).find(|fact| fact.value == Effect::Destructive);
        if let Some(fact) = destructive {
            json.insert("mutates".to_owned(), true.into());
            json.insert("dangerous".to_owned(), true.into());
            self.record(&place, "dangerous", &fact.origin);
        } else if let Some(reason) = find_caution(&command.name, &command.options) {
            let tool = std::iter::once(self.root.as_str())
                .chain(path.iter().map(String::as_str))
                .collect::<Vec<_>>()
                .join("_");
            self.cautions.push((tool, reason));
        }
    }
}

fn join_place(place: &str, name: &str) -> String {
    if place.is_empty() { name.to_owned() } else { format!("{place} {name}") }
}

fn is_redefined_below(flag: &Flag, commands: &[Command]) -> bool {
    commands.iter().any(|command| {
        let differs = |other: &Flag| {
            other.main_name() == flag.main_name() && other.value.is_some() != flag.value.is_some()
        };
        command.options.iter().any(differs) || is_redefined_below(flag, &command.subcommands)
    })
}

impl Definition {
    /// Marks the tools with a caution as dangerous. This only makes them stricter.
    pub fn apply_cautions(&mut self) {
        for (tool, _) in &self.cautions {
            let words: Vec<&str> = tool.split('_').collect();
            mark(&mut self.json, &words[1..]);
        }
    }

    /// The number of tools.
    pub fn tools(&self) -> usize {
        count_tools(&self.json)
    }

    /// The sources of the facts, in order of their names.
    pub fn sources(&self) -> Vec<Arc<str>> {
        let mut sources: Vec<Arc<str>> = self
            .origins
            .values()
            .flat_map(BTreeMap::values)
            .map(|origin| Arc::clone(&origin.source))
            .collect();
        sources.sort();
        sources.dedup();
        sources
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let text = serde_json::to_string_pretty(&self.json);
        format!("{}\n", text.expect("it has only string keys"))
    }
}

fn mark(node: &mut Value, path: &[&str]) {
    match path.split_first() {
        None => node["dangerous"] = json!(true),
        Some((first, rest)) => {
            let children = node.get_mut("subcommand").and_then(Value::as_array_mut);
            let child =
                children.and_then(|list| list.iter_mut().find(|child| child["name"] == *first));
            if let Some(child) = child {
                mark(child, rest);
            }
        }
    }
}

fn count_tools(node: &Value) -> usize {
    match node.get("subcommand").and_then(Value::as_array) {
        Some(children) => children.iter().map(count_tools).sum(),
        None => 1,
    }
}
