//! `[[policy]]`: read, compiled, and held against the tools that there are.

mod rules;

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

use crate::{date, prompts::GUIDE_TOOLS};

const VERDICTS: [(&str, Effect); 3] =
    [("allow", Effect::Allow), ("ask", Effect::Ask), ("deny", Effect::Deny)];

/// What to do with calls. Annotations set the default, matching clauses replace it; among them deny wins
/// over ask, and ask over allow.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyClause {
    /// A glob over tool names.
    #[schemars(with = "String")]
    pub tools: Spanned<String>,
    /// A CEL expression over `args` and `tool`; without one, every call is meant. One that fails counts for `ask` and
    /// `deny`, not for `allow`.
    #[schemars(with = "Option<String>")]
    pub when: Option<Spanned<String>>,
    /// What to do.
    #[schemars(with = "Do")]
    pub r#do: Spanned<String>,
    /// The last day on which the clause counts, or the exact moment.
    #[schemars(with = "Option<String>")]
    pub until: Option<Spanned<Value>>,
    /// Why, in words for the person who is asked or the caller who is refused.
    pub reason: Option<String>,
}

/// The words of `do`, for the schema.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case", inline)]
#[expect(dead_code, reason = "the reader takes any text, so that all problems are said at once")]
enum Do {
    Allow,
    Ask,
    Deny,
}

/// Compiles clauses; all problems of all clauses if there are any.
pub(crate) fn compile(
    source: &SourceId,
    written: &[Spanned<PolicyClause>],
) -> Result<Policy, Vec<Diagnostic>> {
    let mut found = Vec::new();
    let clauses: Vec<_> =
        written.iter().map(|clause| read(source, clause.get_ref(), &mut found)).collect();
    match Policy::compile(clauses) {
        Ok(policy) if found.is_empty() => Ok(policy),
        Ok(_) => Err(found),
        Err(problems) => {
            found.extend(problems.into_iter().map(|problem| {
                let clause = written[problem.clause].get_ref();
                let (span, hint) = match (problem.key, &clause.when) {
                    (ClauseKey::When, Some(when)) => {
                        (when.span(), "conditions are CEL over `args` and `tool`")
                    }
                    _ => (
                        clause.tools.span(),
                        "write a name, with `*` for any text and `?` for any character",
                    ),
                };
                broken(source, span, problem.message).hint(hint)
            }));
            found.sort_by_key(place);
            Err(found)
        }
    }
}

