//! Reads the help text of a program in any of the usual layouts.
//!
//! One tolerant grammar serves all of them: a text is cut into sections, a section has rows of names and
//! texts in columns, and the usage completes what the sections leave out.

mod commands;
mod details;
mod layout;
mod options;
mod section;
mod spec;
mod text;
mod usage;

use std::sync::Arc;

use self::{
    section::{Kind, Section},
    text::{Line, read_lines},
    usage::Usage,
};
use crate::program::{Command, Fact, Origin, Positional};

pub(crate) use commands::is_command_name;
pub use layout::Ask;
pub(crate) use layout::{find_ask, is_man_page};

/// A help text that was read.
#[derive(Debug)]
pub struct Help {
    /// The command, with its subcommands by name.
    pub command: Command,
    /// How to ask for the help of subcommands, if the text shows it.
    pub ask: Option<Ask>,
    /// Whether the text has the form of a manual page.
    pub is_man_page: bool,
    /// Whether the usage mentions subcommands.
    pub wants_command: bool,
}

impl Help {
    /// Whether the text is a help: it lists something.
    pub fn is_useful(&self) -> bool {
        let command = &self.command;
        !command.options.is_empty()
            || !command.subcommands.is_empty()
            || !command.positionals.is_empty()
    }
}

/// Reads the output of `source`. `path` is the program and the words of the subcommand.
pub fn read_help(output: &[u8], source: &str, path: &[String]) -> Help {
    let source: Arc<str> = source.into();
    let origin = |line: usize| Origin { source: Arc::clone(&source), line };
    let lines = read_lines(output);
    let text: String =
        lines.iter().flat_map(|line| line.chars.iter().copied().chain(['\n'])).collect();
    let sections = section::split(&lines);
    let mut command = Command {
        name: path.last().cloned().unwrap_or_default(),
        origin: origin(1),
        ..Command::default()
    };
    command.description = read_description(&sections, path, &origin);
    let program = path.first().map(String::as_str).unwrap_or_default();
    for section in &sections {
        read_section(section, program, &mut command, &origin);
    }
    read_usages(&sections, path, &mut command, &origin);
    let wants_command = finish_commands(&sections, path, &mut command, &origin);
    Help { command, ask: find_ask(&text), is_man_page: is_man_page(&text), wants_command }
}

fn read_section(
    section: &Section,
    program: &str,
    command: &mut Command,
    origin: &dyn Fn(usize) -> Origin,
) {
    let lines = match section.kind {
        // Programs such as curl print their options right after the usage.
        Kind::Usage => after_usage(&section.lines, program),
        Kind::Other => return,
        _ => &section.lines,
    };
    if section.kind == Kind::Options {
        let start = lines.iter().take_while(|line| line.is_blank()).count();
        let listed = lines[start..].iter().take_while(|line| line.text().starts_with("[-"));
        let listed = &lines[start..start + listed.count()];
        let flags = usage::read_bracketed_options(listed, origin);
        flags.into_iter().for_each(|flag| command.add_option(flag));
    }
    options::read_options(lines, origin).into_iter().for_each(|flag| command.add_option(flag));
    match section.kind {
        Kind::Commands => {
            let listed = commands::read_commands(lines, origin);
            listed.into_iter().for_each(|listed| command.add_subcommand(listed));
        }
        Kind::Arguments => read_arguments(lines, command, origin),
        _ => {}
    }
}

/// The lines of a usage section after its forms.
fn after_usage<'l>(lines: &'l [Line], program: &str) -> &'l [Line] {
    &lines[usage::end_of_forms(lines, program)..]
}

/// Positional arguments. argparse lists its subcommands among them.
fn read_arguments(lines: &[Line], command: &mut Command, origin: &dyn Fn(usize) -> Origin) {
    let first = lines.iter().position(|line| line.text().starts_with('{'));
    if let Some(start) = first {
        let indent = lines[start].indent;
        let rows: Vec<Line> = lines[start + 1..]
            .iter()
            .take_while(|line| line.is_blank() || line.indent > indent)
            .cloned()
            .collect();
        let column = rows.iter().map(|line| line.indent).min();
        let text = lines[start].text();
        let names: Vec<String> = text
            .trim_start_matches('{')
            .split('}')
            .next()
            .unwrap_or_default()
            .split(',')
            .map(str::to_owned)
            .collect();
        let listed = commands::read_commands(&rows, origin);
        let is_listed = !listed.is_empty()
            && column.is_some()
            && listed.iter().all(|listed| names.contains(&listed.name));
        if is_listed {
            listed.into_iter().for_each(|listed| command.add_subcommand(listed));
            let rest: Vec<Line> =
                lines[..start].iter().chain(&lines[start + 1 + rows.len()..]).cloned().collect();
            command.positionals.extend(commands::read_arguments(&rest, origin));
            return;
        }
    }
    command.positionals.extend(commands::read_arguments(lines, origin));
}

