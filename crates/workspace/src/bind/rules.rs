//! What can be wrong with a `[[bind]]`.

use catalog::{Rule, Severity};

/// A clause that does nothing.
pub(crate) static USELESS_BIND: Rule = Rule {
    code: "TC603",
    name: "useless-bind",
    severity: Severity::Warning,
    why: "A `[[bind]]` says what runs tools whose definition does not say it. One that matches no such tool, or only tools \
          that an earlier one has bound already, does nothing: probably the name is misspelled.",
    bad: "[[bind]]\ntools = \"cuont_*\"\ncommand = [\"wc\", \"-l\"]\n",
    good: "[[bind]]\ntools = \"count_*\"\ncommand = [\"wc\", \"-l\"]\n",
};

/// A clause that cannot be used.
pub(crate) static BROKEN_BIND: Rule = Rule {
    code: "TC820",
    name: "broken-bind",
    severity: Severity::Error,
    why: "A `[[bind]]` has a glob over names and exactly one of `python`, `command` and `tool`. One that is not understood \
          is not guessed at: `serve` does not start with it, and a running server keeps the configuration it has.",
    bad: "[[bind]]\ntools = \"count_*\"\npython = \"count lines\"\n",
    good: "[[bind]]\ntools = \"count_*\"\npython = \"counting.lines\"\n",
};

/// A tool for which two clauses are written.
pub(crate) static SHADOWED_BIND: Rule = Rule {
    code: "TC821",
    name: "shadowed-bind",
    severity: Severity::Note,
    why: "Two `[[bind]]` match the same tool. The first one in the file counts, so that an exception stands before what it \
          is an exception from.",
    bad: "[[bind]]\ntools = \"count_*\"\npython = \"counting\"\n\n[[bind]]\ntools = \"*\"\npython = \"others\"\n",
    good: "[[bind]]\ntools = \"count_*\"\npython = \"counting\"\n\n[[bind]]\ntools = \"other_*\"\npython = \"others\"\n",
};

/// A tool that is bound to what is not there.
pub(crate) static UNKNOWN_TARGET: Rule = Rule {
    code: "TC822",
    name: "unknown-target",
    severity: Severity::Error,
    why: "`tool` in a `[[bind]]` names a tool of the crib that is called instead. Where there is none of that name, or it has \
          nothing that runs it either, the tools that are bound to it are documented and not served.",
    bad: "[[bind]]\ntools = \"count_*\"\ntool = \"word_count\"\n",
    good: "[[bind]]\ntools = \"count_*\"\ntool = \"list_files\"\n",
};

/// Tools that are bound to each other.
pub(crate) static CIRCULAR_BIND: Rule = Rule {
    code: "TC823",
    name: "circular-bind",
    severity: Severity::Error,
    why: "A tool is bound to a tool that is bound to the first one, perhaps by way of others. A call of one of them would \
          never come to an end, so none of them is served.",
    bad: "[[bind]]\ntools = \"count_*\"\ntool = \"count_lines\"\n",
    good: "[[bind]]\ntools = \"count_*\"\ntool = \"list_files\"\n",
};

/// A Python function that cannot be there.
pub(crate) static NO_FUNCTION_NAME: Rule = Rule {
    code: "TC824",
    name: "no-function-name",
    severity: Severity::Error,
    why: "`python = \"module\"` binds a tool to the function that is called like the last part of its name. Where that is no \
          name that a Python function can have, `python = \"module:function\"` says which one is meant. Until then the tool \
          is documented and not served.",
    bad: "[[bind]]\ntools = \"other.2d\"\npython = \"shapes\"\n",
    good: "[[bind]]\ntools = \"other.2d\"\npython = \"shapes:two_dimensional\"\n",
};

/// A folder that is not there.
pub(crate) static NO_MODULE_FOLDER: Rule = Rule {
    code: "TC825",
    name: "no-module-folder",
    severity: Severity::Warning,
    why: "`path` in a `[[bind]]` lists folders in which modules of Python are looked for, relative to the crib. One that is \
          not there has none.",
    bad: "[[bind]]\ntools = \"count_*\"\npython = \"counting\"\npath = [\"scr\"]\n",
    good: "[[bind]]\ntools = \"count_*\"\npython = \"counting\"\npath = [\".\"]\n",
};
