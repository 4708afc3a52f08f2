//! `show`: one tool.

use std::{process::ExitCode, sync::Arc};

use catalog::{Catalog, Tool};
use host::{Options, find_tool};
use workspace::Crib;

use super::{CommandContext, CommandResult};
use crate::{
    error::{CommandError, Kind},
    terminal,
};

/// Show one tool: its description, arguments, command line and where it is defined.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Name of the tool.
    name: String,
}

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    let assembly = context.assemble(Options::default())?;
    let tools = assembly.all_tools()?;
    let tool = find(&tools, assembly.crib(), &args.name)?;
    terminal::print_line(&docs::render_for_terminal(&tool));
    Ok(ExitCode::SUCCESS)
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
