//! `list`: the catalog at a glance.

use std::{fmt::Write, process::ExitCode};

use catalog::Tool;
use host::{Options, Tools, count};
use workspace::Groups;

use super::{CommandContext, CommandResult};
use crate::{executor::block_on, terminal};

/// How many characters a line says of a tool. `show` says all.
const LONGEST: usize = 100;

/// List the tools of the crib.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print exactly the objects that `tools/list` serves, in the same order.
    #[arg(long)]
    json: bool,
    /// Put this before the names of native tools, as `serve --prefix` does.
    #[arg(long, value_name = "PREFIX")]
    prefix: Option<String>,
    /// Only tools of this category.
    #[arg(long, value_name = "CATEGORY")]
    category: Option<String>,
    /// Only tools of these groups: a regular expression on what follows PACKAGE-mcp_tool_ in a name. May be given several times.
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
        let snapshot = assembly.snapshot(&tools);
        let objects = snapshot.tools_json().into_iter().filter(|object| {
            object["name"]
                .as_str()
                .and_then(|name| snapshot.get(name))
                .is_some_and(|tool| wanted(tool))
        });
        terminal::json(&objects.collect::<Vec<_>>());
        return Ok(ExitCode::SUCCESS);
    }
    let Tools { catalog, switched_off } = &tools;
    let (served, documented): (Vec<_>, Vec<_>) =
        catalog.tools().iter().filter(|tool| wanted(tool)).partition(|tool| tool.is_callable());
    terminal::print(&table(&served));
    if !documented.is_empty() {
        terminal::line("\nDocumented, not served (no program; see `[[bind]]` in toolcrib.toml):");
        terminal::print(&table(&documented));
    }
    if !switched_off.is_empty() {
        terminal::line("\nSwitched off (see `[[switch]]` in toolcrib.toml):");
        let width = switched_off.iter().map(|(tool, _)| tool.name.len()).max().unwrap_or(0).min(40);
        switched_off.iter().for_each(|(tool, switch)| {
            terminal::line(&format!("{:width$}  until {switch}", tool.name))
        });
    }
    if let Some(hint) = assembly.misplaced_definitions() {
        terminal::note(&hint);
    }
    let errors = assembly.loaded().count(catalog::Severity::Error);
    if errors > 0 {
        terminal::note(&format!("{} in definitions: run `toolcrib check`", count(errors, "error")));
    }
    Ok(ExitCode::SUCCESS)
}

fn table<T: AsRef<Tool>>(tools: &[T]) -> String {
    let width = tools.iter().map(|tool| tool.as_ref().name.len()).max().unwrap_or(0).min(40);
    let mut text = String::new();
    for tool in tools {
        let tool = tool.as_ref();
        let summary = summary(tool.description.text.lines().next().unwrap_or_default());
        writeln!(text, "{:width$}  {summary}", tool.name).expect("writing to a string");
    }
    text
}

/// A line that is not too long: where it is, its first words.
fn summary(line: &str) -> String {
    let Some((end, _)) = line.char_indices().nth(LONGEST) else {
        return line.to_owned();
    };
    let words = line[..end].rsplit_once(' ').map_or(&line[..end], |(words, _)| words);
    format!("{} …", words.trim_end_matches([',', ';', ':', '.']))
}

#[cfg(test)]
mod tests {
    use super::summary;

    #[test]
    fn a_long_line_ends_with_a_whole_word_and_says_so() {
        assert_eq!(summary("Counts words."), "Counts words.");
        assert_eq!(summary(&"é".repeat(100)), "é".repeat(100));
        let line = format!("{} second, third", "a".repeat(90));
        assert_eq!(summary(&line), format!("{} second …", "a".repeat(90)));
    }
}
