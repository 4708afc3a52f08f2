//! Distributes tools over files: one file if their names have a common prefix and a tree of
//! subcommands can express all of them, else one file per tool.
//!
//! A file is accepted if the tools read back from it take the same arguments and run the same
//! command. If no way to write a tool is accepted, its program is left out: a tool that must be
//! bound is better than one that runs something else.

use catalog::{SourceId, Tool};
use serde_json::{Map, Value};

use super::{super::read, Program, write_schema_tool, write_tree};
use crate::{
    comparison::{normalize, runs_same},
    context::Guidance,
    format::WrittenFile,
    json,
    report::Report,
};

pub(crate) fn write_files(tools: &[Tool], _: &str) -> Vec<WrittenFile> {
    if let Some(file) = write_together(tools) {
        return vec![file];
    }
    tools.iter().map(write_alone).collect()
}

/// One file with all tools.
fn write_together(tools: &[Tool]) -> Option<WrittenFile> {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let root = common_prefix(&names).filter(|_| tools.len() > 1)?;
    let all: Vec<&Tool> = tools.iter().collect();
    let file = to_file(root, write_tree(root, &all, Program::Named)?);
    is_faithful(&file, tools, Program::Named).then_some(file)
}

fn write_alone(tool: &Tool) -> WrittenFile {
    let (name, only) = (&tool.name, std::slice::from_ref(tool));
    for program in [Program::Named, Program::Unnamed] {
        let definitions =
            [write_tree(name, &[tool], program), Some(write_schema_tool(tool, program))];
        let mut files =
            definitions.into_iter().flatten().map(|definition| to_file(name, definition));
        if let Some(file) = files.find(|file| is_faithful(file, only, program)) {
            return file;
        }
    }
    to_file(name, write_schema_tool(tool, Program::Unnamed))
}

/// Whether reading a file returns the tools unchanged.
fn is_faithful(file: &WrittenFile, tools: &[Tool], program: Program) -> bool {
    let read = read_back(file);
    tools.iter().all(|tool| {
        let again = read.iter().find(|again| again.name == tool.name);
        again.is_some_and(|again| {
            normalize(&again.input) == normalize(&tool.input)
                && (program == Program::Unnamed || runs_same(tool, again))
        })
    })
}

fn read_back(file: &WrittenFile) -> Vec<Tool> {
    let parsed = json::parse(&file.text);
    let mut report = Report::new(&SourceId::new(&file.name));
    parsed.root.map(|root| read(&root, &Guidance::default(), &mut report).0).unwrap_or_default()
}

fn to_file(name: &str, definition: Map<String, Value>) -> WrittenFile {
    let text = serde_json::to_string_pretty(&Value::Object(definition)).expect("a value is JSON");
    WrittenFile::new(name, "json", text + "\n")
}

/// The longest common prefix of all names that ends before a `_` or at the end of a name.
fn common_prefix<'a>(names: &[&'a str]) -> Option<&'a str> {
    let first = names.first()?;
    let ends = first.match_indices('_').map(|(at, _)| at).chain([first.len()]);
    let is_common = |end: &usize| {
        let common = &first[..*end];
        names.iter().all(|name| {
            name.strip_prefix(common).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
        })
    };
    ends.rev().filter(|end| *end > 0).find(is_common).map(|end| &first[..end])
}

#[cfg(test)]
mod tests {
    use super::common_prefix;

    #[test]
    fn the_common_prefix_consists_of_whole_words() {
        assert_eq!(common_prefix(&["cargo_build", "cargo_test"]), Some("cargo"));
        assert_eq!(common_prefix(&["cargo", "cargo_test"]), Some("cargo"));
        assert_eq!(common_prefix(&["cargo_a_b", "cargo_a_c"]), Some("cargo_a"));
        assert_eq!(common_prefix(&["cargo_build", "carg"]), None);
        assert_eq!(common_prefix(&["a", "b"]), None);
    }
}
