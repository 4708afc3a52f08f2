//! Cuts a help text into sections with a title.

use super::text::Line;

/// What a section lists, by its title.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Forms of the command line.
    Usage,
    /// Options.
    Options,
    /// Subcommands.
    Commands,
    /// Positional arguments.
    Arguments,
    /// Examples, environment variables and the like, which list nothing of the above.
    Other,
    /// A title that does not say what follows, or none.
    Unknown,
}

/// The lines below one heading.
#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) kind: Kind,
    /// In lower case, without the colon.
    pub(crate) title: String,
    pub(crate) lines: Vec<Line>,
}

/// A heading is at most this long; longer lines are prose.
const MAX_HEADING: usize = 90;

/// A heading is indented at most this much; `Possible values:` inside a text is indented more.
const MAX_INDENT: usize = 4;

/// Cuts lines into sections. The first one has no title.
pub(crate) fn split(lines: &[Line]) -> Vec<Section> {
    let mut sections =
        vec![Section { kind: Kind::Unknown, title: String::new(), lines: Vec::new() }];
    for (index, line) in lines.iter().enumerate() {
        if let Some((usage, rest)) = read_usage(line) {
            sections.push(Section {
                kind: Kind::Usage,
                title: "usage".to_owned(),
                lines: Vec::new(),
            });
            if usage {
                push(&mut sections, rest);
            }
            continue;
        }
        let next = lines[index + 1..].iter().find(|line| !line.is_blank());
        let is_adjacent = lines.get(index + 1).is_some_and(|line| !line.is_blank());
        match next.and_then(|next| read_heading(line, next, is_adjacent)) {
            Some(title) if !is_in_list(line, sections.last()) => {
                let kind = classify(&title);
                sections.push(Section { kind, title, lines: Vec::new() });
            }
            _ => push(&mut sections, line.clone()),
        }
    }
    sections
}

fn push(sections: &mut [Section], line: Line) {
    if let Some(section) = sections.last_mut() {
        section.lines.push(line);
    }
}

/// Whether a line is indented more than the options above it, and so belongs to the last one.
fn is_in_list(line: &Line, section: Option<&Section>) -> bool {
    let Some(section) = section.filter(|section| section.kind != Kind::Usage) else { return false };
    let dashes = section.lines.iter().filter(|line| line.starts_with_dash());
    dashes.map(|line| line.indent).min().is_some_and(|indent| line.indent > indent)
}

/// The first line of a usage; whether a form follows on it, and that form at its column.
fn read_usage(line: &Line) -> Option<(bool, Line)> {
    let text = line.text();
    let lower = text.to_lowercase();
    if line.indent > 8 {
        return None;
    }
    if matches!(lower.as_str(), "usage" | "usage:" | "synopsis" | "synopsis:") {
        return Some((false, line.clone()));
    }
    let prefix = ["usage:", "usage of ", "usage: ", "usage is:", "synopsis:"];
    let prefix = prefix.into_iter().find(|prefix| lower.starts_with(prefix))?;
    if prefix == "usage of " {
        // Go prints `Usage of PROGRAM:` and then the options.
        return text.ends_with(':').then(|| (false, line.clone()));
    }
    let mut rest = line.clone();
    for c in rest.chars.iter_mut().take(line.indent + prefix.len()) {
        *c = ' ';
    }
    Some((true, Line::new(line.number, &rest.chars.iter().collect::<String>())))
}

/// The title, if a line is a heading of what follows it.
fn read_heading(line: &Line, next: &Line, is_adjacent: bool) -> Option<String> {
    if line.is_blank()
        || line.indent > MAX_INDENT
        || line.chars.len() > MAX_HEADING
        || line.starts_with_dash()
    {
        return None;
    }
    let text = line.text();
    let is_list = next.starts_with_dash() || has_colon_options(line, next);
    let is_above = next.indent > line.indent || next.indent == line.indent && is_list;
    if text.contains("  ") || text.starts_with(['[', '<', '{', '(', '$', '#', '"', '\'']) {
        return None;
    }
    let title = text.trim_end_matches(':').trim().to_lowercase();
    let has_colon = text.ends_with(':');
    let mut letters = text.chars().filter(|c| c.is_alphabetic()).peekable();
    let is_capital = letters.peek().is_some()
        && letters.all(char::is_uppercase)
        && text.chars().filter(|c| c.is_alphabetic()).count() > 2
        && !text.contains(['<', '[', '=', '.']);
    // A title of one or two known words needs neither.
    let is_known = matches!(classify(&title), Kind::Options | Kind::Commands | Kind::Arguments)
        && title.split_whitespace().count() <= 3
        && text.starts_with(char::is_uppercase)
        && !text.ends_with(['.', ',']);
    // Some tools put a sentence above their list: `These are common commands used in …:`.
    ((has_colon || is_capital || is_known && !is_adjacent || is_known && next.indent > line.indent)
        && (is_above
            || has_colon && next.indent == line.indent && classify(&title) == Kind::Commands))
        .then_some(title)
}

/// Whether options in brackets follow a title with a colon, as npm prints them.
fn has_colon_options(line: &Line, next: &Line) -> bool {
    line.chars.last() == Some(&':') && next.text().starts_with("[-")
}

/// What a section lists, by its title in lower case.
fn classify(title: &str) -> Kind {
    const STARTS: [&str; 12] = [
        "example",
        "environment",
        "see also",
        "exit",
        "learn more",
        "report",
        "additional help",
        "further help",
        "more help",
        "more information",
        "help topics",
        "additional topics",
    ];
    const WHOLE: [&str; 16] = [
        "name",
        "names",
        "files",
        "description",
        "note",
        "notes",
        "values",
        "patterns",
        "aliases",
        "alias",
        "variables",
        "bugs",
        "author",
        "authors",
        "copyright",
        "topics",
    ];
    let words: Vec<&str> = title.split(|c: char| !c.is_alphanumeric() && c != '-').collect();
    let has = |known: &[&str]| words.iter().any(|word| known.contains(word));
    if title.starts_with("example") {
        return Kind::Other;
    }
    if has(&["options", "flags", "option", "switches", "optional"]) {
        return Kind::Options;
    }
    if STARTS.iter().any(|start| title.starts_with(start))
        || WHOLE.contains(&title)
        || title.contains("example")
    {
        return Kind::Other;
    }
    if has(&["commands", "subcommands", "sub-commands", "command", "subcommand", "verbs"]) {
        return Kind::Commands;
    }
    if has(&["arguments", "args", "positionals", "positional", "operands", "parameters"]) {
        return Kind::Arguments;
    }
    Kind::Unknown
}
