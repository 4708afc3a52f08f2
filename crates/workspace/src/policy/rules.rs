//! What can be wrong with a `[[policy]]`.

use catalog::{Rule, Severity};

/// A clause that cannot be used.
pub(crate) static BROKEN_POLICY: Rule = Rule {
    code: "TC604",
    name: "broken-policy",
    severity: Severity::Error,
    why: "A policy decides which calls run without a person. One that is not understood is not guessed at: `serve` does \
          not start with it, and a running server keeps the configuration it has. `tools` is a glob with `*` and `?`, \
          `when` is CEL over `args` and `tool`, `do` is `allow`, `ask` or `deny`, and `until` is a date.",
    bad: "[[policy]]\ntools = \"git_push\"\nwhen = \"args.force = true\"\ndo = \"ask\"\n",
    good: "[[policy]]\ntools = \"git_push\"\nwhen = \"has(args.force) && args.force\"\ndo = \"ask\"\n",
};

/// A clause for tools that are not there.
pub(crate) static USELESS_POLICY: Rule = Rule {
    code: "TC605",
    name: "useless-policy",
    severity: Severity::Warning,
    why: "No tool of the crib has a name that fits `tools`, so the clause does nothing. If it was meant to deny something, \
          that is now not denied: probably the name is misspelled.",
    bad: "[[policy]]\ntools = \"gti_*\"\ndo = \"deny\"\n",
    good: "[[policy]]\ntools = \"git_*\"\ndo = \"deny\"\n",
};

/// A clause that does not count any more.
pub(crate) static EXPIRED_POLICY: Rule = Rule {
    code: "TC606",
    name: "expired-policy",
    severity: Severity::Note,
    why: "The day in `until` is over, and the clause counts as if it were not there. Remove it, or give it a later date.",
    bad: "[[policy]]\ntools = \"git_*\"\ndo = \"ask\"\nuntil = 2020-01-31\n",
    good: "[[policy]]\ntools = \"git_*\"\ndo = \"ask\"\nuntil = 2999-01-31\n",
};

/// A permission for something dangerous that never ends.
pub(crate) static LASTING_PERMISSION: Rule = Rule {
    code: "TC607",
    name: "lasting-permission",
    severity: Severity::Warning,
    why: "The tool is marked so that a person is asked, and this clause takes the question away for good. Permissions are \
          easily forgotten; with `until`, somebody looks at this one again.",
    bad: "[[policy]]\ntools = \"git_push\"\ndo = \"allow\"\n",
    good: "[[policy]]\ntools = \"git_push\"\ndo = \"allow\"\nuntil = 2999-01-31\n",
};

/// A condition that fails for calls without an argument.
pub(crate) static PRESUMED_ARGUMENT: Rule = Rule {
    code: "TC608",
    name: "presumed-argument",
    severity: Severity::Note,
    why: "A condition that reads an absent argument fails, and a failing condition counts for `ask` and `deny`: better one \
          question too many. If calls without the argument are not meant, ask first whether it is there.",
    bad: "[[policy]]\ntools = \"git_push\"\nwhen = \"args.force == true\"\ndo = \"ask\"\n",
    good: "[[policy]]\ntools = \"git_push\"\nwhen = \"args.?force.orValue(false) == true\"\ndo = \"ask\"\n",
};
