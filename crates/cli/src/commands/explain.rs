//! `explain`: the page of a rule.

use std::process::ExitCode;

use catalog::Severity;
use compat::CHANGES;
use workspace::{Crib, RuleClause};

use super::{CommandContext, CommandResult};
use crate::{error::CommandError, terminal};

/// Explain a rule: why it matters, with an example.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Code of a rule, such as TC301 or one of the crib's own; or name of a rule or change, such as
    /// path-without-format or required-added.
    code: String,
}

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    if let Some(rule) = CHANGES.iter().find(|rule| rule.name == args.code) {
        terminal::line(&docs::change_page(rule));
        return Ok(ExitCode::SUCCESS);
    }
    let rules = host::rules();
    let wanted = |rule: &&&catalog::Rule| {
        rule.code.eq_ignore_ascii_case(&args.code) || rule.name == args.code
    };
    let Some(rule) = rules.iter().find(wanted) else {
        let crib = Crib::open_lenient(context.global.crib.as_deref(), context.environment);
        if let Some(rule) = crib.as_ref().ok().and_then(|(crib, _)| crib.custom_rule(&args.code)) {
            terminal::line(&custom_page(rule));
            return Ok(ExitCode::SUCCESS);
        }
        let near = catalog::closest(
            &args.code,
            rules
                .iter()
                .flat_map(|rule| [rule.code, rule.name])
                .chain(CHANGES.iter().map(|rule| rule.name)),
        );
        let hint = near.map_or_else(
            || "run `toolcrib check` to see the codes of its findings".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        return Err(CommandError::machine(format!("there is no rule `{}`", args.code)).hint(hint));
    };
    terminal::line(&docs::rule_page(rule));
    Ok(ExitCode::SUCCESS)
}

/// The page of one of the crib's own rules.
fn custom_page(rule: &RuleClause) -> String {
    let RuleClause { code, severity, tools, when, message, hint } = rule;
    let severity = Severity::from(*severity).as_str();
    let tools = tools
        .as_ref()
        .map_or_else(|| "every tool".to_owned(), |tools| format!("the tools `{tools}`"));
    let hint = hint.as_ref().map_or_else(String::new, |hint| format!("\n\nWhat to do: {hint}"));
    format!(
        "# {code}\n\nSeverity: {severity}. A rule of this crib, in its `toolcrib.toml`, for {tools}.\n\n{message}{hint}\n\n\
         It reports tools for which this is true:\n\n```cel\n{when}\n```\n"
    )
}
