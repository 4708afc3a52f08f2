//! `[[policy]]`: parses, compiles and checks the clauses that allow, ask about or deny calls.

mod rules;
mod until;

use std::{ops::Range, time::SystemTime};

use catalog::{
    Catalog, Decision, Diagnostic, Origin, Policy, SourceId, Tool, closest,
    policy::{Clause, ClauseKey, Effect},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Map;
use toml::{Spanned, Value};

pub(crate) use rules::{
    BROKEN_POLICY, EXPIRED_POLICY, LASTING_PERMISSION, PRESUMED_ARGUMENT, USELESS_POLICY,
};

use crate::native_names::native_names;

const EFFECTS: [(&str, Effect); 3] =
    [("allow", Effect::Allow), ("ask", Effect::Ask), ("deny", Effect::Deny)];

/// Allows, asks about or denies calls. Annotations set the default and matching clauses replace it.
/// Among matching clauses, deny wins over ask, and ask over allow.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyClause {
    /// Glob for tool names.
    #[schemars(with = "String")]
    pub tools: Spanned<String>,
    /// CEL expression over `args` and `tool`. Default: every call matches. If its evaluation fails,
    /// the clause matches for `ask` and `deny`, and does not match for `allow`.
    #[schemars(with = "Option<String>")]
    pub when: Option<Spanned<String>>,
    /// Action for matching calls.
    #[schemars(with = "Do")]
    pub r#do: Spanned<String>,
    /// Last day of validity, or an exact date and time. Default: no expiry.
    #[schemars(with = "Option<String>")]
    pub until: Option<Spanned<Value>>,
    /// Reason, shown to the person who is asked or to the caller who is denied.
    pub reason: Option<String>,
}

/// The values of `do`, for the schema.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case", inline)]
#[expect(dead_code, reason = "parsing accepts any text, so that all problems are reported at once")]
enum Do {
    Allow,
    Ask,
    Deny,
}

/// Compiles the clauses, or reports the problems of all of them.
pub(crate) fn compile(
    source: &SourceId,
    written: &[Spanned<PolicyClause>],
) -> Result<Policy, Vec<Diagnostic>> {
    let mut found = Vec::new();
    let clauses: Vec<_> =
        written.iter().map(|clause| parse(source, clause.get_ref(), &mut found)).collect();
    match Policy::compile(clauses) {
        Ok(policy) if found.is_empty() => Ok(policy),
        // The clauses compiled only because invalid values were replaced.
        Ok(_) => Err(found),
        Err(problems) => {
            found.extend(problems.into_iter().map(|problem| {
                let clause = written[problem.clause].get_ref();
                let (span, hint) = match (problem.key, &clause.when) {
                    (ClauseKey::When, Some(when)) => {
                        (when.span(), "conditions are CEL expressions over `args` and `tool`")
                    }
                    _ => (
                        clause.tools.span(),
                        "write a name, with `*` for any text and `?` for any character",
                    ),
                };
                broken_policy(source, span, problem.message).hint(hint)
            }));
            // Parsing and compiling report separately; people read the file from top to bottom.
            found.sort_by_key(offset);
            Err(found)
        }
    }
}

