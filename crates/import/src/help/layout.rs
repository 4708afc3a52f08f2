//! Recognizes what printed a help text, and how it prints the help of subcommands.

/// How to ask for the help of a subcommand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// `PROGRAM SUB --help`
    LongFlag,
    /// `PROGRAM SUB -h`
    ShortFlag,
    /// `PROGRAM help SUB`
    HelpCommand,
}

/// Texts that only one framework prints. All of them answer `SUB --help` without running `SUB`.
const FRAMEWORKS: [&str; 20] = [
    "Print help",
    "Prints help information",
    "print this message or the help of",
    "[command] --help\" for more information",
    "COMMAND --help' for more information",
    "<command> --help\" for more information",
    "Available Commands:",
    "Show this message and exit.",
    "show this help message and exit",
    "Show this help message and exit",
    "Show context-sensitive help",
    "Display help for the given command",
    "display help for command",
    "Print this help message",
    "show help\n",
    "show help (default:",
    "Show help  ",
    "Show CLI help",
    "help for ",
    "GLOBAL OPTIONS:",
];

/// Placeholders of a subcommand in a sentence.
const PLACEHOLDERS: [&str; 8] = [
    "<command>",
    "[command]",
    "command",
    "<subcommand>",
    "subcommand",
    "[subcommand]",
    "<cmd>",
    "<tool>",
];

/// How the program prints the help of its subcommands; none if its text does not show it. Asking anyway
/// would run subcommands of programs that ignore `--help`.
pub(crate) fn find_ask(text: &str) -> Option<Ask> {
    if FRAMEWORKS.iter().any(|mark| text.contains(mark)) {
        return Some(Ask::LongFlag);
    }
    let lower = text.to_lowercase();
    let names = |before: &str, after: &str| {
        PLACEHOLDERS.iter().any(|name| lower.contains(&format!("{before}{name}{after}")))
    };
    match () {
        () if names("", " --help") => Some(Ask::LongFlag),
        () if names("", " -h") => Some(Ask::ShortFlag),
        () if names("help ", "") => Some(Ask::HelpCommand),
        () => None,
    }
}

/// Whether a text is a typeset manual page, as some programs answer `SUB --help`.
pub(crate) fn is_man_page(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let has_header =
        first.contains('(') && first.split_whitespace().next() == first.split_whitespace().last();
    let headings = ["NAME", "SYNOPSIS", "DESCRIPTION"];
    has_header && first.contains("  ")
        || headings.iter().all(|heading| text.lines().any(|line| line.trim_end() == *heading))
}
