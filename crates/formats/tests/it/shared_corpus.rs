//! The large corpus of public MTDF files, which is not part of the repository: each file loads, or
//! has a diagnostic.

use std::{collections::BTreeMap, fs, path::Path};

use catalog::{Diagnostic, Implementation, SourceId, Tool};
use formats::{Document, Guidance};
use serde_json::Value;
use testing::shared_corpus;

use crate::reading::format_of;

struct File {
    name: String,
    bytes: Vec<u8>,
    format: Option<&'static str>,
    tools: Vec<Tool>,
    diagnostics: Vec<Diagnostic>,
}

fn read_files(folder: &Path) -> Vec<File> {
    let guidance = fs::read(folder.join("guidance__tool_guidance__2025-09-04__cadeaf1c.json"))
        .expect("a readable file");
    let guidance = formats::read_guidance(&SourceId::new("guidance"), &guidance).0;
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| load(&entry.expect("an entry").path(), &guidance))
        .collect();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}

fn load(path: &Path, guidance: &Guidance) -> File {
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    let bytes = fs::read(path).expect("a readable file");
    let document = Document::parse(&SourceId::new(&name), &bytes);
    let format = format_of(&document);
    let reading = document.read(guidance);
    File { name, bytes, format, tools: reading.tools, diagnostics: reading.diagnostics }
}

#[test]
fn every_file_gives_tools_or_a_diagnostic() {
    let Some(folder) = shared_corpus("corpus/mtdf") else {
        return;
    };
    let files = read_files(&folder);
    assert!(files.len() > 150);
    for file in &files {
        let disabled = || {
            serde_json::from_slice::<Value>(&file.bytes)
                .is_ok_and(|value| value["enabled"] == false)
        };
        let is_explained = !file.tools.is_empty()
            || !file.diagnostics.is_empty()
            || file.format == Some("guidance")
            || disabled();
        assert!(is_explained, "{} has neither tools nor diagnostics", file.name);
    }
}

#[test]
fn detects_formats_by_content() {
    let Some(folder) = shared_corpus("corpus/mtdf") else {
        return;
    };
    for file in read_files(&folder) {
        let expected = match file.name.split("__").next() {
            Some("tool" | "other") => Some("mtdf"),
            Some("guidance") => Some("guidance"),
            Some("schema") => Some("json-schema"),
            _ => None,
        };
        assert_eq!(file.format, expected, "{}", file.name);
    }
}

#[test]
fn loads_the_seed_set_without_errors() {
    let Some(folder) = shared_corpus("corpus/mtdf") else {
        return;
    };
    let set: Vec<String> =
        serde_json::from_slice(&fs::read(folder.join("SEED_SET.json")).expect("a file"))
            .expect("a list");
    let files = read_files(&folder);
    let mut count = 0;
    for file in files.iter().filter(|file| set.contains(&file.name)) {
        let errors: Vec<_> = file.diagnostics.iter().filter(|found| found.is_error()).collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", file.name);
        count += usize::from(!file.tools.is_empty());
    }
    assert_eq!(count, 12);
}

/// The files with errors, by code. A difference means that other files load than before.
#[test]
fn errors_by_code() {
    let Some(folder) = shared_corpus("corpus/mtdf") else {
        return;
    };
    let mut errors: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for file in read_files(&folder) {
        for found in file.diagnostics.into_iter().filter(Diagnostic::is_error) {
            let short = file.name.split("__").nth(1).unwrap_or(&file.name).to_owned();
            let files = errors.entry(found.code).or_default();
            if !files.contains(&short) {
                files.push(short);
            }
        }
    }
    let lines: Vec<_> =
        errors.iter().map(|(code, files)| format!("{code}: {}", files.join(", "))).collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    TC003: await
    TC013: SEED_SET.json
    TC020: gh
    TC023: gh, pr_closer
    TC034: android-logcat, android_logcat, rust-log-monitor, test_fixtures
    TC045: cargo
    ");
}

