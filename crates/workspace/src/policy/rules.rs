//! The rules for `[[policy]]`.

use catalog::{Rule, Severity};

/// An invalid clause.
pub(crate) static BROKEN_POLICY: Rule = Rule {
    code: "TC604",
    name: "broken-policy",
    severity: Severity::Error,
    why: "A policy decides which calls run without a person, so an invalid clause is never skipped: `serve` does not start \
          with it, and a running server keeps its current configuration. `tools` is a glob with `*` and `?`, \
          `when` is CEL over `args` and `tool`, `do` is `allow`, `ask` or `deny`, and `until` is a date.",
    bad: "[[policy]]\ntools = \"git_push\"\nwhen = \"args.force = true\"\ndo = \"ask\"\n",
    good: "[[policy]]\ntools = \"git_push\"\nwhen = \"has(args.force) && args.force\"\ndo = \"ask\"\n",
};

/// A clause that matches no tool.
pub(crate) static USELESS_POLICY: Rule = Rule {
    code: "TC605",
    name: "useless-policy",
    severity: Severity::Warning,
    why: "No tool of the crib has a name that matches `tools`, so the clause has no effect. If it was meant to deny a \
          tool, that tool is not denied. The name is probably misspelled.",
    bad: "[[policy]]\ntools = \"gti_*\"\ndo = \"deny\"\n",
    good: "[[policy]]\ntools = \"git_*\"\ndo = \"deny\"\n",
};

/// An expired clause.
pub(crate) static EXPIRED_POLICY: Rule = Rule {
    code: "TC606",
    name: "expired-policy",
    severity: Severity::Note,
    why: "The date in `until` has passed, so the clause has no effect. Remove it, or give it a later date.",
    bad: "[[policy]]\ntools = \"git_*\"\ndo = \"ask\"\nuntil = 2020-01-31\n",
    good: "[[policy]]\ntools = \"git_*\"\ndo = \"ask\"\nuntil = 2999-01-31\n",
};

/// A permanent permission for a dangerous tool.
pub(crate) static LASTING_PERMISSION: Rule = Rule {
    code: "TC607",
    name: "lasting-permission",
    severity: Severity::Warning,
    why: "The annotations of the tool require approval, and this clause disables that permanently. Permissions are easily \
          forgotten; `until` makes sure that this one is reviewed.",
    bad: "[[policy]]\ntools = \"git_push\"\ndo = \"allow\"\n",
    good: "[[policy]]\ntools = \"git_push\"\ndo = \"allow\"\nuntil = 2999-01-31\n",
};

/// A condition that fails for calls without an optional argument.
pub(crate) static PRESUMED_ARGUMENT: Rule = Rule {
    code: "TC608",
    name: "presumed-argument",
    severity: Severity::Note,
    why: "A condition that reads an absent argument fails, and a failing condition matches for `ask` and `deny`, to be on \
          the safe side. If the clause should not match calls without the argument, test first whether it is present.",
    bad: "[[policy]]\ntools = \"git_push\"\nwhen = \"args.force == true\"\ndo = \"ask\"\n",
    good: "[[policy]]\ntools = \"git_push\"\nwhen = \"args.?force.orValue(false) == true\"\ndo = \"ask\"\n",
};
