//! Broken and random input.

use proptest::prelude::*;

use crate::package::{compile_text, read_back};

#[test]
fn truncated_and_changed_files_never_panic() {
    let text = "#' T \\code{\"x}\n#' @param a,b [`f()`](x) \\item{a}{\\describe{\\item{\n#' @param é Character(1) or NULL\n#' @examplesIf x\n#' \\dontrun{\n\
                #' @return A list: \\describe{\\item{a}{Integer[]}}\n#' @keywords mcp-tool\nf <- function(a = c(x = \"\\u{e9}\", r\"(y)\"), b = -1e400, é = list(1, a = NULL)) { %}% }\n";
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        compile_text(&text[..end]);
        compile_text(&text[end..]);
        for change in ["\"", "{", "}", "\\", "`", "\n", "#", "@", "[", "*", "é"] {
            compile_text(&format!(
                "{}{change}{}",
                &text[..end],
                text[end..].chars().skip(1).collect::<String>()
            ));
        }
    }
}

/// Pieces of documentation and code in random order.
fn random_documentation() -> impl Strategy<Value = String> {
    let pieces = [
        "#' ",
        "\n",
        "@param ",
        "@return ",
        "@examples\n",
        "@keywords mcp-tool\n",
        "x,y ",
        "Character",
        " vector",
        "[]",
        " or NULL",
        ", ",
        ". ",
        "\\code{",
        "\\item{a}{",
        "\\describe{",
        "}",
        "`",
        "**",
        "[f()]",
        "(",
        ")",
        "\"",
        "'",
        "e.g. ",
        "Default ",
        "between 0 and 1",
        "é",
        "\\",
        "%",
        "f <- function(",
        "x = c(\"a\", \"b\")",
        ") ",
        "{ 1 }",
        "\n\n",
        "# ",
        "\\dontrun{",
        "@rdname f\n",
        "@inheritParams f\n",
        "1e",
        "-",
        "NULL",
    ];
    proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..60)
        .prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn random_documentation_gives_valid_files(text in random_documentation()) {
        let text = format!("{text}\n#' @keywords mcp-tool\nlast <- function(x = 1) x\n");
        let compilation = compile_text(&text);
        for found in &compilation.diagnostics {
            prop_assert!(formats::locate(&text, &found.origin.location).end <= text.len());
        }
        for definition in &compilation.definitions {
            read_back(definition);
        }
    }
}
