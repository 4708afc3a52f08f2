//! Rules of `diff` as text: one section for `explain`, all of them for the reference.

use compat::{ChangeRule, Effect, ExampleKind};

use crate::{
    markdown::{capitalize, code_block},
    rule::{detect_language, focus_on_difference},
};

/// One change rule: its effect, the reason for it, and an example.
pub fn render_change(rule: &ChangeRule) -> String {
    render_section(rule, "#")
}

/// All change rules: a table, then a section for each.
pub fn render_changes_reference(rules: &[&ChangeRule]) -> String {
    let mut page =
        "# Changes\n\nThe changes that `toolcrib diff` reports, and their effect on callers. \
                    `toolcrib explain RULE` prints one of them.\n\n\
                    | rule | in parameters | in results |\n|---|---|---|\n"
            .to_owned();
    for rule in rules {
        page.push_str(&format!(
            "| [{0}](#{0}) | {1} | {2} |\n",
            rule.name,
            effect_name(rule.input),
            effect_name(rule.output)
        ));
    }
    for rule in rules {
        page.push('\n');
        page.push_str(&render_section(rule, "##"));
    }
    page
}

fn render_section(rule: &ChangeRule, heading: &str) -> String {
    let input = capitalize(effect_name(rule.input));
    let effect = if rule.input == rule.output {
        format!("{input}.")
    } else {
        format!("{input} in parameters, {} in results.", effect_name(rule.output))
    };
    let mut page = format!("{heading} {}\n\n{effect}\n\n{}\n", rule.name, rule.why);
    let part = match rule.example {
        ExampleKind::Input => " (input schema)",
        ExampleKind::Output => " (output schema)",
        ExampleKind::Definition => "",
    };
    let (before, after) = focus_on_difference(rule.before, rule.after);
    for (label, example, focused) in [("Before", rule.before, before), ("After", rule.after, after)]
    {
        let block = if example.is_empty() {
            "None.\n".to_owned()
        } else {
            code_block(detect_language(example), &focused)
        };
        page.push_str(&format!("\n{label}{part}:\n\n{block}"));
    }
    page
}

fn effect_name(effect: Effect) -> &'static str {
    match effect {
        Effect::Undecided => "undecided",
        effect => effect.class().as_str(),
    }
}
