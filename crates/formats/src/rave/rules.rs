//! Problems of RAVE files.

use catalog::{Rule, Severity};

pub(super) static RULES: &[&Rule] = &[
    &NO_PACKAGE,
    &UNTYPED,
    &MENDED_VALUE,
    &UNFIT_VALUE,
    &HIDDEN_PARAMETER,
    &PHANTOM_REQUIRED,
    &MISSING_EXAMPLE,
];

const GOOD: &str = "name: stats-mean\ndescription: The mean of numbers\nparameters:\n  type: object\n  properties:\n    trim:\n      \
                    type: number\n      description: what to leave out\n      default: 0\n      examples: [0.1]\n  \
                    required: []\nimplementation_example: mean(1:3)\n";

pub(crate) static NO_PACKAGE: Rule = Rule {
    code: "TC140",
    name: "no-package",
    severity: Severity::Warning,
    why: "The first hyphen of a name stands between the R package and the function, in the tool's name or in the name of its \
          file. Without a package there is nothing to call: the tool is documented and not served.",
    bad: "name: mean\ndescription: The mean of numbers\nparameters:\n  type: object\n  properties: {}\n\
          implementation_example: mean(1:3)\n",
    good: GOOD,
};

pub(crate) static UNTYPED: Rule = Rule {
    code: "TC141",
    name: "untyped-value",
    severity: Severity::Warning,
    why: "The format asks for a `type` beside choices, and for the `items` of every array. Without them nothing is checked \
          before R is called, and what arrives in R depends on how the caller spelled the value: an array may become a list.",
    bad: "name: stats-mean\ndescription: The mean of numbers\nparameters:\n  type: object\n  properties:\n    trim:\n      \
          type: array\n      description: what to leave out\nimplementation_example: mean(1:3)\n",
    good: GOOD,
};

pub(crate) static MENDED_VALUE: Rule = Rule {
    code: "TC142",
    name: "mended-value",
    severity: Severity::Note,
    why: "Generators of this format write numbers as text, lists of one as their item, and lists with names as objects. \
          What is meant is clear, and it is read as meant. `toolcrib build` writes it well.",
    bad: "name: stats-mean\ndescription: The mean of numbers\nparameters:\n  type: object\n  properties:\n    trim:\n      \
          type: number\n      description: what to leave out\n      examples: ['0.1']\nimplementation_example: mean(1:3)\n",
    good: GOOD,
};

pub(crate) static UNFIT_VALUE: Rule = Rule {
    code: "TC143",
    name: "unfit-value",
    severity: Severity::Warning,
    why: "A default, choice or example is no value of the parameter's type: an array cut to its first value, for example. It \
          is left out rather than shown to a model that would imitate it. A default that is left out is still R's own.",
    bad: "name: stats-mean\ndescription: The mean of numbers\nparameters:\n  type: object\n  properties:\n    trim:\n      \
          type: number\n      description: what to leave out\n      default: nothing\nimplementation_example: mean(1:3)\n",
    good: GOOD,
};

pub(crate) static HIDDEN_PARAMETER: Rule = Rule {
    code: "TC144",
    name: "hidden-parameter",
    severity: Severity::Warning,
    why: "A parameter whose name begins with a dot is provided by the server, the session's state in `.state_env` for \
          example. A caller must not see or set it, so it is left out.",
    bad: "name: stats-mean\ndescription: The mean of numbers\nparameters:\n  type: object\n  properties:\n    .state_env:\n      \
          type: object\n      description: the state\nimplementation_example: mean(1:3)\n",
    good: GOOD,
};

pub(crate) static PHANTOM_REQUIRED: Rule = Rule {
    code: "TC145",
    name: "phantom-required",
    severity: Severity::Warning,
    why: "`required` names the parameters that must be given, each once. A name that is no parameter could never be given, so \
          that no call would be accepted; it is left out.",
    bad: "name: stats-mean\ndescription: The mean of numbers\nparameters:\n  type: object\n  properties: {}\n  required: [x]\n\
          implementation_example: mean(1:3)\n",
    good: GOOD,
};

pub(crate) static MISSING_EXAMPLE: Rule = Rule {
    code: "TC146",
    name: "missing-example",
    severity: Severity::Note,
    why: "The format asks for an `implementation_example`: code that uses the function, with its output. People read it in \
          `toolcrib show` and on the tool's page. Add `@examples` to the function's documentation and build again.",
    bad: "name: stats-mean\ndescription: The mean of numbers\nparameters:\n  type: object\n  properties: {}\n",
    good: GOOD,
};
