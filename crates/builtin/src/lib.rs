//! The native tools that come with Toolcrib, written as any tool author could write them.
//!
//! `status`, `await` and `cancel` look after operations; a finished operation can also be read as a
//! resource. They are handed what they work on and see only what belongs to their caller.

mod arguments;
mod awaiting;
mod cancel;
mod example;
mod join;
mod report;
mod resources;
mod status;

use std::sync::Arc;

use runtime::Operations;
use toolkit::{Declarations, Native, Resources, Toolset};

pub use join::join;
pub use report::{summary, texts, uri};

/// What stands before the names of the guide's tools, unless somebody wants it otherwise.
const PREFIX: &str = "guide";

/// What the built-in tools work on.
#[derive(Clone)]
pub struct Handles {
    /// The operations of the server.
    pub operations: Operations,
    /// Whether tools that only show something are wanted.
    pub examples: Examples,
}

/// Whether tools that only show something are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Examples {
    /// They are not listed.
    #[default]
    Hidden,
    /// They are.
    Shown,
}

/// Every built-in tool for these handles, and whatever else the program declares.
pub fn toolset(handles: &Handles) -> Toolset {
    let wanted =
        |native: &Native| handles.examples == Examples::Shown || native.tool.marks.category.as_deref() != Some(example::CATEGORY);
    let toolset = Toolset::default().with_declared(&Declarations::default()).retain(wanted);
    natives(&handles.operations).into_iter().fold(toolset, Toolset::with)
}

/// The tools that look after these operations.
pub fn natives(operations: &Operations) -> Vec<Native> {
    vec![status::native(operations), awaiting::native(operations), cancel::native(operations)]
}

/// The results of these operations as resources, `toolcrib://operation/{id}`.
pub fn resources(operations: &Operations) -> Arc<dyn Resources> {
    Arc::new(resources::Results(operations.clone()))
}
