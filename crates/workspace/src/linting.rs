//! Whether tools are linted after they are read.
//!
//! `check` and `serve` lint tools and leave out those with errors. `diff` and `convert` need all
//! tools as they are written, whatever their quality.

use std::{collections::HashSet, sync::Arc};

use catalog::{Catalog, Diagnostic, Tool};

use crate::{Loaded, parallel};

/// Whether the rules of `lint` are applied.
#[derive(Clone, Copy)]
pub(crate) enum Linting<'c> {
    /// Applied. Tools with an error are left out.
    Enabled(&'c lint::Context),
    /// Not applied. All tools are kept.
    Disabled,
}

impl Linting<'_> {
    /// Applies the rules for single tools.
    pub(crate) fn check_each(self, tools: &[Arc<Tool>]) -> Vec<Diagnostic> {
        match self {
            Self::Enabled(context) => lint::check_tools(tools, context),
            Self::Disabled => Vec::new(),
        }
    }

    /// Merges tools into the catalog of `loaded`, without those that have an error. The diagnostics
    /// are not sorted yet.
    pub(crate) fn build_catalog(self, tools: Vec<Arc<Tool>>, loaded: &mut Loaded) {
        let (catalog, conflicts) = Catalog::merge(tools);
        let found = match self {
            Self::Enabled(context) => {
                let each =
                    // Rules for single tools are independent; those over the catalog need all
                    // results.
                    parallel::flat_map(catalog.tools(), |tools| lint::check_tools(tools, context));
                lint::check_catalog(&catalog, context, each)
            }
            Self::Disabled => lint::Findings::default(),
        };
        // Filtering copies the catalog, which most cribs do not need.
        loaded.catalog = if found.broken.is_empty() {
            catalog
        } else {
            catalog.filter(|tool| !found.broken.contains(&tool.name))
        };
        loaded.tools = loaded.catalog.tools().len();
        loaded.diagnostics.extend(conflicts);
        loaded.diagnostics.extend(found.diagnostics);
        // Partially read tools are linted separately, and subcommands share parts of one definition:
        // both can report the same problem at the same location again.
        let mut seen = HashSet::new();
        loaded.diagnostics.retain(|diagnostic| {
            seen.insert((diagnostic.code, diagnostic.origin.clone(), diagnostic.message.clone()))
        });
    }
}
