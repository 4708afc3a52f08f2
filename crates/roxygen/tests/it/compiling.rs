//! Functions and their blocks: which become tools, and which documentation applies.

use catalog::Diagnostic;
use roxygen::{ExampleRecord, compile};
use serde_json::json;

use crate::package::{
    compile_files, compile_text, lines_of, property, r_files, read_back, with_code,
};

#[test]
fn long_signatures_and_quoted_names_are_read() {
    let formals: String = (0..60).map(|n| format!("  p{n} = {n}L, # remark ) {n}\n")).collect();
    let text = format!(
        "#' T\n#' @keywords mcp-tool\n`odd name` <- f <- (function(\n{formals}  `a b` = NULL\n) 1)\n"
    );
    let compilation = compile_text(&text);
    assert_eq!(
        with_code(&compilation.diagnostics, "TC024").len(),
        1,
        "a name that clients reject is reported"
    );
    let good = compile_text(&text.replace("`odd name`", "\"ok\""));
    let properties = read_back(&good.definitions[0])["parameters"]["properties"].clone();
    assert_eq!(good.definitions[0].tool, "pkg-ok");
    assert_eq!(
        (properties.as_object().map(serde_json::Map::len), &properties["p59"]["default"]),
        (Some(61), &json!(59))
    );
}

#[test]
fn numbers_are_exact() {
    let text = "#' T\n#' @keywords mcp-tool\nf <- function(a = 0.1, b = 1e-20, c = 12345678901234567, d = 0x10, e = 1e3L, g = -.5, h = 1e5, i = 2147483648) 1\n";
    let yaml = compile_text(text).definitions[0].to_yaml(&ExampleRecord::default());
    let defaults: Vec<_> =
        yaml.lines().filter_map(|line| line.trim().strip_prefix("default: ")).collect();
    assert_eq!(
        defaults,
        ["0.1", "1.0e-20", "12345678901234567", "16", "1000", "-0.5", "100000", "2147483648"]
    );
}

#[test]
fn hidden_parameters_never_appear() {
    let compilation = compile_text(
        "#' Search\n#' @param query Character. Search query\n#' @param .state_env Environment. Session state\n#' @keywords mcp-tool\nf <- function(query, .state_env = NULL) query\n",
    );
    let tool = read_back(&compilation.definitions[0]);
    assert_eq!(
        tool["parameters"],
        json!({"type": "object", "properties": {"query": property("string", "Search query")}, "required": ["query"]})
    );
    assert!(!compilation.definitions[0].to_yaml(&ExampleRecord::default()).contains(".state_env"));
}

#[test]
fn reports_hidden_formals_without_default() {
    let text = "#' T\n#' @param n Integer, n\n#' @examples f()\n#' @keywords mcp-tool\n\
                f <- function(\n  .data,\n  n = 1L,\n  .state_env,\n  .by = NULL,\n  ...\n) n\n";
    let compilation = compile_text(text);
    assert_eq!(lines_of(&compilation, "TC722", text), [6], "not what has a default or is provided");
    assert_eq!(compilation.diagnostics.len(), 1);
    assert_eq!(compilation.definitions.len(), 1, "it may work where R does not use it");
}

#[test]
fn param_names_may_be_in_backticks() {
    let text = "#' T\n#' @param `my arg` Numeric, x\n#' @param `a,b`, c,`d` Integer, three\n#' @examples f()\n#' @keywords mcp-tool\n\
                f <- function(`my arg`, `a,b`, c, d) 1\n";
    let compilation = compile_text(text);
    let three = || property("integer", "three");
    let expected =
        json!({"my arg": property("number", "x"), "a,b": three(), "c": three(), "d": three()});
    assert_eq!(read_back(&compilation.definitions[0])["parameters"]["properties"], expected);
    assert_eq!(compilation.diagnostics, []);
}

