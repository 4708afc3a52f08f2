//! `show`: one tool.

use std::{process::ExitCode, sync::Arc};

use catalog::{Catalog, Implementation, Tool};
use host::{Options, Tools, find_tool};
use runtime::SandboxLevel;
use serde_json::json;
use workspace::Crib;

use super::{CommandContext, CommandResult};
use crate::{
    error::{CommandError, Kind},
    terminal,
};

/// Show one tool: its description, arguments, command line, sandbox and where it is defined.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Name of the tool.
    name: String,
    /// Print JSON: the object that `tools/list` serves, and the sandbox level.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    let assembly = context.assemble(Options::default())?;
    let tools = assembly.all_tools()?;
    let tool = find(&tools, assembly.crib(), &args.name)?;
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
    terminal::print_line(&(docs::render_for_terminal(&tool) + &sandbox.unwrap_or_default()));
    if let Some(drift) = held {
        terminal::note(&format!(
            "held: {drift}; review it, then run `toolcrib lock --accept {}` to serve it",
            tool.name
        ));
    }
    Ok(ExitCode::SUCCESS)
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

/// Finds a tool, or suggests one with a similar name.
pub(super) fn find(catalog: &Catalog, crib: &Crib, name: &str) -> Result<Arc<Tool>, CommandError> {
    find_tool(catalog, crib, name).cloned().ok_or_else(|| {
        let hint = match catalog.closest(name) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                "run `toolcrib list` to see the tools, `toolcrib check` to see why one is missing"
                    .to_owned()
            }
        };
        CommandError::new(Kind::NotFound, format!("there is no tool `{name}`")).hint(hint)
    })
}