#[test]
fn every_enabled_leaf_is_a_tool() {
    let Some(folder) = shared_corpus("corpus/mtdf") else {
        return;
    };
    let mut total = 0;
    for file in read_files(&folder).iter().filter(|file| file.format == Some("mtdf")) {
        let Ok(value) = serde_json::from_slice::<Value>(&file.bytes) else {
            continue;
        };
        if file.diagnostics.iter().any(Diagnostic::is_error) {
            continue;
        }
        assert_eq!(file.tools.len(), count_leaves(&value), "{}", file.name);
        total += file.tools.len();
    }
    assert!(total > 1_000, "{total}");
}

fn count_leaves(node: &Value) -> usize {
    match node["subcommand"].as_array() {
        _ if node["enabled"] == false => 0,
        Some(children) if !children.is_empty() => children.iter().map(count_leaves).sum(),
        _ => 1,
    }
}

#[test]
fn schemas_compile() {
    let Some(folder) = shared_corpus("corpus/mtdf") else {
        return;
    };
    for file in read_files(&folder) {
        for tool in &file.tools {
            assert!(tool.input.validator().is_ok(), "{} {}", file.name, tool.name);
        }
    }
}

#[test]
fn definitions_of_built_in_tools_give_no_program() {
    let Some(folder) = shared_corpus("corpus/mtdf") else {
        return;
    };
    let files = read_files(&folder);
    for name in ["await", "status", "cancel"] {
        let mut tools =
            files.iter().flat_map(|file| &file.tools).filter(|tool| tool.name == name).peekable();
        assert!(tools.peek().is_some(), "{name}");
        assert!(tools.all(|tool| tool.implementation == Implementation::Missing), "{name}");
    }
}

#[test]
fn locations_are_inside_their_files() {
    let Some(folder) = shared_corpus("corpus/mtdf") else {
        return;
    };
    for file in read_files(&folder) {
        let text = String::from_utf8_lossy(&file.bytes);
        let locator = formats::Locator::new(&text);
        for found in &file.diagnostics {
            let range = locator.range(&found.origin.location);
            assert!(text.get(range).is_some(), "{}: {found:?}", file.name);
        }
    }
}

#[test]
fn the_json_parser_agrees_with_serde_json() {
    let Some(folder) = shared_corpus("corpus/mtdf") else {
        return;
    };
    for file in read_files(&folder) {
        let text = std::str::from_utf8(&file.bytes).expect("text");
        let ours = formats::json::parse(text).root.map(|root| root.to_value());
        assert_eq!(ours, serde_json::from_str(text).ok(), "{}", file.name);
    }
}

#[test]
fn tools_of_the_black_box_checks_load_without_diagnostics() {
    let Some(folder) = shared_corpus("checks/crib/tools") else {
        return;
    };
    for entry in fs::read_dir(folder).expect("a folder") {
        let file = load(&entry.expect("an entry").path(), &Guidance::default());
        assert_eq!((file.tools.len(), file.diagnostics), (1, vec![]), "{}", file.name);
    }
}

/// The guide has two complete definitions, and a fragment with comments and without descriptions.
#[test]
fn reads_the_definitions_in_the_guide() {
    let Some(guide) = shared_corpus("seeds/mtdf-guide.md") else {
        return;
    };
    let guide = fs::read_to_string(guide).expect("a readable guide");
    let blocks: Vec<_> =
        guide.split("```json").skip(1).filter_map(|block| block.split("```").next()).collect();
    let read = |part: &str| {
        let block = blocks
            .iter()
            .find(|block| block.contains(part) && block.contains("\"subcommand\""))
            .expect("a block");
        let reading = crate::reading::read_text(block);
        let names: Vec<_> = reading.tools.iter().map(|tool| tool.name.clone()).collect();
        (names, crate::reading::summary(&reading.diagnostics))
    };
    assert_eq!(
        read("base_command"),
        (
            vec!["tool_name_subcommand_name".to_owned()],
            vec!["warning TC080 /subcommand/0/guidance_key".to_owned()]
        )
    );
    assert_eq!(read("nextest").0, ["cargo_nextest_run"]);
    let (names, found) = read("// Override");
    assert_eq!(
        (names.len(), found),
        (
            0,
            ["note TC007 -", "error TC020 /description", "error TC020 /subcommand/0/description"]
                .map(str::to_owned)
                .to_vec()
        )
    );
}
