//! Compares the defined tools with those that a live server lists.

use std::collections::{HashMap, HashSet};

use catalog::{Diagnostic, Implementation, Origin, Rule, Severity, Tool, pointer};

use crate::{Change, Effect, compare_tools};

static UNDOCUMENTED_TOOL: Rule = Rule {
    code: "TC826",
    name: "undocumented-tool",
    severity: Severity::Error,
    why: "The server lists a tool that no definition describes. People who review or generate code from the definitions \
          do not know about it. Add a definition, or remove the tool from the server.",
    bad: "",
    good: "",
};

static MISSING_TOOL: Rule = Rule {
    code: "TC827",
    name: "missing-tool",
    severity: Severity::Error,
    why: "A definition describes a tool that the server does not list, so calls that rely on the definition fail. Add the \
          tool to the server, or remove the definition.",
    bad: "",
    good: "",
};

static DRIFTED_TOOL: Rule = Rule {
    code: "TC828",
    name: "drifted-tool",
    severity: Severity::Error,
    why: "The tool that the server lists differs from its definition. It is an error if calls that follow the definition may \
          fail, and a warning if only additions or texts differ. `toolcrib explain NAME` describes the kind of difference \
          in the message.",
    bad: "",
    good: "",
};

/// The rules of [`find_drift`].
pub static RULES: &[&Rule] = &[&UNDOCUMENTED_TOOL, &MISSING_TOOL, &DRIFTED_TOOL];

/// Reports every difference between the `defined` tools, as they would be served, and the tools
/// that a server `listed`.
///
/// `ignored` are names that the server may list without a definition, such as built-in tools.
/// `listing` is the origin of diagnostics about tools that have no definition.
pub fn find_drift(
    defined: &[Tool],
    listed: &[Tool],
    ignored: &HashSet<&str>,
    listing: &Origin,
) -> Vec<Diagnostic> {
    let listed_by_name: HashMap<&str, &Tool> =
        listed.iter().map(|tool| (tool.name.as_str(), tool)).collect();
    let defined_names: HashSet<&str> = defined.iter().map(|tool| tool.name.as_str()).collect();
    let mut diagnostics = Vec::new();
    for tool in defined {
        match listed_by_name.get(tool.name.as_str()) {
            Some(served) => diagnostics.extend(find_tool_drift(tool, served)),
            None => {
                let message = format!("the server does not list `{}`", tool.name);
                diagnostics.push(
                    Diagnostic::new(&MISSING_TOOL, tool.origin.clone(), message)
                        .tool(&tool.name)
                        .hint("add it to the server, or remove the definition"),
                );
            }
        }
    }
    let is_known = |name: &str| defined_names.contains(name) || ignored.contains(name);
    for tool in listed.iter().filter(|tool| !is_known(&tool.name)) {
        let message = format!("the server lists `{}`, which no definition describes", tool.name);
        diagnostics.push(
            Diagnostic::new(&UNDOCUMENTED_TOOL, listing.clone(), message)
                .tool(&tool.name)
                .hint("add a definition, or remove the tool from the server"),
        );
    }
    diagnostics
}

/// Reports each difference between the schemas of a tool, and all differing texts in one
/// diagnostic: a server that rewords its descriptions would otherwise drown the differences that
/// matter.
fn find_tool_drift(defined: &Tool, served: &Tool) -> Vec<Diagnostic> {
    let (ours, theirs) = reduce_to_shared(defined, served);
    let (texts, schemas): (Vec<Change>, Vec<Change>) = compare_tools(&ours, &theirs)
        .into_iter()
        .filter(|change| change.effect > Effect::Metadata && !change.pointer.ends_with("/title"))
        .partition(|change| change.effect == Effect::Behavioural);
    let mut diagnostics: Vec<_> =
        schemas.iter().map(|change| schema_drift(defined, change)).collect();
    if let Some(first) = texts.first() {
        let more =
            if texts.len() > 1 { format!(", and {} more", texts.len() - 1) } else { String::new() };
        let message = format!(
            "`{}` is described differently on the server: {}{more}",
            defined.name, first.message
        );
        diagnostics.push(drift_diagnostic(defined, first, message, Severity::Warning));
    }
    diagnostics
}

fn schema_drift(tool: &Tool, change: &Change) -> Diagnostic {
    let severity = if change.is_breaking() { Severity::Error } else { Severity::Warning };
    let message =
        format!("`{}` differs on the server: {} ({})", tool.name, change.message, change.rule.name);
    drift_diagnostic(tool, change, message, severity)
}

fn drift_diagnostic(
    tool: &Tool,
    change: &Change,
    message: String,
    severity: Severity,
) -> Diagnostic {
    Diagnostic::new(&DRIFTED_TOOL, change_origin(tool, change), message)
        .tool(&tool.name)
        .severity(severity)
        .hint("correct the definition or the server")
}

/// The origin of the parameter that contains the change, or that of the tool.
fn change_origin(tool: &Tool, change: &Change) -> Origin {
    let parameter = change
        .pointer
        .strip_prefix("/inputSchema/properties/")
        .and_then(|rest| rest.split('/').next())
        .map(pointer::unescape);
    parameter.map_or_else(|| tool.origin.clone(), |name| tool.parameter_origin(&name))
}

/// Reduces both tools to what `tools/list` can express and both of them declare.
///
/// A listing has no command, version or category, and MCP servers often leave out the output schema
/// and the annotations. What one side does not declare is not a difference.
fn reduce_to_shared(defined: &Tool, served: &Tool) -> (Tool, Tool) {
    let reduce = |tool: &Tool| {
        let words: Vec<_> = tool.description.text.split_whitespace().collect();
        let mut reduced = Tool::new(
            &defined.name,
            words.join(" "),
            tool.input.clone(),
            Implementation::Missing,
            defined.origin.clone(),
        );
        reduced.output = tool.output.clone().filter(|_| defined.output.is_some());
        reduced
    };
    let (mut ours, mut theirs) = (reduce(defined), reduce(served));
    let (before, now) = (&defined.annotations, &served.annotations);
    if before.mutates.is_some() && now.mutates.is_some() {
        (ours.annotations.mutates, theirs.annotations.mutates) = (before.mutates, now.mutates);
    }
    if before.idempotent.is_some() && now.idempotent.is_some() {
        (ours.annotations.idempotent, theirs.annotations.idempotent) =
            (before.idempotent, now.idempotent);
    }
    (ours, theirs)
}
