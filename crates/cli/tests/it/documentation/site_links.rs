//! Messages link to the published book, to sections that it has.

use std::fs;

use regex::Regex;
use serde_json::json;
use testing::{TempCrib, definition, repository};

const SITE: &str = "[site]\nurl = \"https://docs.example.org/toolcrib/\"\n";

fn crib_with_problems() -> TempCrib {
    let mut undeclared = definition("undeclared", "true");
    undeclared.as_object_mut().expect("an object").remove("mutates");
    TempCrib::new()
        .file("toolcrib.toml", SITE)
        .tool("undeclared", undeclared)
        .tool("fail", definition("fail", "false"))
}

/// The page and the anchor of the only link in a text.
fn find_link(text: &str) -> (String, String) {
    let link = Regex::new(r"https://docs\.example\.org/toolcrib/([a-z/]+)\.html#([\w-]+)");
    let found: Vec<_> = link.expect("a pattern").captures_iter(text).collect();
    assert_eq!(found.len(), 1, "{text}");
    (found[0][1].to_owned(), found[0][2].to_owned())
}

#[test]
fn messages_link_to_sections_of_the_book() {
    let crib = crib_with_problems();
    let texts = [
        crib.run(&["check"]).stdout,
        crib.run(&["call", "fail"]).stderr,
        crib.run(&["explain", "TC501"]).stdout,
        crib.run(&["explain", "timed_out"]).stdout,
        crib.run(&["explain", "required-added"]).stdout,
    ];
    for text in texts {
        let (page, anchor) = find_link(&text);
        let page = fs::read_to_string(repository().join(format!("docs/{page}.md")));
        let page = page.expect("a page of the book");
        let mut headings = page.lines().filter(|line| line.starts_with('#'));
        assert!(headings.any(|line| super::book::anchor_of(line) == anchor), "{anchor}: {text}");
    }
}

#[test]
fn rules_in_sarif_link_to_the_book() {
    let log = crib_with_problems().run(&["check", "--format", "sarif"]).json();
    let rules = &log["runs"][0]["tool"]["driver"]["rules"];
    let first = json!("https://docs.example.org/toolcrib/reference/rules.html#tc001-not-utf8");
    let uris: Vec<_> =
        rules.as_array().expect("rules").iter().map(|rule| &rule["helpUri"]).collect();
    assert!(uris.contains(&&first), "{uris:?}");
}

#[test]
fn an_address_of_the_book_is_a_web_address() {
    let crib = TempCrib::new().file("toolcrib.toml", "[site]\nurl = \"docs/index.html\"\n");
    let output = crib.run(&["check"]);
    assert!(output.stdout.contains("starts with `https://`"), "{}", output.stdout);
}

#[test]
fn without_an_address_messages_have_no_links() {
    let crib = crib_with_problems();
    crib.write("toolcrib.toml", "");
    for arguments in [&["check"][..], &["call", "fail"], &["explain", "timed_out"]] {
        let output = crib.run(arguments);
        assert!(!format!("{}{}", output.stdout, output.stderr).contains("reference/"));
    }
}
