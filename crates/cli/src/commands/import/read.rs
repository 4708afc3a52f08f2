//! Reads a source to a definition.

use std::{fs, path::Path};

use import::{Command, Definition, Only, Source, Walk, define, read_carapace, read_fish};
use workspace::Environment;

use super::help_runs::HelpRuns;
use crate::error::CommandError;

/// A definition, and what could not be read.
pub(super) struct Imported {
    pub(super) definition: Definition,
    pub(super) notes: Vec<String>,
}

/// Reads a source.
pub(super) fn read(source: &Source, environment: &Environment) -> Result<Imported, CommandError> {
    match source {
        Source::Cli { program, words, depth, only } => {
            let only = Only::new(only)
                .map_err(|error| CommandError::machine(format!("`--only`: {error}")))?;
            read_program(program, words, Walk::new(program, words, *depth, only), environment)
        }
        Source::Fish { file, program } => {
            let mut programs = read_fish(&read_text(file)?, file);
            let size = |command: &Command| command.options.len() + command.subcommands.len();
            programs.sort_by_key(|command| (command.name != *program, usize::MAX - size(command)));
            programs.into_iter().next().map(define_file).ok_or_else(|| empty_error(file))
        }
        Source::Carapace { file } => {
            let spec = formats::yaml_value(&read_text(file)?);
            let command = spec.as_ref().and_then(|spec| read_carapace(spec, file));
            command.map(define_file).ok_or_else(|| empty_error(file))
        }
    }
}

fn define_file(command: Command) -> Imported {
    Imported {
        definition: define(&command, std::slice::from_ref(&command.name)),
        notes: Vec::new(),
    }
}

fn empty_error(file: &str) -> CommandError {
    CommandError::machine(format!("`{file}` describes no program"))
        .hint("check that the file has the format that you named")
}

fn read_text(file: &str) -> Result<String, CommandError> {
    let path = Path::new(file);
    let bytes = fs::read(path).map_err(|error| CommandError::io("read", path, &error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn read_program(
    program: &str,
    words: &[String],
    mut walk: Walk,
    environment: &Environment,
) -> Result<Imported, CommandError> {
    HelpRuns::new(program, environment)?.finish(&mut walk)?;
    let found = walk.finish();
    let words: Vec<String> =
        std::iter::once(program.to_owned()).chain(words.iter().cloned()).collect();
    let Command { options, subcommands, positionals, .. } = &found.program;
    if options.is_empty() && subcommands.is_empty() && positionals.is_empty() {
        let message = format!("`{}` printed no help that could be read", words.join(" "));
        let hint = match found.notes.as_slice() {
            [] => "write a definition with `toolcrib new cli NAME`".to_owned(),
            notes => notes.join("; "),
        };
        return Err(CommandError::machine(message).hint(hint));
    }
    Ok(Imported { definition: define(&found.program, &words), notes: found.notes })
}
