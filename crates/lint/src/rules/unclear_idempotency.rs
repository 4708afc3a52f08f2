//! Idempotency sections without a clear answer.

use catalog::{Diagnostic, Rule, Severity, Tool, spec_details::IdempotencyClaim};

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC410",
    name: "unclear-idempotency",
    severity: Severity::Warning,
    why: "An agent that got no reply must know whether it may retry. Begin with `Yes`, `No`, \
          `Partially` or `Depends`, then explain. Only `Yes` is passed on to clients as a \
          promise.",
    bad: include_str!("examples/unclear_idempotency.md"),
    good: include_str!("examples/count_lines.md"),
};

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    let said = tool.details.as_ref().and_then(|details| details.idempotency.as_ref());
    if let Some(said) = said.filter(|said| said.claim == IdempotencyClaim::Unclear) {
        let message = "this section does not state whether the tool is idempotent";
        let found = Diagnostic::new(&RULE, tool.origin_of(&said.location), message)
            .with_expected("Yes, No, Partially or Depends");
        sink.push(
            found.hint("write `- **Idempotent**: Yes`, or another answer, before the explanation"),
        );
    }
}
