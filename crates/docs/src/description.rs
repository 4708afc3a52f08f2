//! The description of a tool as a client sees it.

use catalog::{Consent, Mode, Tool};

/// What stands in the description of every tool that needs a word of consent.
const WARNING: &str = "REQUIRES EXPLICIT USER INSTRUCTION";

/// How results of long runs can be had by every client, whatever else it can do. No push is promised here.
const LATER: &str = "A long run answers with an operation id: `await` gives its result, `status` how far it is.";

/// What a client sees: the shared guidance, the tool's own text, how the result of a long run can be
/// had, and what the tool must be told before it runs, with an empty line between.
pub fn description(tool: &Tool) -> String {
    let text = tool.description.text.trim();
    let guidance = tool.description.guidance.as_deref().unwrap_or_default().trim();
    let warning = tool.consent.as_ref().filter(|_| !text.contains(WARNING) && !guidance.contains(WARNING)).map(warning);
    let later = if tool.mode == Mode::Asynchronous && tool.is_callable() { LATER } else { "" };
    let parts = [guidance, text, later, warning.as_deref().unwrap_or_default()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

fn warning(consent: &Consent) -> String {
    let Consent { parameter, word } = consent;
    format!(
        "{WARNING}: call this only if the user has asked for exactly this, in this conversation. Say so by passing \
         `{parameter}` as `{word}`; never pass it on your own initiative, or to find out what happens."
    )
}
