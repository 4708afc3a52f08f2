//! Converts tools to another format.
//!
//! No writer needs to know what its format cannot express: its files are read back, and every part
//! of a tool that differs is reported as a loss.

use catalog::{Diagnostic, SourceId, Tool};

use crate::{
    comparison::{Loss, find_losses},
    context::Guidance,
    document::Document,
    format::{Format, Reading, Writer, WrittenFile},
    table::FORMATS,
};

/// Tools in another format.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Converted {
    /// One file if the format can hold all of the tools in one, else several.
    pub files: Vec<WrittenFile>,
    /// How many tools the files hold.
    pub tools: usize,
    /// The information that the files lack.
    pub losses: Vec<Loss>,
}

/// Writes tools in another format. `name` is the file's name and title where one file holds all.
pub fn convert(tools: &[Tool], writer: &Writer, name: &str) -> Converted {
    convert_among(FORMATS, tools, writer, name)
}

/// Converts tools where the result is read as one of the formats in a table.
pub(crate) fn convert_among(
    formats: &[&'static Format],
    tools: &[Tool],
    writer: &Writer,
    name: &str,
) -> Converted {
    let read_back = |files: &[WrittenFile]| -> Vec<Reading> {
        files.iter().map(|file| read_file(formats, file)).collect()
    };
    let mut files = (writer.write)(tools, name);
    let mut readings = read_back(&files);
    let (kept, omitted): (Vec<&Tool>, Vec<&Tool>) =
        tools.iter().partition(|tool| find_tool(&readings, &tool.name).is_some());
    let mut converted = Converted { tools: kept.len(), ..Converted::default() };
    converted.losses.extend(omitted.iter().map(|tool| report_omitted(tool, &files, &readings)));
    if !omitted.is_empty() {
        // A tool that its reader rejects would make the file an error for all tools in it, so
        // the files are written again without it.
        let kept: Vec<Tool> = kept.iter().copied().cloned().collect();
        files = if kept.is_empty() { Vec::new() } else { (writer.write)(&kept, name) };
        readings = read_back(&files);
    }
    for tool in kept {
        let again = find_tool(&readings, &tool.name);
        converted.losses.extend(again.into_iter().flat_map(|again| find_losses(tool, again)));
    }
    Converted { files, ..converted }
}

fn read_file(formats: &[&'static Format], file: &WrittenFile) -> Reading {
    Document::parse_as(formats, &SourceId::new(&file.name), file.text.as_bytes())
        .read(&Guidance::default())
}

fn find_tool<'r>(readings: &'r [Reading], name: &str) -> Option<&'r Tool> {
    readings.iter().flat_map(|reading| &reading.tools).find(|tool| tool.name == name)
}

/// The loss of a whole tool, with the error that its reader reports.
fn report_omitted(tool: &Tool, files: &[WrittenFile], readings: &[Reading]) -> Loss {
    let is_own =
        |file: &WrittenFile| file.name.rsplit_once('.').is_some_and(|(stem, _)| stem == tool.name);
    let about = |found: &Diagnostic| found.is_error() && found.tool.as_deref() == Some(&tool.name);
    let of_tool =
        || readings.iter().flat_map(|reading| &reading.diagnostics).find(|found| about(found));
    let of_file = || {
        let (_, reading) = files.iter().zip(readings).find(|(file, _)| is_own(file))?;
        reading.diagnostics.iter().find(|found| found.is_error())
    };
    // An error that was found before the name was read belongs to no tool.
    let why =
        of_tool().or_else(of_file).map_or_else(String::new, |found| format!(": {}", found.message));
    Loss {
        tool: tool.name.clone(),
        field: "name",
        message: format!("the format cannot express this tool{why}; it is omitted"),
    }
}