#[test]
fn documentation_is_inherited_within_the_package() {
    let own = "#' Tool\n#' @inheritParams base_fun\n#' @inheritParams utils::head\n#' @param own Character, mine\n#' @keywords mcp-tool\n\
               tool <- function(own, x, y, z, top) NULL\n\n#' Second\n#' @rdname page\n#' @keywords mcp-tool\nsecond <- function(p, q = 1L) NULL\n";
    let other = "#' Base\n#' @param x,y Integer, both\n#' @inheritParams deeper\nbase_fun <- function(x, y, z) NULL\n\n\
                 #' @param z Logical, deep\n#' @inheritParams base_fun\ndeeper <- function(z) NULL\n";
    let page = "#' The page\n#' @param p Numeric, of the page\n#' @param q Integer, of the page\n#' @return Integer, a count\n#' @examples\n#' page(1)\n#' @name page\nNULL\n";
    let compilation = compile_files(&[
        ("R/a.R", own),
        ("R/b.R", other),
        ("R/c.R", page),
        ("R/d.R", "broken <- (\n"),
    ]);
    let tool = read_back(&compilation.definitions[0])["parameters"]["properties"].clone();
    assert_eq!(
        (&tool["x"], &tool["y"], &tool["z"]),
        (&property("integer", "both"), &property("integer", "both"), &property("boolean", "deep"))
    );
    let second = read_back(&compilation.definitions[1]);
    assert_eq!(second["parameters"]["properties"]["p"], property("number", "of the page"));
    assert_eq!(
        (&second["description"], &second["returns"]),
        (&json!("Second"), &property("integer", "a count"))
    );
    assert_eq!(second["implementation_example"], "page(1)\n");
    assert_eq!(
        lines_of(&compilation, "TC168", own),
        [3],
        "a file outside of the package is reported"
    );
    assert_eq!(lines_of(&compilation, "TC155", own), [6], "and what stays undocumented, too");
    assert!(
        with_code(&compilation.diagnostics, "TC150").is_empty(),
        "files that have nothing to do with tools are not read"
    );
}

#[test]
fn templates_and_example_files_are_read() {
    let own = "#' One\n#' @template shared\n#' @templateVar what weight\n#' @template gone\n#' @template code\n#' @examples\n#' one(1)\n\
               #' @example tests/more.R\n#' @example ../secret.R\n#' @examples\n#' one(3)\n#' @keywords mcp-tool\none <- function(x, y) x\n";
    let others = |path: &str| {
        match path {
        "man-roxygen/shared.R" => {
            Some("#' @param x Integer, the <%= what %>\n#'   of it\n#' @foo bar\n#' @param y Logical, y too\n".to_owned())
        }
        "man/roxygen/templates/code.R" => Some("#' @param y <%= toupper('x') %>\n".to_owned()),
        "tests/more.R" => Some("# more\r\none(2)\r\n".to_owned()),
        _ => None,
    }
    };
    let compilation = compile("pkg", &r_files(&[("R/a.R", own)]), &others);
    let tool = read_back(&compilation.definitions[0]);
    let properties = &tool["parameters"]["properties"];
    assert_eq!(properties["x"], property("integer", "the weight of it"));
    assert_eq!(properties["y"], property("boolean", "y too"));
    assert_eq!(tool["implementation_example"], "one(1)\n# more\none(2)\none(3)\n");
    assert_eq!(
        lines_of(&compilation, "TC720", own),
        [4, 5, 9],
        "no such template, R code in one, and no such file"
    );
    assert!(with_code(&compilation.diagnostics, "TC169").is_empty());
}

#[test]
fn a_template_that_includes_itself_is_reported() {
    let own = "#' One\n#' @template loop\n#' @examples one()\n#' @keywords mcp-tool\none <- function() 1\n";
    let others =
        |path: &str| (path == "man-roxygen/loop.R").then(|| "#' @template loop\n".to_owned());
    let compilation = compile("pkg", &r_files(&[("R/a.R", own)]), &others);
    assert_eq!(lines_of(&compilation, "TC720", own), [2]);
}

