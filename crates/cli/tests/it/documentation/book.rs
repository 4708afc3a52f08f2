//! The table of contents, links, variables and the recording.

use std::{fs, process::Command};

use regex::Regex;
use testing::{repository, skip_without, toolcrib_path};

use super::read_pages;
use crate::repository::tracked;

#[test]
fn every_page_is_in_the_table_of_contents() {
    let contents = fs::read_to_string(repository().join("docs/SUMMARY.md")).expect("the contents");
    for path in tracked(&["md"]) {
        let Ok(page) = path.strip_prefix(repository().join("docs")) else { continue };
        let page = page.to_string_lossy();
        let entries = contents.matches(&format!("]({page})")).count();
        assert!(entries == 1 || page == "SUMMARY.md", "{page} is {entries} times in SUMMARY.md");
    }
}

/// Pages of the book link to each other; a link out of `docs` would be dead in the built book.
#[test]
fn links_between_pages_lead_to_headings() {
    let link = Regex::new(r"\]\(([^)\s]+)\)").expect("a pattern");
    for (page, text) in read_pages() {
        let folder = repository().join(&page);
        let folder = folder.parent().expect("a folder");
        for found in link.captures_iter(&text) {
            let target = &found[1];
            if target.contains("://") {
                continue;
            }
            let leaves = page.starts_with("docs/") && target.starts_with("../");
            assert!(!leaves, "{page}: `{target}` is outside of the book");
            let Some((file, anchor)) = target.split_once('#') else { continue };
            let file = if file.is_empty() { repository().join(&page) } else { folder.join(file) };
            let headings = fs::read_to_string(&file).expect("a page");
            let headings = headings.lines().filter(|line| line.starts_with('#'));
            assert!(
                headings.map(anchor_of).any(|known| known == anchor),
                "{page}: `{target}` leads to no heading"
            );
        }
    }
}

/// The anchor that GitHub and mdBook give to a heading.
fn anchor_of(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn every_variable_of_the_sources_is_documented() {
    let page = fs::read_to_string(repository().join("docs/environment.md")).expect("the page");
    let named = Regex::new(r#""((?:TOOLCRIB|MCP|XDG)_[A-Z_]+|DOCKER_HOST|NO_COLOR|TMPDIR)""#);
    let named = named.expect("a pattern");
    let sources = tracked(&["rs"]).into_iter().filter(|path| {
        let path = path.to_string_lossy();
        path.contains("/src/") && !path.contains("crates/testing") && !path.contains("/fuzz/")
    });
    let mut missing = Vec::new();
    for path in sources {
        let text = fs::read_to_string(&path).expect("a source file");
        let names = named.captures_iter(&text).map(|found| found[1].to_owned());
        // Toolcrib sets the first one for itself; the other is the name of a file.
        let is_internal =
            |name: &str| ["TOOLCRIB_LAUNCHER_PROCESS", "MCP_TOOL_SPECIFICATION"].contains(&name);
        missing.extend(
            names.filter(|name| !page.contains(&format!("`{name}`")) && !is_internal(name)),
        );
    }
    let source = repository().join("crates/workspace/src/environment.rs");
    let source = fs::read_to_string(source).expect("a source file");
    let passed = source.split("const PASSED").nth(1).and_then(|rest| rest.split("];").next());
    let name = Regex::new(r#""([A-Z_]+)""#).expect("a pattern");
    let passed = name.captures_iter(passed.expect("the list")).map(|found| found[1].to_owned());
    missing.extend(passed.filter(|name| !page.contains(&format!("`{name}`"))));
    assert!(missing.is_empty(), "docs/environment.md lacks {missing:?}");
}

#[test]
fn the_recording_is_up_to_date() {
    skip_without!("python3", "git", "make");
    let output = Command::new("python3")
        .arg(repository().join("scripts/recording"))
        .arg(toolcrib_path())
        .arg("--check")
        .output()
        .expect("python3 starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
