//! The table of rules. A rule is a file in this folder and a line in [`LINTS`].
//!
//! Codes: `TC2xx` names, `TC3xx` parameters, `TC4xx` text and guidance, `TC5xx` safety.

mod broad_tool;
mod broken_example;
mod capital_in_name;
pub(crate) mod client_loses_tool;
mod confusable_name;
mod contradictory_marks;
mod dangerous_reader;
mod duplicate_choice;
mod endless_sequence;
mod exposed_secret;
mod hidden_character;
mod informal_example;
mod instruction_override;
mod long_description;
mod long_name;
mod lookalike_letter;
mod mismatched_example;
mod missing_annotations;
mod missing_description;
mod missing_section;
mod missing_version;
pub(crate) mod mode_mismatch;
mod odd_version;
mod open_parameter;
mod open_schema;
mod placeholder_text;
mod required_default;
mod shell_script;
mod unanswered_risk;
mod unclear_idempotency;
mod undescribed_field;
mod unfit_step;
mod uninformative_description;
pub(crate) mod unknown_step;
mod unmarked_path;
mod unportable_name;
mod unreachable_address;
mod unshown_value;
mod unusual_errors;

use catalog::{DUPLICATE_NAME, Rule};

use crate::{sink::DiagnosticSink, text};
use Check::{Catalog, Text, Tool};

/// A rule and the function that looks for its problem.
pub(crate) struct Lint {
    rule: &'static Rule,
    pub(crate) check: Check,
}

/// The function of a rule, by what it looks at.
#[derive(Clone, Copy)]
pub(crate) enum Check {
    /// One tool.
    Tool(fn(&catalog::Tool, &mut DiagnosticSink<'_>)),
    /// One text that a client or a person reads.
    Text(fn(&text::Text<'_>, &mut DiagnosticSink<'_>)),
    /// All tools together.
    Catalog(fn(&catalog::Catalog, &mut DiagnosticSink<'_>)),
}

/// Every lint, sorted by code.
pub(crate) const LINTS: &[Lint] = &[
    Lint { rule: &confusable_name::RULE, check: Catalog(confusable_name::check) },
    Lint { rule: &long_name::RULE, check: Tool(long_name::check) },
    Lint { rule: &unportable_name::RULE, check: Tool(unportable_name::check) },
    Lint { rule: &unknown_step::RULE, check: Catalog(unknown_step::check) },
    Lint { rule: &endless_sequence::RULE, check: Catalog(endless_sequence::check) },
    Lint { rule: &unfit_step::RULE, check: Catalog(unfit_step::check) },
    Lint { rule: &capital_in_name::RULE, check: Tool(capital_in_name::check) },
    Lint { rule: &broad_tool::RULE, check: Text(broad_tool::check) },
    Lint { rule: &unmarked_path::RULE, check: Tool(unmarked_path::check) },
    Lint { rule: &required_default::RULE, check: Tool(required_default::check) },
    Lint { rule: &duplicate_choice::RULE, check: Tool(duplicate_choice::check) },
    Lint { rule: &unreachable_address::RULE, check: Tool(unreachable_address::check) },
    Lint { rule: &open_schema::RULE, check: Tool(open_schema::check) },
    Lint { rule: &open_parameter::RULE, check: Tool(open_parameter::check) },
    Lint { rule: &unshown_value::RULE, check: Tool(unshown_value::check) },
    Lint { rule: &undescribed_field::RULE, check: Tool(undescribed_field::check) },
    Lint { rule: &client_loses_tool::RULE, check: Tool(client_loses_tool::check) },
    Lint { rule: &missing_description::RULE, check: Tool(missing_description::check) },
    Lint { rule: &uninformative_description::RULE, check: Tool(uninformative_description::check) },
    Lint { rule: &long_description::RULE, check: Tool(long_description::check) },
    Lint { rule: &mode_mismatch::RULE, check: Text(mode_mismatch::check) },
    Lint { rule: &missing_section::RULE, check: Tool(missing_section::check) },
    Lint { rule: &broken_example::RULE, check: Tool(broken_example::check) },
    Lint { rule: &informal_example::RULE, check: Tool(informal_example::check) },
    Lint { rule: &mismatched_example::RULE, check: Tool(mismatched_example::check) },
    Lint { rule: &unusual_errors::RULE, check: Tool(unusual_errors::check) },
    Lint { rule: &unclear_idempotency::RULE, check: Tool(unclear_idempotency::check) },
    Lint { rule: &missing_version::RULE, check: Tool(missing_version::check) },
    Lint { rule: &odd_version::RULE, check: Tool(odd_version::check) },
    Lint { rule: &placeholder_text::RULE, check: Tool(placeholder_text::check) },
    Lint { rule: &missing_annotations::RULE, check: Tool(missing_annotations::check) },
    Lint { rule: &contradictory_marks::RULE, check: Tool(contradictory_marks::check) },
    Lint { rule: &shell_script::RULE, check: Tool(shell_script::check) },
    Lint { rule: &hidden_character::RULE, check: Text(hidden_character::check) },
    Lint { rule: &lookalike_letter::RULE, check: Text(lookalike_letter::check) },
    Lint { rule: &instruction_override::RULE, check: Text(instruction_override::check) },
    Lint { rule: &exposed_secret::RULE, check: Text(exposed_secret::check) },
    Lint { rule: &unanswered_risk::RULE, check: Tool(unanswered_risk::check) },
    Lint { rule: &dangerous_reader::RULE, check: Tool(dangerous_reader::check) },
];

/// Every rule of this crate, sorted by code: those of the lints, and [`DUPLICATE_NAME`], which
/// [`catalog::Catalog::merge`] reports.
pub static RULES: &[&Rule] = &collect_rules();

/// A function because a slice of statics can only be extended in a `const fn` with a loop.
const fn collect_rules() -> [&'static Rule; LINTS.len() + 1] {
    let mut rules = [&DUPLICATE_NAME; LINTS.len() + 1];
    let mut index = 0;
    while index < LINTS.len() {
        rules[index + 1] = LINTS[index].rule;
        index += 1;
    }
    rules
}
