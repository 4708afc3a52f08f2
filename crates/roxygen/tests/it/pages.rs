//! Functions that share a page of documentation, and pages that others inherit from.

use roxygen::Compilation;
use serde_json::{Value, json};

use crate::package::{compile_files, compile_text, lines_of, property, read_back};

fn properties(compilation: &Compilation, tool: &str) -> Value {
    let definition = compilation
        .definitions
        .iter()
        .find(|definition| definition.tool == tool)
        .expect("the tool");
    read_back(definition)["parameters"]["properties"].clone()
}

/// A tool whose block has these lines.
fn tool(name: &str, tags: &str, formals: &str) -> String {
    format!(
        "#' {name}\n#' {tags}\n#' @examples {name}()\n#' @keywords mcp-tool\n{name} <- function({formals}) NULL\n\n"
    )
}

#[test]
fn parameters_are_inherited_by_any_name_of_a_page() {
    let pages = "#' A page\n#' @param quiet Logical, whether to be quiet\n#' @name topic_only\n#' @aliases other third\nNULL\n\n\
                 #' Numbers\n#' @param n Integer, to round to\nlabel_number <- function(n = 1L) n\n\n\
                 #' @rdname label_number\nnumber_format <- label_number\n\n\
                 #' Shared\n#' @rdname shared_page\nfirst <- function(s) s\n\n\
                 #' @param s Numeric, of the second\n#' @rdname shared_page\nsecond <- function(s) s\n\n\
                 #' Deep\n#' @inheritParams number_format\n#' @inheritParams pkg::other\n#' @name deep\nNULL\n\n\
                 #' @describeIn number_format Like it\n#' @param m Integer, of the described\ndescribed <- function(m) m\n";
    for (target, formal, expected) in [
        ("topic_only", "quiet", property("boolean", "whether to be quiet")),
        ("third", "quiet", property("boolean", "whether to be quiet")),
        ("number_format", "n", property("integer", "to round to")),
        ("shared_page", "s", property("number", "of the second")),
        ("first", "s", property("number", "of the second")),
        ("deep", "quiet", property("boolean", "whether to be quiet")),
        ("deep", "n", property("integer", "to round to")),
        ("label_number", "m", property("integer", "of the described")),
    ] {
        let text = tool("f", &format!("@inheritParams {target}"), formal);
        let compilation = compile_files(&[("R/a.R", &text), ("R/pages.R", pages)]);
        assert_eq!(compilation.diagnostics, [], "{target}");
        assert_eq!(properties(&compilation, "pkg-f"), json!({formal: expected}), "{target}");
    }
    let text = tool("f", "@inheritParams nowhere", "");
    assert_eq!(
        lines_of(&compile_files(&[("R/a.R", &text), ("R/pages.R", pages)]), "TC168", &text),
        [2]
    );
}

#[test]
fn a_tool_is_on_the_page_that_its_block_names() {
    let text = tool("f", "@rdname deep", "quiet");
    let page = "#' @inheritParams flags\n#' @name deep\nNULL\n\n#' @param quiet Logical, whether to be quiet\n#' @name flags\nNULL\n";
    let compilation = compile_files(&[("R/a.R", &text), ("R/b.R", page)]);
    assert_eq!(
        properties(&compilation, "pkg-f")["quiet"],
        property("boolean", "whether to be quiet")
    );
    assert_eq!(compilation.diagnostics, []);
}

#[test]
fn describe_in_comes_before_the_shared_description() {
    let text = "#' Paths\n#'\n#' Changes folders.\n#' @examples path_make()\n#' @name paths\nNULL\n\n\
                #' @describeIn paths deletes the \\code{folder},\n#'   without asking\n#' @keywords mcp-tool\npath_wipe <- function() 1\n\n\
                #' @describeIn paths\n#' @keywords mcp-tool\npath_make <- function() 1\n\n\
                #' @describeIn nowhere stands alone\n#' @examples path_lone()\n#' @keywords mcp-tool\npath_lone <- function() 1\n";
    let compilation = compile_text(text);
    let descriptions: Vec<_> =
        compilation.definitions.iter().map(|made| read_back(made)["description"].clone()).collect();
    assert_eq!(
        descriptions,
        [
            "deletes the folder, without asking\n\nChanges folders.",
            "Changes folders.",
            "stands alone"
        ]
    );
    assert_eq!(compilation.diagnostics, []);
}

#[test]
fn a_parameter_of_another_function_on_the_page_is_not_reported() {
    let page = |tags: &str, second: &str| {
        let own = tool(
            "sh1",
            "@param x Numeric, the x\n#' @param y Numeric, of the other\n#' @param z Numeric, of none of them",
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
        assert_eq!(lines_of(&compile_text(&text), "TC156", &text), expected, "{tags} {second}");
        let apart = compile_files(&[("R/a.R", &own), ("R/b.R", &text[own.len()..])]);
        assert_eq!(lines_of(&apart, "TC156", &own), expected, "{tags} {second} in another file");
    }
}
