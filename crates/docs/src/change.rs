//! Rules of change as text: one by one for `explain`, all of them for the reference.

use compat::{ChangeRule, Effect, ExampleKind};

use crate::{markdown::block, rule};

/// One rule of change: what it does, why, and an example of it.
pub fn change_page(rule: &ChangeRule) -> String {
    section(rule, "#")
}

/// All rules of change: a table, then a section for each.
pub fn changes_reference(rules: &[&ChangeRule]) -> String {
    let mut page = "# Changes\n\nWhat `toolcrib diff` finds, and what it does to callers. `toolcrib explain RULE` prints one of \
                    them.\n\n| rule | in parameters | in results |\n|---|---|---|\n"
        .to_owned();
    for rule in rules {
        page.push_str(&format!(
            "| [{0}](#{0}) | {1} | {2} |\n",
            rule.name,
            word(rule.input),
            word(rule.output)
        ));
    }
    for rule in rules {
        page.push('\n');
        page.push_str(&section(rule, "##"));
    }
    page
}

fn section(rule: &ChangeRule, heading: &str) -> String {
    let effect = match rule.input == rule.output {
        true => format!("{}.", capitalize(word(rule.input))),
        false => format!(
            "{} in what a tool takes, {} in what it returns.",
            capitalize(word(rule.input)),
            word(rule.output)
        ),
    };
    let mut page = format!("{heading} {}\n\n{effect}\n\n{}\n", rule.name, rule.why);
    let of = match rule.example {
        ExampleKind::Input => " (what it takes)",
        ExampleKind::Output => " (what it returns)",
        ExampleKind::Definition => "",
    };
    let (before, after) = rule::focused(rule.before, rule.after);
    for (label, example) in [("Before", before), ("After", after)] {
        let shown = if example.is_empty() {
            "nothing\n".to_owned()
        } else {
            block(rule::language(&example), &example)
        };
        page.push_str(&format!("\n{label}{of}:\n\n{shown}"));
    }
    page
}

fn word(effect: Effect) -> &'static str {
    match effect {
        Effect::Undecided => "undecided",
        effect => effect.class().as_str(),
    }
}

pub(crate) fn capitalize(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}
