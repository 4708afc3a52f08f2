//! `show`: one tool.

mod missing;

use std::{path::Path, process::ExitCode, sync::Arc};

use catalog::{Catalog, Implementation, Tool};
use clap_complete::ArgValueCandidates;
use host::{Assembly, Options, Tools, find_tool};
use import::RecordedFact;
use runtime::{GrantsByProgram, SandboxLevel};
use serde_json::json;
use workspace::Crib;

use super::{CommandContext, CommandResult, completions::proposals, import::record_file};
use crate::{
    error::CommandError,
    terminal::{self, Paint},
    wrap::wrap,
};

/// Show one tool: its description, arguments, command line, sandbox and where it is defined.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Name of the tool.
    #[arg(add = ArgValueCandidates::new(proposals::tools))]
    name: String,
    /// Print JSON: the object that `tools/list` serves, and the sandbox level.
    #[arg(long)]
    json: bool,
    /// Print where each fact of an imported tool was read, and whether a person has confirmed it.
    #[arg(long, conflicts_with = "json")]
    origins: bool,
}

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    let assembly = context.assemble(Options::default())?;
    let tools = assembly.all_tools()?;
    let tool = find(&tools, &assembly, &args.name)?;
    if args.origins {
        return print_origins(&assembly.crib().folder, &tool);
    }
    let level = sandbox_level(assembly.crib(), &tool);
    let held = assembly.held().iter().find(|drift| drift.held_tool() == Some(&tool.name));
    if args.json {
        let snapshot = assembly.snapshot(&Tools { catalog: tools, switched_off: Vec::new() });
        let is_shown = |served: &serde_json::Value| {
            let served = served["name"].as_str().and_then(|name| snapshot.get(name));
            served.is_some_and(|served| served.name == tool.name)
        };
        let mut json = json!({"version": 1, "name": tool.name});
        // A tool without an implementation is not served.
        if let Some(served) = snapshot.tools_json().into_iter().find(is_shown) {
            json["tool"] = served;
        }
        if let Some(level) = level {
            json["sandbox"] = json!(level);
        }
        if let Some(drift) = held {
            json["held"] = json!(drift.to_string());
        }
        terminal::json(&json);
        return Ok(ExitCode::SUCCESS);
    }
    let sandbox = level.map(|level| match level {
        SandboxLevel::None => {
            "\nSandbox\n  none: it can read, write and reach everything you can\n".to_owned()
        }
        level => format!("\nSandbox\n  {level}\n"),
    });
    let profile = describe_profile(&assembly.settings().programs, &tool);
    let profile = profile.map(|text| wrap(&format!("  profile  {text}"), 11) + "\n");
    let width = terminal::width().unwrap_or(docs::WIDTH).min(docs::WIDTH);
    let text = docs::render_for_terminal(&tool, width) + &sandbox.unwrap_or_default();
    let text = text + &profile.unwrap_or_default();
    text.lines().for_each(|line| terminal::print_line(&emphasize_heading(line)));
    if let Some(drift) = held {
        terminal::note(&format!(
            "held: {drift}; review it, then run `toolcrib lock --accept {}` to serve it",
            tool.name
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the origins of an imported tool.
fn print_origins(folder: &Path, tool: &Tool) -> CommandResult {
    let record = record_file::load(&folder.join(tool.origin.source.as_str()))?;
    let facts = record.facts_of(&tool.name);
    let width = |text: fn(&RecordedFact<'_>) -> usize| facts.iter().map(text).max().unwrap_or(0);
    let (places, keys) = (width(|fact| fact.place.len()), width(|fact| fact.key.len()));
    for fact in &facts {
        let RecordedFact { place, key, source, line, is_confirmed } = fact;
        let state = if *is_confirmed { "confirmed  " } else { "unconfirmed" };
        terminal::print_foreign_line(&format!(
            "{place:places$}  {key:keys$}  {state}  {source}, line {line}"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Describes which of the user's files and variables the tool's program gets.
fn describe_profile(programs: &GrantsByProgram, tool: &Tool) -> Option<String> {
    match &tool.implementation {
        Implementation::Process(process) => programs.grant_of(&process.program, tool).describe(),
        _ => None,
    }
}

/// Emphasizes the headings and the name of the tool, which are the lines without indentation.
fn emphasize_heading(line: &str) -> String {
    let is_heading = !line.is_empty() && !line.starts_with(' ');
    if is_heading { terminal::paint(line, Paint::Bold) } else { line.to_owned() }
}

/// The level that its programs get on this machine; `None` if it runs no program itself.
fn sandbox_level(crib: &Crib, tool: &Tool) -> Option<SandboxLevel> {
    let level = || {
        if crib.config.confine.enabled { runtime::sandbox_level() } else { SandboxLevel::None }
    };
    match tool.implementation {
        Implementation::Process(_) | Implementation::R(_) | Implementation::Python(_) => {
            Some(level())
        }
        Implementation::Sequence(_)
        | Implementation::Tool(_)
        | Implementation::Native
        | Implementation::Missing => None,
    }
}

/// Finds a tool by its name, or explains why it is missing.
pub(super) fn find(
    catalog: &Catalog,
    assembly: &Assembly,
    name: &str,
) -> Result<Arc<Tool>, CommandError> {
    let found = find_tool(catalog, assembly.crib(), name).cloned();
    found.ok_or_else(|| missing::explain(catalog, assembly, name))
}
