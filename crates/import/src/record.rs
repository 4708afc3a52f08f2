//! The record of an import, kept beside the definition: its source, the definition as it was imported, the
//! origin of each fact, and what a person has confirmed.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::definition::Definition;

/// The version of the file.
const VERSION: u32 = 1;

/// What was imported, so that it can be read again.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Source {
    /// The help of a program.
    Cli {
        /// The program as it was named.
        program: String,
        /// The words of a subcommand.
        words: Vec<String>,
        /// Maximum levels of subcommands.
        depth: usize,
        /// Globs that select subcommands.
        only: Vec<String>,
    },
    /// A completion file of fish.
    Fish {
        /// Its path.
        file: String,
        /// The program in it.
        program: String,
    },
    /// A specification of carapace.
    Carapace {
        /// Its path.
        file: String,
    },
}

/// The record of one definition.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ImportRecord {
    version: u32,
    /// What was imported.
    pub source: Source,
    /// The definition as it was imported, to which edits are compared.
    pub imported: Value,
    /// The commands and files that the facts come from.
    sources: Vec<String>,
    /// For each place and key, the index of the source and the line.
    origins: BTreeMap<String, BTreeMap<String, (usize, usize)>>,
    /// The places that a person has confirmed.
    #[serde(default)]
    confirmed: BTreeSet<String>,
}

/// A fact with its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedFact<'r> {
    /// The path of the tool and the parameter, such as `remote add --fetch`.
    pub place: &'r str,
    /// The key in the definition.
    pub key: &'r str,
    /// The command or file.
    pub source: &'r str,
    /// The line in it.
    pub line: usize,
    /// Whether a person has confirmed it.
    pub is_confirmed: bool,
}

impl ImportRecord {
    /// The record of a new import, of which nothing is confirmed.
    pub fn new(source: Source, definition: &Definition) -> Self {
        let names = definition.sources();
        let mut origins: BTreeMap<String, BTreeMap<String, (usize, usize)>> = BTreeMap::new();
        for (place, facts) in &definition.origins {
            for (key, origin) in facts {
                let index = names.iter().position(|name| *name == origin.source).unwrap_or(0);
                let facts = origins.entry(place.clone()).or_default();
                facts.insert(key.clone(), (index, origin.line));
            }
        }
        Self {
            version: VERSION,
            source,
            imported: definition.json.clone(),
            sources: names.iter().map(ToString::to_string).collect(),
            origins,
            confirmed: BTreeSet::new(),
        }
    }

    /// Reads a record; the error is a sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        let record: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match record.version {
            VERSION => Ok(record),
            version => Err(format!("version {version} of this file is not known")),
        }
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let text = serde_json::to_string_pretty(self);
        format!("{}\n", text.expect("it has only string keys"))
    }

    /// All facts, by place.
    pub fn facts(&self) -> impl Iterator<Item = RecordedFact<'_>> {
        self.origins.iter().flat_map(move |(place, facts)| {
            facts.iter().map(move |(key, (source, line))| RecordedFact {
                place,
                key,
                source: self.sources.get(*source).map_or("", String::as_str),
                line: *line,
                is_confirmed: self.confirmed.contains(place),
            })
        })
    }

    /// The facts of one tool, by its served name.
    pub fn facts_of(&self, tool: &str) -> Vec<RecordedFact<'_>> {
        let Some(path) = find_path(&self.imported, tool, "") else { return Vec::new() };
        let is_below = |place: &str| {
            let rest = place.strip_prefix(path.as_str());
            rest.is_some_and(|rest| path.is_empty() || rest.is_empty() || rest.starts_with(' '))
        };
        self.facts().filter(|fact| is_below(fact.place)).collect()
    }

    /// The number of facts that no person has confirmed.
    pub fn unconfirmed(&self) -> usize {
        self.facts().filter(|fact| !fact.is_confirmed).count()
    }

    /// Confirms the facts of these tools, or all facts. Returns how many were not confirmed before.
    pub fn confirm(&mut self, tools: &[String]) -> usize {
        let before = self.unconfirmed();
        let places: Vec<String> = if tools.is_empty() {
            self.origins.keys().cloned().collect()
        } else {
            let facts = tools.iter().flat_map(|tool| self.facts_of(tool));
            facts.map(|fact| fact.place.to_owned()).collect()
        };
        self.confirmed.extend(places);
        before - self.unconfirmed()
    }

    /// The record of a repeated import. A place stays confirmed if it is still the same.
    pub fn renew(&self, definition: &Definition) -> Self {
        let mut renewed = Self::new(self.source.clone(), definition);
        let is_same = |place: &&String| {
            let keys = |record: &Self| {
                record.origins.get(*place).map(|facts| facts.keys().cloned().collect::<Vec<_>>())
            };
            keys(self) == keys(&renewed) && self.value(place) == renewed.value(place)
        };
        let confirmed = self.confirmed.iter().filter(is_same).cloned().collect();
        renewed.confirmed = confirmed;
        renewed
    }

    /// The imported value at a place.
    fn value(&self, place: &str) -> Option<Value> {
        let mut node = &self.imported;
        for word in place.split(' ').filter(|word| !word.is_empty()) {
            let name = word.trim_start_matches('-');
            let lists = ["subcommand", "options", "positional_args"];
            let mut items = lists.iter().filter_map(|list| node.get(list)?.as_array()).flatten();
            node = items.find(|item| item["name"] == *name)?;
        }
        // The children of a level have places of their own.
        let mut own = node.clone();
        if let Some(object) = own.as_object_mut() {
            ["subcommand", "options", "positional_args"]
                .iter()
                .for_each(|list| drop(object.remove(*list)));
        }
        Some(own)
    }
}

