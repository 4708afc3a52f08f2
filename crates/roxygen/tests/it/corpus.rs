//! The package `tests/corpus/garden`: what `toolcrib build` writes for it, whole.

use std::{fs, path::PathBuf};

use catalog::SourceId;
use roxygen::{Compilation, ExampleRecord, compile};

use crate::package::{line_of, read_back};

fn garden() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/garden")
}

fn read_sources() -> Vec<(SourceId, String)> {
    let mut names: Vec<_> = fs::read_dir(garden().join("R"))
        .expect("the folder R")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .collect();
    names.sort();
    let read = |name: String| {
        let text = fs::read_to_string(garden().join("R").join(&name)).expect("an R file");
        (SourceId::new(format!("R/{name}")), text)
    };
    names.into_iter().map(read).collect()
}

fn compile_garden(sources: &[(SourceId, String)]) -> Compilation {
    compile("garden", sources, &|path| fs::read_to_string(garden().join(path)).ok())
}

/// To accept a change, run `toolcrib build crates/roxygen/tests/corpus/garden --no-examples`.
#[test]
fn definitions_are_those_in_the_package() {
    let compilation = compile_garden(&read_sources());
    let folder = garden().join("inst/mcp/tools");
    let mut expected: Vec<_> = fs::read_dir(&folder)
        .expect("the folder of definitions")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .collect();
    expected.sort();
    let mut names: Vec<_> = compilation.definitions.iter().map(|made| made.file_name()).collect();
    names.sort();
    assert_eq!(names, expected);
    for definition in &compilation.definitions {
        read_back(definition);
        let golden = fs::read_to_string(folder.join(definition.file_name())).expect("a file");
        let text = definition.to_yaml(&ExampleRecord::default());
        assert!(text == golden, "{} differs:\n{text}", definition.file_name());
    }
}

#[test]
fn every_problem_is_reported_with_its_line() {
    let sources = read_sources();
    let compilation = compile_garden(&sources);
    let describe = |found: &catalog::Diagnostic| {
        let (source, text) = sources
            .iter()
            .find(|(source, _)| *source == found.origin.source)
            .expect("a diagnostic of one of the files");
        let line = line_of(found, text);
        format!("{source}:{line} {} {} {}", found.severity.as_str(), found.code, found.message)
    };
    let mut report: Vec<_> = compilation.diagnostics.iter().map(describe).collect();
    report.sort();
    insta::assert_snapshot!(report.join("\n"), @r#"
    R/choices.R:12 warning TC165 the example `fast` of `speed` does not have the type number, so it is left out
    R/choices.R:13 warning TC165 the example `huge` of `size` is not one of its choices, so it is left out
    R/defaults.R:12 note TC159 the default of `share` is computed by R: `1/3`
    R/defaults.R:13 note TC160 the default `Inf` of `most` has no JSON value
    R/defaults.R:14 note TC159 the default of `gap` is computed by R: `seq_len(3)`
    R/defaults.R:15 note TC160 the default `NA` of `missing` has no JSON value
    R/defaults.R:17 warning TC161 the default `10` of `volume` does not have the type string, so it is left out
    R/forms.R:19 note TC152 the block is interrupted here, but read as one
    R/forms.R:19 note TC159 the default of `f` is computed by R: `function(y) { y }`
    R/forms.R:19 warning TC163 JSON cannot carry the values of `f`; callers can only give a string
    R/forms.R:37 warning TC153 unknown keyword `mcp-toolbox`
    R/forms.R:40 error TC151 the block marks a tool, but no function definition follows, so no tool is built
    R/forms.R:46 error TC153 unknown keyword `mcp-dangerus`
    R/pages.R:19 warning TC168 `utils::head` is not documented in this package, so nothing is inherited from it
    R/required.R:11 note TC158 callers cannot give what `...` takes: it has no names
    R/required.R:14 warning TC157 `helper` is documented twice; the last text is used
    R/required.R:15 warning TC156 `ghost` is documented, but `move_plant` has no such formal; it is left out
    R/required.R:21 warning TC154 a tool has one category; `moving` is used, `plants` is ignored
    R/required.R:23 warning TC155 the parameter `undocumented` is not described
    R/required.R:23 warning TC722 `.token` is hidden from callers and has no default
    R/text.R:20 warning TC164 a brace in the text of `footer` is never closed; the rest of it is lost
    R/text.R:21 note TC162 the text of `color` in the result does not begin with a type; it is assumed to be the text that R prints
    R/types.R:23 warning TC163 JSON cannot carry the values of `rotate`; callers can only give a string
    R/types.R:24 note TC162 the text of `label` does not begin with a type; it is assumed to be a string
    R/types.R:25 note TC162 the text of `spacing` does not begin with a type; it is assumed to be a number
    "#);
}
