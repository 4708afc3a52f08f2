//! Reads lists of subcommands and of positional arguments.

use super::{details, text::Line};
use crate::program::{Command, Fact, Origin, Positional};

/// First words of a sentence in a list of commands.
const PROSE: [&str; 12] =
    ["Use", "Run", "See", "Type", "For", "The", "These", "To", "You", "If", "This", "Note"];

/// A row: names, what stands between them and the text, and the text.
struct Row {
    names: Vec<String>,
    has_text: bool,
    text: String,
    line: usize,
}

/// Reads the commands of a section, in order.
pub(crate) fn read_commands(lines: &[Line], origin: &dyn Fn(usize) -> Origin) -> Vec<Command> {
    let is_row = |line: &&Line| !line.is_blank() && !line.starts_with_dash();
    let Some(indent) = row_indent(lines) else { return Vec::new() };
    let column = find_text_column(lines, indent);
    let mut commands: Vec<Command> = Vec::new();
    let mut last: Option<usize> = None;
    let mut texts: Vec<String> = Vec::new();
    let finish =
        |commands: &mut Vec<Command>, last: Option<usize>, texts: &mut Vec<String>, line: usize| {
            let text = details::join(&std::mem::take(texts));
            if let Some(command) =
                last.and_then(|index| commands.get_mut(index)).filter(|_| !text.is_empty())
            {
                let at =
                    command.description.as_ref().map_or(origin(line), |known| known.origin.clone());
                command.description = Some(Fact::new(text, at));
            }
        };
    let mut ended = false;
    for line in lines {
        if !is_row(&line) {
            continue;
        }
        let is_prose = starts_prose(line);
        if line.indent < indent || is_prose && line.indent == indent {
            // A heading of a group, or prose after the list.
            finish(&mut commands, last.take(), &mut texts, line.number);
            ended |= is_prose || line.text().ends_with('.') && !commands.is_empty();
            continue;
        }
        if ended {
            break;
        }
        if line.indent > indent {
            if last.is_some() {
                texts.push(line.text());
            }
            continue;
        }
        finish(&mut commands, last.take(), &mut texts, line.number);
        let list = read_comma_list(line);
        if !list.is_empty() {
            commands.extend(list.into_iter().map(|name| Command {
                name,
                origin: origin(line.number),
                ..Command::default()
            }));
            continue;
        }
        let Some(row) = read_row(line, column) else { continue };
        let mut names = row.names.into_iter();
        let Some(name) = names.next() else { continue };
        // Rows such as `remote add` list commands of the next level.
        if let Some(known) = commands.iter().position(|command| command.name == name) {
            last = Some(known).filter(|_| commands[known].description.is_none());
            continue;
        }
        let command = Command {
            name,
            aliases: names.collect(),
            origin: origin(row.line),
            ..Command::default()
        };
        commands.push(command);
        last = Some(commands.len() - 1);
        if row.has_text {
            texts.push(row.text);
        }
    }
    let end = lines.last().map_or(0, |line| line.number);
    finish(&mut commands, last, &mut texts, end);
    commands
}

/// The indent of rows: the smallest indent of lines that look like a row.
fn row_indent(lines: &[Line]) -> Option<usize> {
    let rows = lines
        .iter()
        .filter(|line| !line.is_blank() && !line.starts_with_dash() && !starts_prose(line));
    let named: Vec<&Line> = rows
        .filter(|line| read_row(line, None).is_some() || !read_comma_list(line).is_empty())
        .collect();
    // Rows with a text are certain; a name alone may be the heading of a group.
    let with_text = named.iter().filter(|line| {
        find_gap(line).is_some() || line.text().contains(" - ") || line.text().contains(", ")
    });
    with_text.map(|line| line.indent).min().or_else(|| named.iter().map(|line| line.indent).min())
}

