//! Problems of R Markdown and Quarto documents.

use catalog::{Rule, Severity};

/// The rules for documents, sorted by code.
pub static RULES: &[&Rule] = &[
    &BROKEN_FRONT_MATTER,
    &UNCLOSED_CHUNK,
    &DUPLICATE_LABEL,
    &UNKNOWN_ENGINE,
    &BROKEN_OPTIONS,
    &BROKEN_CODE,
    &MISSING_FILE,
    &BROKEN_PARAMS,
];

pub(super) static BROKEN_FRONT_MATTER: Rule = Rule {
    code: "TC852",
    name: "broken-document-front-matter",
    severity: Severity::Error,
    why: "The YAML between the first two lines of `---` declares the title and the output formats of a document. If it is \
          invalid, the document cannot be rendered.",
    bad: "---\ntitle: \"open\n---\n",
    good: "---\ntitle: \"closed\"\n---\n",
};

pub(super) static UNCLOSED_CHUNK: Rule = Rule {
    code: "TC853",
    name: "unclosed-chunk",
    severity: Severity::Error,
    why: "A chunk ends at a line of as many backquotes as it begins with. Without one, the rest of the document is code.",
    bad: "```{r}\nplot(cars)\n",
    good: "```{r}\nplot(cars)\n```\n",
};

pub(super) static DUPLICATE_LABEL: Rule = Rule {
    code: "TC854",
    name: "duplicate-chunk-label",
    severity: Severity::Error,
    why: "Figures and cached results are stored by chunk label, so rendering stops at the second chunk with the same \
          label.",
    bad: "```{r plot}\n```\n\n```{r plot}\n```\n",
    good: "```{r plot}\n```\n\n```{r plot-2}\n```\n",
};

pub(super) static UNKNOWN_ENGINE: Rule = Rule {
    code: "TC855",
    name: "unknown-chunk-engine",
    severity: Severity::Warning,
    why: "The word after the brace names the engine that runs a chunk. An unknown one is probably misspelled, unless a \
          package provides it.",
    bad: "```{pyhton}\n```\n",
    good: "```{python}\n```\n",
};

pub(super) static BROKEN_OPTIONS: Rule = Rule {
    code: "TC856",
    name: "broken-chunk-options",
    severity: Severity::Error,
    why: "The options of a chunk are parsed as arguments of an R call.",
    bad: "```{r plot, fig.cap=\"open}\n```\n",
    good: "```{r plot, fig.cap=\"closed\"}\n```\n",
};

pub(super) static BROKEN_CODE: Rule = Rule {
    code: "TC857",
    name: "unreadable-chunk",
    severity: Severity::Error,
    why: "R parses a chunk before it runs it. At a syntax error, rendering stops with a message about a line of the chunk.",
    bad: "```{r}\nplot(cars\n```\n",
    good: "```{r}\nplot(cars)\n```\n",
};

pub(super) static MISSING_FILE: Rule = Rule {
    code: "TC858",
    name: "missing-document-file",
    severity: Severity::Warning,
    why: "Images and child documents are resolved relative to the document, inside the folder of documents. Other files \
          are not available when it is rendered.",
    bad: "```{r, child=\"no-such-part.Rmd\"}\n```\n",
    good: "![A plot](https://example.com/plot.png)\n",
};

pub(super) static BROKEN_PARAMS: Rule = Rule {
    code: "TC859",
    name: "broken-document-params",
    severity: Severity::Warning,
    why: "`params:` in the front matter declares the parameters of a document and their defaults. An undeclared parameter \
          is `NULL`.",
    bad: "---\nparams:\n  year: 2026\n---\n\n```{r}\nparams$yaer\n```\n",
    good: "---\nparams:\n  year: 2026\n---\n\n```{r}\nparams$year\n```\n",
};
