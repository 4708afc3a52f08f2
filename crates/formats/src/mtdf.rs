//! MTDF: command-line tools as JSON, in two dialects.
//!
//! A definition is a tree of subcommands, each leaf a tool, or one tool with a written JSON
//! Schema. `tree` walks it and knows inheritance, `parameter` and `written` read the two ways
//! of saying what arguments there are, `leaf` puts a tool together.

mod availability;
mod binding;
mod clash;
mod command;
mod consent;
mod constraint;
pub(crate) mod field;
mod kind;
mod leaf;
mod parameter;
mod passing;
mod reference;
mod remark;
mod sequence;
mod settings;
pub(crate) mod subschema;
mod tree;
pub(crate) mod write;
mod written;

use catalog::Tool;
use serde_json::Value as Json;

use crate::{Guidance, json::Node, report::Report};

/// The JSON Schema of MTDF files, for editors. What it accepts is read without an error, and the
/// reverse, save what no JSON Schema can say: references, patterns, clashes and defaults.
pub fn mtdf_schema() -> Json {
    serde_json::from_str(include_str!("mtdf/schema.json")).expect("the schema is JSON")
}

/// Reads the tools of a definition: those without an error, and what could be read of the others.
pub(crate) fn read<'n>(
    root: &'n Node<'n>,
    guidance: &'n Guidance,
    report: &mut Report,
) -> (Vec<Tool>, Vec<Tool>) {
    let tools = tree::Reader::new(guidance, report).definition(root);
    if report.is_exhausted() { Default::default() } else { tools }
}
