//! Whether the rules of `lint` are applied to what was read.
//!
//! Who checks or serves tools wants them judged; who compares or converts them asks what they say, not how well.

use std::{collections::HashSet, sync::Arc};

use catalog::{Catalog, Diagnostic, Location, Tool};

use crate::{Loaded, parallel};

/// What is done with tools that could be read.
#[derive(Clone, Copy)]
pub(crate) enum Judging<'c> {
    /// The rules are applied, and a tool in which they find an error is left out.
    Rules(&'c lint::Context),
    /// All are taken as they are.
    Nothing,
}

impl Judging<'_> {
    /// What the rules find in tools, each taken alone.
    pub(crate) fn each(self, tools: &[Arc<Tool>]) -> Vec<Diagnostic> {
        match self {
            Self::Rules(context) => lint::check_tools(tools, context),
            Self::Nothing => Vec::new(),
        }
    }

    /// Merges the tools, and leaves out those that have an error.
    pub(crate) fn finish(self, tools: Vec<Arc<Tool>>, loaded: &mut Loaded) {
        let (catalog, conflicts) = Catalog::merge(tools);
        let found = match self {
            Self::Rules(context) => {
                let each =
                    parallel::flat_map(catalog.tools(), |tools| lint::check_tools(tools, context));
                lint::check_catalog(&catalog, context, each)
            }
            Self::Nothing => lint::Findings::default(),
        };
        loaded.catalog = if found.broken.is_empty() {
            catalog
        } else {
            catalog.filter(|tool| !found.broken.contains(&tool.name))
        };
        loaded.tools = loaded.catalog.tools().len();
        loaded.diagnostics.extend(conflicts);
        loaded.diagnostics.extend(found.diagnostics);
        // A tool that could be read in part may have said what another with the same parts says.
        let mut seen = HashSet::new();
        loaded
            .diagnostics
            .retain(|of| seen.insert((of.code, of.origin.clone(), of.message.clone())));
        sort(&mut loaded.diagnostics);
    }
}

/// Orders diagnostics by source and place.
pub(crate) fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by(|a, b| (&a.origin.source, place(a)).cmp(&(&b.origin.source, place(b))));
}

/// Problems with the text come first, then those with values in the order of their pointers.
fn place(diagnostic: &Diagnostic) -> (usize, &str) {
    match &diagnostic.origin.place {
        Location::Whole => (0, ""),
        Location::Offset(offset) => (*offset, ""),
        Location::Span(span) => (span.start, ""),
        Location::Value(pointer) | Location::Key(pointer) => (usize::MAX, pointer),
    }
}
