//! The interface of sources: the project that they read, and the drafts that they return.

use serde_json::Value;

/// Access to the files of a project.
pub trait Project {
    /// Whether a file or folder exists. The path is relative to the project.
    fn exists(&self, path: &str) -> bool;

    /// Reads a file, if it exists and is UTF-8.
    fn read(&self, path: &str) -> Option<String>;
}

/// A definition to start from.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The name of the source, such as `make`, or of the program. Also the name of the file.
    pub name: String,
    /// What was found, shown to a person who chooses: `Makefile: build, test`.
    pub summary: String,
    /// The definition as JSON, in the format MTDF.
    pub definition: Value,
}

impl Draft {
    /// The path of its file in a crib.
    pub fn file(&self) -> String {
        format!("tools/{}.json", self.name)
    }

    /// Whether every tool declares what it changes.
    pub fn declares_effects(&self) -> bool {
        let declares = |node: &Value| node.get("mutates").is_some();
        let leaves = self.definition.get("subcommand").and_then(Value::as_array);
        declares(&self.definition) || leaves.is_some_and(|leaves| leaves.iter().all(declares))
    }

    /// The text of its file.
    pub fn text(&self) -> String {
        let text = serde_json::to_string_pretty(&self.definition);
        format!("{}\n", text.expect("it has only string keys"))
    }
}
