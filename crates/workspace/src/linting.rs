//! Whether tools are linted after they are read.
//!
//! `check` and `serve` lint tools and leave out those with errors. `diff` and `convert` need all
//! tools as they are written, whatever their quality.

use std::{collections::HashMap, sync::Arc};

use catalog::{Catalog, Diagnostic, Tool};

use crate::{Loaded, parallel};

/// The diagnostics of the rules for single tools, by the address of the tool. By the address and
/// not by the name, because several tools may claim a name before they are merged.
pub(crate) type FindingsByTool<'f> = HashMap<usize, &'f [Diagnostic]>;

/// The key of a tool in [`FindingsByTool`].
pub(crate) fn address_of(tool: &Arc<Tool>) -> usize {
    Arc::as_ptr(tool).addr()
}

/// Whether the rules of `lint` are applied.
#[derive(Clone, Copy)]
pub(crate) enum Linting<'c> {
    /// Applied. Tools with an error are left out.
    Enabled(&'c lint::Context),
    /// The rules are not applied, and all tools are kept.
    Disabled,
}

impl<'c> Linting<'c> {
    /// The context of the rules; `None` if they are not applied.
    pub(crate) fn context(self) -> Option<&'c lint::Context> {
        match self {
            Self::Enabled(context) => Some(context),
            Self::Disabled => None,
        }
    }

    /// Applies the rules for single tools.
    pub(crate) fn check_each(self, tools: &[Arc<Tool>]) -> Vec<Diagnostic> {
        match self {
            Self::Enabled(context) => lint::check_tools(tools, context),
            Self::Disabled => Vec::new(),
        }
    }

    /// Applies the rules for single tools, with a result for each tool.
    pub(crate) fn check_separately(self, tools: &[Arc<Tool>]) -> Vec<Vec<Diagnostic>> {
        match self {
            Self::Enabled(context) => lint::check_each(tools, context),
            Self::Disabled => Vec::new(),
        }
    }

    /// Merges tools into the catalog of `loaded`, without those that have an error. Tools that are
    /// not in `checked` are linted. The diagnostics are not sorted yet.
    pub(crate) fn build_catalog(
        self,
        tools: Vec<Arc<Tool>>,
        checked: &FindingsByTool<'_>,
        loaded: &mut Loaded,
    ) {
        let (catalog, conflicts) = Catalog::merge(tools);
        let found = match self {
            Self::Enabled(context) => {
                let each =
                    // Rules for single tools are independent; those over the catalog need all
                    // results.
                    parallel::flat_map(catalog.tools(), |tools| check_new(tools, checked, context));
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
        // Partially read tools are linted separately, and subcommands share parts of one
        // definition: both can report the same problem at the same location again.
        catalog::remove_repeated(&mut loaded.diagnostics);
    }
}

/// The diagnostics of tools: those in `checked`, and the results of linting the others.
fn check_new(
    tools: &[Arc<Tool>],
    checked: &FindingsByTool<'_>,
    context: &lint::Context,
) -> Vec<Diagnostic> {
    let is_checked = |tool: &Arc<Tool>| checked.contains_key(&address_of(tool));
    // Neighbours with the same state together, because tools of one file share long texts that are
    // linted once.
    let runs = tools.chunk_by(|a, b| is_checked(a) == is_checked(b));
    let check = |run: &[Arc<Tool>]| match run.first() {
        Some(first) if is_checked(first) => run
            .iter()
            .filter_map(|tool| checked.get(&address_of(tool)))
            .copied()
            .flatten()
            .cloned()
            .collect(),
        _ => lint::check_tools(run, context),
    };
    runs.flat_map(check).collect()
}
