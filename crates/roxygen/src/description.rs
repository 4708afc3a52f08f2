//! The description of a parameter: its text without the type and without example lists.

use super::{parameter_examples::find_codes, plain_text::PlainText};

/// The text from byte `start` on, without sentences that only list examples and without a final
/// period. If that leaves nothing, the examples stay.
pub(crate) fn describe(text: &PlainText, start: usize) -> String {
    let body = text.slice_from(start);
    let description = strip_period(&remove_example_lists(&body));
    if description.is_empty() { strip_period(&body.text) } else { description }
}

/// Text without the period at its end, unless it belongs to an abbreviation.
pub(crate) fn strip_period(text: &str) -> String {
    let text = text.trim();
    let is_needed = ["...", "etc.", "e.g.", "i.e."].iter().any(|end| text.ends_with(end));
    if is_needed { text.to_owned() } else { text.trim_end_matches('.').trim_end().to_owned() }
}

/// `Example values: "a", "b"` becomes `examples` of the schema, so the text need not repeat it.
fn remove_example_lists(body: &PlainText) -> String {
    let codes = find_codes(body);
    let is_kept = |sentence: &str, has_example: bool| {
        let start = sentence.trim_start().to_lowercase();
        !has_example
            || !["example", "for example", "e.g."].iter().any(|word| start.starts_with(word))
    };
    let sentences = body.sentences().into_iter().filter_map(|range| {
        let sentence = &body.text[range.clone()];
        let has_example = codes.iter().any(|code| range.contains(&code.start));
        is_kept(sentence, has_example).then_some(sentence)
    });
    sentences.collect()
}

#[cfg(test)]
mod tests {
    use super::describe;
    use crate::plain_text::plain;

    fn description(marked: &str) -> String {
        let text = plain(marked);
        describe(&text, text.leading_type().and_then(|phrase| phrase.rest).unwrap_or(0))
    }

    #[test]
    fn types_and_example_lists_are_removed() {
        for (marked, expected) in [
            (
                "Character string, the pipeline name.\n  Example values: \\code{\"power_explorer\"}, \\code{\"notch_filter\"},\n  \\code{\"wavelet_module\"}",
                "the pipeline name",
            ),
            ("Integer. Max rows. Must be positive.", "Max rows. Must be positive"),
            ("Numeric vector: x", "x"),
        ] {
            assert_eq!(description(marked), expected);
        }
    }

    #[test]
    fn keeps_text_beyond_types_and_example_lists() {
        for (marked, expected) in [
            ("Names (e.g., `a`). Others are ignored.", "Names (e.g., a). Others are ignored"),
            ("The names.\n\nSecond paragraph, etc.", "The names.\n\nSecond paragraph, etc."),
            ("Step. For example, see [`seq()`].", "Step. For example, see seq()"),
            ("Character string. Example values: `x`", "Example values: x"),
            ("NULL or integer", "NULL or integer"),
        ] {
            assert_eq!(description(marked), expected);
        }
    }
}
