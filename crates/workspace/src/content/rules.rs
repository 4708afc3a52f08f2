//! The rules for `[content]`.

use catalog::{Rule, Severity};

pub(crate) static BAD_NAME: Rule = Rule {
    code: "TC701",
    name: "unwritable-content-name",
    severity: Severity::Error,
    why: "Documents are selected by expressions such as `lang/python,docs`, in which `,`, `+`, `/`, `!` and spaces have a \
          meaning. No expression can refer to a category or collection whose name contains one of them. A name has 1 to \
          64 ASCII letters, digits, `_`, `-` and `.`, and starts with a letter or digit.",
    bad: "[content.categories.\"c,c++\"]\ndir = \".\"\n",
    good: "[content.categories.cpp]\ndir = \".\"\n",
};

pub(crate) static MISSING_FOLDER: Rule = Rule {
    code: "TC702",
    name: "missing-content-folder",
    severity: Severity::Error,
    why: "A category is a folder, relative to the crib. If the folder does not exist, the category has no documents.",
    bad: "[content.categories.lang]\ndir = \"no/such/folder\"\n",
    good: "[content.categories.lang]\ndir = \".\"\n",
};

pub(crate) static BROKEN_PATTERN: Rule = Rule {
    code: "TC703",
    name: "broken-content-pattern",
    severity: Severity::Error,
    why: "The patterns of a category are globs for paths in its folder: `*` matches within one folder, `**` at any depth, \
          and `{a,b}` either alternative. An invalid pattern, or one that leaves the folder, is ignored.",
    bad: "[content.categories.lang]\ndir = \".\"\npatterns = [\"../*.md\"]\n",
    good: "[content.categories.lang]\ndir = \".\"\npatterns = [\"*.md\", \"!draft*\"]\n",
};

pub(crate) static BROKEN_COLLECTION: Rule = Rule {
    code: "TC704",
    name: "broken-collection",
    severity: Severity::Error,
    why: "A collection is a list of expressions over categories and other collections. If it refers to an unknown name or \
          contains itself, documents are missing from it. Often a category was renamed.",
    bad: "[content.categories.lang]\ndir = \".\"\n\n[content.collections.start]\nitems = [\"language/python\"]\n",
    good: "[content.categories.lang]\ndir = \".\"\n\n[content.collections.start]\nitems = [\"lang/python\"]\n",
};

pub(crate) static AMBIGUOUS_NAME: Rule = Rule {
    code: "TC705",
    name: "ambiguous-content-name",
    severity: Severity::Error,
    why: "A name in an expression refers to one thing. If a category and a collection have the same name, it refers to the \
          category, and the collection cannot be selected.",
    bad: "[content.categories.lang]\ndir = \".\"\n\n[content.collections.lang]\nitems = [\"lang/python\"]\n",
    good: "[content.categories.lang]\ndir = \".\"\n\n[content.collections.languages]\nitems = [\"lang/python\"]\n",
};
