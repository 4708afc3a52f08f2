//! The catalog: the tools of a crib, sorted, under unique names.

use std::{collections::BTreeMap, sync::Arc};

use crate::{Diagnostic, Rule, Severity, Tool};

/// Two definitions that would be served under the same name.
pub static DUPLICATE_NAME: Rule = Rule {
    code: "TC201",
    name: "duplicate-name",
    severity: Severity::Error,
    why: "A served name must mean one tool. Names of nested subcommands are joined by `_`, so different paths can \
          result in the same name. The first definition, by file name and then by position, keeps the name; the \
          other is not served. Rename one of them.",
    bad: r#"{"name": "deploy", "description": "Deploy", "command": "echo", "mutates": true,
 "subcommand": [{"name": "all", "description": "Everything"}, {"name": "all", "description": "Again"}]}"#,
    good: r#"{"name": "deploy", "description": "Deploy", "command": "echo", "mutates": true,
 "subcommand": [{"name": "all", "description": "Everything"}, {"name": "one", "description": "One thing"}]}"#,
};

/// A tool that two documents describe differently.
pub static DIVERGED_COPY: Rule = Rule {
    code: "TC210",
    name: "diverged-copy",
    severity: Severity::Warning,
    why: "Two documents describe the same tool differently. Identical copies count once; of differing \
          copies the first by file name is served, and readers of the other are misled. Reconcile them, or keep one.",
    bad: "",
    good: "",
};

/// The tools of a crib: an immutable set, sorted by name.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    tools: Vec<Arc<Tool>>,
}

impl Catalog {
    /// Builds a catalog. Of several tools with the same name the first wins, and each other one is
    /// reported, unless it is an identical copy in another document.
    pub fn merge<T: Into<Arc<Tool>>>(
        tools: impl IntoIterator<Item = T>,
    ) -> (Self, Vec<Diagnostic>) {
        let mut diagnostics = Vec::new();
        let mut tools: Vec<Arc<Tool>> = tools.into_iter().map(Into::into).collect();
        // Stable, so that the first tool of a name stays the first.
        tools.sort_by(|a, b| a.name.cmp(&b.name));
        // The later element is passed first.
        tools.dedup_by(|tool, first| {
            let is_taken = tool.name == first.name;
            if is_taken {
                diagnostics.extend(conflict(first, tool));
            }
            is_taken
        });
        (Self { tools }, diagnostics)
    }

    /// The tools that `keep` accepts.
    pub fn filter(&self, keep: impl Fn(&Tool) -> bool) -> Self {
        Self { tools: self.tools.iter().filter(|tool| keep(tool)).cloned().collect() }
    }

    /// This catalog with more tools. An added tool replaces the one of its name.
    pub fn with(&self, added: impl IntoIterator<Item = Arc<Tool>>) -> Self {
        let mut by_name: BTreeMap<&str, Arc<Tool>> =
            self.tools.iter().map(|tool| (tool.name.as_str(), Arc::clone(tool))).collect();
        let added: Vec<_> = added.into_iter().collect();
        by_name.extend(added.iter().map(|tool| (tool.name.as_str(), Arc::clone(tool))));
        Self { tools: by_name.into_values().collect() }
    }

    /// The tools, sorted by name.
    pub fn tools(&self) -> &[Arc<Tool>] {
        &self.tools
    }

    /// The tool with this name.
    pub fn get(&self, name: &str) -> Option<&Arc<Tool>> {
        let found = self.tools.binary_search_by(|tool| tool.name.as_str().cmp(name));
        found.ok().map(|index| &self.tools[index])
    }

    /// The name nearest to one that does not exist.
    pub fn closest(&self, name: &str) -> Option<&str> {
        crate::closest(name, self.tools.iter().map(|tool| tool.name.as_str()))
    }
}

fn conflict(first: &Tool, second: &Tool) -> Option<Diagnostic> {
    let are_documents = first.details.is_some()
        && second.details.is_some()
        && first.origin.source != second.origin.source;
    if are_documents {
        report_divergence(first, second)
    } else {
        Some(report_duplicate(first, second))
    }
}

/// Reports how two documents differ about a tool; `None` if they agree.
fn report_divergence(first: &Tool, second: &Tool) -> Option<Diagnostic> {
    let differences = [
        (first.input != second.input, "its parameters"),
        (first.output != second.output, "its result"),
        (first.description != second.description, "its description"),
        (first.annotations != second.annotations, "its version, category or idempotency"),
    ];
    let differences: Vec<_> =
        differences.into_iter().filter(|(differs, _)| *differs).map(|(_, what)| what).collect();
    let message = format!(
        "`{}` is also described in {}, which differs in {}",
        second.name,
        first.origin.source,
        differences.join(", ")
    );
    let found = Diagnostic::new(&DIVERGED_COPY, second.origin.clone(), message)
        .with_related(first.origin.clone())
        .tool(&second.name);
    (!differences.is_empty()).then(|| found.hint("reconcile the two, or keep one"))
}

fn report_duplicate(first: &Tool, second: &Tool) -> Diagnostic {
    let location = first.origin.pointer().filter(|pointer| !pointer.is_empty());
    let location = location.map_or_else(
        || first.origin.source.to_string(),
        |pointer| format!("{}#{pointer}", first.origin.source),
    );
    Diagnostic::new(
        &DUPLICATE_NAME,
        second.origin.clone(),
        format!("the name `{}` is taken by {location}", second.name),
    )
    .hint("rename one of the two")
    .with_related(first.origin.clone())
    .tool(&second.name)
}
