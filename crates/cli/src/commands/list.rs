//! `list`: the tools, one per line.

use std::{fmt::Write, process::ExitCode};

use catalog::{Severity, Tool};
use host::{Options, Tools, count};
use serde_json::Value;
use server::Snapshot;
use workspace::{Drift, Groups};

use super::{CommandContext, CommandResult};
use crate::{executor::block_on, terminal};

/// The length at which a summary is truncated, in characters. `show` prints all of it.
const MAX_SUMMARY: usize = 100;

/// List the tools of the crib.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print exactly the objects that `tools/list` serves, in the same order.
    #[arg(long)]
    json: bool,
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
    if args.json {
        print_json(&assembly.snapshot(&tools), wanted);
        return Ok(ExitCode::SUCCESS);
    }
    print_tables(&tools, wanted);
    print_held(assembly.held());
    if let Some(hint) = assembly.misplaced_definitions() {
        terminal::note(&hint);
    }
    let errors = assembly.loaded().count(Severity::Error);
    if errors > 0 {
        let errors = count(errors, "error");
        terminal::note(&format!("{errors} in definitions; run `toolcrib check` to see them"));
    }
    Ok(ExitCode::SUCCESS)
}

fn print_json(snapshot: &Snapshot, wanted: impl Fn(&Tool) -> bool) {
    let is_wanted = |object: &Value| {
        let tool = object["name"].as_str().and_then(|name| snapshot.get(name));
        tool.is_some_and(|tool| wanted(tool))
    };
    terminal::json(&snapshot.tools_json().into_iter().filter(is_wanted).collect::<Vec<_>>());
}

fn print_tables(tools: &Tools<'_>, wanted: impl Fn(&Tool) -> bool) {
    let Tools { catalog, switched_off } = tools;
    let (served, documented): (Vec<_>, Vec<_>) =
        catalog.tools().iter().filter(|tool| wanted(tool)).partition(|tool| tool.is_callable());
    terminal::print(&render_table(&served));
    if !documented.is_empty() {
        terminal::print_line(
            "\nDocumented, not served: no program (see `[[bind]]` in toolcrib.toml)",
        );
        terminal::print(&render_table(&documented));
    }
    if !switched_off.is_empty() {
        terminal::print_line("\nSwitched off (see `[[switch]]` in toolcrib.toml)");
        let width = switched_off.iter().map(|(tool, _)| tool.name.len()).max().unwrap_or(0).min(40);
        for (tool, switch) in switched_off {
            terminal::print_line(&format!("{:width$}  until {switch}", tool.name));
        }
    }
}

fn print_held(held: &[Drift]) {
    if held.is_empty() {
        return;
    }
    terminal::print_line("\nHeld back until you run `toolcrib lock --accept NAME`");
    held.iter().for_each(|drift| terminal::print_line(&drift.to_string()));
}

fn render_table<T: AsRef<Tool>>(tools: &[T]) -> String {
    let width = tools.iter().map(|tool| tool.as_ref().name.len()).max().unwrap_or(0).min(40);
    let mut text = String::new();
    for tool in tools {
        let tool = tool.as_ref();
        let summary = truncate(tool.description.text.lines().next().unwrap_or_default());
        writeln!(text, "{:width$}  {summary}", tool.name).expect("writing to a string");
    }
    text
}

/// Truncates a line after a whole word.
fn truncate(line: &str) -> String {
    let Some((end, _)) = line.char_indices().nth(MAX_SUMMARY) else {
        return line.to_owned();
    };
    // A line without blanks is truncated anywhere.
    let words = line[..end].rsplit_once(' ').map_or(&line[..end], |(words, _)| words);
    format!("{} …", words.trim_end_matches([',', ';', ':', '.']))
}

#[cfg(test)]
mod tests {
    use super::truncate;

    #[test]
    fn truncates_after_a_whole_word() {
        assert_eq!(truncate("Counts words."), "Counts words.");
        assert_eq!(truncate(&"é".repeat(100)), "é".repeat(100));
        let line = format!("{} second, third", "a".repeat(90));
        assert_eq!(truncate(&line), format!("{} second …", "a".repeat(90)));
    }
}
