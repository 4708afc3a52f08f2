//! Reads the forms of a command line: `usage: git clone [-v] [--depth <n>] <repo> [<dir>]`.

use super::{
    commands::{is_command_name, read_positional},
    options::set_value,
    spec::parse_spec,
    text::Line,
};
use crate::program::{Fact, Flag, Origin, Positional};

/// What the usage shows.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    pub(crate) options: Vec<Flag>,
    pub(crate) positionals: Vec<Positional>,
    /// Literal words in the place of a subcommand, from alternatives or braces.
    pub(crate) commands: Vec<(String, usize)>,
    /// Whether a subcommand can be given.
    pub(crate) wants_command: bool,
    /// Whether the program also runs without one.
    pub(crate) command_is_optional: bool,
}

/// Placeholders of the options.
const OPTIONS: [&str; 14] = [
    "options",
    "option",
    "flags",
    "flag",
    "opts",
    "opt",
    "global-options",
    "global_options",
    "switches",
    "global options",
    "options...",
    "command options",
    "global flags",
    "general options",
];

/// Placeholders of a subcommand.
const COMMANDS: [&str; 8] =
    ["command", "commands", "subcommand", "cmd", "sub-command", "subcmd", "sub_command", "action"];

/// Reads a section. `path` is the program and the words of the subcommand.
pub(crate) fn read_usage(
    lines: &[Line],
    path: &[String],
    has_commands: bool,
    origin: &dyn Fn(usize) -> Origin,
) -> Usage {
    let forms = split_forms(lines, path);
    let mut usage = Usage::default();
    let mut literals: Vec<(String, usize)> = Vec::new();
    let mut seen: Vec<Vec<String>> = Vec::new();
    for form in &forms {
        let mut reader = FormReader {
            usage: &mut usage,
            names: Vec::new(),
            literal: None,
            after_command: false,
            origin,
            has_commands,
        };
        let mut tokens = tokenize(form).into_iter().peekable();
        while let Some((mut token, line)) = tokens.next() {
            // Outside of brackets, the word after a short option is its value: `-D pkcs11`.
            let is_short = token.starts_with('-') && token.chars().count() == 2 && token != "--";
            if is_short
                && let Some((value, _)) = tokens.next_if(|(next, _)| !next.starts_with(['-', '[']))
            {
                token = format!("{token} {value}");
            }
            reader.read(&token, line);
        }
        let (names, literal) = (reader.names, reader.literal);
        seen.push(names);
        literals.extend(literal);
    }
    // Required means required in every form.
    for positional in &mut usage.positionals {
        positional.is_required &= seen.iter().all(|names| names.contains(&positional.name));
    }
    // Different words at the same place of several forms are commands.
    literals.dedup_by(|a, b| a.0 == b.0);
    let distinct = literals.len();
    if !has_commands && usage.commands.is_empty() && distinct > 1 && forms.len() > 1 {
        let is_literal =
            |positional: &Positional| !literals.iter().any(|(word, _)| *word == positional.name);
        usage.positionals.retain(is_literal);
        for literal in literals {
            if !usage.commands.iter().any(|(known, _)| *known == literal.0) {
                usage.commands.push(literal);
            }
        }
    }
    usage
}

/// Reads options that are listed in brackets, as npm does: `[-g|--global] [--omit <dev|peer>]`.
pub(crate) fn read_bracketed_options(
    lines: &[Line],
    origin: &dyn Fn(usize) -> Origin,
) -> Vec<Flag> {
    let form = lines.iter().flat_map(|line| {
        let text = line.text();
        text.chars().chain([' ']).map(|c| (c, line.number)).collect::<Vec<_>>()
    });
    let mut usage = Usage::default();
    let mut reader = FormReader {
        usage: &mut usage,
        names: Vec::new(),
        literal: None,
        after_command: false,
        origin,
        has_commands: false,
    };
    for (token, line) in tokenize(&form.collect::<Vec<_>>()) {
        reader.read_options(&token, line);
    }
    usage.options
}