/// Whether the words of a line are a sentence.
fn starts_prose(line: &Line) -> bool {
    let text = line.text();
    let first = text.split_whitespace().next().unwrap_or_default();
    find_gap(line).is_none() && (PROSE.contains(&first) || first.starts_with(['\'', '"', '`']))
}

fn find_gap(line: &Line) -> Option<usize> {
    let mut blanks = 0;
    for (column, c) in line.chars.iter().enumerate().skip(line.indent) {
        if *c == ' ' {
            blanks += 1;
        } else if blanks >= 2 {
            return Some(column);
        } else {
            blanks = 0;
        }
    }
    None
}

/// The column in which most texts begin.
fn find_text_column(lines: &[Line], indent: usize) -> Option<usize> {
    let gaps: Vec<usize> =
        lines.iter().filter(|line| line.indent == indent).filter_map(find_gap).collect();
    gaps.iter()
        .copied()
        .max_by_key(|column| (gaps.iter().filter(|other| *other == column).count(), *column))
}

/// A row of a list: `name, alias  <metavars>  text`.
fn read_row(line: &Line, column: Option<usize>) -> Option<Row> {
    let (head, text, has_text) = split(line, column)?;
    // A colon may also stand in a sentence.
    let has_column = has_text && find_gap(line).is_some();
    let mut names = Vec::new();
    let mut words = head.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let more = word.ends_with([',', '|']);
        let word = word.trim_end_matches([',', '|', '*', ':']);
        for word in word.split(['|', ',']) {
            // `name (alias)`
            let name = word.trim_start_matches('(').trim_end_matches(')');
            if !is_command_name(name) {
                return None;
            }
            names.push(name.to_owned());
        }
        let next = words.peek().copied().unwrap_or_default();
        let is_alias = next.starts_with('(')
            && next.ends_with(')')
            && is_command_name(next.trim_matches(['(', ')']));
        if next == "|" || next == "or" {
            words.next();
        } else if !more && !is_alias {
            break;
        }
    }
    // What remains are placeholders, or words of a sentence.
    let rest: Vec<&str> = words.collect();
    let is_operand = |word: &&str| {
        word.starts_with(['<', '[', '{', '(', '-', '.', '*'])
            || word.chars().all(|c| !c.is_lowercase())
            || has_column
    };
    if names.is_empty() || !rest.iter().all(is_operand) || !has_text && rest.len() > 8 {
        return None;
    }
    let (aliases, text) = read_aliases(&text);
    names.extend(aliases);
    Some(Row { names, has_text: !text.is_empty(), text, line: line.number })
}

/// Aliases at the end of a text: `[aliases: b, c]`.
fn read_aliases(text: &str) -> (Vec<String>, String) {
    for marker in ["[aliases: ", "[alias: ", "(aliases: ", "(alias: "] {
        if let Some((before, rest)) = text.split_once(marker) {
            let list = rest.split([']', ')']).next().unwrap_or_default();
            let names = list.split(',').map(str::trim).filter(|name| is_command_name(name));
            return (names.map(str::to_owned).collect(), before.trim().to_owned());
        }
    }
    (Vec::new(), text.to_owned())
}

/// Splits a row into its head and its text.
fn split(line: &Line, column: Option<usize>) -> Option<(String, String, bool)> {
    let part = |range: &[char]| range.iter().collect::<String>().trim().to_owned();
    let cut = find_gap(line).or_else(|| {
        // One blank before the column, where the longest name just fits.
        let column = column.filter(|column| *column > line.indent && *column < line.chars.len())?;
        (line.chars[column - 1] == ' ' && line.chars[column] != ' ').then_some(column)
    });
    if let Some(cut) = cut {
        let text = part(&line.chars[cut..]);
        let text = text
            .strip_prefix("- ")
            .or_else(|| text.strip_prefix("-- "))
            .unwrap_or(&text)
            .to_owned();
        return Some((part(&line.chars[..cut]).trim_end_matches(" -").to_owned(), text, true));
    }
    let text = line.text();
    for mark in [" - ", " -- ", " – ", " — ", ": ", " : "] {
        if let Some((head, text)) = text.split_once(mark) {
            return Some((head.trim().to_owned(), text.trim().to_owned(), true));
        }
    }
    Some((text, String::new(), false))
}

