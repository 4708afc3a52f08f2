//! `explain`: the page of a rule, a change or an error type.

use std::process::ExitCode;

use catalog::{ErrorType, Rule, Severity};
use compat::CHANGES;
use docs::PublishedBook;
use workspace::{Crib, RuleClause};

use super::{CommandContext, CommandResult};
use crate::{
    error::CommandError,
    table::{self, Cell, Column, Header},
    terminal,
    wrap::wrap_page,
};

/// Explain a rule or an error type: why it matters and what to do, with an example.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Code of a rule, such as TC301 or one of the crib's own; name of a rule or change, such as
    /// path-without-format or required-added; or error type of a call, such as timed_out. Without
    /// it, all rules are listed.
    code: Option<String>,
}

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    let rules = host::rules();
    let Some(code) = &args.code else {
        list(&rules);
        return Ok(ExitCode::SUCCESS);
    };
    let page = match find_page(code, &rules) {
        Some((page, section)) => match context.published_book() {
            Some(book) => format!("{page}\nSee {}\n", section(&book)),
            None => page,
        },
        // Only a code that is not built in needs the crib, which may be broken or absent.
        None => find_custom_page(context, code).ok_or_else(|| unknown_rule_error(code, &rules))?,
    };
    terminal::print_line(&wrap_page(&page));
    Ok(ExitCode::SUCCESS)
}

fn list(rules: &[&Rule]) {
    let columns = [
        Column::left_aligned("CODE"),
        Column::left_aligned("SEVERITY"),
        Column::left_aligned("NAME"),
    ];
    let mut rules = rules.to_vec();
    rules.sort_by_key(|rule| rule.code);
    rules.dedup_by_key(|rule| rule.code);
    let row =
        |rule: &&Rule| vec![rule.code.into(), rule.severity.as_str().into(), rule.name.into()];
    let rows: Vec<Vec<Cell>> = rules.iter().map(row).collect();
    let lines = table::render(&columns, &rows, Header::Shown);
    lines.iter().for_each(|line| terminal::print_line(line));
}

/// Returns the address of a section in the book.
type Section<'a> = Box<dyn FnOnce(&PublishedBook) -> String + 'a>;

/// The text about a code, and its section in the book.
fn find_page<'a>(code: &str, rules: &[&'a Rule]) -> Option<(String, Section<'a>)> {
    let is_wanted = |rule: &&&Rule| rule.code.eq_ignore_ascii_case(code) || rule.name == code;
    if let Some(change) = CHANGES.iter().find(|change| change.name == code) {
        Some((docs::render_change(change), Box::new(|book| book.change(change))))
    } else if let Some(error_type) = ErrorType::from_text(code) {
        let section = move |book: &PublishedBook| book.error_type(error_type);
        Some((docs::render_error_type(error_type), Box::new(section)))
    } else {
        let rule = *rules.iter().find(is_wanted)?;
        Some((docs::render_rule(rule), Box::new(|book| book.rule(rule))))
    }
}

fn find_custom_page(context: &CommandContext<'_>, code: &str) -> Option<String> {
    let (crib, _) = Crib::open_lenient(context.global.crib.as_deref(), context.environment).ok()?;
    crib.custom_rule(code).map(custom_page)
}

fn unknown_rule_error(code: &str, rules: &[&Rule]) -> CommandError {
    let known = rules
        .iter()
        .flat_map(|rule| [rule.code, rule.name])
        .chain(CHANGES.iter().map(|change| change.name))
        .chain(ErrorType::ALL.iter().map(|error_type| error_type.as_str()));
    let hint = catalog::closest(code, known).map_or_else(
        || "run `toolcrib check` to see the codes of its findings".to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    CommandError::machine(format!("there is no rule or error type `{code}`")).hint(hint)
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
