//! What can be wrong with `[flags]` and `[[switch]]`.

use catalog::{Rule, Severity};

/// A default that no flag can have.
pub(crate) static BROKEN_FLAG: Rule = Rule {
    code: "TC620",
    name: "broken-flag",
    severity: Severity::Error,
    why: "A flag is true or false, a text, a list of texts, or a map of texts and lists of texts; numbers are written as \
          texts. Its name has 1 to 100 letters, digits, `_`, `-` and `.`. A configuration with any other is not guessed at: \
          `serve` does not start with it, and a running server keeps the one it has.",
    bad: "[flags]\nretries = 3\n",
    good: "[flags]\nretries = \"3\"\n",
};

/// A switch that cannot be used.
pub(crate) static BROKEN_SWITCH: Rule = Rule {
    code: "TC621",
    name: "broken-switch",
    severity: Severity::Error,
    why: "A `[[switch]]` names a flag and, by a glob over names or a category, the tools that are served only while the flag \
          `is` what is written, true if nothing is. One that is not understood is not guessed at: it may have been meant to \
          keep tools away.",
    bad: "[[switch]]\nflag = \"git-tools\"\n",
    good: "[[switch]]\nflag = \"git-tools\"\ntools = \"git_*\"\n",
};

/// A switch for tools that are not there.
pub(crate) static USELESS_SWITCH: Rule = Rule {
    code: "TC622",
    name: "useless-switch",
    severity: Severity::Warning,
    why: "No tool of a definition has a name or category that fits, so the switch does nothing: probably it is misspelled. \
          Built-in tools are not switched by flags; the sections of `toolcrib.toml` say which of them there are.",
    bad: "[[switch]]\nflag = \"git-tools\"\ntools = \"gti_*\"\n",
    good: "[[switch]]\nflag = \"git-tools\"\ntools = \"git_*\"\n",
};
