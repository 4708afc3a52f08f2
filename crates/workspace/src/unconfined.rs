//! Reports a configuration that disables the sandbox.

use catalog::{Diagnostic, Origin, Rule, Severity, SourceId};

use crate::Config;

/// `[confine] enabled = false`.
pub(crate) static NO_SANDBOX: Rule = Rule {
    code: "TC615",
    name: "no-sandbox",
    severity: Severity::Warning,
    why: "Without the sandbox, tools can read, change and send everything that you can, and a tool can approve its own \
          calls. Grant what a tool needs instead: `roots`, `[confine] read` and `write`, `[program.NAME]`, or `network` \
          in its definition. `toolcrib call NAME --learn` finds out what that is.",
    bad: "[confine]\nenabled = false\n",
    good: "[confine]\nread = [\"/srv/data\"]\n",
};

/// Reports `[confine] enabled = false`.
pub(crate) fn find_missing_sandbox(
    source: &SourceId,
    text: &str,
    config: &Config,
) -> Option<Diagnostic> {
    let is_off = !config.confine.enabled;
    let key = "enabled";
    let section = text.find("[confine]").unwrap_or_default();
    let at = text.get(section..).and_then(|text| text.find(key));
    let origin = at.map_or_else(
        || Origin::whole_file(source),
        |at| Origin::span(source, section + at..section + at + key.len()),
    );
    is_off.then(|| {
        Diagnostic::new(&NO_SANDBOX, origin, "tools run without a sandbox")
            .hint("remove this, and grant what the tools need")
    })
}
