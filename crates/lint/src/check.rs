//! Runs every rule over a catalog.

use std::{collections::HashSet, sync::Arc};

use catalog::{Catalog, Diagnostic, Mode, Tool};

use crate::{
    rules::{LINTS, unknown_step},
    text::{Role, Text, texts},
};

/// What is known of the crib beyond its tools.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The name of the crib, which hosts put in front of every tool name; empty if not known.
    pub crib: String,
    /// Whether the crib puts `mcp_{crib}_` in front of every served name itself.
    pub full_names: bool,
    /// How much of the crib the tools are.
    pub scope: Scope,
}

/// How much of a crib is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// All of it: a tool that is not there does not exist.
    #[default]
    Crib,
    /// One file, taken alone: what it calls may be defined in another.
    File,
}

/// What the rules found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The problems. Tools that share a part of their definition share its problems: each is here
    /// once, for the first tool that has it.
    pub diagnostics: Vec<Diagnostic>,
    /// The names of all tools that have an error and so cannot be served.
    pub broken: HashSet<String>,
}

/// Everything the rules find, ordered by source, then by tool name, then by rule.
pub fn check(catalog: &Catalog, context: &Context) -> Vec<Diagnostic> {
    check_together(catalog, context, check_each(catalog.tools(), context)).diagnostics
}

/// What the rules find in tools, each taken alone: the part of [`check`] that can be shared out.
pub fn check_each(tools: &[Arc<Tool>], context: &Context) -> Vec<Diagnostic> {
    let mut report = Report { context, found: Vec::new() };
    let mut clean = None;
    for tool in tools {
        check_tool(tool, &mut clean, &mut report);
    }
    report.found
}

/// The rest of [`check`]: adds what the rules find in the tools together to what they found in each.
pub fn check_together(catalog: &Catalog, context: &Context, found: Vec<Diagnostic>) -> Findings {
    let mut report = Report { context, found };
    for lint in LINTS {
        if let Check::Catalog(check) = lint.check {
            check(catalog, &mut report);
        }
    }
    unknown_step::check_broken(catalog, &mut report);
    let broken = report.broken();
    let mut seen = HashSet::new();
    let mut diagnostics = report.found;
    diagnostics.retain(|diagnostic| {
        seen.insert((diagnostic.code, diagnostic.origin.clone(), diagnostic.message.clone()))
    });
    diagnostics.sort_by(|a, b| a.origin.source.cmp(&b.origin.source));
    Findings { diagnostics, broken }
}

/// Guidance in which the rules found nothing, and the mode of the tool that had it.
type CleanGuidance<'a> = Option<(&'a str, Mode)>;

/// Neighbours mostly have the same long guidance, so what was clean for one tool is not read again for the next.
fn check_tool<'a>(tool: &'a Tool, clean: &mut CleanGuidance<'a>, report: &mut Report<'_>) {
    let first = report.found.len();
    let guidance = tool.description.guidance.as_deref().map(|guidance| (guidance, tool.mode));
    let mut texts = texts(tool);
    if guidance == *clean {
        texts.retain(|text| text.role != Role::Guidance);
    }
    for lint in LINTS {
        match lint.check {
            Check::Tool(check) => check(tool, report),
            Check::Text(check) => texts.iter().for_each(|text| check(text, report)),
            Check::Catalog(_) => {}
        }
    }
    *clean = guidance.filter(|_| report.found.len() == first);
    for diagnostic in &mut report.found[first..] {
        diagnostic.tool = Some(tool.name.clone());
    }
}

/// Where rules put what they find.
pub(crate) struct Report<'a> {
    /// What is known of the crib.
    pub(crate) context: &'a Context,
    found: Vec<Diagnostic>,
}

impl Report<'_> {
    /// Takes a diagnostic. What a rule finds in one tool need not name the tool.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    /// The tools that have an error by now.
    pub(crate) fn broken(&self) -> HashSet<String> {
        self.found
            .iter()
            .filter(|diagnostic| diagnostic.is_error())
            .filter_map(|diagnostic| diagnostic.tool.clone())
            .collect()
    }
}

/// What a rule looks at.
#[derive(Clone, Copy)]
pub(crate) enum Check {
    /// One tool.
    Tool(fn(&Tool, &mut Report<'_>)),
    /// One piece of text that a client or a person reads.
    Text(fn(&Text<'_>, &mut Report<'_>)),
    /// All tools together.
    Catalog(fn(&Catalog, &mut Report<'_>)),
}
