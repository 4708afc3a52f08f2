//! Problems of documentation that tools are built from.

use catalog::{Rule, Severity};

const GOOD: &str = "#' Add one\n#' @param x Numeric, the number\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n";

/// Every problem that building can find, by code.
pub static RULES: &[&Rule] = &[
    &BROKEN_R,
    &NO_FUNCTION,
    &INTERRUPTED_BLOCK,
    &UNKNOWN_KEYWORD,
    &SEVERAL_CATEGORIES,
    &UNDOCUMENTED,
    &PHANTOM_PARAM,
    &DUPLICATE_PARAM,
    &DOTS,
    &COMPUTED_DEFAULT,
    &MISSING_VALUE,
    &UNFIT_DEFAULT,
    &GUESSED_TYPE,
    &FOREIGN_TYPE,
    &UNBALANCED,
    &UNFIT_EXAMPLE,
    &UNDESCRIBED,
    &NO_EXAMPLES,
    &UNKNOWN_SOURCE,
    &UNSUPPORTED_TAG,
    &MISSING_FILE,
    &DUPLICATE_FUNCTION,
    &HIDDEN_REQUIRED,
];

pub(crate) static BROKEN_R: Rule = Rule {
    code: "TC150",
    name: "broken-r",
    severity: Severity::Error,
    why: "R could not read this place, so what follows it may be taken for something else. A tool whose own \
          formals are broken is not made.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n)\n",
    good: GOOD,
};

pub(crate) static NO_FUNCTION: Rule = Rule {
    code: "TC151",
    name: "no-function",
    severity: Severity::Error,
    why: "A block with `@keywords mcp-tool` must stand right before the definition of a function: `name <- \
          function(x)`, with `=`, or with `\\(x)`. Functions that other functions make have formals that only \
          R knows.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- Vectorize(one)\n",
    good: GOOD,
};

pub(crate) static INTERRUPTED_BLOCK: Rule = Rule {
    code: "TC152",
    name: "interrupted-block",
    severity: Severity::Note,
    why: "An empty line or another comment stands inside the block. It is read as one block, as roxygen2 does; \
          other readers lose everything above the gap.",
    bad: "#' Add one\n\n#' @param x Numeric, the number\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n",
    good: GOOD,
};

pub(crate) static UNKNOWN_KEYWORD: Rule = Rule {
    code: "TC153",
    name: "unknown-keyword",
    severity: Severity::Warning,
    why: "A keyword that begins with `mcp` and means nothing is most often misspelled, and so is one behind a tag \
          that is nearly `@keywords`. One that is nearly a safety flag, or one without `mcp-` beside `mcp-tool`, is an \
          error, and no tool is made, because passing it over would lose the flag.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @examples add_one(1)\n#' @keywords mcp-tool mcp-colour-red\nadd_one <- function(x) x + 1\n",
    good: GOOD,
};

pub(crate) static SEVERAL_CATEGORIES: Rule = Rule {
    code: "TC154",
    name: "several-categories",
    severity: Severity::Warning,
    why: "A tool has one category. The last one counts.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @examples add_one(1)\n#' @keywords mcp-tool mcp-category-a mcp-category-b\nadd_one <- function(x) x + 1\n",
    good: GOOD,
};

pub(crate) static UNDOCUMENTED: Rule = Rule {
    code: "TC155",
    name: "undocumented-parameter",
    severity: Severity::Warning,
    why: "A model fills in arguments by their descriptions alone. The parameter is there for callers, with a \
          type that is guessed from its default.",
    bad: "#' Add one\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x = 1) x + 1\n",
    good: GOOD,
};

pub(crate) static PHANTOM_PARAM: Rule = Rule {
    code: "TC156",
    name: "phantom-parameter",
    severity: Severity::Warning,
    why: "The documentation describes a parameter that the function does not have, nor another one on the same page. R \
          would refuse it, so it is left out; probably one of the two was renamed.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @param y Numeric, the other\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n",
    good: GOOD,
};

pub(crate) static DUPLICATE_PARAM: Rule = Rule {
    code: "TC157",
    name: "duplicate-param",
    severity: Severity::Warning,
    why: "A parameter is documented twice in one block. The last text counts.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @param x Numeric, a number\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n",
    good: GOOD,
};

pub(crate) static DOTS: Rule = Rule {
    code: "TC158",
    name: "dots",
    severity: Severity::Note,
    why: "What a function takes as `...` has no names that a schema could list, so callers cannot give it.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @param ... Numeric, more\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x, ...) x + 1\n",
    good: GOOD,
};

pub(crate) static COMPUTED_DEFAULT: Rule = Rule {
    code: "TC159",
    name: "computed-default",
    severity: Severity::Note,
    why: "Nothing of the package is evaluated to build, so a default that is computed is not known. Its code \
          is kept as a comment of the parameter, and R uses it when the argument is left out. Say in the text \
          what it comes to.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x = 1 / 3) x + 1\n",
    good: GOOD,
};

