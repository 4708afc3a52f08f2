//! `list`: the tools, one per line.

mod budget;

use std::{process::ExitCode, sync::Arc};

use catalog::{Implementation, Severity, Tool};
use host::{Options, Tools, count};
use serde_json::Value;
use server::Snapshot;
use workspace::{Drift, Groups};

use super::{CommandContext, CommandResult};
use crate::{
    executor::block_on,
    table::{self, Cell, Column, Header},
    terminal::{self, Paint},
};

/// Width limit of the name column, in columns. A longer name does not widen the tables of all
/// groups.
const MAX_NAME: usize = 40;

/// List the tools of the crib.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print exactly the objects that `tools/list` serves, in the same order.
    #[arg(long)]
    json: bool,
    /// Print how many tokens the tools take of a model's context, estimated as a quarter of the
    /// bytes that `tools/list` serves.
    #[arg(long, conflicts_with = "json")]
    budget: bool,
    /// Prefix the names of native tools, like `serve --prefix`.
    #[arg(long, value_name = "PREFIX")]
    prefix: Option<String>,
    /// List only tools of this category.
    #[arg(long, value_name = "CATEGORY")]
    category: Option<String>,
    /// List only tools of these groups: a regular expression on the part of the name after
    /// PACKAGE-mcp_tool_. Repeatable.
    #[arg(long, value_name = "REGEXP")]
    groups: Vec<String>,
}

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    let options = Options { prefix: args.prefix.clone(), ..Options::default() };
    let assembly = context.assemble(options)?;
    let values = block_on(assembly.flag_values_or_defaults())?;
    let tools = assembly.tools(&values)?;
    let groups = Groups::new(&args.groups)?;
    let wanted = |tool: &Tool| {
        (args.category.is_none() || tool.annotations.category == args.category)
            && groups.includes(tool)
    };
    if args.json || args.budget {
        let served = find_served(&assembly.snapshot(&tools), wanted);
        if args.json {
            terminal::json(&served)
        } else {
            terminal::print(&budget::render(&served))
        }
        return Ok(ExitCode::SUCCESS);
    }
    let misplaced = assembly.misplaced_definitions();
    if print_tables(&tools, wanted) == 0 {
        terminal::note(&match &args.category {
            Some(category) => format!("no tool has the category `{category}`"),
            None => {
                let folder = assembly.crib().folder.display();
                // Definitions in the wrong place are named below, with what to do.
                match &misplaced {
                    Some(_) => format!("no tools in {folder}"),
                    None => format!("no tools in {folder}; run `toolcrib init` to start with some"),
                }
            }
        });
    }
    let all = tools.catalog.tools().iter().map(|tool| &**tool);
    if let Some(problem) = groups.describe_unmatched(all) {
        terminal::note(&problem);
    }
    print_held(assembly.held());
    if let Some(hint) = misplaced {
        terminal::note(&hint);
    }
    let errors = assembly.loaded().count(Severity::Error);
    if errors > 0 {
        let errors = count(errors, "error");
        terminal::note(&format!("{errors} in definitions; run `toolcrib check` to see them"));
    }
    Ok(ExitCode::SUCCESS)
}

/// The selected tools in the form that `tools/list` serves.
fn find_served(snapshot: &Snapshot, wanted: impl Fn(&Tool) -> bool) -> Vec<Value> {
    let is_wanted = |object: &Value| {
        let tool = object["name"].as_str().and_then(|name| snapshot.get(name));
        tool.is_some_and(|tool| wanted(tool))
    };
    snapshot.tools_json().into_iter().filter(is_wanted).collect()
}

/// Prints the tools of the crib, then the others in groups of their own. Returns how many there
/// are.
fn print_tables(tools: &Tools<'_>, wanted: impl Fn(&Tool) -> bool) -> usize {
    let Tools { catalog, switched_off } = tools;
    let (served, documented): (Vec<_>, Vec<_>) =
        catalog.tools().iter().filter(|tool| wanted(tool)).partition(|tool| tool.is_callable());
    let (built_in, own): (Vec<_>, Vec<_>) =
        served.into_iter().partition(|tool| matches!(tool.implementation, Implementation::Native));
    let describe = |tool: &&Arc<Tool>| {
        let text = tool.description.text.lines().next().unwrap_or_default();
        vec![tool.name.as_str().into(), text.into()]
    };
    let off = switched_off
        .iter()
        .filter(|(tool, _)| wanted(tool))
        .map(|(tool, switch)| vec![tool.name.as_str().into(), format!("until {switch}").into()]);
    let rows = |tools: &[&Arc<Tool>]| tools.iter().map(describe).collect::<Vec<_>>();
    let groups = [
        (None, rows(&own)),
        (Some("Built in"), rows(&built_in)),
        (
            Some("Documented, not served: no program (see `[[bind]]` in toolcrib.toml)"),
            rows(&documented),
        ),
        (Some("Switched off (see `[[switch]]` in toolcrib.toml)"), off.collect()),
    ];
    print_groups(&groups)
}

fn print_groups(groups: &[(Option<&str>, Vec<Vec<Cell>>)]) -> usize {
    let longest = groups.iter().flat_map(|(_, rows)| rows).map(|row| row[0].width()).max();
    let columns = [
        // The same width in all groups, so that their columns are aligned.
        Column::left_aligned("TOOL").with_min_width(longest.unwrap_or(0).min(MAX_NAME)),
        Column::left_aligned("DESCRIPTION"),
    ];
    let mut printed = 0;
    for (title, rows) in groups.iter().filter(|(_, rows)| !rows.is_empty()) {
        if let Some(title) = title {
            let gap = if printed > 0 { "\n" } else { "" };
            terminal::print_line(&format!("{gap}{}", terminal::paint(title, Paint::Bold)));
        }
        let lines = table::render(&columns, rows, Header::Hidden);
        lines.iter().for_each(|line| terminal::print_line(line));
        printed += rows.len();
    }
    printed
}

fn print_held(held: &[Drift]) {
    if held.is_empty() {
        return;
    }
    terminal::print_line("\nHeld back until you run `toolcrib lock --accept NAME`");
    held.iter().for_each(|drift| terminal::print_line(&drift.to_string()));
}
