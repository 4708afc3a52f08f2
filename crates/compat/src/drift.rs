//! The tools that are defined against those that a live server lists: what is missing on either side,
//! and what the server says otherwise.

use std::collections::{HashMap, HashSet};

use catalog::{Diagnostic, Implementation, Origin, Rule, Severity, Tool, pointer};

use crate::{Change, Effect, compare_tools};

/// A tool that nobody has defined.
static UNDOCUMENTED_TOOL: Rule = Rule {
    code: "TC826",
    name: "undocumented-tool",
    severity: Severity::Error,
    why: "The server that the definitions were compared with lists a tool that none of them describes. Whoever reads the \
          definitions does not know of it: describe it, or take it out of the server.",
    bad: "",
    good: "",
};

/// A tool that the server does not have.
static MISSING_TOOL: Rule = Rule {
    code: "TC827",
    name: "missing-tool",
    severity: Severity::Error,
    why: "A definition describes a tool that the server does not list. Who relies on the description cannot call it: add \
          it to the server, or take the definition out.",
    bad: "",
    good: "",
};

/// A tool that is otherwise on the server.
static DRIFTED_TOOL: Rule = Rule {
    code: "TC828",
    name: "drifted-tool",
    severity: Severity::Error,
    why: "The server lists a tool otherwise than its definition describes it. A difference that breaks calls made by the \
          definition is an error; one that breaks none, or that is only in texts that models read, is a warning. \
          `toolcrib explain NAME` says more about the kind of difference that is named.",
    bad: "",
    good: "",
};

/// Every problem that a comparison can find.
pub static RULES: &[&Rule] = &[&UNDOCUMENTED_TOOL, &MISSING_TOOL, &DRIFTED_TOOL];

/// What is different. `defined` are tools as they would be listed, `also` the names of tools that the server may have
/// beside them, and `elsewhere` is the place of what is in no definition.
pub fn find_drift(
    defined: &[Tool],
    listed: &[Tool],
    also: &HashSet<&str>,
    elsewhere: &Origin,
) -> Vec<Diagnostic> {
    let by_name: HashMap<&str, &Tool> =
        listed.iter().map(|tool| (tool.name.as_str(), tool)).collect();
    let known: HashSet<&str> = defined.iter().map(|tool| tool.name.as_str()).collect();
    let mut found = Vec::new();
    for tool in defined {
        match by_name.get(tool.name.as_str()) {
            Some(other) => found.extend(drift(tool, other)),
            None => {
                let message = format!("the server does not list `{}`", tool.name);
                let missing =
                    Diagnostic::new(&MISSING_TOOL, tool.origin.clone(), message).tool(&tool.name);
                found.push(missing.hint("add it to the server, or take the definition out"));
            }
        }
    }
    for tool in listed
        .iter()
        .filter(|tool| !known.contains(tool.name.as_str()) && !also.contains(tool.name.as_str()))
    {
        let message = format!("the server lists `{}`, which no definition describes", tool.name);
        let undocumented =
            Diagnostic::new(&UNDOCUMENTED_TOOL, elsewhere.clone(), message).tool(&tool.name);
        found.push(undocumented.hint("describe it, or take it out of the server"));
    }
    found
}

/// What a server says otherwise about a tool: each difference in what is taken and returned, and one finding for texts.
fn drift(tool: &Tool, other: &Tool) -> Vec<Diagnostic> {
    let (ours, theirs) = comparable(tool, other);
    let (texts, schemas): (Vec<Change>, Vec<Change>) = compare_tools(&ours, &theirs)
        .into_iter()
        .filter(|change| change.effect > Effect::Metadata && !change.pointer.ends_with("/title"))
        .partition(|change| change.effect == Effect::Behavioural);
    let mut found: Vec<_> = schemas.iter().map(|change| of_schema(tool, change)).collect();
    if let Some(first) = texts.first() {
        let more =
            if texts.len() > 1 { format!(", and {} more", texts.len() - 1) } else { String::new() };
        let message =
            format!("the server describes `{}` in other words: {}{more}", tool.name, first.message);
        found.push(drifted(tool, place(tool, first), message, Severity::Warning));
    }
    found
}

fn of_schema(tool: &Tool, change: &Change) -> Diagnostic {
    let severity = if change.is_breaking() { Severity::Error } else { Severity::Warning };
    let message = format!(
        "on the server `{}` is otherwise: {} ({})",
        tool.name, change.message, change.rule.name
    );
    drifted(tool, place(tool, change), message, severity)
}

fn drifted(tool: &Tool, origin: Origin, message: String, severity: Severity) -> Diagnostic {
    let found = Diagnostic::new(&DRIFTED_TOOL, origin, message).tool(&tool.name).severity(severity);
    found.hint("change the one that is wrong")
}

/// The parameter that a change is in, else the tool.
fn place(tool: &Tool, change: &Change) -> Origin {
    let inside = change
        .pointer
        .strip_prefix("/inputSchema/properties/")
        .and_then(|rest| rest.split('/').next());
    let name = inside.map(pointer::unescape);
    name.map_or_else(|| tool.origin.clone(), |name| tool.parameter_origin(&name))
}

/// Both as a list can show them, without what one of them says nothing about.
fn comparable(tool: &Tool, other: &Tool) -> (Tool, Tool) {
    let bare = |of: &Tool| {
        let words: Vec<_> = of.description.text.split_whitespace().collect();
        let mut bare = Tool::new(
            &tool.name,
            words.join(" "),
            of.input.clone(),
            Implementation::Missing,
            tool.origin.clone(),
        );
        bare.output = of.output.clone().filter(|_| tool.output.is_some());
        bare
    };
    let (mut ours, mut theirs) = (bare(tool), bare(other));
    if tool.annotations.mutates.is_some() && other.annotations.mutates.is_some() {
        (ours.annotations.mutates, theirs.annotations.mutates) =
            (tool.annotations.mutates, other.annotations.mutates);
    }
    if tool.annotations.idempotent.is_some() && other.annotations.idempotent.is_some() {
        (ours.annotations.idempotent, theirs.annotations.idempotent) =
            (tool.annotations.idempotent, other.annotations.idempotent);
    }
    (ours, theirs)
}
