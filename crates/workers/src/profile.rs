//! The properties that a worker must have for a tool.

use std::path::{Path, PathBuf};

use catalog::{Implementation, NetworkAccess, Tool};
use process::AccessNeeds;

/// A language whose functions are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    R,
    Python,
}

/// The properties that a worker must have for a tool. Tools with equal profiles share a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WorkerProfile {
    language: Language,
    is_read_only: bool,
    network: NetworkAccess,
    /// Folders with Python modules: the sandbox and `sys.path` depend on them.
    module_path: Vec<String>,
    /// The tool, if a person approves its calls: a function that ran in the same process before
    /// could have replaced the one that was approved.
    own_tool: Option<String>,
    /// Whether only approved calls run in it. Policy may ask about some calls of a tool and allow
    /// others.
    is_approved: bool,
    /// The file for its system calls, if it is traced instead of sandboxed.
    pub(crate) trace: Option<PathBuf>,
}

impl WorkerProfile {
    /// The profile for a call of a tool; `is_approved` if a person approved this call.
    pub(crate) fn of(tool: &Tool, is_approved: bool, trace: Option<&Path>) -> Self {
        let (language, module_path) = match &tool.implementation {
            Implementation::Python(function) => (Language::Python, function.path.clone()),
            _ => (Language::R, Vec::new()),
        };
        let AccessNeeds { is_read_only, network } = access_needs(tool);
        let own_tool = (is_approved || needs_approval(tool)).then(|| tool.name.clone());
        let trace = trace.map(Path::to_owned);
        Self { language, is_read_only, network, module_path, own_tool, is_approved, trace }
    }
}

/// Whether a person approves the calls of a tool, by what it declares.
fn needs_approval(tool: &Tool) -> bool {
    let annotations = &tool.annotations;
    annotations.dangerous == Some(true)
        || annotations.requires_approval == Some(true)
        || tool.consent.is_some()
}

/// The access that a tool declares. A tool that is served as read-only is read-only to the kernel,
/// too.
pub(crate) fn access_needs(tool: &Tool) -> AccessNeeds {
    AccessNeeds {
        // Only declared annotations count: a tool without `mutates: false` may write, and one
        // without `network` gets no network.
        is_read_only: tool.annotations.is_read_only(),
        network: tool.annotations.network.clone().unwrap_or_default(),
    }
}
