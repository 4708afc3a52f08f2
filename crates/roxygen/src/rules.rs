//! The problems that compiling can find.
//!
//! Only blocks with `@keywords mcp-tool` are checked, apart from syntax errors and misspelled
//! keywords.

use catalog::{Rule, Severity};

const GOOD: &str = "#' Add one\n#' @param x Numeric, the number\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n";

/// Every problem that compiling can find, by code.
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
    &UNKNOWN_TYPE,
];

pub(crate) static BROKEN_R: Rule = Rule {
    code: "TC150",
    name: "broken-r",
    severity: Severity::Error,
    why: "R cannot parse this place, so the code after it may be misread. A function whose own \
          formals are broken does not become a tool.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n)\n",
    good: GOOD,
};

pub(crate) static NO_FUNCTION: Rule = Rule {
    code: "TC151",
    name: "no-function",
    severity: Severity::Error,
    why: "A block with `@keywords mcp-tool` must be followed by a function definition: `name \
          <- function(x)`, also with `=` or `\\(x)`. The formals of a function that another \
          function returns are known to R only.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- Vectorize(one)\n",
    good: GOOD,
};

pub(crate) static INTERRUPTED_BLOCK: Rule = Rule {
    code: "TC152",
    name: "interrupted-block",
    severity: Severity::Note,
    why: "There is an empty line or another comment inside the block. It is read as one block, \
          as in roxygen2; other builders of this format lose everything above the gap.",
    bad: "#' Add one\n\n#' @param x Numeric, the number\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n",
    good: GOOD,
};

pub(crate) static UNKNOWN_KEYWORD: Rule = Rule {
    code: "TC153",
    name: "unknown-keyword",
    severity: Severity::Warning,
    why: "An unknown keyword that begins with `mcp`, or that follows a misspelled `@keywords`, \
          is probably a mistake. If it resembles a safety keyword, also without `mcp-` next to \
          `mcp-tool`, it is an error and no tool is built, because the tool would lose its \
          protection.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @examples add_one(1)\n#' @keywords mcp-tool mcp-colour-red\nadd_one <- function(x) x + 1\n",
    good: GOOD,
};

pub(crate) static SEVERAL_CATEGORIES: Rule = Rule {
    code: "TC154",
    name: "several-categories",
    severity: Severity::Warning,
    why: "A tool has one category. The last one is used.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @examples add_one(1)\n#' @keywords mcp-tool mcp-category-a mcp-category-b\nadd_one <- function(x) x + 1\n",
    good: GOOD,
};

pub(crate) static UNDOCUMENTED: Rule = Rule {
    code: "TC155",
    name: "undocumented-parameter",
    severity: Severity::Warning,
    why: "A model chooses arguments by their descriptions. Callers can give the parameter, \
          with a type that is inferred from its default.",
    bad: "#' Add one\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x = 1) x + 1\n",
    good: GOOD,
};

pub(crate) static PHANTOM_PARAM: Rule = Rule {
    code: "TC156",
    name: "phantom-parameter",
    severity: Severity::Warning,
    why: "The documentation describes a parameter that neither the function nor another one on \
          the same page has. R would reject it, so it is left out. One of the two was probably \
          renamed.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @param y Numeric, the other\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n",
    good: GOOD,
};

pub(crate) static DUPLICATE_PARAM: Rule = Rule {
    code: "TC157",
    name: "duplicate-param",
    severity: Severity::Warning,
    why: "A parameter is documented twice in one block. The last text is used.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @param x Numeric, a number\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n",
    good: GOOD,
};

pub(crate) static DOTS: Rule = Rule {
    code: "TC158",
    name: "dots",
    severity: Severity::Note,
    why: "The arguments that a function takes as `...` have no names that a schema could list, \
          so callers cannot give them.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @param ... Numeric, more\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x, ...) x + 1\n",
    good: GOOD,
};

pub(crate) static COMPUTED_DEFAULT: Rule = Rule {
    code: "TC159",
    name: "computed-default",
    severity: Severity::Note,
    why: "`build` evaluates nothing, so the value of a computed default is unknown. Its code \
          is kept as a comment in the schema, and R evaluates it if the argument is left out. \
          Explain in the text what it amounts to.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x = 1 / 3) x + 1\n",
    good: GOOD,
};

pub(crate) static MISSING_VALUE: Rule = Rule {
    code: "TC160",
    name: "missing-value-default",
    severity: Severity::Note,
    why: "`NA`, `NaN` and `Inf` have no JSON value. The default is left out of the definition; \
          R still uses it.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x = Inf) x + 1\n",
    good: GOOD,
};

