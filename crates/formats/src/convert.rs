//! The same tools in another format, through the model.
//!
//! A writer is not believed: what it wrote is read again, and whatever of a tool does not come back is reported as
//! lost. So the report is complete, whatever a format has no place for.

mod compare;
mod mtdf;

use catalog::{Diagnostic, SourceId, Tool};
use compare::losses;

use crate::{Guidance, Reading, mcp, rave, spec};

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
    let mut files = write(tools, target, name);
    let mut read: Vec<Reading> = files.iter().map(read_again).collect();
    let (carried, left): (Vec<&Tool>, Vec<&Tool>) =
        tools.iter().partition(|tool| find(&read, &tool.name).is_some());
    let mut converted = Converted { tools: carried.len(), ..Converted::default() };
    converted.losses.extend(left.iter().map(|tool| unsayable(tool, &files, &read)));
    if !left.is_empty() {
        // What a reader refuses must not stand beside what it takes.
        let carried: Vec<Tool> = carried.iter().copied().cloned().collect();
        files = if carried.is_empty() { Vec::new() } else { write(&carried, target, name) };
        read = files.iter().map(read_again).collect();
    }
    for tool in carried {
        converted
            .losses
            .extend(find(&read, &tool.name).into_iter().flat_map(|again| losses(tool, again)));
    }
    Converted { files, ..converted }
}

fn write(tools: &[Tool], target: Target, name: &str) -> Vec<ConvertedFile> {
    match target {
        Target::Mtdf => mtdf::files(tools),
        Target::Rave => {
            tools.iter().map(|tool| file(&tool.name, "yaml", rave::write::document(tool))).collect()
        }
        Target::Specification => vec![file(name, "md", spec::write::page(tools, name))],
        Target::Mcp => vec![file(name, "json", mcp::write::listing(tools))],
    }
}

fn file(name: &str, extension: &str, text: String) -> ConvertedFile {
    ConvertedFile { name: format!("{name}.{extension}"), text }
}

/// What a reader finds in a file.
fn read_again(file: &ConvertedFile) -> Reading {
    crate::read(&SourceId::new(&file.name), file.text.as_bytes(), &Guidance::default())
}

fn find<'r>(read: &'r [Reading], name: &str) -> Option<&'r Tool> {
    read.iter().flat_map(|reading| &reading.tools).find(|tool| tool.name == name)
}

/// That a tool is left out, and what the reader says of it as it would be written.
fn unsayable(tool: &Tool, files: &[ConvertedFile], read: &[Reading]) -> Loss {
    let is_own = |file: &ConvertedFile| {
        file.name.rsplit_once('.').is_some_and(|(stem, _)| stem == tool.name)
    };
    let about = |found: &Diagnostic| found.is_error() && found.tool.as_deref() == Some(&tool.name);
    let of_tool =
        || read.iter().flat_map(|reading| &reading.diagnostics).find(|found| about(found));
    let of_file = || {
        let (_, reading) = files.iter().zip(read).find(|(file, _)| is_own(file))?;
        reading.diagnostics.iter().find(|found| found.is_error())
    };
    let why =
        of_tool().or_else(of_file).map_or_else(String::new, |found| format!(": {}", found.message));
    Loss {
        tool: tool.name.clone(),
        field: "name",
        message: format!("the format cannot say this tool{why}; it is left out"),
    }
}

/// What a tool says before all else: the guidance it shares with others, and its own text.
pub(crate) fn text(tool: &Tool) -> String {
    let parts = [
        tool.description.guidance.as_deref().unwrap_or_default().trim(),
        tool.description.text.trim(),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}