/// Says what is strange about clauses that compile, given the tools that there are.
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
        if tools.is_empty() && !means_natives(policy, index) {
            found.push(useless(at(written.tools.span()), &clause.tools, catalog));
        }
        if let Some(until) =
            written.until.as_ref().filter(|_| clause.until.is_some_and(|until| until <= now))
        {
            found.push(expired(at(until.span()), &clause.tools));
        }
        if let Some(tool) = tools.iter().find(|tool| is_lasting(clause, tool)) {
            found.push(lasting(at(written.r#do.span()), &tool.name));
        }
        if let Some(when) = written.when.as_ref().filter(|_| clause.effect > Effect::Allow) {
            found.extend(presumed(at(when.span()), policy.untested_arguments(index), &tools));
        }
    }
    found
}

/// A clause as the model has it. What cannot be read is left out and told.
fn read(source: &SourceId, written: &PolicyClause, found: &mut Vec<Diagnostic>) -> Clause {
    let text = written.r#do.get_ref();
    let verdict = VERDICTS.iter().find(|(word, _)| word == text).map(|(_, verdict)| *verdict);
    if verdict.is_none() {
        let hint = closest(text, VERDICTS.iter().map(|(word, _)| *word))
            .map_or_else(String::new, |near| format!("did you mean `{near}`?"));
        let problem = broken(
            source,
            written.r#do.span(),
            format!("`{text}` is nothing that a policy can do"),
        );
        let problem = problem.expected("one of `allow`, `ask`, `deny`").received(text.as_str());
        found.push(if hint.is_empty() { problem } else { problem.hint(hint) });
    }
    let until = written.until.as_ref().and_then(|until| {
        let end = moment(until.get_ref());
        if end.is_none() {
            let problem =
                broken(source, until.span(), format!("`{}` is not a date", shown(until.get_ref())));
            found.push(problem.expected("a date").hint("write it as `until = 2027-01-31`"));
        }
        end
    });
    Clause {
        tools: written.tools.get_ref().clone(),
        when: written.when.as_ref().map(|when| when.get_ref().clone()),
        effect: verdict.unwrap_or(Effect::Deny),
        until,
        reason: written.reason.clone(),
    }
}

fn moment(until: &Value) -> Option<SystemTime> {
    match until {
        Value::Datetime(until) => date::end(until),
        Value::String(text) => text.trim().parse().ok().and_then(|until| date::end(&until)),
        _ => None,
    }
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn broken(source: &SourceId, span: Range<usize>, message: String) -> Diagnostic {
    Diagnostic::new(&BROKEN_POLICY, Origin::offset(source, span.start), message)
}

fn place(diagnostic: &Diagnostic) -> usize {
    match diagnostic.origin.place {
        catalog::Location::Offset(offset) => offset,
        _ => 0,
    }
}

/// Whether a glob of a clause can only mean native tools, whatever stands before their names.
fn means_natives(policy: &Policy, clause: usize) -> bool {
    let natives = catalog::name::BUILT_IN.into_iter().chain(GUIDE_TOOLS);
    natives.into_iter().any(|name| {
        policy.matches_name(clause, name) || policy.matches_name(clause, &format!("guide_{name}"))
    })
}

fn useless(origin: Origin, tools: &str, catalog: &Catalog) -> Diagnostic {
    let hint = catalog.closest(tools).map_or_else(
        || "`toolcrib list` shows the names".to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    Diagnostic::new(&USELESS_POLICY, origin, format!("`{tools}` matches no tool")).hint(hint)
}

fn expired(origin: Origin, tools: &str) -> Diagnostic {
    let message = format!("this clause for `{tools}` has expired and does not count any more");
    Diagnostic::new(&EXPIRED_POLICY, origin, message).hint("remove it, or give it a later date")
}

fn lasting(origin: Origin, tool: &str) -> Diagnostic {
    let message =
        format!("`{tool}` is asked about by its annotations, and this allows it for ever");
    Diagnostic::new(&LASTING_PERMISSION, origin, message)
        .hint("say until when, with `until = 2027-01-31` for example")
}

/// Whether a clause takes the question away from a tool for good.
fn is_lasting(clause: &Clause, tool: &Tool) -> bool {
    let is_endless = clause.effect == Effect::Allow && clause.until.is_none();
    is_endless
        && matches!(
            Policy::default().decide(tool, &Map::new(), SystemTime::UNIX_EPOCH),
            Decision::Ask { .. }
        )
}

/// The first argument that a condition reads and that a call of one of the tools may lack.
fn presumed<'p>(
    origin: Origin,
    mut reads: impl Iterator<Item = &'p str>,
    tools: &[&Tool],
) -> Option<Diagnostic> {
    let (argument, tool) = reads.find_map(|argument| {
        Some((argument, tools.iter().find(|tool| may_lack(tool, argument))?))
    })?;
    let message = match tool.input.property(argument) {
        Some(_) => format!(
            "a call of `{}` without `{argument}` matches too: the condition fails then",
            tool.name
        ),
        None => format!(
            "every call of `{}` matches: it has no parameter `{argument}`, and the condition fails",
            tool.name
        ),
    };
    let hint = format!("write `has(args.{argument}) && …`, or `args.?{argument}.orValue(…)`");
    Some(Diagnostic::new(&PRESUMED_ARGUMENT, origin, message).hint(hint))
}

fn may_lack(tool: &Tool, argument: &str) -> bool {
    let default = tool.input.property(argument).and_then(|property| property.get("default"));
    default.is_none_or(serde_json::Value::is_null)
        && !tool.input.required().any(|name| name == argument)
}
