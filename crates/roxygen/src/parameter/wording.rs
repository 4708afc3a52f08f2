//! Detects whether the text of a parameter allows it to be omitted, `NULL` or `NA`.
//!
//! The words `optional`, `default` (followed by a value) and `if NULL` are those of the builder
//! that defined the format. No others are recognized, because a parameter that is required by
//! mistake is noticed at the first call.

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
    let is_optional = words.iter().enumerate().any(|(at, word)| match word.as_str() {
        "optional" => !is_negated(at),
        "defaults" => true,
        _ => false,
    });
    is_optional || names_default(text)
}

/// Whether the text names a default value: `Default is 3`, `(default x)`, `default: "a"`.
/// `The default interpretation is a regular expression` names none.
fn names_default(text: &str) -> bool {
    let lower = text.to_lowercase();
    lower.match_indices("default").any(|(at, word)| {
        let (before, after) = (lower[..at].trim_end(), &lower[at + word.len()..]);
        let is_word = !lower[..at].ends_with(char::is_alphanumeric)
            && !after.starts_with(char::is_alphanumeric);
        let next = after.trim_start();
        let next_word: String = next.chars().take_while(|c| c.is_alphanumeric()).collect();
        let is_value = next.is_empty()
            || next.starts_with(|c: char| !c.is_alphabetic())
            || ["is", "to", "value", "values", "null", "true", "false", "na"]
                .contains(&next_word.as_str());
        is_word && (is_value || before.ends_with('(') || before.ends_with(" by") || before == "by")
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