#[test]
fn the_last_of_two_functions_with_the_same_name_wins() {
    let text = "#' One\n#' @examples f()\n#' @keywords mcp-tool\nf <- function(a) 1\n#' Two\n#' @examples f()\n#' @keywords mcp-tool\nf <- function(b) 2\n";
    let compilation = compile_text(text);
    let names: Vec<_> = compilation
        .definitions
        .iter()
        .map(|definition| read_back(definition)["description"].clone())
        .collect();
    assert_eq!(names, ["Two"]);
    assert_eq!(lines_of(&compilation, "TC721", text), [1]);
}

#[test]
fn reports_blocks_that_cannot_be_tools() {
    for (text, code, line) in [
        ("#' T\n#' @keywords mcp-tool\nf <- memoise(function(x) x)\n", "TC151", 1),
        ("x <- 1\n#' T\n#' @keywords mcp-tool\nNULL\n", "TC151", 2),
        ("#' T\n#' @keywords mcp-tool\n", "TC151", 1),
        ("#' T\n#' @keywords mcp-tool mcp-dangerouss\nf <- function() 1\n", "TC153", 2),
        ("#' T\n#' @keywords mcp-tool\nf <- function(a b) 1\n", "TC150", 3),
    ] {
        let compilation = compile_text(text);
        assert!(compilation.definitions.is_empty(), "{text}");
        assert_eq!(lines_of(&compilation, code, text)[0], line, "{text}");
        assert!(compilation.diagnostics.iter().any(Diagnostic::is_error), "{text}");
    }
}

#[test]
fn a_gap_in_a_block_is_reported_and_loses_no_text() {
    let text = "#' Title\n#' @description First\n\n# a remark\n#' @param x Integer, x\n#' @keywords mcp-tool\nf <- function(x) x\n";
    let compilation = compile_text(text);
    let tool = read_back(&compilation.definitions[0]);
    assert_eq!(
        (&tool["description"], &tool["parameters"]["properties"]["x"]),
        (&json!("First"), &property("integer", "x"))
    );
    assert_eq!(lines_of(&compilation, "TC152", text), [5]);
}

#[test]
fn example_code_keeps_its_layout() {
    let text = "#' T\n#' @examples\n#' # a remark\n#' x <- list(\n#'   a = 1\n#' )\n#'\n#' \\dontrun{\n#' obj@slot\n#' }\n#' @keywords mcp-tool\nf <- function() 1\n";
    let compilation = compile_text(text);
    assert_eq!(
        read_back(&compilation.definitions[0])["implementation_example"],
        "# a remark\nx <- list(\n  a = 1\n)\n\nobj@slot\n"
    );
    let example = compilation.definitions[0].example.clone().expect("an example");
    assert!(!example.run.contains("slot"));
}

#[test]
fn every_bad_example_of_a_rule_has_its_problem() {
    for rule in roxygen::RULES {
        let bad = compile_text(rule.bad);
        let found = with_code(&bad.diagnostics, rule.code);
        assert!(!found.is_empty(), "{}: {:#?}", rule.code, bad.diagnostics);
        assert!(found.iter().any(|found| found.severity == rule.severity), "{}", rule.code);
        assert!(
            bad.diagnostics.iter().all(|found| found.code == rule.code),
            "{}: {:#?}",
            rule.code,
            bad.diagnostics
        );
        let good = compile_text(rule.good);
        assert!(good.diagnostics.is_empty(), "{}: {:#?}", rule.code, good.diagnostics);
    }
    let codes: Vec<_> = roxygen::RULES.iter().map(|rule| rule.code).collect();
    assert!(
        codes.is_sorted()
            && codes.iter().all(|code| formats::rules().iter().all(|rule| rule.code != *code))
    );
}
