//! Reads the options of a section: columns of names and texts.

use super::{
    details,
    spec::{Spec, is_metavar_word, parse_spec},
    text::Line,
};
use crate::program::{Fact, Flag, Origin, Separator, ValueSpec};

/// Reads all options of a section. `origin` makes the origin of a line.
pub(crate) fn read_options(lines: &[Line], origin: &dyn Fn(usize) -> Origin) -> Vec<Flag> {
    let column = find_text_column(lines);
    let is_text = |line: &Line| column.is_some_and(|column| line.indent >= column);
    let mut flags: Vec<Flag> = Vec::new();
    let mut index = 0;
    while let Some(line) = lines.get(index) {
        index += 1;
        if !line.starts_with_dash() || is_text(line) {
            continue;
        }
        let rest = &lines[index..];
        let length = text_length(line, rest, column);
        index += length;
        if let Some(flag) = read_option(line, &rest[..length], column, origin) {
            flags.push(flag);
        }
    }
    flags
}

/// The number of lines after an option that belong to its text.
fn text_length(option: &Line, lines: &[Line], column: Option<usize>) -> usize {
    let mut length = 0;
    for (index, line) in lines.iter().enumerate() {
        let is_option = line.starts_with_dash() && column.is_none_or(|column| line.indent < column);
        if !line.is_blank() && (line.indent <= option.indent || is_option) {
            break;
        }
        if !line.is_blank() {
            length = index + 1;
        }
    }
    length
}

/// The column in which most texts begin.
fn find_text_column(lines: &[Line]) -> Option<usize> {
    let mut votes: Vec<(usize, usize)> = Vec::new();
    let mut vote = |column: usize| match votes.iter_mut().find(|(known, _)| *known == column) {
        Some((_, count)) => *count += 1,
        None => votes.push((column, 1)),
    };
    let mut option: Option<usize> = None;
    for line in lines.iter().filter(|line| !line.is_blank()) {
        if line.starts_with_dash() {
            if let Some(column) = find_gap(line) {
                vote(column);
            }
            option.get_or_insert(line.indent);
        } else if option.is_some_and(|indent| line.indent > indent) {
            vote(line.indent);
        }
    }
    votes.into_iter().max_by_key(|(column, count)| (*count, *column)).map(|(column, _)| column)
}

/// The column of the text after the names: behind two blanks, not a further name.
fn find_gap(line: &Line) -> Option<usize> {
    let mut column = line.indent;
    while column < line.chars.len() {
        let blanks = line.chars[column..].iter().take_while(|c| **c == ' ').count();
        let start = column + blanks;
        if blanks >= 2 && !is_name_or_value(&line.chars[start..]) {
            return Some(start);
        }
        column = start + 1;
    }
    None
}

/// Whether text behind a gap continues the specification, in layouts with a column for each part.
fn is_name_or_value(text: &[char]) -> bool {
    match text {
        ['-', next, ..] => !next.is_whitespace(),
        ['<', ..] => text.iter().position(|c| *c == '>').is_some_and(|end| {
            text.get(end + 1).is_none_or(|c| *c == ' ')
                && text.get(end + 2).is_none_or(|c| *c == ' ')
        }),
        _ => {
            // The type in a column of its own: `TEXT`, `INTEGER`, `[a|b]`.
            let word: String = text.iter().take_while(|c| **c != ' ').collect();
            let has_gap = text.len() > word.len() + 1 && text[word.len() + 1] == ' ';
            has_gap
                && (is_metavar_word(&word) && word.len() > 1
                    || word.starts_with('[') && word.contains('|'))
        }
    }
}