/// The text of each form with the line it starts on.
fn split_forms(lines: &[Line], path: &[String]) -> Vec<Vec<(char, usize)>> {
    let program = path.first().map(String::as_str).unwrap_or_default();
    let mut forms: Vec<Vec<(char, usize)>> = Vec::new();
    let start = lines.iter().position(|line| !line.is_blank()).unwrap_or(0);
    for line in &lines[start..end_of_forms(lines, program)] {
        let text = line.text();
        let text = text
            .strip_prefix("or:")
            .or_else(|| text.strip_prefix("or "))
            .map_or(text.as_str(), str::trim_start)
            .to_owned();
        let text = text.trim_start_matches("$ ").to_owned();
        let starts = starts_form(&text, program);
        if starts || forms.is_empty() {
            forms.push(Vec::new());
        }
        let rest = if starts || forms.len() == 1 && forms[0].is_empty() {
            skip_path(&text, path, starts)
        } else {
            text
        };
        let rest = without_text(&rest);
        if let Some(form) = forms.last_mut() {
            form.extend(rest.chars().map(|c| (c, line.number)));
            form.push((' ', line.number));
        }
    }
    forms
}

/// Cuts off a sentence in a column behind the form.
fn without_text(form: &str) -> &str {
    match form.split_once("  ") {
        Some((head, text))
            if text.trim_start().starts_with(char::is_alphabetic)
                && text.trim().contains(' ')
                && !head.trim().is_empty() =>
        {
            head
        }
        _ => form,
    }
}

/// The number of lines before the first that belongs to no form.
pub(crate) fn end_of_forms(lines: &[Line], program: &str) -> usize {
    let start = lines.iter().position(|line| !line.is_blank()).unwrap_or(lines.len());
    let Some(first) = lines.get(start) else { return start };
    let continues = |line: &Line| {
        let text = line.text();
        line.indent >= first.indent.max(1)
            || starts_form(text.strip_prefix("or:").unwrap_or(&text).trim_start(), program)
            || text.starts_with(['[', '<', '{', '('])
    };
    // A blank line ends the forms, unless another one follows.
    let ends = |(index, line): (usize, &Line)| match line.is_blank() {
        true => !lines[start + index..].iter().find(|line| !line.is_blank()).is_some_and(|next| {
            starts_form(&next.text(), program) && next.text().contains(['[', '<'])
        }),
        false => line.starts_with_dash() || !continues(line),
    };
    if first.starts_with_dash() {
        return start;
    }
    let mut rest = lines[start..].iter().enumerate().skip(1);
    rest.find(|(index, line)| ends((*index, line))).map_or(lines.len(), |(index, _)| start + index)
}

/// Whether a line begins with the program.
fn starts_form(text: &str, program: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    !program.is_empty() && (word == program || word.rsplit('/').next() == Some(program))
}

/// The text after the program and the words of the subcommand.
fn skip_path(text: &str, path: &[String], starts: bool) -> String {
    if !starts {
        // `python3 -m program …`
        let known = path.last().and_then(|last| text.find(last.as_str()).map(|at| at + last.len()));
        return text[known.unwrap_or(text.find(' ').unwrap_or(text.len()))..].to_owned();
    }
    let mut rest = text.trim_start();
    for word in std::iter::once(None).chain(path.iter().skip(1).map(Some)) {
        let next = rest.split_whitespace().next().unwrap_or_default();
        if word.is_none_or(|word| next == word) {
            rest = rest[next.len()..].trim_start();
        }
    }
    rest.to_owned()
}

/// Splits a form into words; what is in brackets is one word.
fn tokenize(form: &[(char, usize)]) -> Vec<(String, usize)> {
    let mut tokens: Vec<(String, usize)> = Vec::new();
    let mut word = String::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (c, line) in form {
        match c {
            '[' | '<' | '{' | '(' => depth += 1,
            ']' | '>' | '}' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if *c == ' ' && depth == 0 {
            if !word.is_empty() {
                tokens.push((std::mem::take(&mut word), start));
            }
            continue;
        }
        if word.is_empty() {
            start = *line;
        }
        word.push(*c);
    }
    if !word.is_empty() {
        tokens.push((word, start));
    }
    tokens
}

struct FormReader<'a> {
    usage: &'a mut Usage,
    /// The positional arguments of this form.
    names: Vec<String>,
    /// The first word, if it is written literally.
    literal: Option<(String, usize)>,
    /// Whether the place of the subcommand was passed.
    after_command: bool,
    origin: &'a dyn Fn(usize) -> Origin,
    has_commands: bool,
}

