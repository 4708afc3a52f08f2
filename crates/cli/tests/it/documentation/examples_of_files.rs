//! Definitions and configurations on the pages are valid.

use serde_json::Value;
use testing::TempCrib;

use super::{commands, read_pages};

/// Rules about other tools, folders and R packages, which the examples name and readers have.
const ABSENT: &[&str] = &["TC205", "TC609", "TC634", "TC850"];

/// The errors that `check` reports for a crib.
fn find_errors(crib: &TempCrib) -> Vec<String> {
    let report = crib.run(&["check", "--format", "json"]);
    if report.code == 3 {
        return Vec::new();
    }
    let diagnostics = report.json()["diagnostics"].as_array().expect("a list").clone();
    let is_error = |found: &&Value| {
        found["severity"] == "error" && !ABSENT.contains(&found["code"].as_str().expect("a code"))
    };
    diagnostics.iter().filter(is_error).map(ToString::to_string).collect()
}

#[test]
fn definitions_on_the_pages_are_valid() {
    let mut count = 0;
    for (page, text) in read_pages() {
        for (line, block) in commands::find_blocks_of(&text, "json") {
            let Ok(value) = serde_json::from_str::<Value>(&block) else { continue };
            if value["name"].is_string() && value["command"].is_string() {
                count += 1;
                let crib = TempCrib::new().file("tools/example.json", &block);
                // A program of the crib, which `check` looks for.
                crib.write("login.sh", "");
                let errors = find_errors(&crib);
                assert!(errors.is_empty(), "{page}:{line}: {errors:?}");
            }
        }
    }
    assert!(count > 8, "{count}");
}

#[test]
fn configurations_on_the_pages_are_valid() {
    let mut count = 0;
    for (page, text) in read_pages() {
        for (line, block) in commands::find_blocks_of(&text, "toml") {
            // The manifest of a crate.
            if block.contains("[dependencies]") {
                continue;
            }
            count += 1;
            let crib = TempCrib::new().file("toolcrib.toml", &block);
            for folder in ["guide/lang", "guide/notes", "data", "src"] {
                crib.write(&format!("{folder}/text.md"), "text\n");
            }
            let errors = find_errors(&crib);
            assert!(errors.is_empty(), "{page}:{line}: {errors:?}");
        }
    }
    assert!(count > 20, "{count}");
}
