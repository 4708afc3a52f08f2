//! Functions that share a page of documentation, and pages that others take parameters from.

use roxygen::{Compiled, compile};
use serde_json::{Value, json};

use crate::build::{build, document, files, lines, of};

fn properties(compiled: &Compiled, tool: &str) -> Value {
    let definition =
        compiled.definitions.iter().find(|definition| definition.tool == tool).expect("the tool");
    document(definition)["parameters"]["properties"].clone()
}

/// A tool whose block has these lines.
fn tool(name: &str, tags: &str, formals: &str) -> String {
    format!(
        "#' {name}\n#' {tags}\n#' @examples {name}()\n#' @keywords mcp-tool\n{name} <- function({formals}) NULL\n\n"
    )
}

#[test]
fn parameters_are_inherited_from_whatever_names_a_page() {
    let pages = "#' A page\n#' @param quiet Logical, whether to be quiet\n#' @name topic_only\n#' @aliases other third\nNULL\n\n\
                 #' Numbers\n#' @param n Integer, to round to\nlabel_number <- function(n = 1L) n\n\n\
                 #' @rdname label_number\nnumber_format <- label_number\n\n\
                 #' Shared\n#' @rdname shared_page\nfirst <- function(s) s\n\n\
                 #' @param s Numeric, of the second\n#' @rdname shared_page\nsecond <- function(s) s\n\n\
                 #' Deep\n#' @inheritParams number_format\n#' @inheritParams pkg::other\n#' @name deep\nNULL\n\n\
                 #' @describeIn number_format Like it\n#' @param m Integer, of the described\ndescribed <- function(m) m\n";
    for (target, formal, expected) in [
        ("topic_only", "quiet", of("boolean", "whether to be quiet")),
        ("third", "quiet", of("boolean", "whether to be quiet")),
        ("number_format", "n", of("integer", "to round to")),
        ("shared_page", "s", of("number", "of the second")),
        ("first", "s", of("number", "of the second")),
        ("deep", "quiet", of("boolean", "whether to be quiet")),
        ("deep", "n", of("integer", "to round to")),
        ("label_number", "m", of("integer", "of the described")),
    ] {
        let text = tool("f", &format!("@inheritParams {target}"), formal);
        let compiled = compile("pkg", &files(&[("R/a.R", &text), ("R/pages.R", pages)]));
        assert_eq!(compiled.diagnostics, [], "{target}");
        assert_eq!(properties(&compiled, "pkg-f"), json!({formal: expected}), "{target}");
    }
    let text = tool("f", "@inheritParams nowhere", "");
    assert_eq!(
        lines(&compile("pkg", &files(&[("R/a.R", &text), ("R/pages.R", pages)])), "TC168", &text),
        [2]
    );
}

#[test]
fn a_tool_is_on_the_page_that_its_block_names() {
    let text = tool("f", "@rdname deep", "quiet");
    let page = "#' @inheritParams flags\n#' @name deep\nNULL\n\n#' @param quiet Logical, whether to be quiet\n#' @name flags\nNULL\n";
    let compiled = compile("pkg", &files(&[("R/a.R", &text), ("R/b.R", page)]));
    assert_eq!(properties(&compiled, "pkg-f")["quiet"], of("boolean", "whether to be quiet"));
    assert_eq!(compiled.diagnostics, []);
}

#[test]
fn what_a_function_does_on_a_shared_page_comes_first() {
    let text = "#' Paths\n#'\n#' Changes folders.\n#' @examples path_make()\n#' @name paths\nNULL\n\n\
                #' @describeIn paths deletes the \\code{folder},\n#'   without asking\n#' @keywords mcp-tool\npath_wipe <- function() 1\n\n\
                #' @describeIn paths\n#' @keywords mcp-tool\npath_make <- function() 1\n\n\
                #' @describeIn nowhere stands alone\n#' @examples path_lone()\n#' @keywords mcp-tool\npath_lone <- function() 1\n";
    let compiled = build(text);
    let descriptions: Vec<_> =
        compiled.definitions.iter().map(|made| document(made)["description"].clone()).collect();
    assert_eq!(
        descriptions,
        [
            "deletes the folder, without asking\n\nChanges folders.",
            "Changes folders.",
            "stands alone"
        ]
    );
    assert_eq!(compiled.diagnostics, []);
}

#[test]
fn a_parameter_of_another_function_on_the_page_is_no_mistake() {
    let page = |tags: &str, second: &str| {
        let own = tool(
            "sh1",
            "@param x Numeric, the x\n#' @param y Numeric, of the other\n#' @param z Numeric, of nobody",
            "x",
        );
        (format!("{own}#' {tags}\n{second}\n"), own)
    };
    for (tags, second, expected) in [
        ("@rdname sh1", "sh2 <- function(x, y) x + y", vec![4]),
        ("@describeIn sh1 Both", "sh2 <- function(x, y) x + y", vec![4]),
        ("@rdname elsewhere", "sh2 <- function(x, y) x + y", vec![3, 4]),
        ("@rdname sh1", "sh2 <- Vectorize(other)", vec![]),
    ] {
        let (text, own) = page(tags, second);
        assert_eq!(lines(&build(&text), "TC156", &text), expected, "{tags} {second}");
        let apart = compile("pkg", &files(&[("R/a.R", &own), ("R/b.R", &text[own.len()..])]));
        assert_eq!(lines(&apart, "TC156", &own), expected, "{tags} {second} in another file");
    }
}
