//! The same tools in another format, through the model.
//!
//! A writer is not believed: what it wrote is read again, and whatever of a tool does not come back is reported as
//! lost. So the report is complete, whatever a format has no place for.

mod compare;
mod mtdf;

use catalog::{SourceId, Tool};
use compare::losses;

use crate::{Guidance, mcp, rave, spec};

/// A format that tools can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Command-line tools as JSON.
    Mtdf,
    /// Functions of R packages as YAML, one file each.
    Rave,
    /// A Markdown document with eight sections for each tool.
    Specification,
    /// What `tools/list` answers with.
    Mcp,
}

/// Tools in another format.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Converted {
    /// The files: one, where the format has room for all of the tools in one.
    pub files: Vec<ConvertedFile>,
    /// How many tools are in them.
    pub tools: usize,
    /// What of the tools is not.
    pub losses: Vec<Loss>,
}

/// One file of converted tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvertedFile {
    /// A name for it.
    pub name: String,
    /// What is in it.
    pub text: String,
}

/// Something that could not be carried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The tool.
    pub tool: String,
    /// What of it, by the word that definitions have for it.
    pub field: &'static str,
    /// What became of it.
    pub message: String,
}

/// Writes tools in another format. `name` is for the file and its title, where there is only one.
pub fn convert(tools: &[Tool], target: Target, name: &str) -> Converted {
    let files = match target {
        Target::Mtdf => mtdf::files(tools),
        Target::Rave => tools.iter().map(|tool| file(&tool.name, "yaml", rave::write::document(tool))).collect(),
        Target::Specification => vec![file(name, "md", spec::write::page(tools, name))],
        Target::Mcp => vec![file(name, "json", mcp::write::listing(tools))],
    };
    let read: Vec<Tool> = files.iter().flat_map(read_again).collect();
    let mut converted = Converted { files, ..Converted::default() };
    for tool in tools {
        let again = read.iter().find(|again| again.name == tool.name);
        converted.tools += usize::from(again.is_some());
        converted.losses.extend(losses(tool, again));
    }
    if converted.tools == 0 {
        converted.files.clear();
    }
    converted
}

fn file(name: &str, extension: &str, text: String) -> ConvertedFile {
    ConvertedFile { name: format!("{name}.{extension}"), text }
}

/// The tools that a reader finds in a file.
fn read_again(file: &ConvertedFile) -> Vec<Tool> {
    crate::read(&SourceId::new(&file.name), file.text.as_bytes(), &Guidance::default()).tools
}

/// What a tool says before all else: the guidance it shares with others, and its own text.
pub(crate) fn text(tool: &Tool) -> String {
    let parts = [tool.description.guidance.as_deref().unwrap_or_default().trim(), tool.description.text.trim()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}
