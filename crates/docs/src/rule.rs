//! Rules of `check` as text: one section for `explain`, all of them for the reference.

use catalog::Rule;

use crate::markdown::code_block;

/// Examples with fewer lines than this are printed in full.
const FOCUS_MIN_LINES: usize = 30;
/// Common lines that are printed before and after the first and last difference.
const CONTEXT_LINES: usize = 4;
/// Characters of a line of an example before it is truncated; some rules are about length.
const MAX_LINE_CHARS: usize = 400;

/// One rule: its severity, the reason for it, and a bad and a good example.
pub fn render_rule(rule: &Rule) -> String {
    render_section(rule, "#")
}

/// All rules by code: a table, then a section for each.
pub fn render_rules_reference(rules: &[&Rule]) -> String {
    let mut rules = rules.to_vec();
    rules.sort_by_key(|rule| rule.code);
    rules.dedup_by_key(|rule| rule.code);
    let mut page =
        "# Rules\n\nThe rules of `toolcrib check`. `toolcrib explain CODE` prints one of them.\n\n\
                    | code | name | severity |\n|---|---|---|\n"
            .to_owned();
    for rule in &rules {
        let anchor = format!("{}-{}", rule.code.to_lowercase(), rule.name);
        page.push_str(&format!(
            "| [{}](#{anchor}) | {} | {} |\n",
            rule.code,
            rule.name,
            rule.severity.as_str()
        ));
    }
    for rule in rules {
        page.push('\n');
        page.push_str(&render_section(rule, "##"));
    }
    page
}

fn render_section(rule: &Rule, heading: &str) -> String {
    let mut page = format!(
        "{heading} {} {}\n\nSeverity: {}.\n\n{}\n",
        rule.code,
        rule.name,
        rule.severity.as_str(),
        rule.why
    );
    let (bad, good) = focus_on_difference(rule.bad, rule.good);
    for (label, example, focused) in [("Bad", rule.bad, bad), ("Good", rule.good, good)] {
        if !example.is_empty() {
            // The language is detected in the whole example: its first line may have been left out.
            let block = code_block(detect_language(example), &shorten_lines(&focused));
            page.push_str(&format!("\n{label}:\n\n{block}"));
        }
    }
    page
}

/// Leaves out the common start and end of two long examples, except for a few lines of context.
pub(crate) fn focus_on_difference(first: &str, second: &str) -> (String, String) {
    let first_lines: Vec<&str> = first.lines().collect();
    let second_lines: Vec<&str> = second.lines().collect();
    let shorter = first_lines.len().min(second_lines.len());
    if shorter < FOCUS_MIN_LINES {
        return (first.to_owned(), second.to_owned());
    }
    let before = first_lines.iter().zip(&second_lines).take_while(|(a, b)| a == b).count();
    let reversed = first_lines.iter().rev().zip(second_lines.iter().rev());
    // A repeated line can match from both ends; it must not be counted twice.
    let after = reversed.take_while(|(a, b)| a == b).count().min(shorter - before);
    let focus = |lines: &[&str]| {
        let start = before.saturating_sub(CONTEXT_LINES);
        let end = (lines.len() - after + CONTEXT_LINES).min(lines.len());
        let mut focused = lines[start..end].to_vec();
        if start > 0 {
            focused.insert(0, "…");
        }
        if end < lines.len() {
            focused.push("…");
        }
        focused.join("\n")
    };
    (focus(&first_lines), focus(&second_lines))
}

/// The language of an example, as code blocks name it.
pub(crate) fn detect_language(example: &str) -> &'static str {
    let first = example.lines().next().unwrap_or_default();
    let is_table = first.starts_with('[') && first.ends_with(']') && example.contains(" = ");
    if is_table {
        "toml"
    } else if first.starts_with("# ") {
        "markdown"
    } else if example.starts_with(['{', '[']) {
        "json"
    } else {
        "text"
    }
}

fn shorten_lines(example: &str) -> String {
    let shorten = |line: &str| match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => format!("{}… ({} characters)", &line[..end], line.chars().count()),
        None => line.to_owned(),
    };
    let lines = example.lines().map(|line| replace_control_characters(&shorten(line)));
    lines.collect::<Vec<_>>().join("\n")
}

/// Replaces control characters by their Unicode pictures: editors and git treat a page with a NUL
/// as binary.
fn replace_control_characters(line: &str) -> String {
    let picture = |c: char| char::from_u32(0x2400 + u32::from(c)).unwrap_or(c);
    line.chars().map(|c| if c < ' ' { picture(c) } else { c }).collect()
}
