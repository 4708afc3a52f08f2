//! Problems of YAML as a text.

use catalog::{Rule, Severity};

const GOOD: &str = "name: stats-mean\ndescription: The mean of numbers\nparameters:\n  type: object\n  properties:\n    x:\n      \
                    type: array\n      items: {type: number}\n      description: the numbers\n  required: [x]\n\
                    implementation_example: mean(1:3)\n";

pub(crate) static BROKEN_YAML: Rule = Rule {
    code: "TC015",
    name: "broken-yaml",
    severity: Severity::Error,
    why: "The text is not YAML from this place on, so nothing of the file is used. The commonest reasons are a text with a \
          colon or a quote in it that is not quoted, a tab, and a line that is indented too much or too little.",
    bad: "name: stats-mean\ndescription: The mean: of numbers\n",
    good: GOOD,
};

pub(crate) static UNKNOWN_TAG: Rule = Rule {
    code: "TC016",
    name: "unknown-tag",
    severity: Severity::Warning,
    why: "A tag such as `!expr` asks the reader to make something of a value, to evaluate it as R perhaps. Nothing is \
          evaluated while definitions are read: the value is taken as text. Write the value itself.",
    bad: "name: stats-mean\ndescription: !expr paste('The', 'mean')\nparameters:\n  type: object\n  properties: {}\n\
          implementation_example: mean(1:3)\n",
    good: GOOD,
};

pub(crate) static SECOND_DOCUMENT: Rule = Rule {
    code: "TC017",
    name: "second-document",
    severity: Severity::Warning,
    why: "`---` begins a new document, and a file holds one tool: what follows is not read.",
    bad: "name: stats-mean\ndescription: The mean of numbers\nparameters:\n  type: object\n  properties: {}\n\
          implementation_example: mean(1:3)\n---\nname: stats-median\n",
    good: GOOD,
};
