//! Proposals for the word that a person completes in a shell.
//!
//! The completion script runs the program with [`VARIABLE`] set and the words typed so far, so
//! tools and parameters are proposed from the current definitions.

use std::{
    env,
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use catalog::{Catalog, Tool};
use clap::ArgMatches;
use clap_complete::{
    CompletionCandidate,
    env::{Bash, Fish, Powershell, Shells, Zsh},
};
use host::{Assembly, Options, find_tool};
use serde_json::Value;
use workspace::{Crib, Environment};

use super::nushell::Nushell;
use crate::commands;

/// Environment variable set by the completion scripts; its value is the name of the shell.
pub(crate) const VARIABLE: &str = "TOOLCRIB_COMPLETE";

pub(crate) const SHELLS: Shells<'static> = Shells(&[&Bash, &Zsh, &Fish, &Powershell, &Nushell]);

/// Returns the script that registers the completion with a shell.
pub(crate) fn write_script(shell: &str) -> io::Result<String> {
    // The script starts the program by name rather than by path, so that it stays valid after an
    // update.
    write(shell, |shell, buffer| {
        shell.write_registration(VARIABLE, "toolcrib", "toolcrib", "toolcrib", buffer)
    })
}

/// Returns the proposals for the last word in the format of the shell.
pub(crate) fn propose(shell: &str) -> io::Result<String> {
    let mut command = commands::command();
    command.build();
    let folder = env::current_dir().ok();
    write(shell, |shell, buffer| {
        shell.write_complete(&mut command, typed_words(), folder.as_deref(), buffer)
    })
}

fn write(
    shell: &str,
    write: impl FnOnce(&dyn clap_complete::env::EnvCompleter, &mut Vec<u8>) -> io::Result<()>,
) -> io::Result<String> {
    let unknown = || io::Error::other(format!("there is no completion for the shell `{shell}`"));
    let mut buffer = Vec::new();
    write(SHELLS.completer(shell).ok_or_else(unknown)?, &mut buffer)?;
    Ok(String::from_utf8_lossy(&buffer).into_owned())
}

/// The words typed so far, which scripts pass after `--`.
fn typed_words() -> Vec<OsString> {
    env::args_os().skip_while(|word| word != "--").skip(1).collect()
}

/// Proposes the tools of the crib.
pub(crate) fn tools() -> Vec<CompletionCandidate> {
    let Some((catalog, _)) = load_catalog(&parse_words()) else { return Vec::new() };
    let to_candidate = |tool: &Arc<Tool>| {
        let summary = tool.description.text.lines().next().unwrap_or_default().to_owned();
        CompletionCandidate::new(&tool.name).help(Some(summary.into()))
    };
    catalog.tools().iter().map(to_candidate).collect()
}

/// Proposes `key=` for the parameters of the tool that is named on the command line, and the values
/// of an enumeration or boolean.
pub(crate) fn arguments(current: &OsStr) -> Vec<CompletionCandidate> {
    let matches = parse_words();
    let name = matches.subcommand().and_then(|(_, matches)| matches.get_one::<String>("name"));
    let (Some((catalog, crib)), Some(name)) = (load_catalog(&matches), name) else {
        return Vec::new();
    };
    let Some(tool) = find_tool(&catalog, &crib, name) else { return Vec::new() };
    let current = current.to_string_lossy();
    let candidates = match current.split_once('=') {
        Some((key, _)) => propose_values(tool, key, &format!("{key}=")),
        None => match find_key(tool, &typed_words()) {
            Some(key) => propose_values(tool, &key, ""),
            None => propose_keys(tool),
        },
    };
    let matches = |candidate: &CompletionCandidate| {
        candidate.get_value().to_string_lossy().starts_with(&*current)
    };
    candidates.into_iter().filter(matches).collect()
}

fn propose_keys(tool: &Tool) -> Vec<CompletionCandidate> {
    let to_candidate = |(name, schema): (&str, &Value)| {
        let help = schema["description"].as_str().map(|text| text.to_owned().into());
        CompletionCandidate::new(format!("{name}=")).help(help)
    };
    tool.input.properties().map(to_candidate).collect()
}

fn propose_values(tool: &Tool, key: &str, prefix: &str) -> Vec<CompletionCandidate> {
    let Some(schema) = tool.input.property(key) else { return Vec::new() };
    let items = schema.get("items").unwrap_or(schema);
    let is_flag = items["type"] == "boolean";
    let listed = items["enum"].as_array().cloned().unwrap_or_default();
    let values = if is_flag { vec![true.into(), false.into()] } else { listed };
    let to_text = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    let candidate = |value| CompletionCandidate::new(format!("{prefix}{}", to_text(value)));
    values.into_iter().map(candidate).collect()
}

/// Finds the key of the value being typed. Bash splits words at `=`: it passes `key=value` as three
/// words, and `key=` as two, the last of which it replaces by an empty word.
fn find_key(tool: &Tool, words: &[OsString]) -> Option<String> {
    let texts: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    match &texts[..] {
        [.., key, equals, _] if *equals == "=" => Some(key.to_string()),
        [.., key, last] if last.is_empty() && tool.input.property(key).is_some() => {
            Some(key.to_string())
        }
        _ => None,
    }
}

/// Parses the incomplete command line.
fn parse_words() -> ArgMatches {
    let command = commands::command().ignore_errors(true);
    command.try_get_matches_from(typed_words()).unwrap_or_default()
}

/// Loads the crib of the command line. Diagnostics are dropped, because output would disturb the
/// completion.
fn load_catalog(matches: &ArgMatches) -> Option<(Catalog, Crib)> {
    let environment = Environment::capture();
    let folder = matches.get_one::<PathBuf>("crib").map(PathBuf::as_path);
    let home = environment.get("HOME").map(Path::new);
    let folder = folder.map(|folder| commands::expand_home(folder, home));
    let crib = Crib::open(folder.as_deref(), &environment).ok()?;
    let assembly = Assembly::new(crib, &environment, Options::default());
    Some((assembly.all_tools().ok()?, assembly.crib().clone()))
}
