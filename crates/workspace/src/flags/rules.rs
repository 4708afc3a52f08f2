//! The rules for `[flags]` and `[[switch]]`.

use catalog::{Rule, Severity};

/// An invalid flag name or value.
pub(crate) static BROKEN_FLAG: Rule = Rule {
    code: "TC620",
    name: "broken-flag",
    severity: Severity::Error,
    why: "A flag is true, false, a string, a list of strings, or a map of strings and lists of strings; numbers are written \
          as strings. Its name has 1 to 100 letters, digits, `_`, `-` and `.`. With any other flag, `serve` does not start, \
          and a running server keeps its current configuration.",
    bad: "[flags]\nretries = 3\n",
    good: "[flags]\nretries = \"3\"\n",
};

/// An invalid switch.
pub(crate) static BROKEN_SWITCH: Rule = Rule {
    code: "TC621",
    name: "broken-switch",
    severity: Severity::Error,
    why: "A `[[switch]]` names a flag and, by a glob for names or a category, the tools that are served only while the flag has \
          the value in `is`, by default true. An invalid switch is never ignored, because it may be meant to hide tools.",
    bad: "[[switch]]\nflag = \"git-tools\"\n",
    good: "[[switch]]\nflag = \"git-tools\"\ntools = \"git_*\"\n",
};

/// A switch that matches no tool.
pub(crate) static USELESS_SWITCH: Rule = Rule {
    code: "TC622",
    name: "useless-switch",
    severity: Severity::Warning,
    why: "No defined tool has a matching name or category, so the switch has no effect. The name is probably misspelled. \
          Flags do not switch built-in tools; the sections of `toolcrib.toml` enable those.",
    bad: "[[switch]]\nflag = \"git-tools\"\ntools = \"gti_*\"\n",
    good: "[[switch]]\nflag = \"git-tools\"\ntools = \"git_*\"\n",
};