pub(crate) static MISSING_VALUE: Rule = Rule {
    code: "TC160",
    name: "missing-value-default",
    severity: Severity::Note,
    why: "`NA`, `NaN` and `Inf` have no JSON value. The default is left out of the definition; R uses it all \
          the same.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x = Inf) x + 1\n",
    good: GOOD,
};

pub(crate) static UNFIT_DEFAULT: Rule = Rule {
    code: "TC161",
    name: "unfit-default",
    severity: Severity::Warning,
    why: "The default is of another type than the one that the text begins with. The text counts, and the \
          default is left out; one of them is a mistake.",
    bad: "#' Add one\n#' @param x Character string, the number\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x = 1) x + 1\n",
    good: GOOD,
};

pub(crate) static GUESSED_TYPE: Rule = Rule {
    code: "TC162",
    name: "guessed-type",
    severity: Severity::Note,
    why: "The text does not begin with a type and there is no default to go by, so the type is guessed from \
          later words, or taken as `string`. Begin the text with the type.",
    bad: "#' Add one\n#' @param x the value\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n",
    good: GOOD,
};

pub(crate) static FOREIGN_TYPE: Rule = Rule {
    code: "TC163",
    name: "foreign-type",
    severity: Severity::Warning,
    why: "Functions and environments cannot be sent as JSON. Give such a parameter a default and a name that \
          begins with a dot: callers will not see it.",
    bad: "#' Apply it\n#' @param f Function, what to apply\n#' @examples apply_it(identity)\n#' @keywords mcp-tool\napply_it <- function(f) f(1)\n",
    good: GOOD,
};

pub(crate) static UNBALANCED: Rule = Rule {
    code: "TC164",
    name: "unbalanced-markup",
    severity: Severity::Warning,
    why: "A brace of the markup is never closed, so it is not known where the command ends.",
    bad: "#' Add one\n#' @param x Numeric, the \\code{number\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n",
    good: GOOD,
};

pub(crate) static UNFIT_EXAMPLE: Rule = Rule {
    code: "TC165",
    name: "unfit-example",
    severity: Severity::Warning,
    why: "An example in the text of a parameter is no value of the parameter's type, or none of its choices. \
          It is left out rather than shown to a model that would imitate it.",
    bad: "#' Add one\n#' @param x Numeric, the number. Example values: \\code{\"one\"}\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n",
    good: GOOD,
};

pub(crate) static UNDESCRIBED: Rule = Rule {
    code: "TC166",
    name: "undescribed-function",
    severity: Severity::Warning,
    why: "A model chooses tools by their descriptions. Begin the block with a title, and say more behind \
          `@description`.",
    bad: "#' @param x Numeric, the number\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n",
    good: GOOD,
};

pub(crate) static NO_EXAMPLES: Rule = Rule {
    code: "TC167",
    name: "no-examples",
    severity: Severity::Warning,
    why: "The format asks for code that uses the function, with its output. Add `@examples`.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n",
    good: GOOD,
};

pub(crate) static UNKNOWN_SOURCE: Rule = Rule {
    code: "TC168",
    name: "unknown-source",
    severity: Severity::Warning,
    why: "Documentation can be inherited from functions of the same package. Other packages may not be \
          installed where this is built, and may say something else tomorrow.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @inheritParams base::sum\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n",
    good: GOOD,
};

pub(crate) static UNSUPPORTED_TAG: Rule = Rule {
    code: "TC169",
    name: "unsupported-tag",
    severity: Severity::Warning,
    why: "The tag asks R to compute documentation, or stands for text in another file. Nothing is evaluated to \
          build.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @eval more()\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n",
    good: GOOD,
};

pub(crate) static MISSING_FILE: Rule = Rule {
    code: "TC720",
    name: "missing-example-file",
    severity: Severity::Warning,
    why: "`@example` names a file with code, and `@template` one with tags, by its path in the package. It is not there, or \
          it is a template with R code in it: nothing is evaluated to build, and only the values of `@templateVar` are put in.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @examples add_one(1)\n#' @example tests/gone.R\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n",
    good: GOOD,
};

pub(crate) static DUPLICATE_FUNCTION: Rule = Rule {
    code: "TC721",
    name: "duplicate-function",
    severity: Severity::Warning,
    why: "Two functions of one name are marked as tools. R keeps the one that it reads last, and so does the tool.",
    bad: "#' Add one\n#' @examples f(1)\n#' @keywords mcp-tool\nf <- function() 1\n#' Add two\n#' @examples f(1)\n#' @keywords mcp-tool\nf <- function() 2\n",
    good: GOOD,
};

pub(crate) static HIDDEN_REQUIRED: Rule = Rule {
    code: "TC722",
    name: "hidden-required",
    severity: Severity::Warning,
    why: "A parameter whose name begins with a dot is hidden, so that nobody can give it. Without a default, the \
          function fails as soon as it uses it. Only `.state_env` is provided.",
    bad: "#' Add one\n#' @param .x Numeric, the number\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(.x) .x + 1\n",
    good: GOOD,
};
