//! The native tools that come with Toolcrib, written as any tool author could write them.
//!
//! - `status`, `await` and `cancel` manage operations, whose results are also resources.
//! - `read_output` reads outputs that were too long for their result.
//! - [`guide`] serves documents by expressions (`get_content`), [`prompts`] serves prompts from
//!   files.
//! - [`rmd`] serves, edits and renders R Markdown documents.
//! - The flag tools read and set flags of a project, or global ones.
//! - `check_definition` lints the text of a definition.
//!
//! They work on [`Handles`] and show a caller only its own operations and outputs.

mod arguments;
mod cancel;
mod check_definition;
mod example;
mod flags;
pub mod guide;
mod open_dir;
mod percent;
pub mod prompts;
mod read_output;
mod report;
mod resources;
pub mod rmd;
mod status;
mod template;
mod wait;

use std::sync::Arc;

use runtime::{Operations, OutputReader};
use toolkit::{Declarations, Native, Resources, Toolset};

pub use check_definition::{Checked, Checker, Finding};
pub use flags::{FlagPage, FlagSources, Flags, Scope, Setting, Source};
pub use report::{content_texts, operation_uri, summarize_operation};
pub use template::{FlagReader, Project, TemplateError};

/// The default name prefix of the tools for content and flags.
const PREFIX: &str = "guide";

/// The category of the flag tools.
pub const FLAGS_CATEGORY: &str = "flags";

/// The handles that the built-in tools work on.
#[derive(Clone)]
pub struct Handles {
    /// The operations of the server, for `status`, `await` and `cancel`.
    pub operations: Operations,
    /// Reads long outputs, for `read_output`.
    pub outputs: OutputReader,
    /// Guide content, for `get_content`; `None` for no tool. So are the following ones.
    pub guide: Option<guide::Guide>,
    /// R Markdown documents, for the tools that list, read and edit them.
    pub documents: Option<rmd::RmdDocuments>,
    /// The renderer, for `render_rmd`.
    pub renderer: Option<rmd::RmdRenderer>,
    /// Inspects this machine, for `doctor`.
    pub doctor: Option<rmd::Doctor>,
    /// The flags, for the flag tools.
    pub flags: Option<Flags>,
    /// Reads and lints definitions, for `check_definition`.
    pub checker: Option<Checker>,
}

/// The built-in tools for these handles, and the tools that the program declares.
pub fn toolset(handles: &Handles) -> Toolset {
    let toolset = Toolset::default().with_declared(&Declarations::default());
    let guide = handles.guide.iter().map(guide::Guide::native);
    let documents = handles.documents.iter().flat_map(rmd::RmdDocuments::natives);
    let renderer = handles.renderer.iter().map(rmd::RmdRenderer::native);
    let doctor = handles.doctor.iter().map(rmd::doctor);
    let flags = handles.flags.iter().flat_map(flags::natives);
    let check_definition = handles.checker.iter().map(check_definition::native);
    operation_tools(&handles.operations)
        .into_iter()
        .chain([read_output::native(&handles.outputs, &handles.operations)])
        .chain([example::native()])
        .chain(guide)
        .chain(documents)
        .chain(renderer)
        .chain(doctor)
        .chain(flags)
        .chain(check_definition)
        .fold(toolset, Toolset::with)
}

/// The tools that manage operations.
pub fn operation_tools(operations: &Operations) -> Vec<Native> {
    vec![status::native(operations), wait::native(operations), cancel::native(operations)]
}

/// The results of operations as resources, `toolcrib://operation/{id}`.
pub fn operation_resources(operations: &Operations) -> Arc<dyn Resources> {
    Arc::new(resources::OperationResults(operations.clone()))
}
