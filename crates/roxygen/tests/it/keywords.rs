//! Misspelled keywords: none is lost silently.

use catalog::{Diagnostic, Severity};
use roxygen::{Compilation, compile};

use serde_json::Value;

use crate::package::{codes, compile_text, lines_of, r_files, read_back, with_code};

/// A function whose block ends with these lines.
fn block_with(tags: &str) -> String {
    format!("#' T\n#' @examples f()\n#' {tags}\nf <- function() 1\n")
}

fn hints(compilation: &Compilation) -> Vec<(Severity, &str)> {
    let found: Vec<&Diagnostic> = with_code(&compilation.diagnostics, "TC153");
    found
        .into_iter()
        .map(|found| (found.severity, found.hint.as_deref().unwrap_or_default()))
        .collect()
}

#[test]
fn a_misspelled_safety_keyword_is_an_error_without_a_tool() {
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
        ("@keywords mcp-tool mcp-aproval", "did you mean `mcp-requires-approval`?"),
        ("@keywords mcp-tool mcp-readonly", "did you mean `mcp-read-only`?"),
        ("@keywords mcp-tool mcp-netwrk", "did you mean `mcp-network`?"),
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
        let compilation = compile_text(&block_with(tags));
        assert_eq!(hints(&compilation), [(Severity::Error, hint)], "{tags}");
        assert!(compilation.definitions.is_empty(), "{tags}");
    }
}

#[test]
fn a_misspelled_mcp_tool_is_reported() {
    for (tags, hint) in [
        ("@keywords MCP-tool", "did you mean `mcp-tool`?"),
        ("@keywords mcp_tool", "did you mean `mcp-tool`?"),
        ("@keywords mcptool", "did you mean `mcp-tool`?"),
        ("@keyword mcp-tool", "write `@keywords mcp-tool`"),
        ("@Keywords mcp-tool", "write `@keywords mcp-tool`"),
    ] {
        let text = block_with(tags);
        let compilation = compile_text(&text);
        assert_eq!(hints(&compilation), [(Severity::Warning, hint)], "{tags}");
        assert_eq!(lines_of(&compilation, "TC153", &text), [3]);
        assert!(compilation.definitions.is_empty(), "only the exact keyword marks a tool");
    }
}

#[test]
fn ordinary_keywords_are_not_reported() {
    for tags in [
        "@keywords internal",
        "@keywords datasets dangerous requires-approval",
        "@keyword internal dangerous",
        "@keywords mcp mcmc",
        "@details The MCP-dangerous world",
    ] {
        assert!(compile_text(&block_with(tags)).diagnostics.is_empty(), "{tags}");
    }
    let compilation =
        compile_text(&block_with("@keywords internal mcp-tool hplot network read-only"));
    assert!(compilation.diagnostics.is_empty(), "{:?}", compilation.diagnostics);
    assert_eq!(compilation.definitions.len(), 1);
    assert_eq!(
        compile_text(&block_with("@keywords: mcp-tool")).definitions.len(),
        1,
        "a colon changes nothing"
    );
}

#[test]
fn a_misspelled_keyword_in_a_template_is_reported() {
    let others = |path: &str| {
        (path == "man-roxygen/careful.R").then(|| "#' @Keywords mcp-dangerous\n".to_owned())
    };
    let compilation = compile(
        "pkg",
        &r_files(&[("R/a.R", &block_with("@template careful\n#' @keywords mcp-tool"))]),
        &others,
    );
    assert!(compilation.definitions.is_empty());
    assert_eq!(with_code(&compilation.diagnostics, "TC153").len(), 1);
}

#[test]
fn keywords_declare_whether_a_tool_changes_anything() {
    for (keywords, mutates) in [
        ("", Value::Null),
        (" mcp-read-only", false.into()),
        (" mcp-writes", true.into()),
        (" mcp-writes mcp-read-only", true.into()),
    ] {
        let compilation = compile_text(&format!(
            "#' T\n#' @examples f()\n#' @keywords mcp-tool{keywords}\nf <- function() 1\n"
        ));
        assert_eq!(read_back(&compilation.definitions[0])["mutates"], mutates, "{keywords}");
        let is_contradiction = keywords.matches("mcp-").count() > 1;
        assert_eq!(codes(&compilation).contains(&"TC153"), is_contradiction, "{keywords}");
    }
}
