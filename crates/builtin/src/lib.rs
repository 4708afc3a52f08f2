//! The native tools that come with Toolcrib, written as any tool author could write them.
//!
//! `status`, `await` and `cancel` look after operations; a finished operation can also be read as a
//! resource. Documents are found, R Markdown is written, flags are set and looked up for projects and for all of them, and definitions are checked.
//! They are handed what they work on and see only what belongs to their caller.

mod arguments;
mod awaiting;
mod cancel;
mod checking;
pub mod content;
pub mod documents;
mod door;
mod example;
mod flags;
mod percent;
pub mod prompts;
mod report;
mod resources;
mod status;
mod template;

use std::sync::Arc;

use runtime::Operations;
use toolkit::{Declarations, Native, Resources, Toolset};

pub use checking::{Checked, Checker, Finding};
pub use flags::{FlagPlaces, Flags, Scope, Setting, Source};
pub use report::{summary, texts, uri};
pub use template::{FlagReader, Project, TemplateError};

/// What stands before the names of the guide's tools, unless somebody wants it otherwise.
const PREFIX: &str = "guide";

/// The category of the tools that work on flags.
pub const FLAGS: &str = "flags";

/// What the built-in tools work on.
#[derive(Clone)]
pub struct Handles {
    /// The operations of the server.
    pub operations: Operations,
    /// The documents, if there are any to be found.
    pub guide: Option<content::Guide>,
    /// The R Markdown documents, if the tools for them are wanted.
    pub documents: Option<documents::Documents>,
    /// What renders them, if the tool for that is wanted.
    pub rendering: Option<documents::Rendering>,
    /// What looks at this machine, if the tool for that is wanted.
    pub doctor: Option<documents::Doctor>,
    /// Whether tools that only show something are wanted.
    pub examples: Examples,
    /// The flags, if the tools for them are wanted.
    pub flags: Option<Flags>,
    /// What reads and judges definitions, if the tool for it is wanted.
    pub checker: Option<Checker>,
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
    let toolset = Toolset::default().with_declared(&Declarations::default());
    let example = (handles.examples == Examples::Shown).then(example::native);
    let content = handles.guide.iter().map(content::Guide::native);
    let documents = handles.documents.iter().flat_map(documents::Documents::natives);
    let rendering = handles.rendering.iter().map(documents::Rendering::native);
    let doctor = handles.doctor.iter().map(documents::doctor);
    let flags = handles.flags.iter().flat_map(flags::natives);
    let checking = handles.checker.iter().map(checking::native);
    natives(&handles.operations)
        .into_iter()
        .chain(example)
        .chain(content)
        .chain(documents)
        .chain(rendering)
        .chain(doctor)
        .chain(flags)
        .chain(checking)
        .fold(toolset, Toolset::with)
}

/// The tools that look after these operations.
pub fn natives(operations: &Operations) -> Vec<Native> {
    vec![status::native(operations), awaiting::native(operations), cancel::native(operations)]
}

/// The results of these operations as resources, `toolcrib://operation/{id}`.
pub fn resources(operations: &Operations) -> Arc<dyn Resources> {
    Arc::new(resources::Results(operations.clone()))
}
