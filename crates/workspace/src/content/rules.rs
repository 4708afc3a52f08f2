//! What can be wrong with `[content]`.

use catalog::{Rule, Severity};

pub(crate) static BAD_NAME: Rule = Rule {
    code: "TC701",
    name: "unwritable-content-name",
    severity: Severity::Error,
    why: "Documents are found by expressions such as `lang/python,docs`, in which `,`, `+`, `/`, `!` and blanks have a \
          meaning. A category or collection whose name has one of them could never be asked for. Names are 1 to 64 ASCII \
          letters, digits, `_`, `-` and `.`, the first a letter or digit.",
    bad: "[content.categories.\"c,c++\"]\ndir = \".\"\n",
    good: "[content.categories.cpp]\ndir = \".\"\n",
};

pub(crate) static MISSING_FOLDER: Rule = Rule {
    code: "TC702",
    name: "missing-content-folder",
    severity: Severity::Error,
    why: "A category is a folder. Without it nothing of the category can be found. The folder is relative to the crib.",
    bad: "[content.categories.lang]\ndir = \"no/such/folder\"\n",
    good: "[content.categories.lang]\ndir = \".\"\n",
};

pub(crate) static BROKEN_PATTERN: Rule = Rule {
    code: "TC703",
    name: "broken-content-pattern",
    severity: Severity::Error,
    why: "The patterns of a category are globs over the paths in its folder: `*` is anything in one folder, `**` any depth, \
          `{a,b}` either. A pattern that is no glob, or leads out of the folder, is left out.",
    bad: "[content.categories.lang]\ndir = \".\"\npatterns = [\"../*.md\"]\n",
    good: "[content.categories.lang]\ndir = \".\"\npatterns = [\"*.md\", \"!draft*\"]\n",
};

pub(crate) static BROKEN_COLLECTION: Rule = Rule {
    code: "TC704",
    name: "broken-collection",
    severity: Severity::Error,
    why: "A collection is a list of expressions over categories and other collections. One that names what is not there, \
          or contains itself, gives less than it promises; often a category was renamed.",
    bad: "[content.categories.lang]\ndir = \".\"\n\n[content.collections.start]\nitems = [\"language/python\"]\n",
    good: "[content.categories.lang]\ndir = \".\"\n\n[content.collections.start]\nitems = [\"lang/python\"]\n",
};

pub(crate) static AMBIGUOUS_NAME: Rule = Rule {
    code: "TC705",
    name: "ambiguous-content-name",
    severity: Severity::Error,
    why: "In an expression a name means one thing. If a category and a collection share it, the category is meant, and the \
          collection can never be asked for.",
    bad: "[content.categories.lang]\ndir = \".\"\n\n[content.collections.lang]\nitems = [\"lang/python\"]\n",
    good: "[content.categories.lang]\ndir = \".\"\n\n[content.collections.languages]\nitems = [\"lang/python\"]\n",
};
