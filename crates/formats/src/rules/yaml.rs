//! Problems of YAML syntax.

use catalog::{Rule, Severity};

const GOOD: &str = "name: stats-mean\ndescription: The mean of numbers\nparameters:\n  type: object\n  properties:\n    x:\n      \
                    type: array\n      items: {type: number}\n      description: the numbers\n  required: [x]\n\
                    implementation_example: mean(1:3)\n";

pub(crate) static BROKEN_YAML: Rule = Rule {
    code: "TC015",
    name: "broken-yaml",
    severity: Severity::Error,
    why: "The text is not valid YAML, so no part of the file is used. The most common causes are unquoted text with a \
          colon or a quote, a tab, and wrong indentation.",
    bad: "name: stats-mean\ndescription: The mean: of numbers\n",
    good: GOOD,
};

pub(crate) static UNKNOWN_TAG: Rule = Rule {
    code: "TC016",
    name: "unknown-tag",
    severity: Severity::Warning,
    why: "A tag such as `!expr` asks the parser to process a value, for example to evaluate it as R. Definitions are never \
          evaluated: the value is read as a string. Write the value itself.",
    bad: "name: stats-mean\ndescription: !expr paste('The', 'mean')\nparameters:\n  type: object\n  properties: {}\n\
          implementation_example: mean(1:3)\n",
    good: GOOD,
};

pub(crate) static SECOND_DOCUMENT: Rule = Rule {
    code: "TC017",
    name: "second-document",
    severity: Severity::Warning,
    why: "`---` begins a second document, but a file holds one tool: the rest is not read.",
    bad: "name: stats-mean\ndescription: The mean of numbers\nparameters:\n  type: object\n  properties: {}\n\
          implementation_example: mean(1:3)\n---\nname: stats-median\n",
    good: GOOD,
};