/// Names separated by commas over whole lines.
fn read_comma_list(line: &Line) -> Vec<String> {
    let text = line.text();
    let inner = text
        .strip_prefix('{')
        .and_then(|text| text.split_once('}'))
        .filter(|(_, rest)| !rest.contains("...") || rest.trim() == "...")
        .map(|(inner, _)| inner);
    let list = inner.unwrap_or_else(|| text.trim_end_matches(','));
    let names: Vec<&str> = list.split(',').map(str::trim).collect();
    let least = if inner.is_some() { 1 } else { 3 };
    if find_gap(line).is_some() && inner.is_none()
        || names.len() < least
        || !names.iter().all(|name| is_command_name(name))
    {
        return Vec::new();
    }
    names.into_iter().map(str::to_owned).collect()
}

/// Whether a word can be the name of a command.
pub(crate) fn is_command_name(name: &str) -> bool {
    let is_part =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.' | '+' | '@');
    name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && name.chars().all(is_part)
        && !name.ends_with(['.', ':'])
        && name.len() <= 50
}

/// Reads the positional arguments of a section: `<PATH>...  text`.
pub(crate) fn read_arguments(lines: &[Line], origin: &dyn Fn(usize) -> Origin) -> Vec<Positional> {
    let Some(indent) = lines.iter().filter(|line| !line.is_blank()).map(|line| line.indent).min()
    else {
        return Vec::new();
    };
    let column = find_text_column(lines, indent);
    let mut found: Vec<(Positional, Vec<String>)> = Vec::new();
    for line in lines.iter().filter(|line| !line.is_blank()) {
        if line.indent > indent {
            if let Some((_, texts)) = found.last_mut() {
                texts.push(line.text());
            }
            continue;
        }
        let Some((head, text, _)) = split(line, column) else { continue };
        let Some(positional) = read_positional(&head, origin(line.number)) else { continue };
        found.push((positional, vec![text]));
    }
    let finish = |(mut positional, texts): (Positional, Vec<String>)| {
        let text = details::join(&texts);
        let at = positional.origin.clone();
        let choices = details::read(&texts).choices.map(|choices| Fact::new(choices, at.clone()));
        positional.choices = positional.choices.take().or(choices);
        positional.description = (!text.is_empty()).then(|| Fact::new(text, at));
        positional
    };
    found.into_iter().map(finish).collect()
}

/// A placeholder: `<PATH>...`, `[FILE]`, `name`, `{a,b}`.
pub(crate) fn read_positional(word: &str, origin: Origin) -> Option<Positional> {
    let word = word.trim().trim_start_matches("* ");
    let repeats = word.contains("...") || word.contains('…');
    let plain = word.replace("...", "").replace('…', "");
    let plain = plain.trim();
    let is_required = !plain.starts_with('[');
    let inner = super::spec::trim_brackets(plain);
    let choices = details::choices_of_placeholder(inner)
        .filter(|_| plain.contains('{') || inner.contains('|'));
    let first =
        inner.split([' ', ',', '|', '=', ':', '@', '[', '{']).find(|part| !part.is_empty())?;
    let name = if choices.is_some() {
        "value"
    } else {
        first.trim_matches(['<', '>', '[', ']', '(', ')', '.', '\'', '"', '/', '*', '?'])
    };
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '#' | '+');
    if name.is_empty()
        || name.starts_with('-')
        || !name.chars().all(is_name)
        || !name.chars().any(char::is_alphanumeric)
    {
        return None;
    }
    let choices = choices.map(|choices| Fact::new(choices, origin.clone()));
    Some(Positional {
        name: name.to_owned(),
        is_required,
        repeats,
        choices,
        origin,
        description: None,
    })
}
