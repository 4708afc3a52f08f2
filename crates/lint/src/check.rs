//! Runs every rule over a catalog.

use std::{collections::HashSet, sync::Arc};

use catalog::{Catalog, Diagnostic, Mode, Tool, budget::spend};

use crate::{
    context::Context,
    rules::{Check, LINTS, mode_mismatch, unknown_step},
    sink::DiagnosticSink,
    text::{Role, collect_texts},
};

/// The cost of running a rule on a tool, in steps of the thread's budget.
const RULE_STEPS: u64 = 1_000;

/// The diagnostics of all rules.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The problems. Tools that share a part of their definition share its problems: each is listed
    /// once, for the first of these tools.
    pub diagnostics: Vec<Diagnostic>,
    /// The names of all tools that have an error and so cannot be served. Unlike `diagnostics`, it
    /// names every tool that shares a problem.
    pub broken: HashSet<String>,
}

/// Checks a catalog. The diagnostics are sorted by source, then by tool name, then by rule.
pub fn check(catalog: &Catalog, context: &Context) -> Vec<Diagnostic> {
    check_catalog(catalog, context, check_tools(catalog.tools(), context)).diagnostics
}

/// Runs the rules that look at one tool at a time: the part of [`check`] that callers may run in
/// parallel on slices of a catalog.
pub fn check_tools(tools: &[Arc<Tool>], context: &Context) -> Vec<Diagnostic> {
    check_each(tools, context).into_iter().flatten().collect()
}

/// Like [`check_tools`], with a separate list of diagnostics for each tool.
pub fn check_each(tools: &[Arc<Tool>], context: &Context) -> Vec<Vec<Diagnostic>> {
    let mut sink = DiagnosticSink::new(context, Vec::new());
    let mut clean = HashSet::new();
    let mut results = Vec::with_capacity(tools.len());
    for tool in tools {
        check_tool(tool, &mut clean, &mut sink);
        let mut found = std::mem::take(&mut sink.diagnostics);
        // Servers keep them for the next reload, and a list grows by four at first.
        found.shrink_to_fit();
        results.push(found);
    }
    results
}

/// Runs the rules that look at the whole catalog, and adds their diagnostics to those of
/// [`check_tools`].
pub fn check_catalog(
    catalog: &Catalog,
    context: &Context,
    tool_diagnostics: Vec<Diagnostic>,
) -> Findings {
    let mut sink = DiagnosticSink::new(context, tool_diagnostics);
    for lint in LINTS {
        if let Check::Catalog(check) = lint.check {
            check(catalog, &mut sink);
        }
    }
    mode_mismatch::check_shared_guidance(catalog, &mut sink);
    // Runs last, because it depends on which tools have errors.
    unknown_step::check_broken(catalog, &mut sink);
    let broken = sink.broken_tools();
    // Tools that were generated from one schema or one page repeat its problems; once is enough to
    // fix them.
    let mut diagnostics = sink.diagnostics;
    catalog::remove_repeated(&mut diagnostics);
    // A stable sort, so that within a file the order of the tools and rules stays.
    diagnostics.sort_by(|a, b| a.origin.source.cmp(&b.origin.source));
    Findings { diagnostics, broken }
}

/// Texts without findings, by role and with the mode of their tool: all that rules for texts depend
/// on.
type CleanTexts<'a> = HashSet<(Role, &'a str, Mode)>;

/// Checks one tool; the sink must be empty. The tools of a file share guidance and the descriptions
/// of their parameters, so a text that was clean for an earlier tool is not read again.
fn check_tool<'a>(tool: &'a Tool, clean: &mut CleanTexts<'a>, sink: &mut DiagnosticSink<'_>) {
    let mut texts = collect_texts(tool);
    texts.retain(|text| !clean.contains(&(text.role, text.text, tool.mode)));
    let mut is_clean = vec![true; texts.len()];
    for lint in LINTS {
        // A rule may take long for a hostile definition, which a server checks within a budget.
        spend(RULE_STEPS);
        match lint.check {
            Check::Tool(check) => check(tool, sink),
            Check::Text(check) => {
                for (text, is_clean) in texts.iter().zip(&mut is_clean) {
                    let before = sink.diagnostics.len();
                    check(text, sink);
                    *is_clean &= sink.diagnostics.len() == before;
                }
            }
            Check::Catalog(_) => {}
        }
    }
    // A text with findings is checked again for the next tool, which has to report them under its
    // own name.
    let checked = texts.iter().zip(is_clean).filter(|(_, is_clean)| *is_clean);
    clean.extend(checked.map(|(text, _)| (text.role, text.text, tool.mode)));
    for diagnostic in &mut sink.diagnostics {
        diagnostic.tool = Some(tool.name.clone());
    }
}
