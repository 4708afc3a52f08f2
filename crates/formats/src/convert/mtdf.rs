//! Which MTDF files hold some tools: one, if their names have a beginning in common and a tree can say all of them,
//! else one for each. A file is taken if what is read from it accepts the same arguments and starts the same; a
//! program that would be started otherwise is left out rather than changed.

use catalog::Tool;
use serde_json::{Map, Value};

use super::{
    ConvertedFile,
    compare::{is_launched_alike, schema},
    read_again,
};
use crate::mtdf::write::{Program, tree, written};

pub(super) fn files(tools: &[Tool]) -> Vec<ConvertedFile> {
    if let Some(file) = together(tools) {
        return vec![file];
    }
    tools.iter().map(alone).collect()
}

/// All tools in one file.
fn together(tools: &[Tool]) -> Option<ConvertedFile> {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let root = beginning(&names).filter(|_| tools.len() > 1)?;
    let whole: Vec<&Tool> = tools.iter().collect();
    let file = file(root, tree(root, &whole, Program::Named)?);
    holds(&file, tools, Program::Named).then_some(file)
}

fn alone(tool: &Tool) -> ConvertedFile {
    let (name, only) = (&tool.name, std::slice::from_ref(tool));
    for program in [Program::Named, Program::Unnamed] {
        let ways = [tree(name, &[tool], program), Some(written(tool, program))];
        let mut files = ways.into_iter().flatten().map(|definition| file(name, definition));
        if let Some(file) = files.find(|file| holds(file, only, program)) {
            return file;
        }
    }
    file(name, written(tool, Program::Unnamed))
}

/// Whether the tools are read from a file as they were.
fn holds(file: &ConvertedFile, tools: &[Tool], program: Program) -> bool {
    let read = read_again(file).tools;
    tools.iter().all(|tool| {
        let again = read.iter().find(|again| again.name == tool.name);
        again.is_some_and(|again| {
            schema(&again.input) == schema(&tool.input)
                && (program == Program::Unnamed || is_launched_alike(tool, again))
        })
    })
}

fn file(name: &str, definition: Map<String, Value>) -> ConvertedFile {
    let text = serde_json::to_string_pretty(&Value::Object(definition)).expect("a value is JSON");
    ConvertedFile { name: format!("{name}.json"), text: text + "\n" }
}

/// The longest beginning, up to a `_` or the end, that all names have in common.
fn beginning<'a>(names: &[&'a str]) -> Option<&'a str> {
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
    use super::beginning;

    #[test]
    fn names_begin_alike_up_to_a_word() {
        assert_eq!(beginning(&["cargo_build", "cargo_test"]), Some("cargo"));
        assert_eq!(beginning(&["cargo", "cargo_test"]), Some("cargo"));
        assert_eq!(beginning(&["cargo_a_b", "cargo_a_c"]), Some("cargo_a"));
        assert_eq!(beginning(&["cargo_build", "carg"]), None);
        assert_eq!(beginning(&["a", "b"]), None);
    }
}