/// Adds what only the usage shows.
fn read_usages(
    sections: &[Section],
    path: &[String],
    command: &mut Command,
    origin: &dyn Fn(usize) -> Origin,
) {
    let Some(section) = sections.iter().find(|section| section.kind == Kind::Usage) else { return };
    let Usage { options, positionals, commands, wants_command, command_is_optional } =
        usage::read_usage(&section.lines, path, !command.subcommands.is_empty(), origin);
    for flag in options {
        // A cluster or an abbreviated form of an option that is listed adds nothing.
        if command.find_option(&flag.names).is_none() {
            command.add_option(flag);
        }
    }
    for (name, line) in commands {
        command.add_subcommand(Command { name, origin: origin(line), ..Command::default() });
    }
    command.runs_itself = wants_command && command_is_optional && !command.positionals.is_empty();
    command.positionals = merge_positionals(positionals, std::mem::take(&mut command.positionals));
    if !command.subcommands.is_empty() {
        let commands = &command.subcommands;
        command.positionals.retain(|positional| {
            let is_choice = positional.choices.as_ref().is_some_and(|choices| {
                choices.value.iter().all(|choice| {
                    commands
                        .iter()
                        .any(|command| command.name == *choice || command.aliases.contains(choice))
                })
            });
            !is_choice && !is_command_placeholder(&positional.name)
        });
    }
}

fn is_command_placeholder(name: &str) -> bool {
    matches!(
        name.to_lowercase().as_str(),
        "command" | "subcommand" | "cmd" | "commands" | "args" | "arguments" | "options"
    )
}

/// The order and the brackets of the usage with the texts of the list.
fn merge_positionals(usage: Vec<Positional>, listed: Vec<Positional>) -> Vec<Positional> {
    if usage.is_empty() {
        return listed;
    }
    let mut merged = usage;
    for other in listed {
        let known = merged.iter_mut().find(|known| {
            known.name.eq_ignore_ascii_case(&other.name)
                || known.choices.is_some()
                    && known.choices.as_ref().map(|c| &c.value)
                        == other.choices.as_ref().map(|c| &c.value)
        });
        match known {
            Some(known) => {
                known.repeats |= other.repeats;
                known.description = known.description.take().or(other.description);
                known.choices = known.choices.take().or(other.choices);
            }
            None => merged.push(other),
        }
    }
    merged
}

/// Finds commands in sections whose title does not say so. Returns whether the usage mentions some.
fn finish_commands(
    sections: &[Section],
    path: &[String],
    command: &mut Command,
    origin: &dyn Fn(usize) -> Origin,
) -> bool {
    let usage = sections.iter().find(|section| section.kind == Kind::Usage);
    let usage =
        usage.map(|section| usage::read_usage(&section.lines, path, true, &|_| Origin::default()));
    let wants_command = usage.is_some_and(|usage| usage.wants_command);
    if wants_command {
        for section in sections
            .iter()
            .filter(|section| section.kind == Kind::Unknown && !section.title.is_empty())
        {
            let listed = commands::read_commands(&section.lines, origin);
            // A table of names and texts, not prose.
            let described = listed.iter().filter(|listed| listed.description.is_some()).count();
            let rows = section.lines.iter().filter(|line| !line.is_blank()).count();
            if !listed.is_empty() && described == listed.len() && listed.len() * 3 >= rows {
                listed.into_iter().for_each(|listed| command.add_subcommand(listed));
            }
        }
        if !command.subcommands.is_empty() {
            command.positionals.retain(|positional| !is_command_placeholder(&positional.name));
        }
    }
    wants_command
}

/// The first paragraph before or after the usage.
fn read_description(
    sections: &[Section],
    path: &[String],
    origin: &dyn Fn(usize) -> Origin,
) -> Option<Fact<String>> {
    let program = path.first().map(String::as_str).unwrap_or_default();
    let before = sections.first().map(|section| section.lines.as_slice()).unwrap_or_default();
    let usage = sections.iter().find(|section| section.kind == Kind::Usage);
    let after = usage.map(|section| after_usage(&section.lines, program)).unwrap_or_default();
    let named = sections
        .iter()
        .find(|section| section.title == "description")
        .map(|section| section.lines.as_slice());
    [named.unwrap_or_default(), before, after].into_iter().find_map(|lines| {
        let is_text = |line: &&Line| {
            let text = line.text();
            let words = text.split_whitespace().count();
            // Not the name and version, and not a list.
            words > 2
                && !line.starts_with_dash()
                && !(text.starts_with(program) && words < 4)
                && text.starts_with(|c: char| c.is_alphanumeric() || c == '`')
                && !text.ends_with(':')
        };
        let start = lines.iter().position(|line| is_text(&line))?;
        let paragraph =
            lines[start..].iter().take_while(|line| !line.is_blank() && !line.starts_with_dash());
        let texts: Vec<String> = paragraph.map(Line::text).collect();
        Some(Fact::new(details::join(&texts), origin(lines[start].number)))
    })
}