/// The path of a tool below a node: its words, separated by blanks.
fn find_path(node: &Value, tool: &str, path: &str) -> Option<String> {
    let name = node["name"].as_str()?;
    if tool == name && node.get("subcommand").is_none() {
        return Some(path.to_owned());
    }
    let rest = tool.strip_prefix(name)?.strip_prefix('_').unwrap_or("default");
    let children = node.get("subcommand")?.as_array()?;
    children.iter().find_map(|child| {
        let word = child["name"].as_str()?;
        let below = if path.is_empty() { word.to_owned() } else { format!("{path} {word}") };
        find_path(child, rest, &below)
    })
}

/// Merges a repeated import into a definition that was edited: what the edits changed stays, everything else
/// follows the new import.
pub fn merge_edits(imported: &Value, edited: &Value, new: &Value) -> Value {
    if edited == imported || edited == new {
        return new.clone();
    }
    if imported == new {
        return edited.clone();
    }
    match (edited, new) {
        (Value::Object(mine), Value::Object(theirs)) => {
            let mut merged = serde_json::Map::new();
            let keys = mine.keys().chain(theirs.keys().filter(|key| !mine.contains_key(*key)));
            for key in keys {
                let (base, own, other) = (imported.get(key), mine.get(key), theirs.get(key));
                if let Some(value) = merge_member(base, own, other) {
                    merged.insert(key.clone(), value);
                }
            }
            Value::Object(merged)
        }
        (Value::Array(mine), Value::Array(theirs)) if is_named(mine) && is_named(theirs) => {
            let find = |list: &Value, name: &Value| {
                list.as_array()
                    .and_then(|list| list.iter().find(|item| item["name"] == *name))
                    .cloned()
            };
            let names = mine.iter().map(|item| &item["name"]);
            let is_new = |item: &&Value| mine.iter().all(|known| known["name"] != item["name"]);
            let names = names.chain(theirs.iter().filter(is_new).map(|item| &item["name"]));
            let merged = names.filter_map(|name| {
                let (base, own, other) =
                    (find(imported, name), find(edited, name), find(new, name));
                merge_member(base.as_ref(), own.as_ref(), other.as_ref())
            });
            Value::Array(merged.collect())
        }
        _ => edited.clone(),
    }
}

/// Merges one member; absent if it was removed.
fn merge_member(base: Option<&Value>, own: Option<&Value>, other: Option<&Value>) -> Option<Value> {
    match (base, own, other) {
        // Removed by a person, or added by the program.
        (base, None, other) => other.filter(|_| base.is_none()).cloned(),
        // Added by a person.
        (None, Some(own), None) => Some(own.clone()),
        // Removed by the program, and not edited.
        (Some(base), Some(own), None) => (base != own).then(|| own.clone()),
        (base, Some(own), Some(other)) => {
            Some(merge_edits(base.unwrap_or(&Value::Null), own, other))
        }
    }
}

fn is_named(list: &[Value]) -> bool {
    list.iter().all(|item| item.get("name").is_some_and(Value::is_string))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::merge_edits;

    #[test]
    fn edits_survive_a_repeated_import() {
        let imported = json!({"name": "p", "options": [
            {"name": "all", "type": "boolean", "description": "All"},
            {"name": "old", "type": "boolean"},
            {"name": "size", "type": "string"}
        ]});
        let edited = json!({"name": "p", "mutates": false, "options": [
            {"name": "all", "type": "boolean", "description": "All files"},
            {"name": "old", "type": "boolean"},
            {"name": "own", "type": "string"}
        ]});
        let new = json!({"name": "p", "options": [
            {"name": "all", "type": "string", "description": "Every"},
            {"name": "size", "type": "string"},
            {"name": "fresh", "type": "boolean"}
        ]});
        let expected = json!({"name": "p", "mutates": false, "options": [
            {"name": "all", "type": "string", "description": "All files"},
            {"name": "own", "type": "string"},
            {"name": "fresh", "type": "boolean"}
        ]});
        assert_eq!(merge_edits(&imported, &edited, &new), expected);
    }
}
