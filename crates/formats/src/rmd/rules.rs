//! What can be wrong with a document.

use catalog::{Rule, Severity};

/// Every problem of a document.
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
    why: "The YAML between the first two lines of `---` says the title and how a document is rendered. If it cannot be read, \
          nothing is rendered.",
    bad: "---\ntitle: \"open\n---\n",
    good: "---\ntitle: \"closed\"\n---\n",
};

pub(super) static UNCLOSED_CHUNK: Rule = Rule {
    code: "TC853",
    name: "unclosed-chunk",
    severity: Severity::Error,
    why: "A chunk goes on until a line of as many backquotes as it begins with. Without one, the rest of the document is code.",
    bad: "```{r}\nplot(cars)\n",
    good: "```{r}\nplot(cars)\n```\n",
};

pub(super) static DUPLICATE_LABEL: Rule = Rule {
    code: "TC854",
    name: "duplicate-chunk-label",
    severity: Severity::Error,
    why: "Figures and results are kept by the labels of chunks, so that rendering stops at the second chunk of one label.",
    bad: "```{r plot}\n```\n\n```{r plot}\n```\n",
    good: "```{r plot}\n```\n\n```{r plot-2}\n```\n",
};

pub(super) static UNKNOWN_ENGINE: Rule = Rule {
    code: "TC855",
    name: "unknown-chunk-engine",
    severity: Severity::Warning,
    why: "The word after the bracket says what runs a chunk. One that nothing is known to run is probably misspelt, unless a \
          package brings it.",
    bad: "```{pyhton}\n```\n",
    good: "```{python}\n```\n",
};

pub(super) static BROKEN_OPTIONS: Rule = Rule {
    code: "TC856",
    name: "broken-chunk-options",
    severity: Severity::Error,
    why: "The options of a chunk are read as arguments of a call in R.",
    bad: "```{r plot, fig.cap=\"open}\n```\n",
    good: "```{r plot, fig.cap=\"closed\"}\n```\n",
};

pub(super) static BROKEN_CODE: Rule = Rule {
    code: "TC857",
    name: "unreadable-chunk",
    severity: Severity::Error,
    why: "R reads a chunk before it runs it. Where it cannot, rendering stops with a message about a line of the chunk.",
    bad: "```{r}\nplot(cars\n```\n",
    good: "```{r}\nplot(cars)\n```\n",
};

pub(super) static MISSING_FILE: Rule = Rule {
    code: "TC858",
    name: "missing-document-file",
    severity: Severity::Warning,
    why: "A picture or a child document is looked for by its path from the document, inside the folder of documents: nothing \
          else is there when it is rendered.",
    bad: "```{r, child=\"no-such-part.Rmd\"}\n```\n",
    good: "![A picture](https://example.com/picture.png)\n",
};

pub(super) static BROKEN_PARAMS: Rule = Rule {
    code: "TC859",
    name: "broken-document-params",
    severity: Severity::Warning,
    why: "`params:` in the front matter declares what a document can be rendered with, and the values of what is not given. A \
          parameter that is used and not declared is `NULL`.",
    bad: "---\nparams:\n  year: 2026\n---\n\n```{r}\nparams$yaer\n```\n",
    good: "---\nparams:\n  year: 2026\n---\n\n```{r}\nparams$year\n```\n",
};