fn read_option(
    line: &Line,
    texts: &[Line],
    column: Option<usize>,
    origin: &dyn Fn(usize) -> Origin,
) -> Option<Flag> {
    let (spec, rest) = split_line(line, column, !texts.is_empty())?;
    let mut value = spec.value;
    let mut rest = rest.trim();
    // A value in a column of its own.
    if value.is_none() {
        let word = rest.split("  ").next().unwrap_or_default();
        let is_alone = word.len() == rest.len()
            && is_metavar_word(word)
            && !word.contains(' ')
            && !texts.is_empty();
        let is_type = word.len() < rest.len()
            && !word.contains(' ')
            && word.len() > 1
            && (is_metavar_word(word)
                || word.starts_with(['[', '<']) && word.ends_with([']', '>']));
        if is_alone || is_type && word != "*" {
            let name = super::spec::trim_brackets(word).to_owned();
            // typer names the type of a switch, too.
            if name != "bool" {
                value = Some(ValueSpec { name, ..ValueSpec::default() });
            }
            rest = rest[word.len()..].trim();
        }
    }
    let mut lines: Vec<String> = Vec::new();
    if !rest.is_empty() {
        lines.push(rest.to_owned());
    }
    lines.extend(texts.iter().map(Line::text));
    let description_line = if rest.is_empty() {
        texts.first().map_or(line.number, |text| text.number)
    } else {
        line.number
    };
    let at = origin(line.number);
    let text = details::join(&lines);
    let found = details::read(&lines);
    let mut names = spec.names;
    names.extend(found.aliases);
    let mut flag = Flag {
        negation: spec.negation,
        repeats: (spec.repeats || found.repeats).then(|| Fact::new((), at.clone())),
        required: found.is_required.then(|| Fact::new((), at.clone())),
        default: spec.default.or(found.default).map(|default| Fact::new(default, at.clone())),
        description: (!text.is_empty()).then(|| Fact::new(text, origin(description_line))),
        origin: at.clone(),
        names,
        ..Flag::default()
    };
    if let Some(value) = value {
        set_value(&mut flag, value, found.choices, &at);
    }
    Some(flag)
}

/// Sets the value with what its placeholder says.
pub(crate) fn set_value(
    flag: &mut Flag,
    value: ValueSpec,
    choices: Option<Vec<String>>,
    at: &Origin,
) {
    let choices = details::choices_of_placeholder(&value.name).or(choices);
    flag.choices = choices.map(|choices| Fact::new(choices, at.clone()));
    if details::is_repeating_type(&value.name) {
        flag.repeats.get_or_insert_with(|| Fact::new((), at.clone()));
    }
    // Placeholders of cobra and yargs that mark a switch.
    if matches!(value.name.as_str(), "bool" | "boolean") {
        return;
    }
    flag.value = Some(value);
}

/// Splits a line into its specification and its text.
fn split_line(line: &Line, column: Option<usize>, has_texts: bool) -> Option<(Spec, String)> {
    let body = &line.chars[line.indent..];
    // With the column known, one blank before it is enough.
    if let Some(cut) =
        column.filter(|column| *column > line.indent + 1 && *column < line.chars.len())
    {
        let (left, right) = line.chars.split_at(cut);
        // Further names may begin in the column by chance.
        // One word above its text is the type of the value, as Go prints it.
        let is_value =
            has_texts && !right.contains(&' ') && left.get(cut.wrapping_sub(2)) != Some(&' ');
        let is_cut = left.last() == Some(&' ')
            && !matches!(right[0], ' ' | '-')
            && is_balanced(left)
            && !is_value;
        if is_cut && let Some(spec) = parse_spec(&left[line.indent..]) {
            let rest: String = left[line.indent + spec.end..].iter().collect();
            let right: String = right.iter().collect();
            if is_end(&rest) {
                return Some((
                    with_rest(spec, &rest),
                    format!("{}  {right}", rest.trim_start_matches([' ', ':']).trim())
                        .trim()
                        .to_owned(),
                ));
            }
        }
    }
    let spec = parse_spec(body)?;
    let rest: String = body[spec.end..].iter().collect();
    is_end(&rest).then(|| (with_rest(spec, &rest), text_after(&rest).to_owned()))
}

/// Completes a specification whose value is repeated: `<FILE> <FILE>...`.
fn with_rest(mut spec: Spec, rest: &str) -> Spec {
    let rest = rest.trim_start();
    spec.repeats |= rest.starts_with("...")
        || rest.starts_with("[,")
        || rest.starts_with("[...")
        || rest.starts_with("[<");
    if spec.value.as_ref().is_some_and(|value| value.separator == Separator::Nothing)
        && spec.names.iter().all(|name| name.starts_with("--"))
    {
        // `--name[VALUE]` is rare enough that an equals sign is what is meant.
        spec.value = spec.value.map(|value| ValueSpec { separator: Separator::Equals, ..value });
    }
    spec
}

/// Whether a specification may end before this text.
fn is_end(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with([' ', ':', '\t', '.', '[', '(', ',', '*', ';', '…', '='])
}

/// The text after a specification, without what separates them.
fn text_after(rest: &str) -> &str {
    let rest = rest.trim_start();
    let rest = rest.strip_prefix(':').or_else(|| rest.strip_prefix("- ")).unwrap_or(rest);
    rest.trim_start_matches(['.', '…', ',']).trim_start()
}

fn is_balanced(text: &[char]) -> bool {
    let count = |wanted: char| text.iter().filter(|c| **c == wanted).count();
    count('[') == count(']') && count('<') == count('>') && count('{') == count('}')
}
