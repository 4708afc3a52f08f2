//! The layout of the help: commands in groups, and examples of each command.

use std::fmt::Write;

use clap::{Arg, Command};

/// The groups of commands. A command that is not listed is in the last group.
const GROUPS: &[(&str, &[&str])] = &[
    ("Start", &["init", "connect", "new", "doctor"]),
    ("Serve and use tools", &["serve", "up", "down", "list", "show", "call", "reload", "flags"]),
    ("See and decide", &["log", "approve", "operations"]),
    (
        "Write definitions",
        &["import", "check", "fmt", "explain", "schema", "build", "convert", "docs"],
    ),
    ("Versions and packages", &["diff", "lock", "export"]),
    ("More", &["completions", "man", "help", "version"]),
];

/// Examples of each command: the command line, and what it does.
const EXAMPLES: &[(&str, &[(&str, &str)])] = &[
    (
        "approve",
        &[
            ("approve", "list the calls that wait"),
            ("approve k7", "show the call whose code starts with `k7`, and decide"),
            ("approve --watch", "decide about each call as soon as it waits"),
            ("approve --all-cribs", "list the waiting calls of all cribs"),
            ("approve k7 --deny", "deny it"),
        ],
    ),
    (
        "build",
        &[
            ("build .", "generate definitions from the roxygen2 comments of this package"),
            ("build . --check", "fail if they are out of date, for CI"),
        ],
    ),
    (
        "call",
        &[
            ("call git_log max_count=3", "typed by the parameters of the tool"),
            ("call lint paths=src paths=tests", "a list, by repeating its key"),
            (
                "call plot --args @arguments.json --save plots",
                "arguments from a file, plots to a folder",
            ),
            ("call wipe --dry-run", "print what would run"),
        ],
    ),
    (
        "check",
        &[
            ("check", "check all definitions"),
            ("check tools/git.json --strict", "check one file; warnings fail, too"),
            ("check --format github", "annotations for a pull request"),
            ("check --client codex", "what this client would lose"),
        ],
    ),
    (
        "completions",
        &[
            ("completions bash >> ~/.bashrc", "in bash; zsh has ~/.zshrc"),
            ("completions fish > ~/.config/fish/completions/toolcrib.fish", "in fish"),
        ],
    ),
    (
        "connect",
        &[
            ("connect", "list the clients on this machine"),
            ("connect claude-code --dry-run", "show what would be written"),
        ],
    ),
    ("convert", &[("convert tools/git.json --to spec", "print the tools in another format")]),
    (
        "diff",
        &[
            ("diff", "compare the last commit with the files as they are"),
            ("diff main:", "compare a branch with the files as they are"),
            ("diff v1.0: v1.1: --format json", "compare two revisions, for programs"),
        ],
    ),
    ("docs", &[("docs --out site", "write HTML pages with search")]),
    ("doctor", &[("doctor", "report what this machine can run")]),
    ("down", &[("down", "stop the background server of this crib")]),
    ("explain", &[("explain TC022", "a rule"), ("explain timed_out", "an error type")]),
    ("flags", &[("flags list", "flags and their values"), ("flags set verbose true", "set one")]),
    (
        "export",
        &[
            ("export plugin --out dist/shop", "a folder that coding agents install"),
            ("export skill --out .claude/skills", "when to use which tool, for a project"),
            ("export mcpb --out dist", "a bundle with this program, for Claude Desktop"),
            ("export server-json --out dist", "the entry for the MCP registry"),
        ],
    ),
    (
        "fmt",
        &[("fmt", "format all JSON definitions"), ("fmt --check", "fail if one is not, for CI")],
    ),
    (
        "import",
        &[
            ("import cli jq", "print a definition, from what `jq --help` prints"),
            (
                "import cli git --only 'remote *' --out tools/git.json",
                "some subcommands, to a file",
            ),
            ("import cli docker container --depth 1", "the subcommands of a subcommand"),
            ("import fish completions/hx.fish", "a definition from a completion file"),
            ("import --update tools/git.json", "what a new version of the program changed"),
            ("import --accept tools/git.json git_status", "confirm the facts of a tool"),
        ],
    ),
    (
        "init",
        &[("init", "start a crib in this folder"), ("init shop", "start one in a new folder")],
    ),
    (
        "list",
        &[
            ("list", "all tools"),
            ("list --category vcs", "those of a category"),
            ("list --json", "what clients get from `tools/list`"),
        ],
    ),
    ("lock", &[("lock", "pin all tools"), ("lock --check", "fail if one differs, for CI")]),
    (
        "log",
        &[
            ("log", "the latest calls"),
            ("log --watch", "calls as they end"),
            ("log --failed --since 2h", "what went wrong in the last two hours"),
            ("log --tool 'git_*' -n 5", "the latest five calls of some tools"),
            ("log --json --since today", "for programs: one object per line"),
        ],
    ),
    (
        "man",
        &[
            ("man call | man -l -", "read the page of a command"),
            ("man --out ~/.local/share/man/man1", "install all pages"),
        ],
    ),
    ("new", &[("new mtdf git", "start the definition of a command-line tool")]),
    (
        "operations",
        &[
            ("operations list --watch", "what runs, until nothing does"),
            ("operations show 4th", "one operation, by the start of its id"),
            ("operations logs 4th --follow", "its output as it comes"),
            ("operations cancel 4th", "stop it"),
        ],
    ),
    ("reload", &[("reload", "make running servers read their files again")]),
    ("schema", &[("schema mtdf", "a JSON Schema for your editor")]),
    (
        "serve",
        &[
            ("serve", "on stdio; clients run this command"),
            ("serve --http 7337", "over HTTP on this machine"),
            ("-C ~/shop serve --watch", "another crib; reload when files change"),
        ],
    ),
    ("show", &[("show git_log", "parameters, command line and sandbox")]),
    (
        "up",
        &[
            ("up", "start a background server that `serve` joins"),
            ("up --status", "report whether it runs"),
        ],
    ),
    ("version", &[("version", "print the version")]),
];

