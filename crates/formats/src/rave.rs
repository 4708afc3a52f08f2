//! RAVE tools: functions of R packages as YAML, one file each.
//!
//! Files of this format are made by programs, old and new, so reading is generous: what is clearly
//! meant is mended and said, what cannot be used is left out and said. A safety flag is never left
//! out: a file in which one cannot be understood gives no tool.

pub(crate) mod encoding;
mod fit;
mod schema;
mod tool;
pub(crate) mod write;

use catalog::Tool;
use serde_json::Value as Json;

use crate::{json::Node, report::Report};

/// The JSON Schema of RAVE files, for editors.
pub fn rave_schema() -> Json {
    serde_json::from_str(include_str!("rave/schema.json")).expect("the schema is JSON")
}

/// Top-level keys that only definitions of this format have.
const OWN: [&str; 4] = ["parameters", "implementation_example", "execution_time", "returns"];

/// Whether the root of a file is that of a RAVE tool.
pub(crate) fn is_rave(root: &Node<'_>) -> bool {
    root.members().iter().any(|member| OWN.contains(&&*member.key))
}

/// Reads the tool of a definition, whose whole text is `text`.
pub(crate) fn read(root: &Node<'_>, text: &str, report: &mut Report) -> Vec<Tool> {
    tool::Reader::new(root, text, report).tool().into_iter().collect()
}
