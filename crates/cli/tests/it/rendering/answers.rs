//! The reply about a render: whether it is cached, why it failed, and what is missing.

use serde_json::{Value, json};
use testing::{StdioClient, TempCrib, skip_without};

use super::{LOCAL, create};

#[test]
fn a_document_that_uses_the_clock_is_never_taken_from_the_cache() {
    skip_without!("Rscript", "pandoc", "pdflatex", "pdftotext");
    let crib = TempCrib::new().file("toolcrib.toml", LOCAL);
    let mut client = StdioClient::start(&crib, &[]);
    create(&mut client, "clock", "`r Sys.time()`\n");
    create(&mut client, "plain", "Text.\n");
    // Only R knows that this draws random numbers.
    create(&mut client, "drawn", "`r do.call('runif', list(1))`\n");
    create(&mut client, "seeded", "`r set.seed(1); runif(1)`\n");
    let mut render = |arguments: Value| client.call("render_rmd", arguments);
    render(json!({"filename": "clock"}));
    let again = render(json!({"filename": "clock"}));
    let value = &again["structuredContent"]["value"];
    assert_eq!(
        (&value["cached"], &value["not_cached_because"]),
        (&json!(false), &json!("it uses the clock"))
    );
    for (document, reason) in [("drawn", json!("it uses random numbers")), ("seeded", json!(null))]
    {
        render(json!({"filename": document}));
        render(json!({"filename": document}));
        let again = render(json!({"filename": document}));
        let value = &again["structuredContent"]["value"];
        assert_eq!(
            (&value["cached"], &value["not_cached_because"]),
            (&json!(reason.is_null()), &reason)
        );
    }
    render(json!({"filename": "plain"}));
    let again = render(json!({"filename": "plain"}));
    assert_eq!(again["structuredContent"]["value"]["cached"], true);
    assert!(again["content"][1]["text"].as_str().is_some_and(|text| text.contains("It is cached")));
    let fresh = render(json!({"filename": "plain", "fresh": true}));
    assert_eq!(fresh["structuredContent"]["value"]["cached"], false);
}

#[test]
fn causes_of_latex_and_pandoc_reach_the_text() {
    skip_without!("Rscript", "pandoc", "pdflatex", "pdftotext");
    let crib = TempCrib::new().file("toolcrib.toml", LOCAL);
    let mut client = StdioClient::start(&crib, &[]);
    let mut explain = |content: &str, format: &str| {
        crib.write("rmd/a.Rmd", content);
        let rendered = client.call("render_rmd", json!({"filename": "a", "format": format}));
        assert_eq!(rendered["isError"], true, "{rendered}");
        rendered["content"][0]["text"].as_str().expect("a text").to_owned()
    };
    let explained = [
        explain("Text\n\ne\u{301}\n", "pdf"),
        explain("Text\n\n![a](logo.png)\n", "html"),
        explain("Text\n\n![a](logo.png)\n", "pdf"),
        explain("![a](https://example.org/a.png)\n", "html"),
        explain("Text\n\nand \\wrong{x}\n", "pdf"),
        explain("```{r}\nlibrary(nopackage)\n```\n", "html"),
    ];
    insta::assert_snapshot!(explained.join("\n"), @r#"
    `a.Rmd` could not be rendered (line 3): LaTeX: the character U+0301 is not set up for use with LaTeX; remove it, or choose an engine that knows all characters (`latex_engine: xelatex` below `pdf_document:` in the front matter)
    `a.Rmd` could not be rendered (line 3): the file `logo.png` was not found; paths are relative to the document, inside the folder of documents
    `a.Rmd` could not be rendered (line 3): the file `logo.png` was not found; paths are relative to the document, inside the folder of documents
    `a.Rmd` could not be rendered (line 1): `https://example.org/a.png` cannot be fetched: renders have no network; save the file next to the document and use its path
    `a.Rmd` could not be rendered (line 3): LaTeX: the command `\wrong` is not defined; correct it, or load the package that defines it
    `a.Rmd` could not be rendered (chunk `unnamed-chunk-1`, lines 2-3): there is no package called 'nopackage'; run install.packages("nopackage") in R (Debian and Ubuntu: apt install r-cran-nopackage)
    "#);
    let engine = "---\noutput:\n  pdf_document:\n    latex_engine: xelatex\n---\n\n```{r}\nstop('it ran')\n```\n";
    let explained = explain(engine, "pdf");
    // Where it is installed, the document runs.
    assert!(
        explained.contains("(line 4): xelatex: not found; install it (Debian and Ubuntu: apt install texlive-xetex)")
            || explained.contains("it ran"),
        "{explained}"
    );
}

#[test]
fn documents_read_configured_data() {
    skip_without!("Rscript", "pandoc", "pdflatex", "pdftotext");
    let crib = TempCrib::new()
        .file("toolcrib.toml", &format!("{LOCAL}data = [\"../numbers\"]\n"))
        .file("../numbers/a.csv", "n\n41\n");
    let mut client = StdioClient::start(&crib, &[]);
    create(&mut client, "a", "The answer is `r read.csv('numbers/a.csv')$n + 1`.\n");
    let mut render = || {
        let rendered = client.call("render_rmd", json!({"filename": "a"}));
        rendered["content"][2]["text"].as_str().unwrap_or_else(|| panic!("{rendered}")).to_owned()
    };
    assert!(render().contains("The answer is 42."));
    crib.write("../numbers/a.csv", "n\n42\n");
    assert!(render().contains("The answer is 43."), "changed data is read again");
    crib.write("toolcrib.toml", &format!("{LOCAL}data = [\"nothing\"]\npackages = [\"a b\"]\n"));
    let checked = crib.run(&["check", "--format", "json"]).json();
    let messages: Vec<_> = checked["diagnostics"]
        .as_array()
        .expect("diagnostics")
        .iter()
        .map(|found| &found["message"])
        .collect();
    assert_eq!(
        messages,
        ["the data folder `nothing` does not exist", "`a b` is not the name of an R package"]
    );
}

#[test]
fn missing_packages_of_documents_are_reported_once() {
    let packages = "packages = [\"stats\", \"nopackage1\", \"nopackage2\"]\n";
    let crib = TempCrib::new().file("toolcrib.toml", &format!("{LOCAL}{packages}"));
    let warned = crib.run(&["check", "--format", "json"]).json();
    assert_eq!(
        (&warned["diagnostics"][0]["message"], &warned["diagnostics"][0]["hint"]),
        (
            &json!("R packages of documents are not installed: `nopackage1`, `nopackage2`"),
            &json!("run install.packages(c(\"nopackage1\", \"nopackage2\")) in R")
        )
    );
}

#[test]
fn parameters_must_have_the_type_of_their_default() {
    let crib = TempCrib::new()
        .file("toolcrib.toml", LOCAL)
        .file("rmd/report.Rmd", "---\nparams:\n  year: 2026\n---\n\nText\n");
    let call = |arguments: &str| crib.run(&["call", "render_rmd", "--args", arguments]);
    let wrong = call(r#"{"filename": "report", "params": {"year": "last"}}"#);
    assert!(
        wrong.stderr.contains("the parameter `year` of `report.Rmd` is a number (its default is `2026`), but the given value is a text"),
        "{}",
        wrong.stderr
    );
    let missing = call(r#"{"filename": "repotr"}"#);
    assert!(
        missing.stderr.contains("not found: repotr.Rmd; did you mean `report.Rmd`?"),
        "{}",
        missing.stderr
    );
}