/// Adds groups and examples to a command.
pub(crate) fn complete(command: Command) -> Command {
    let groups = render_groups(&command);
    let options = render_options(&command);
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}{options}\nRun `toolcrib help COMMAND` for the options and examples of a command.\n"
    );
    let names: Vec<_> =
        command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    names.into_iter().fold(command.help_template(template), |command, name| {
        let examples = render_examples(&name);
        command.mut_subcommand(name, |command| command.after_help(examples))
    })
}

fn render_examples(name: &str) -> String {
    let examples = EXAMPLES.iter().find(|(command, _)| *command == name);
    let Some((_, examples)) = examples else { return String::new() };
    let width = examples.iter().map(|(line, _)| line.len()).max().unwrap_or(0);
    let mut text = "Examples:".to_owned();
    for (line, meaning) in *examples {
        write!(text, "\n  toolcrib {line:width$}  {meaning}").expect("writing to a string");
    }
    text
}

/// Renders the options below their headings, because clap's template placeholder puts all of them
/// in one list.
fn render_options(command: &Command) -> String {
    let mut headings: Vec<&str> = Vec::new();
    for heading in command.get_arguments().filter_map(Arg::get_help_heading) {
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    let mut text = String::new();
    for heading in headings {
        writeln!(text, "{heading}:").expect("writing to a string");
        let options = command.get_arguments().filter(|arg| arg.get_help_heading() == Some(heading));
        for option in options {
            let help = option.get_help().map(ToString::to_string).unwrap_or_default();
            let help = help.split([':', ';', '[']).next().unwrap_or_default();
            let help = help.trim().trim_end_matches('.');
            writeln!(text, "  {:<27} {help}", spell(option)).expect("writing to a string");
        }
        text.push('\n');
    }
    text.replace(['{', '}'], "").trim_end().to_owned() + "\n"
}

/// The syntax of an option: short and long form, and the value.
fn spell(option: &Arg) -> String {
    let short = option.get_short().map_or("    ".to_owned(), |short| format!("-{short}, "));
    let long = option.get_long().map(|long| format!("--{long}")).unwrap_or_default();
    let takes_value = option.get_action().takes_values();
    let values = option.get_value_names().filter(|_| takes_value).unwrap_or_default();
    let values: String = values.iter().map(|value| format!(" {value}")).collect();
    format!("{short}{long}{values}")
}

fn render_groups(command: &Command) -> String {
    let is_listed = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let summary = |name: &str| {
        let known = command.get_subcommands().find(|command| command.get_name() == name);
        let about = known.and_then(|known| known.get_about()).map(ToString::to_string);
        // clap adds this command itself.
        about.or_else(|| (name == "help").then(|| "Print the help of a command".to_owned()))
    };
    let mut text = String::new();
    for (index, (title, names)) in GROUPS.iter().enumerate() {
        let others = command.get_subcommands().filter(|other| {
            index == GROUPS.len() - 1 && !other.is_hide_set() && !is_listed(other.get_name())
        });
        let names = names.iter().copied().chain(others.map(|other| other.get_name()));
        writeln!(text, "{title}:").expect("writing to a string");
        for name in names {
            if let Some(about) = summary(name) {
                // The command's own help has the full sentence.
                let about = about.split([':', ';']).next().unwrap_or_default();
                let about = about.trim_end_matches('.');
                writeln!(text, "  {name:<11} {about}").expect("writing to a string");
            }
        }
        text.push('\n');
    }
    // clap would take braces for placeholders of the template.
    text.replace(['{', '}'], "")
}

#[cfg(test)]
mod tests {
    use super::{EXAMPLES, GROUPS};
    use crate::commands;

    #[test]
    fn every_command_is_in_a_group_and_has_examples() {
        let command = commands::command();
        for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
            let name = sub.get_name();
            assert!(GROUPS.iter().any(|(_, names)| names.contains(&name)), "{name} has no group");
            if name != "help" {
                assert!(EXAMPLES.iter().any(|(of, _)| *of == name), "{name} has no examples");
            }
        }
    }
}