/// Reports valid clauses that are useless, expired or risky for the tools of the catalog.
pub(crate) fn check(
    source: &SourceId,
    written: &[Spanned<PolicyClause>],
    policy: &Policy,
    catalog: &Catalog,
    now: SystemTime,
) -> Vec<Diagnostic> {
    let at = |span: Range<usize>| Origin::offset(source, span.start);
    let mut found = Vec::new();
    for (index, (clause, written)) in policy.clauses().zip(written).enumerate() {
        let written = written.get_ref();
        let tools: Vec<_> = catalog
            .tools()
            .iter()
            .map(|tool| &**tool)
            .filter(|tool| policy.matches_name(index, &tool.name))
            .collect();
        // Misspelled, it would protect nothing, and nothing else would show that.
        if tools.is_empty() && !matches_native(policy, index) {
            found.push(report_useless(at(written.tools.span()), &clause.tools, catalog));
        }
        if let Some(until) =
            written.until.as_ref().filter(|_| clause.until.is_some_and(|until| until <= now))
        {
            found.push(report_expired(at(until.span()), &clause.tools));
        }
        if let Some(tool) = tools.iter().find(|tool| is_lasting(clause, tool)) {
            found.push(report_lasting(at(written.r#do.span()), &tool.name));
        }
        if let Some(when) = written.when.as_ref().filter(|_| clause.effect > Effect::Allow) {
            found.extend(report_presumed(
                at(when.span()),
                policy.list_untested_arguments(index),
                &tools,
            ));
        }
    }
    found
}

/// Converts a clause to the model's type. Reports invalid values and replaces them.
fn parse(source: &SourceId, written: &PolicyClause, found: &mut Vec<Diagnostic>) -> Clause {
    let text = written.r#do.get_ref();
    let effect = EFFECTS.iter().find(|(word, _)| word == text).map(|(_, effect)| *effect);
    if effect.is_none() {
        let hint = closest(text, EFFECTS.iter().map(|(word, _)| *word))
            .map_or_else(String::new, |near| format!("did you mean `{near}`?"));
        let problem =
            broken_policy(source, written.r#do.span(), format!("unknown action `{text}`"));
        let problem =
            problem.with_expected("one of `allow`, `ask`, `deny`").with_received(text.as_str());
        found.push(if hint.is_empty() { problem } else { problem.hint(hint) });
    }
    let until = written.until.as_ref().and_then(|until| {
        let end = until::parse_until(until.get_ref());
        if end.is_none() {
            let problem = broken_policy(
                source,
                until.span(),
                format!("`{}` is not a date", render(until.get_ref())),
            );
            found.push(problem.with_expected("a date").hint("write it as `until = 2027-01-31`"));
        }
        end
    });
    Clause {
        tools: written.tools.get_ref().clone(),
        when: written.when.as_ref().map(|when| when.get_ref().clone()),
        // The fallback is never used, because a policy with a problem is rejected as a whole.
        effect: effect.unwrap_or(Effect::Deny),
        until,
        reason: written.reason.clone(),
    }
}

fn render(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn broken_policy(source: &SourceId, span: Range<usize>, message: String) -> Diagnostic {
    Diagnostic::new(&BROKEN_POLICY, Origin::offset(source, span.start), message)
}

fn offset(diagnostic: &Diagnostic) -> usize {
    match diagnostic.origin.location {
        catalog::Location::Offset(offset) => offset,
        _ => 0,
    }
}

/// Whether the glob of a clause matches a native tool, with or without the default prefix. Native
/// tools are not in the catalog.
fn matches_native(policy: &Policy, clause: usize) -> bool {
    native_names().any(|name| {
        policy.matches_name(clause, name) || policy.matches_name(clause, &format!("guide_{name}"))
    })
}

fn report_useless(origin: Origin, tools: &str, catalog: &Catalog) -> Diagnostic {
    let hint = catalog.closest(tools).map_or_else(
        || "`toolcrib list` shows the names".to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    Diagnostic::new(&USELESS_POLICY, origin, format!("`{tools}` matches no tool")).hint(hint)
}

fn report_expired(origin: Origin, tools: &str) -> Diagnostic {
    let message = format!("this clause for `{tools}` has expired and has no effect");
    Diagnostic::new(&EXPIRED_POLICY, origin, message).hint("remove it, or give it a later date")
}

fn report_lasting(origin: Origin, tool: &str) -> Diagnostic {
    let message =
        format!("`{tool}` requires approval by its annotations, and this clause allows it forever");
    Diagnostic::new(&LASTING_PERMISSION, origin, message)
        .hint("add an expiry, such as `until = 2027-01-31`")
}

/// Whether a clause permanently allows a tool that would otherwise need approval.
fn is_lasting(clause: &Clause, tool: &Tool) -> bool {
    let is_endless = clause.effect == Effect::Allow && clause.until.is_none();
    is_endless
        // The default policy decides by annotations alone. The time does not matter to it.
        && matches!(
            Policy::default().decide(tool, &Map::new(), SystemTime::UNIX_EPOCH),
            Decision::Ask { .. }
        )
}

/// Reports the first argument that a condition reads and that a call of one of the tools may omit.
fn report_presumed<'p>(
    origin: Origin,
    mut reads: impl Iterator<Item = &'p str>,
    tools: &[&Tool],
) -> Option<Diagnostic> {
    let (argument, tool) = reads.find_map(|argument| {
        Some((argument, tools.iter().find(|tool| may_omit(tool, argument))?))
    })?;
    let message = match tool.input.property(argument) {
        Some(_) => format!(
            "a call of `{}` without `{argument}` also matches, because the condition fails",
            tool.name
        ),
        None => format!(
            "every call of `{}` matches, because it has no parameter `{argument}` and the condition fails",
            tool.name
        ),
    };
    let hint = format!("write `has(args.{argument}) && …`, or `args.?{argument}.orValue(…)`");
    Some(Diagnostic::new(&PRESUMED_ARGUMENT, origin, message).hint(hint))
}

fn may_omit(tool: &Tool, argument: &str) -> bool {
    let default = tool.input.property(argument).and_then(|property| property.get("default"));
    // A default is filled in before policy decides, so the condition always sees a value.
    default.is_none_or(serde_json::Value::is_null)
        && !tool.input.required().any(|name| name == argument)
}
