//! Detects whether the text of a parameter allows it to be left out, `NULL` or `NA`.
//!
//! These follow the builder that defined the format (the words `optional`, `default` and `if NULL`)
//! and nothing more: a parameter that is required by mistake is noticed at the first call.

/// Whether `NULL` is a value: `or NULL`, `If NULL, …`.
pub(super) fn mentions_null(text: &str) -> bool {
    let words = words(text);
    words.windows(2).any(|pair| ["or", "if"].contains(&pair[0].as_str()) && pair[1] == "null")
}

/// Whether the parameter may be left out: `optional`, `Defaults to …`, `(default x)`. It is not
/// `non-optional`.
pub(super) fn calls_optional(text: &str) -> bool {
    let words = words(text);
    let is_negated = |at: usize| at > 0 && ["non", "not"].contains(&words[at - 1].as_str());
    words.iter().enumerate().any(|(at, word)| match word.as_str() {
        "optional" => !is_negated(at),
        "default" | "defaults" => true,
        _ => false,
    })
}

/// Whether the text mentions `NA`, R's missing value.
pub(super) fn mentions_na(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| ["NA", "NAs"].contains(&word))
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}
