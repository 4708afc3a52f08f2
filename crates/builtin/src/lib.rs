//! The native tools that come with Toolcrib, written as any tool author could write them.
//!
//! `status`, `await` and `cancel` look after operations; a finished operation can also be read as a
//! resource. Documents are found, R Markdown is written, flags are set and looked up for projects and for all of them, and definitions are checked.
//! They are handed what they work on and see only what belongs to their caller.

mod arguments;
mod cancel;
mod check_definition;
mod example;
mod flags;
pub mod guide;
mod open_dir;
mod percent;
pub mod prompts;
mod report;
mod resources;
pub mod rmd;
mod status;
mod template;
mod wait;

use std::sync::Arc;

use runtime::Operations;
use toolkit::{Declarations, Native, Resources, Toolset};

pub use check_definition::{Checked, Checker, Finding};
pub use flags::{FlagSources, Flags, Scope, Setting, Source};
pub use report::{content_texts, operation_uri, summarize_operation};
pub use template::{FlagReader, Project, TemplateError};

/// What stands before the names of the guide's tools, unless somebody wants it otherwise.
const PREFIX: &str = "guide";

/// The category of the tools that work on flags.
pub const FLAGS_CATEGORY: &str = "flags";

/// What the built-in tools work on.
#[derive(Clone)]
pub struct Handles {
    /// The operations of the server.
    pub operations: Operations,
    /// The documents, if there are any to be found.
    pub guide: Option<guide::Guide>,
    /// The R Markdown documents, if the tools for them are wanted.
    pub documents: Option<rmd::RmdDocuments>,
    /// What renders them, if the tool for that is wanted.
    pub renderer: Option<rmd::RmdRenderer>,
    /// What looks at this machine, if the tool for that is wanted.
    pub doctor: Option<rmd::Doctor>,
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
    let guide = handles.guide.iter().map(guide::Guide::native);
    let documents = handles.documents.iter().flat_map(rmd::RmdDocuments::natives);
    let renderer = handles.renderer.iter().map(rmd::RmdRenderer::native);
    let doctor = handles.doctor.iter().map(rmd::doctor);
    let flags = handles.flags.iter().flat_map(flags::natives);
    let check_definition = handles.checker.iter().map(check_definition::native);
    operation_tools(&handles.operations)
        .into_iter()
        .chain(example)
        .chain(guide)
        .chain(documents)
        .chain(renderer)
        .chain(doctor)
        .chain(flags)
        .chain(check_definition)
        .fold(toolset, Toolset::with)
}

/// The tools that look after these operations.
pub fn operation_tools(operations: &Operations) -> Vec<Native> {
    vec![status::native(operations), wait::native(operations), cancel::native(operations)]
}

/// The results of these operations as resources, `toolcrib://operation/{id}`.
pub fn operation_resources(operations: &Operations) -> Arc<dyn Resources> {
    Arc::new(resources::Results(operations.clone()))
}
