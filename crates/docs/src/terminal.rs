//! A tool for a terminal: plain text, aligned, at most 88 columns wide where words allow.

use catalog::Tool;

use crate::{
    fields::Row,
    sheet::{Sheet, sheet},
};

/// How wide text is set: comfortable to read, and it fits most windows.
const WIDTH: usize = 88;

/// The widest column of names or labels that descriptions are aligned to.
const WIDEST_LABEL: usize = 28;

/// One tool as `show` prints it.
pub fn terminal(tool: &Tool) -> String {
    let sheet = sheet(tool);
    let Sheet {
        title,
        description,
        call,
        examples,
        parameters,
        results,
        errors,
        security,
        runs,
        transcript,
        facts,
    } = sheet;
    let mut out = visible(&tool.name);
    if let Some(title) = title {
        out.push_str(&format!("  ({})", visible(&title)));
    }
    out.push('\n');
    for line in description.lines() {
        push_wrapped(&mut out, line, "  ", "  ");
    }
    push_heading(&mut out, "Parameters", &parameters);
    push_aligned(&mut out, parameters.iter().map(parameter).collect());
    push_heading(&mut out, "Result", &results);
    push_aligned(&mut out, results.iter().map(parameter).collect());
    if let Some(errors) = errors {
        push_heading(&mut out, "Errors", &[()]);
        errors.lines().for_each(|line| push_wrapped(&mut out, line, "  ", "    "));
    }
    push_heading(&mut out, "Security", &security);
    security.iter().for_each(|remark| push_wrapped(&mut out, remark, "  - ", "    "));
    push_heading(&mut out, "Runs", &[()]);
    if runs.is_empty() {
        out.push_str(&format!("  {}\n", tool.implementation.summary()));
    }
    runs.iter().for_each(|line| push_wrapped(&mut out, line, "  ", "      "));
    if let Some(call) = call {
        push_heading(&mut out, "Call", &[()]);
        out.push_str(&format!("  {}\n", visible(&call)));
    }
    push_heading(&mut out, "Examples", &examples);
    for (call, shows) in &examples {
        out.push_str(&format!("  {}\n", visible(call)));
        push_wrapped(&mut out, shows, "    ", "    ");
    }
    if let Some(transcript) = transcript {
        push_heading(&mut out, "Example", &[()]);
        transcript.lines().for_each(|line| out.push_str(&format!("  {}\n", visible(line))));
    }
    push_heading(&mut out, "Facts", &facts);
    push_aligned(
        &mut out,
        facts
            .into_iter()
            .map(|(label, value)| (label.to_owned(), value.lines().map(str::to_owned).collect()))
            .collect(),
    );
    out
}

fn push_heading<T>(out: &mut String, heading: &str, content: &[T]) {
    if !content.is_empty() {
        out.push_str(&format!("\n{heading}\n"));
    }
}

/// A parameter as a label and the lines beside it.
fn parameter(row: &Row) -> (String, Vec<String>) {
    let mut about = vec![row.kind.clone()];
    about.extend(row.required.then(|| "required".to_owned()));
    about.extend(row.default.as_ref().map(|default| format!("default {default}")));
    about.extend(
        row.constraints
            .iter()
            .map(|of| format!("{} {}", of.words, of.values.join(", ")).trim_end().to_owned()),
    );
    let text = format!("{} ({})", row.description.trim(), about.join("; "));
    (row.name.clone(), text.lines().map(str::to_owned).collect())
}

fn push_aligned(out: &mut String, rows: Vec<(String, Vec<String>)>) {
    let rows: Vec<(String, Vec<String>)> =
        rows.into_iter().map(|(label, lines)| (visible(&label), lines)).collect();
    let width = rows
        .iter()
        .map(|(label, _)| label.chars().count())
        .filter(|width| *width <= WIDEST_LABEL)
        .max()
        .unwrap_or(0);
    let indent = " ".repeat(width + 4);
    for (label, lines) in rows {
        let mut first = format!("  {label:width$}  ");
        if label.chars().count() > width {
            out.push_str(&format!("  {label}\n"));
            first.clone_from(&indent);
        }
        for line in &lines {
            push_wrapped(out, line, &first, &indent);
            first.clone_from(&indent);
        }
    }
}

/// Words of one line, set to the width. Only spaces part words, so that nothing is cut.
fn push_wrapped(out: &mut String, line: &str, first: &str, following: &str) {
    let mut set = first.to_owned();
    let mut is_empty = true;
    for word in visible(line).split_whitespace() {
        if !is_empty && set.chars().count() + 1 + word.chars().count() > WIDTH {
            out.push_str(set.trim_end());
            out.push('\n');
            set = following.to_owned();
            is_empty = true;
        }
        if !is_empty {
            set.push(' ');
        }
        set.push_str(word);
        is_empty = false;
    }
    out.push_str(set.trim_end());
    out.push('\n');
}

/// A text on one line, without anything that moves a cursor or turns the direction of what follows.
fn visible(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .map(|c| if is_hidden(c) { '\u{fffd}' } else { c })
        .collect()
}

/// Whether a character cannot be seen, or changes what is seen behind it.
pub(crate) fn is_hidden(c: char) -> bool {
    let is_format = matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}');
    c.is_control() || is_format || matches!(c, '\u{e0000}'..='\u{e007f}')
}
