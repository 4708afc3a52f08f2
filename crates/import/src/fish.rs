//! Reads completion files of fish without running them.
//!
//! Only what is written literally is read: words, variables that were set to words, loops over words, and all
//! branches of conditions. Command substitutions are never run.

mod complete;
mod script;

use std::{collections::BTreeMap, sync::Arc};

use self::{
    complete::{Completion, parse_complete},
    script::{Statement, parse_script},
};
use crate::program::{Command, Fact, Flag, Origin, ValueSpec};

/// Loops and nested blocks beyond this number of statements are not followed.
const MAX_STATEMENTS: usize = 200_000;

/// Reads the programs that a file completes. `source` is the name of the file.
pub fn read_fish(text: &str, source: &str) -> Vec<Command> {
    let mut reader = Reader {
        source: source.into(),
        variables: BTreeMap::new(),
        programs: Vec::new(),
        statements: 0,
    };
    reader.run(&parse_script(text));
    reader.programs
}

struct Reader {
    source: Arc<str>,
    /// Variables that were set to words.
    variables: BTreeMap<String, Vec<String>>,
    programs: Vec<Command>,
    statements: usize,
}

impl Reader {
    fn run(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statements += 1;
            if self.statements > MAX_STATEMENTS {
                return;
            }
            match statement {
                Statement::Simple { words, line } => {
                    let expanded: Vec<Option<Vec<String>>> =
                        words.iter().map(|word| word.expand(&self.variables)).collect();
                    self.simple(&expanded, *line);
                }
                Statement::For { variable, values, body } => {
                    let values: Vec<String> = values
                        .iter()
                        .filter_map(|word| word.expand(&self.variables))
                        .flatten()
                        .collect();
                    for value in values {
                        self.variables.insert(variable.clone(), vec![value]);
                        self.run(body);
                    }
                }
                Statement::Block(body) => self.run(body),
            }
        }
    }

    fn simple(&mut self, words: &[Option<Vec<String>>], line: usize) {
        let Some(Some(name)) = words.first() else { return };
        match name.first().map(String::as_str) {
            Some("set") => self.set(&words[1..]),
            Some("complete") => {
                let completion = parse_complete(&words[1..]);
                let origin = Origin { source: Arc::clone(&self.source), line };
                self.add(completion, &origin);
            }
            _ => {}
        }
    }

    fn set(&mut self, words: &[Option<Vec<String>>]) {
        let mut words = words.iter().skip_while(|word| {
            word.as_ref().is_some_and(|word| word.first().is_some_and(|word| word.starts_with('-')))
        });
        let Some(name) = words.next().and_then(|word| word.as_ref()?.first().cloned()) else {
            return;
        };
        let values: Option<Vec<Vec<String>>> = words.cloned().collect();
        match values {
            Some(values) => self.variables.insert(name, values.concat()),
            None => self.variables.remove(&name),
        };
    }

    fn add(&mut self, completion: Completion, origin: &Origin) {
        for program in &completion.programs {
            let index = self.programs.iter().position(|known| known.name == *program);
            let index = index.unwrap_or_else(|| {
                self.programs.push(Command {
                    name: program.clone(),
                    origin: origin.clone(),
                    ..Command::default()
                });
                self.programs.len() - 1
            });
            for path in completion.paths() {
                let level = descend(&mut self.programs[index], &path, origin);
                add_completion(level, &completion, origin);
            }
        }
    }
}

fn descend<'c>(command: &'c mut Command, path: &[String], origin: &Origin) -> &'c mut Command {
    let Some((first, rest)) = path.split_first() else { return command };
    let known = command
        .subcommands
        .iter()
        .position(|sub| sub.name == *first || sub.aliases.contains(first));
    let index = known.unwrap_or_else(|| {
        command.subcommands.push(Command {
            name: first.clone(),
            origin: origin.clone(),
            ..Command::default()
        });
        command.subcommands.len() - 1
    });
    descend(&mut command.subcommands[index], rest, origin)
}

fn add_completion(level: &mut Command, completion: &Completion, origin: &Origin) {
    let text = completion.description.clone().filter(|text| !text.trim().is_empty());
    let description = text.map(|text| Fact::new(text, origin.clone()));
    if completion.names.is_empty() {
        if completion.lists_commands() {
            for (name, text) in &completion.values {
                let description = text
                    .clone()
                    .map(|text| Fact::new(text, origin.clone()))
                    .or_else(|| description.clone());
                level.add_subcommand(Command {
                    name: name.clone(),
                    description,
                    origin: origin.clone(),
                    ..Command::default()
                });
            }
        }
        return;
    }
    let has_choices =
        completion.is_exclusive && completion.values.len() > 1 && !completion.has_dynamic_values;
    let choices = has_choices.then(|| {
        Fact::new(
            completion.values.iter().map(|(value, _)| value.clone()).collect(),
            origin.clone(),
        )
    });
    let takes_value =
        completion.requires_value || !completion.values.is_empty() || completion.has_dynamic_values;
    level.add_option(Flag {
        names: completion.names.clone(),
        value: takes_value.then(ValueSpec::default),
        description,
        choices,
        origin: origin.clone(),
        ..Flag::default()
    });
}
