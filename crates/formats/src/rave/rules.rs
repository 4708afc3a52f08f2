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
                    type: number\n      description: fraction to drop\n      default: 0\n      examples: [0.1]\n  \
                    required: []\nimplementation_example: mean(1:3)\n";

pub(crate) static NO_PACKAGE: Rule = Rule {
    code: "TC140",
    name: "no-package",
    severity: Severity::Warning,
    why: "The first hyphen of a tool's name, or of its file's name, separates the R package from the function. Without a \
          package there is no function to call: the tool is documented but not served.",
    bad: "name: mean\ndescription: The mean of numbers\nparameters:\n  type: object\n  properties: {}\n\
          implementation_example: mean(1:3)\n",
    good: GOOD,
};

pub(crate) static UNTYPED: Rule = Rule {
    code: "TC141",
    name: "untyped-value",
    severity: Severity::Warning,
    why: "The format requires a `type` next to `enum`, and `items` for every array. Without them arguments are not validated \
          before R is called, and their R type depends on the caller's spelling: an array may arrive as a list.",
    bad: "name: stats-mean\ndescription: The mean of numbers\nparameters:\n  type: object\n  properties:\n    trim:\n      \
          type: array\n      description: fraction to drop\nimplementation_example: mean(1:3)\n",
    good: GOOD,
};

pub(crate) static MENDED_VALUE: Rule = Rule {
    code: "TC142",
    name: "mended-value",
    severity: Severity::Note,
    why: "Some generators write numbers as strings, lists of one item as that item, and named vectors as objects. The meaning \
          is clear, so the value is converted. `toolcrib build` writes such values correctly.",
    bad: "name: stats-mean\ndescription: The mean of numbers\nparameters:\n  type: object\n  properties:\n    trim:\n      \
          type: number\n      description: fraction to drop\n      examples: ['0.1']\nimplementation_example: mean(1:3)\n",
    good: GOOD,
};

pub(crate) static UNFIT_VALUE: Rule = Rule {
    code: "TC143",
    name: "unfit-value",
    severity: Severity::Warning,
    why: "A default, choice or example does not have the parameter's type; an array truncated to its first item, for example. \
          It is left out, because a model would imitate it. Without a default in the schema, the default of the R function \
          applies.",
    bad: "name: stats-mean\ndescription: The mean of numbers\nparameters:\n  type: object\n  properties:\n    trim:\n      \
          type: number\n      description: fraction to drop\n      default: nothing\nimplementation_example: mean(1:3)\n",
    good: GOOD,
};

pub(crate) static HIDDEN_PARAMETER: Rule = Rule {
    code: "TC144",
    name: "hidden-parameter",
    severity: Severity::Warning,
    why: "The server provides parameters whose names begin with a dot, such as `.state_env` with the state of the session. \
          Callers must not see or set them, so they are left out.",
    bad: "name: stats-mean\ndescription: The mean of numbers\nparameters:\n  type: object\n  properties:\n    .state_env:\n      \
          type: object\n      description: the state\nimplementation_example: mean(1:3)\n",
    good: GOOD,
};

pub(crate) static PHANTOM_REQUIRED: Rule = Rule {
    code: "TC145",
    name: "phantom-required",
    severity: Severity::Warning,
    why: "`required` lists parameters, each once. A name that is not a parameter would make every call invalid, so it is left \
          out.",
    bad: "name: stats-mean\ndescription: The mean of numbers\nparameters:\n  type: object\n  properties: {}\n  required: [x]\n\
          implementation_example: mean(1:3)\n",
    good: GOOD,
};

pub(crate) static MISSING_EXAMPLE: Rule = Rule {
    code: "TC146",
    name: "missing-example",
    severity: Severity::Note,
    why: "The format requires an `implementation_example`: code that calls the function, with its output. `toolcrib show` and \
          the tool's page display it. Add `@examples` to the function's documentation and build again.",
    bad: "name: stats-mean\ndescription: The mean of numbers\nparameters:\n  type: object\n  properties: {}\n",
    good: GOOD,
};
