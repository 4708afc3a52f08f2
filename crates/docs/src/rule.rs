//! Rules as text: one by one for `explain`, all of them for the reference.

use catalog::Rule;

use crate::markdown::block;

/// One rule: what it finds, why that matters, and an example of each kind.
pub fn rule_page(rule: &Rule) -> String {
    section(rule, "#")
}

/// All rules by code: a table, then a section for each.
pub fn rules_reference(rules: &[&Rule]) -> String {
    let mut rules = rules.to_vec();
    rules.sort_by_key(|rule| rule.code);
    rules.dedup_by_key(|rule| rule.code);
    let mut page =
        "# Rules\n\nWhat `toolcrib check` finds. `toolcrib explain CODE` prints one of them.\n\n\
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
        page.push_str(&section(rule, "##"));
    }
    page
}

fn section(rule: &Rule, heading: &str) -> String {
    let mut page = format!(
        "{heading} {} {}\n\nSeverity: {}.\n\n{}\n",
        rule.code,
        rule.name,
        rule.severity.as_str(),
        rule.why
    );
    let (bad, good) = focused(rule.bad, rule.good);
    for (label, example, shown) in [("Bad", rule.bad, bad), ("Good", rule.good, good)] {
        if !example.is_empty() {
            page.push_str(&format!(
                "\n{label}:\n\n{}",
                block(language(example), &shortened(&shown))
            ));
        }
    }
    page
}

/// Two long examples without the lines that they have in common, but for a few around those they have not.
pub(crate) fn focused(bad: &str, good: &str) -> (String, String) {
    const LONG: usize = 30;
    const AROUND: usize = 4;
    let (first, second): (Vec<&str>, Vec<&str>) = (bad.lines().collect(), good.lines().collect());
    if first.len().min(second.len()) < LONG {
        return (bad.to_owned(), good.to_owned());
    }
    let before = first.iter().zip(&second).take_while(|(a, b)| a == b).count();
    let shorter = first.len().min(second.len()) - before;
    let after = first
        .iter()
        .rev()
        .zip(second.iter().rev())
        .take_while(|(a, b)| a == b)
        .count()
        .min(shorter);
    let focus = |lines: &[&str]| {
        let from = before.saturating_sub(AROUND);
        let to = (lines.len() - after + AROUND).min(lines.len());
        let mut kept = lines[from..to].to_vec();
        if from > 0 {
            kept.insert(0, "…");
        }
        if to < lines.len() {
            kept.push("…");
        }
        kept.join("\n")
    };
    (focus(&first), focus(&second))
}

pub(crate) fn language(example: &str) -> &'static str {
    match example.trim_end().lines().next() {
        Some(first)
            if first.starts_with('[') && first.ends_with(']') && example.contains(" = ") =>
        {
            "toml"
        }
        Some(first) if first.starts_with("# ") => "markdown",
        _ if example.starts_with(['{', '[']) => "json",
        _ => "text",
    }
}

/// An example about length need not be shown at length.
fn shortened(example: &str) -> String {
    const LONGEST: usize = 400;
    let shorten = |line: &str| match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}… ({} characters)", &line[..end], line.chars().count()),
        None => line.to_owned(),
    };
    example.lines().map(shorten).map(|line| visible(&line)).collect::<Vec<_>>().join("\n")
}

/// Control characters as pictures of them: a page with a NUL in it is no text.
fn visible(line: &str) -> String {
    let picture = |c: char| char::from_u32(0x2400 + u32::from(c)).unwrap_or(c);
    line.chars().map(|c| if c < ' ' { picture(c) } else { c }).collect()
}
