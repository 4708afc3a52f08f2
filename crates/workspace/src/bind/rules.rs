//! The rules for `[[bind]]`.

use catalog::{Rule, Severity};

/// A clause without effect.
pub(crate) static USELESS_BIND: Rule = Rule {
    code: "TC603",
    name: "useless-bind",
    severity: Severity::Warning,
    why: "A `[[bind]]` gives an implementation to tools whose definition has none. A clause that matches no such tool, or \
          only tools that an earlier clause has bound, has no effect. The name is probably misspelled.",
    bad: "[[bind]]\ntools = \"cuont_*\"\ncommand = [\"wc\", \"-l\"]\n",
    good: "[[bind]]\ntools = \"count_*\"\ncommand = [\"wc\", \"-l\"]\n",
};

/// An invalid clause.
pub(crate) static BROKEN_BIND: Rule = Rule {
    code: "TC820",
    name: "broken-bind",
    severity: Severity::Error,
    why: "A `[[bind]]` has a glob for names and exactly one of `python`, `command` and `tool`. With an invalid clause, \
          `serve` does not start, and a running server keeps its current configuration.",
    bad: "[[bind]]\ntools = \"count_*\"\npython = \"count lines\"\n",
    good: "[[bind]]\ntools = \"count_*\"\npython = \"counting.lines\"\n",
};

/// A tool that two clauses match.
pub(crate) static SHADOWED_BIND: Rule = Rule {
    code: "TC821",
    name: "shadowed-bind",
    severity: Severity::Note,
    why: "Two `[[bind]]` match the same tool. The first one in the file applies, so write exceptions before the general \
          clause.",
    bad: "[[bind]]\ntools = \"count_*\"\npython = \"counting\"\n\n[[bind]]\ntools = \"*\"\npython = \"others\"\n",
    good: "[[bind]]\ntools = \"count_*\"\npython = \"counting\"\n\n[[bind]]\ntools = \"other_*\"\npython = \"others\"\n",
};

/// A tool that is bound to a missing tool.
pub(crate) static UNKNOWN_TARGET: Rule = Rule {
    code: "TC822",
    name: "unknown-target",
    severity: Severity::Error,
    why: "`tool` in a `[[bind]]` names a tool of the crib that is called instead. If it does not exist or has no \
          implementation itself, the tools bound to it are documented but not served.",
    bad: "[[bind]]\ntools = \"count_*\"\ntool = \"word_count\"\n",
    good: "[[bind]]\ntools = \"count_*\"\ntool = \"list_files\"\n",
};

/// Tools that are bound to each other in a cycle.
pub(crate) static CIRCULAR_BIND: Rule = Rule {
    code: "TC823",
    name: "circular-bind",
    severity: Severity::Error,
    why: "A tool is bound to a tool that is bound to the first one, directly or through others. A call would never end, so \
          none of them is served.",
    bad: "[[bind]]\ntools = \"count_*\"\ntool = \"count_lines\"\n",
    good: "[[bind]]\ntools = \"count_*\"\ntool = \"list_files\"\n",
};

/// A tool whose name gives no Python function.
pub(crate) static NO_FUNCTION_NAME: Rule = Rule {
    code: "TC824",
    name: "no-function-name",
    severity: Severity::Error,
    why: "`python = \"module\"` binds a tool to the function with the last part of its name. If that is not a valid Python \
          identifier, name the function with `python = \"module:function\"`. Until then the tool is documented but not \
          served.",
    bad: "[[bind]]\ntools = \"other.2d\"\npython = \"shapes\"\n",
    good: "[[bind]]\ntools = \"other.2d\"\npython = \"shapes:two_dimensional\"\n",
};

/// A missing folder of Python modules.
pub(crate) static NO_MODULE_FOLDER: Rule = Rule {
    code: "TC825",
    name: "no-module-folder",
    severity: Severity::Warning,
    why: "`path` in a `[[bind]]` lists the folders to search for Python modules, relative to the crib. One of them does not \
          exist.",
    bad: "[[bind]]\ntools = \"count_*\"\npython = \"counting\"\npath = [\"scr\"]\n",
    good: "[[bind]]\ntools = \"count_*\"\npython = \"counting\"\npath = [\".\"]\n",
};
