//! The sources, one per file.

mod cargo;
mod git;
mod just;
mod make;
mod npm;
mod python;
mod python_programs;
mod r;

use serde_json::{Map, Value, json};

use crate::{
    caution::is_risky,
    draft::{Draft, Project},
};

/// Maximum number of commands of one source. More of them would crowd out the other tools of an agent.
const MAX_COMMANDS: usize = 40;

/// Drafts a definition if the project has what the source looks for.
type Source = fn(&dyn Project) -> Option<Draft>;

const SOURCES: [Source; 7] =
    [git::draft, make::draft, just::draft, npm::draft, cargo::draft, python::draft, r::draft];

/// Drafts definitions from all sources.
pub fn find_drafts(project: &dyn Project) -> Vec<Draft> {
    let mut drafts: Vec<_> = SOURCES.iter().filter_map(|source| source(project)).collect();
    for draft in python_programs::draft_all(project) {
        if drafts.iter().all(|known| known.name != draft.name) {
            drafts.push(draft);
        }
    }
    drafts
}

/// A named command of a project: a target, a recipe or a script.
struct NamedCommand {
    name: String,
    description: String,
}

/// Selects the commands that can be called by name.
fn select(commands: impl IntoIterator<Item = NamedCommand>) -> Vec<NamedCommand> {
    let is_callable = |command: &NamedCommand| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        command.name.starts_with(|first: char| first.is_ascii_alphabetic())
            && command.name.chars().all(is_plain)
    };
    let mut kept: Vec<NamedCommand> = Vec::new();
    for command in commands.into_iter().filter(is_callable) {
        if kept.len() < MAX_COMMANDS && kept.iter().all(|known| known.name != command.name) {
            kept.push(command);
        }
    }
    kept
}

/// Drafts a definition with a leaf for each command. The effects of commands are unknown, so nothing
/// is declared except for names that suggest caution.
fn define(name: &str, program: &str, description: &str, commands: &[NamedCommand]) -> Value {
    let leaves = commands.iter().map(|command| {
        let mut leaf = Map::new();
        leaf.insert("name".to_owned(), command.name.as_str().into());
        leaf.insert("description".to_owned(), command.description.as_str().into());
        if is_risky(&command.name) {
            leaf.insert("dangerous".to_owned(), true.into());
        }
        Value::Object(leaf)
    });
    json!({
        "name": name,
        "description": description,
        "command": program,
        "subcommand": leaves.collect::<Vec<_>>(),
    })
}

/// Lists the names of commands for a summary.
fn list_names(commands: &[NamedCommand]) -> String {
    const SHOWN: usize = 5;
    let names = commands.iter().take(SHOWN).map(|command| command.name.as_str());
    let more = if commands.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", names.collect::<Vec<_>>().join(", "))
}
