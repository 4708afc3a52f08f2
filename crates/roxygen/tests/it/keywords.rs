//! Keywords of roxygen2 blocks that are nearly those of tools: none is lost in silence.

use catalog::{Diagnostic, Severity};
use roxygen::{Compiled, compile_with};

use crate::build::{build, files, found, lines};

/// A function whose block ends with these lines.
fn with(tags: &str) -> String {
    format!("#' T\n#' @examples f()\n#' {tags}\nf <- function() 1\n")
}

fn hints(compiled: &Compiled) -> Vec<(Severity, &str)> {
    let said = |found: &'_ Diagnostic| found.code == "TC153";
    let diagnostics = compiled.diagnostics.iter().filter(|found| said(found));
    diagnostics.map(|found| (found.severity, found.hint.as_deref().unwrap_or_default())).collect()
}

#[test]
fn what_is_nearly_a_safety_flag_is_an_error_and_no_tool_is_made() {
    for (tags, hint) in [
        ("@keywords mcp-tool mcp-dangerus", "did you mean `mcp-dangerous`?"),
        ("@keywords mcp-tool mcp_dangerous", "did you mean `mcp-dangerous`?"),
        ("@keywords mcp-tool MCP-dangerous", "did you mean `mcp-dangerous`?"),
        ("@keywords mcp-tool mcpdangerous", "did you mean `mcp-dangerous`?"),
        ("@keywords mcp-tool mcp.dangerous", "did you mean `mcp-dangerous`?"),
        ("@keywords mcp-tool mpc-dangerous", "did you mean `mcp-dangerous`?"),
        ("@keywords mcp-tool `mcp-dangerous`", "did you mean `mcp-dangerous`?"),
        ("@keywords mcp-tool dangerous", "did you mean `mcp-dangerous`?"),
        ("@keywords mcp-tool\n#'   Dangerous", "did you mean `mcp-dangerous`?"),
        ("@keywords mcp-tool requires_approval", "did you mean `mcp-requires-approval`?"),
        ("@keywords mcp-tool MCP_REQUIRES_APPROVAL", "did you mean `mcp-requires-approval`?"),
        ("@keywords mcp-tool\n#' @keyword mcp-dangerous", "write `@keywords mcp-dangerous`"),
        ("@keywords mcp-tool\n#' @Keywords mcp-dangerous", "write `@keywords mcp-dangerous`"),
        ("@keywords mcp-tool\n#' @keyword dangerous", "write `@keywords mcp-dangerous`"),
        (
            "@keyword: mcp-requires-approval\n#' @keywords mcp-tool",
            "write `@keywords mcp-requires-approval`",
        ),
    ] {
        let compiled = build(&with(tags));
        assert_eq!(hints(&compiled), [(Severity::Error, hint)], "{tags}");
        assert!(compiled.definitions.is_empty(), "{tags}");
    }
}

#[test]
fn what_is_nearly_the_mark_of_a_tool_is_reported() {
    for (tags, hint) in [
        ("@keywords MCP-tool", "did you mean `mcp-tool`?"),
        ("@keywords mcp_tool", "did you mean `mcp-tool`?"),
        ("@keywords mcptool", "did you mean `mcp-tool`?"),
        ("@keyword mcp-tool", "write `@keywords mcp-tool`"),
        ("@Keywords mcp-tool", "write `@keywords mcp-tool`"),
    ] {
        let text = with(tags);
        let compiled = build(&text);
        assert_eq!(hints(&compiled), [(Severity::Warning, hint)], "{tags}");
        assert_eq!(lines(&compiled, "TC153", &text), [3]);
        assert!(compiled.definitions.is_empty(), "only the very word makes a tool");
    }
}

#[test]
fn ordinary_words_are_left_alone() {
    for tags in [
        "@keywords internal",
        "@keywords datasets dangerous requires-approval",
        "@keyword internal dangerous",
        "@keywords mcp mcmc",
        "@details The MCP-dangerous world",
    ] {
        assert!(build(&with(tags)).diagnostics.is_empty(), "{tags}");
    }
    let compiled = build(&with("@keywords internal mcp-tool hplot network read-only"));
    assert!(compiled.diagnostics.is_empty(), "{:?}", compiled.diagnostics);
    assert_eq!(compiled.definitions.len(), 1);
    assert_eq!(build(&with("@keywords: mcp-tool")).definitions.len(), 1, "a colon changes nothing");
}

#[test]
fn a_flag_in_a_template_is_not_lost_either() {
    let others = |path: &str| {
        (path == "man-roxygen/careful.R").then(|| "#' @Keywords mcp-dangerous\n".to_owned())
    };
    let compiled = compile_with(
        "pkg",
        &files(&[("R/a.R", &with("@template careful\n#' @keywords mcp-tool"))]),
        &others,
    );
    assert!(compiled.definitions.is_empty());
    assert_eq!(found(&compiled.diagnostics, "TC153").len(), 1);
}