impl FormReader<'_> {
    fn read(&mut self, token: &str, line: usize) {
        let inner = token.trim_end_matches(['.', '…']).trim_matches(['[', ']', '(', ')']).trim();
        if matches!(token, "..." | "…" | "|" | "--" | "or" | "[--]" | "and" | ":")
            || inner.is_empty()
            || inner == "--"
        {
            return;
        }
        let plain =
            inner.trim_matches(['<', '>', '.', '…', '[', ']', '(', ')', ' ']).to_lowercase();
        let is_options = OPTIONS.contains(&plain.as_str())
            || plain.ends_with("options")
            || plain.ends_with("option");
        if is_options && !inner.starts_with('-') {
            return;
        }
        let is_command = COMMANDS.contains(&plain.as_str())
            || plain.starts_with("command ")
            || plain.starts_with("<command>");
        if is_command && (self.has_commands || plain != "action") {
            self.usage.command_is_optional |= token.starts_with('[') && !self.usage.wants_command;
            self.usage.wants_command = true;
            self.after_command = true;
            return;
        }
        if (self.has_commands || self.usage.wants_command)
            && matches!(plain.as_str(), "args" | "arg" | "arguments")
        {
            return;
        }
        if inner.starts_with(['-', '+'])
            || inner.contains("[-")
            || inner.contains(" -")
            || inner.contains("|-")
        {
            // `PROGRAM <command> -h` explains how to get help.
            if self.after_command && !token.starts_with('[') {
                return;
            }
            return self.read_options(token, line);
        }
        if token.starts_with('{') && self.has_commands {
            // argparse lists its commands like this.
            return;
        }
        let is_word = is_command_name(token)
            && token
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_');
        if is_word && self.names.is_empty() && self.literal.is_none() {
            self.literal = Some((token.to_owned(), line));
        }
        // Alternatives of positional arguments in one pair of brackets.
        let parts: Vec<&str> = if inner.starts_with('<') && inner.contains("> ") {
            split_blank(inner)
        } else {
            vec![inner]
        };
        for part in parts {
            let is_optional = token.starts_with('[');
            let text = if token.contains("...") || token.contains('…') {
                format!("{part}...")
            } else {
                part.to_owned()
            };
            let text = if token.starts_with('{') && !part.starts_with('{') {
                token.to_owned()
            } else {
                text
            };
            if let Some(mut positional) = read_positional(&text, (self.origin)(line)) {
                positional.is_required &= !is_optional;
                self.add(positional);
            }
        }
    }

    fn add(&mut self, positional: Positional) {
        self.names.push(positional.name.clone());
        match self.usage.positionals.iter_mut().find(|known| known.name == positional.name) {
            Some(known) => known.repeats |= positional.repeats,
            None => self.usage.positionals.push(positional),
        }
    }

    /// Options in one pair of brackets: `[-v | --verbose]`, `[-46AaC]`, `[-B address]`.
    fn read_options(&mut self, token: &str, line: usize) {
        let chars: Vec<char> = token.chars().collect();
        let mut at = 0;
        let is_optional = token.starts_with('[');
        while at < chars.len() {
            let is_start = at == 0 || matches!(chars[at - 1], ' ' | '[' | '(' | '|' | '{');
            if !is_start || !matches!(chars[at], '-') {
                at += 1;
                continue;
            }
            // Up to the bracket that closes this alternative.
            let end = end_of_alternative(&chars, at);
            let text: String = chars[at..end].iter().collect();
            let text = text.trim_end();
            at = end.max(at + 1);
            if let Some(cluster) = read_cluster(text).filter(|_| is_optional) {
                for c in cluster {
                    self.usage.options.push(Flag {
                        names: vec![format!("-{c}")],
                        origin: (self.origin)(line),
                        ..Flag::default()
                    });
                }
                continue;
            }
            let spec_chars: Vec<char> = text.chars().collect();
            let Some(spec) = parse_spec(&spec_chars) else { continue };
            let origin = (self.origin)(line);
            let mut flag = Flag {
                names: spec.names,
                negation: spec.negation,
                origin: origin.clone(),
                ..Flag::default()
            };
            if spec.repeats || token.ends_with("...") {
                flag.repeats = Some(Fact::new((), origin.clone()));
            }
            let value = spec.value.or_else(|| {
                let rest = text.chars().skip(spec.end).collect::<String>();
                let rest = rest.trim().trim_matches(['[', ']', '<', '>']).to_owned();
                (!rest.is_empty() && is_optional && !rest.starts_with(['-', '|']))
                    .then(|| crate::program::ValueSpec { name: rest, ..Default::default() })
            });
            if let Some(value) = value {
                set_value(&mut flag, value, None, &origin);
            }
            self.push(flag);
        }
    }

    /// `-v | --version` are two names of one option; `-P | --no-pager` only exclude each other.
    fn push(&mut self, flag: Flag) {
        let initial = |flag: &Flag, dashes: &str| {
            let name = flag.names.first().and_then(|name| name.strip_prefix(dashes));
            name.and_then(|name| name.chars().next()).map(|c| c.to_ascii_lowercase())
        };
        if let Some(last) = self.usage.options.last_mut()
            && last.names.len() == 1
            && last.names[0].chars().count() == 2
            && last.value.is_none()
            && initial(&flag, "--").is_some()
            && initial(last, "-") == initial(&flag, "--")
            && last.origin == flag.origin
        {
            let short = std::mem::replace(last, flag);
            last.names.splice(0..0, short.names);
            return;
        }
        self.usage.options.push(flag);
    }
}