pub(crate) static UNFIT_DEFAULT: Rule = Rule {
    code: "TC161",
    name: "unfit-default",
    severity: Severity::Warning,
    why: "The default does not have the type that the text begins with. The text is used, and \
          the default is left out; one of them is a mistake.",
    bad: "#' Add one\n#' @param x Character string, the number\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x = 1) x + 1\n",
    good: GOOD,
};

pub(crate) static GUESSED_TYPE: Rule = Rule {
    code: "TC162",
    name: "guessed-type",
    severity: Severity::Note,
    why: "The text does not begin with a type, and there is no default to infer it from. The \
          type comes from bounds or from the first type word in the text; otherwise it is \
          `string`. Begin the text with the type.",
    bad: "#' Add one\n#' @param x the value\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n",
    good: GOOD,
};

pub(crate) static FOREIGN_TYPE: Rule = Rule {
    code: "TC163",
    name: "foreign-type",
    severity: Severity::Warning,
    why: "Functions and environments cannot be sent as JSON. Give such a parameter a default \
          and a name that begins with a dot to hide it from callers.",
    bad: "#' Apply it\n#' @param f Function, what to apply\n#' @examples apply_it(identity)\n#' @keywords mcp-tool\napply_it <- function(f) f(1)\n",
    good: GOOD,
};

pub(crate) static UNBALANCED: Rule = Rule {
    code: "TC164",
    name: "unbalanced-markup",
    severity: Severity::Warning,
    why: "A brace of the markup is never closed, so the end of the command is unknown.",
    bad: "#' Add one\n#' @param x Numeric, the \\code{number\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n",
    good: GOOD,
};

pub(crate) static UNFIT_EXAMPLE: Rule = Rule {
    code: "TC165",
    name: "unfit-example",
    severity: Severity::Warning,
    why: "An example in the text of a parameter does not have the parameter's type, or is not \
          one of its choices. It is left out, because a model would imitate it.",
    bad: "#' Add one\n#' @param x Numeric, the number. Example values: \\code{\"one\"}\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n",
    good: GOOD,
};

pub(crate) static UNDESCRIBED: Rule = Rule {
    code: "TC166",
    name: "undescribed-function",
    severity: Severity::Warning,
    why: "A model chooses tools by their descriptions. Begin the block with a title, and add \
          more after `@description`.",
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
    why: "Documentation can be inherited from the same package only. Other packages may not be \
          installed on the machine that builds, and their documentation may change.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @inheritParams base::sum\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n",
    good: GOOD,
};

pub(crate) static UNSUPPORTED_TAG: Rule = Rule {
    code: "TC169",
    name: "unsupported-tag",
    severity: Severity::Warning,
    why: "The tag asks R to compute documentation, or includes another file. `build` evaluates \
          nothing.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @eval more()\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n",
    good: GOOD,
};

pub(crate) static MISSING_FILE: Rule = Rule {
    code: "TC720",
    name: "missing-example-file",
    severity: Severity::Warning,
    why: "`@example` names a file with code, and `@template` a file with tags, by its path in \
          the package. The file does not exist, or it is a template with R code: `build` \
          evaluates nothing and only inserts the values of `@templateVar`.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @examples add_one(1)\n#' @example tests/gone.R\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n",
    good: GOOD,
};

pub(crate) static DUPLICATE_FUNCTION: Rule = Rule {
    code: "TC721",
    name: "duplicate-function",
    severity: Severity::Warning,
    why: "Two functions with the same name are marked as tools. R keeps the one that it reads \
          last, and so does `build`.",
    bad: "#' Add one\n#' @examples f(1)\n#' @keywords mcp-tool\nf <- function() 1\n#' Add two\n#' @examples f(1)\n#' @keywords mcp-tool\nf <- function() 2\n",
    good: GOOD,
};

pub(crate) static HIDDEN_REQUIRED: Rule = Rule {
    code: "TC722",
    name: "hidden-required",
    severity: Severity::Warning,
    why: "A parameter whose name begins with a dot is hidden from callers. Without a default, \
          the function fails as soon as it uses it. Only `.state_env` is provided.",
    bad: "#' Add one\n#' @param .x Numeric, the number\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(.x) .x + 1\n",
    good: GOOD,
};

pub(crate) static UNKNOWN_TYPE: Rule = Rule {
    code: "TC723",
    name: "unknown-type-override",
    severity: Severity::Warning,
    why: "`@mcp-type NAME TYPE` sets the type of a parameter where the text of `@param` states none, \
          or another one. Types are written as in `@param`: `integer`, `character vector`, `data \
          frame`, `number or NULL`.",
    bad: "#' Add one\n#' @param x Numeric, the number\n#' @mcp-type x thing\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n",
    good: "#' Add one\n#' @param x The number\n#' @mcp-type x numeric\n#' @examples add_one(1)\n#' @keywords mcp-tool\nadd_one <- function(x) x + 1\n",
};
