//! Idempotency that is written about and not stated.

use catalog::{Diagnostic, Rule, Severity, Tool, aspect::IdempotencyClaim};

use crate::check::Report;

pub(crate) static RULE: Rule = Rule {
    code: "TC410",
    name: "unclear-idempotency",
    severity: Severity::Warning,
    why: "An agent that got no answer must know whether it may ask again. Begin with `Yes`, `No`, `Partially` or `Depends`, \
          and explain behind it; only a `Yes` is passed on to clients as a promise.",
    bad: include_str!("examples/unclear_idempotency.md"),
    good: include_str!("examples/count_lines.md"),
};

pub(crate) fn check(tool: &Tool, report: &mut Report<'_>) {
    let said = tool.aspects.as_ref().and_then(|aspects| aspects.idempotency.as_ref());
    if let Some(said) = said.filter(|said| said.claim == IdempotencyClaim::Unclear) {
        let message = "this does not say whether the tool is idempotent";
        let found = Diagnostic::new(&RULE, tool.origin_of(&said.place), message)
            .expected("Yes, No, Partially or Depends");
        report.push(
            found.hint("write `- **Idempotent**: Yes`, or another answer, before the explanation"),
        );
    }
}