/// Where the alternative that starts here ends: at `|` or a closing bracket of its own level.
fn end_of_alternative(chars: &[char], start: usize) -> usize {
    let mut depth = 0_i32;
    for (index, c) in chars.iter().enumerate().skip(start) {
        match c {
            '[' | '<' | '{' | '(' => depth += 1,
            ']' | '>' | '}' | ')' if depth == 0 => return index,
            ']' | '>' | '}' | ')' => depth -= 1,
            '|' if depth == 0 => return index,
            ' ' if depth == 0
                && chars.get(index + 1) == Some(&'[')
                && chars.get(index + 2) == Some(&'-') =>
            {
                return index;
            }
            ' ' if depth == 0 && index > start && chars.get(index + 1) == Some(&'-') => {
                return index;
            }
            _ => {}
        }
    }
    chars.len()
}

/// The letters of a BSD cluster: `-46AaCf`. A word such as `-name` is no cluster.
fn read_cluster(text: &str) -> Option<Vec<char>> {
    let letters: Vec<char> = text.strip_prefix('-')?.chars().collect();
    let is_plain = letters.len() > 1 && letters.iter().all(|c| c.is_ascii_alphanumeric());
    let mut distinct = letters.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let is_mixed = letters.iter().any(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    // Authors list the letters in order.
    let is_sorted =
        letters.windows(2).all(|pair| pair[0].to_ascii_lowercase() <= pair[1].to_ascii_lowercase());
    let first = letters.first().copied().unwrap_or('a');
    let is_value = letters.iter().skip(1).all(char::is_ascii_uppercase)
        && !first.is_ascii_uppercase()
        && !is_sorted;
    (is_plain
        && distinct.len() == letters.len()
        && (is_mixed && letters.len() > 2 || is_sorted)
        && !is_value)
        .then_some(letters)
}

/// Splits at blanks outside of brackets.
fn split_blank(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_i32);
    for (index, c) in text.char_indices() {
        match c {
            '[' | '<' | '{' => depth += 1,
            ']' | '>' | '}' => depth -= 1,
            ' ' if depth <= 0 => {
                parts.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts.into_iter().filter(|part| !part.is_empty()).collect()
}
