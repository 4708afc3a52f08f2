//! `explain`: what a code means.

use std::process::ExitCode;

use lint::compare::CHANGES;

use super::CommandResult;
use crate::{error::CommandError, report, terminal};

/// Explain a rule: why it matters, with an example.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A code such as TC301, or a name such as path-without-format or, of a change, required-added.
    code: String,
}

pub(crate) fn run(args: &Args) -> CommandResult {
    if let Some(rule) = CHANGES.iter().find(|rule| rule.name == args.code) {
        terminal::line(&docs::change_page(rule));
        return Ok(ExitCode::SUCCESS);
    }
    let rules = report::rules();
    let wanted = |rule: &&&catalog::Rule| rule.code.eq_ignore_ascii_case(&args.code) || rule.name == args.code;
    let Some(rule) = rules.iter().find(wanted) else {
        let near = catalog::closest(
            &args.code,
            rules.iter().flat_map(|rule| [rule.code, rule.name]).chain(CHANGES.iter().map(|rule| rule.name)),
        );
        let hint = near.map_or_else(
            || "`toolcrib check` prints the codes of what it finds".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        return Err(CommandError::machine(format!("there is no rule `{}`", args.code)).hint(hint));
    };
    terminal::line(&docs::rule_page(rule));
    Ok(ExitCode::SUCCESS)
}
