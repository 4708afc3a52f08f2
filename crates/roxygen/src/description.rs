//! What a parameter's text says once its type and its examples are taken out.

use super::{plain::Plain, values};

/// How a sentence begins that only gives examples.
const EXAMPLES: [&str; 3] = ["example", "for example", "e.g."];

/// The text from `rest` on, without sentences that only give examples and without a final stop.
/// What would be empty that way is the text as it was.
pub(crate) fn describe(plain: &Plain, rest: Option<usize>) -> String {
    let body = plain.from(rest.unwrap_or(0));
    let kept = unstopped(&without_examples(&body));
    if kept.is_empty() { unstopped(&body.text) } else { kept }
}

/// A text without the stop at its end.
pub(crate) fn unstopped(text: &str) -> String {
    let text = text.trim();
    let is_needed = ["...", "etc.", "e.g.", "i.e."].iter().any(|end| text.ends_with(end));
    if is_needed { text.to_owned() } else { text.trim_end_matches('.').trim_end().to_owned() }
}

fn without_examples(body: &Plain) -> String {
    let mut kept = String::new();
    let examples = values::codes(body);
    let mut in_list = false;
    for range in body.sentences() {
        let sentence = &body.text[range.clone()];
        let start = sentence.trim_start().to_lowercase();
        let has_example =
            examples.iter().any(|code| code.start >= range.start && code.start < range.end);
        let is_heading = sentence.trim_end().ends_with(':');
        let gives_examples = EXAMPLES.iter().any(|begin| start.starts_with(begin));
        in_list = in_list && start.starts_with("- ") || gives_examples && is_heading;
        let is_left_out = in_list || gives_examples && has_example;
        if !is_left_out {
            kept.push_str(sentence);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::describe;
    use crate::plain::plain;

    fn text(marked: &str) -> String {
        let plain = plain(marked);
        describe(&plain, plain.leading_type().and_then(|phrase| phrase.rest))
    }

    #[test]
    fn types_and_examples_go_and_case_stays() {
        let documented = "Character string, the pipeline name.\n  Example values: \\code{\"power_explorer\"}, \\code{\"notch_filter\"},\n  \\code{\"wavelet_module\"}";
        assert_eq!(text(documented), "the pipeline name");
        assert_eq!(text("Integer. Max rows. Must be positive."), "Max rows. Must be positive");
        assert_eq!(text("Numeric vector: x"), "x");
        assert_eq!(
            text("Names to use (e.g., `a`). Others are ignored."),
            "Names to use (e.g., a). Others are ignored"
        );
        assert_eq!(
            text("The names.\n\nSecond paragraph, etc."),
            "The names.\n\nSecond paragraph, etc."
        );
        let advice = "Step. For example, if `by = 5`, every fifth is shown";
        assert_eq!(text(advice), advice.replace('`', ""));
        assert_eq!(text("Step. For example, see [`seq()`]."), "Step. For example, see seq()");
        assert_eq!(text("Modes.\nExamples:\n- `a`\n- `b`"), "Modes");
    }

    #[test]
    fn something_is_always_left() {
        assert_eq!(text("Character string. Example values: `x`"), "Example values: x");
        assert_eq!(text("NULL or integer"), "NULL or integer");
    }
}
