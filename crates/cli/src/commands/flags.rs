//! `flags`: set and show flags.

use std::{path::PathBuf, process::ExitCode};

use builtin::{Flags, Scope, Setting};
use catalog::flag::{FlagError, FlagName, FlagValue};
use host::{OnFlagChange, Options};
use serde_json::{Value, json};

use super::{CommandContext, CommandResult};
use crate::{
    error::{CommandError, ErrorKind},
    executor::block_on,
    terminal,
};

/// Set and show flags: of the crib's project, of another project, or global ones.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
    /// Use the global flags, which apply to every project.
    #[arg(long, global = true, conflicts_with = "project")]
    global: bool,
    /// Use the project in this folder [default: the crib].
    #[arg(long, global = true, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum Action {
    /// List flags and where each is set.
    List {
        /// List only flags whose name matches: `*` is any text, `?` any character.
        pattern: Option<String>,
    },
    /// Print the value of a flag; exits with 1 if it is not set.
    Get {
        /// Name of the flag.
        name: String,
    },
    /// Set a flag; running servers apply it at once.
    Set {
        /// Name of the flag.
        name: String,
        /// `true`, `false`, or a list or map as JSON; anything else is text.
        #[arg(default_value = "true", allow_hyphen_values = true)]
        value: String,
    },
    /// Remove a flag, so that the global or configured value applies.
    Unset {
        /// Name of the flag.
        name: String,
    },
}

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    let on_flag_change = OnFlagChange::notify_servers(context.environment);
    let assembly = context.assemble(Options { on_flag_change, ..Options::default() })?;
    let flags = assembly.flags();
    let scope = match &args.project {
        _ if args.global => Scope::Global,
        // Relative to the current folder, not to the crib.
        Some(path) => Scope::Project(
            std::path::absolute(path).map_err(|error| CommandError::io("find", path, &error))?,
        ),
        None => Scope::Crib,
    };
    block_on(async {
        match &args.action {
            Action::List { pattern } => list(flags, scope, pattern.as_deref(), args.json).await,
            Action::Get { name } => get(flags, scope, name, args.json).await,
            Action::Set { name, value } => {
                let value = parse_value(value)?;
                if value.is_boolean_word() {
                    terminal::note(
                        "note: the value is stored as text; use `true` or `false` to turn a flag on or off",
                    );
                }
                set(flags, scope, name, Some(value), args.json).await
            }
            Action::Unset { name } => set(flags, scope, name, None, args.json).await,
        }
    })?
}

async fn list(flags: &Flags, scope: Scope, pattern: Option<&str>, as_json: bool) -> CommandResult {
    let invalid =
        |error| CommandError::new(ErrorKind::BadArguments, format!("invalid pattern: {error}"));
    let glob = pattern.map(catalog::Glob::new).transpose().map_err(invalid)?;
    let mut all = flags.list(scope).await.map_err(CommandError::machine_failure)?;
    all.retain(|name, _| glob.as_ref().is_none_or(|glob| glob.is_match(name)));
    if as_json {
        terminal::json(&json!({"version": 1, "flags": all}));
        return Ok(ExitCode::SUCCESS);
    }
    if all.is_empty() {
        terminal::note("no flags are set");
    }
    let width = all.keys().map(|name| name.chars().count()).max().unwrap_or(0).min(40);
    for (name, Setting { value, source }) in &all {
        terminal::print_line(&format!("{name:width$}  {:<7}  {value}", source.as_str()));
    }
    Ok(ExitCode::SUCCESS)
}

async fn get(flags: &Flags, scope: Scope, name: &str, as_json: bool) -> CommandResult {
    let name = FlagName::new(name).map_err(flag_error)?;
    let found = flags.get(scope, &name).await.map_err(CommandError::machine_failure)?;
    match &found {
        Some(Setting { value, source }) if as_json => {
            terminal::json(
                &json!({"version": 1, "name": name, "is_set": true, "value": value, "source": source}),
            );
        }
        None if as_json => {
            terminal::json(&json!({"version": 1, "name": name, "is_set": false, "source": "unset"}))
        }
        Some(Setting { value: Value::String(text), .. }) => terminal::print_foreign_line(text),
        Some(setting) => terminal::print_line(&setting.value.to_string()),
        None => terminal::note(&format!("`{name}` is not set")),
    }
    Ok(if found.is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn set(
    flags: &Flags,
    scope: Scope,
    name: &str,
    value: Option<FlagValue>,
    as_json: bool,
) -> CommandResult {
    let name = FlagName::new(name).map_err(flag_error)?;
    let now = value.as_ref().map(|value| value.json().clone());
    let before =
        flags.set(scope.clone(), &name, value).await.map_err(CommandError::machine_failure)?;
    if as_json {
        terminal::json(&json!({"version": 1, "name": name, "value": now, "before": before}));
        return Ok(ExitCode::SUCCESS);
    }
    let place = match scope {
        Scope::Global => "for every project",
        Scope::Crib => "for this project",
        Scope::Project(_) => "for that project",
    };
    terminal::print_line(&match (now, before) {
        (Some(now), Some(before)) => format!("`{name}` is now {now} {place} (previously {before})"),
        (Some(now), None) => format!("`{name}` is now {now} {place} (previously unset)"),
        (None, Some(before)) => format!("`{name}` is unset {place} (previously {before})"),
        (None, None) => format!("`{name}` was already unset {place}"),
    });
    Ok(ExitCode::SUCCESS)
}

/// Parses a value as it is typed: JSON if a flag can have that value, else text.
fn parse_value(text: &str) -> Result<FlagValue, CommandError> {
    let value = match serde_json::from_str(text) {
        Ok(value @ (Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_))) => {
            value
        }
        _ => Value::String(text.to_owned()),
    };
    FlagValue::new(value).map_err(flag_error)
}

fn flag_error(error: FlagError) -> CommandError {
    CommandError::new(ErrorKind::BadArguments, error.to_string())
}
