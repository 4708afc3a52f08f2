//! The tools of a crib in one order, under unique names.

use std::{collections::HashMap, sync::Arc};

use crate::{Diagnostic, Rule, Severity, Tool};

/// Two definitions that would be served under one name.
pub static DUPLICATE_NAME: Rule = Rule {
    code: "TC201",
    name: "duplicate-name",
    severity: Severity::Error,
    why: "A served name must mean one tool. Names of nested subcommands are joined by `_`, so different paths can \
          meet in one name. The definition that comes first, by file name and then by place, keeps it; the other is \
          not served. Rename one of them.",
    bad: r#"{"name": "deploy", "description": "Deploy", "command": "echo", "mutates": true,
 "subcommand": [{"name": "all", "description": "Everything"}, {"name": "all", "description": "Again"}]}"#,
    good: r#"{"name": "deploy", "description": "Deploy", "command": "echo", "mutates": true,
 "subcommand": [{"name": "all", "description": "Everything"}, {"name": "one", "description": "One thing"}]}"#,
};

/// One tool that two documents describe differently.
pub static DIVERGED_COPY: Rule = Rule {
    code: "TC210",
    name: "diverged-copy",
    severity: Severity::Warning,
    why: "Two documents describe one tool and no longer say the same. Copies that agree count once; of copies that do not, \
          the first by file name counts, and readers of the other are misled. Bring them together, or keep one.",
    bad: "",
    good: "",
};

/// The tools of a crib: an immutable snapshot, sorted by name.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    tools: Vec<Arc<Tool>>,
    by_name: HashMap<String, usize>,
}

impl Catalog {
    /// Puts tools in order. Among tools of one name the first wins; each other is a diagnostic, unless it is the same
    /// in another document.
    pub fn merge<T: Into<Arc<Tool>>>(
        tools: impl IntoIterator<Item = T>,
    ) -> (Self, Vec<Diagnostic>) {
        let mut kept: HashMap<String, Arc<Tool>> = HashMap::new();
        let mut diagnostics = Vec::new();
        for tool in tools {
            let tool: Arc<Tool> = tool.into();
            match kept.get(&tool.name) {
                Some(first) => diagnostics.extend(conflict(first, &tool)),
                None => {
                    kept.insert(tool.name.clone(), tool);
                }
            }
        }
        let mut tools: Vec<_> = kept.into_values().collect();
        tools.sort_by(|a, b| a.name.cmp(&b.name));
        let by_name =
            tools.iter().enumerate().map(|(index, tool)| (tool.name.clone(), index)).collect();
        (Self { tools, by_name }, diagnostics)
    }

    /// The tools, in the order in which they are listed.
    pub fn tools(&self) -> &[Arc<Tool>] {
        &self.tools
    }

    /// The tool of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<Tool>> {
        self.by_name.get(name).map(|index| &self.tools[*index])
    }

    /// The name nearest to one that does not exist.
    pub fn closest(&self, name: &str) -> Option<&str> {
        crate::closest(name, self.tools.iter().map(|tool| tool.name.as_str()))
    }
}

fn conflict(first: &Tool, second: &Tool) -> Option<Diagnostic> {
    let are_documents = first.aspects.is_some()
        && second.aspects.is_some()
        && first.origin.source != second.origin.source;
    match are_documents {
        true => diverged(first, second),
        false => Some(duplicate(first, second)),
    }
}

/// What two documents say differently about one tool; nothing if they agree.
fn diverged(first: &Tool, second: &Tool) -> Option<Diagnostic> {
    let differences = [
        (first.input != second.input, "its parameters"),
        (first.output != second.output, "its result"),
        (first.description != second.description, "its description"),
        (first.annotations != second.annotations, "its version, category or idempotency"),
    ];
    let differences: Vec<_> =
        differences.into_iter().filter(|(differs, _)| *differs).map(|(_, what)| what).collect();
    let message = format!(
        "`{}` is described in {} too, differently in {}",
        second.name,
        first.origin.source,
        differences.join(", ")
    );
    let found = Diagnostic::new(&DIVERGED_COPY, second.origin.clone(), message)
        .also(first.origin.clone())
        .tool(&second.name);
    (!differences.is_empty()).then(|| found.hint("bring the two together, or keep one"))
}

fn duplicate(first: &Tool, second: &Tool) -> Diagnostic {
    let place = first.origin.pointer().filter(|pointer| !pointer.is_empty());
    let place = place.map_or_else(
        || first.origin.source.to_string(),
        |pointer| format!("{}#{pointer}", first.origin.source),
    );
    Diagnostic::new(
        &DUPLICATE_NAME,
        second.origin.clone(),
        format!("the name `{}` is taken by {place}", second.name),
    )
    .hint("rename one of the two")
    .also(first.origin.clone())
    .tool(&second.name)
}
