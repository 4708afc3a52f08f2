//! The native tools that come with Toolcrib, written as any tool author could write them.
//!
//! `status`, `await` and `cancel` look after operations; a finished operation can also be read as a
//! resource. They are handed what they work on and see only what belongs to their caller.

mod arguments;
mod awaiting;
mod cancel;
pub mod content;
mod join;
mod report;
mod resources;
mod status;
mod template;

use std::sync::Arc;

use runtime::Operations;
use toolkit::{Native, Resources};

pub use join::join;
pub use report::{summary, texts, uri};
pub use template::{Flags, Surroundings, TemplateError, ToolNames};

/// The tools that look after these operations.
pub fn natives(operations: &Operations) -> Vec<Native> {
    vec![status::native(operations), awaiting::native(operations), cancel::native(operations)]
}

/// The results of these operations as resources, `toolcrib://operation/{id}`.
pub fn resources(operations: &Operations) -> Arc<dyn Resources> {
    Arc::new(resources::Results(operations.clone()))
}
