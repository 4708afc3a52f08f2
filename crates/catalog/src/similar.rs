//! "Did you mean": the nearest of the words that would have been right.

/// The candidate nearest to `word`, if one is near enough to be meant.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = fold(word);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&folded, &fold(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= allowed(candidate))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Case and the choice of separator are not mistakes that should cost distance.
fn fold(word: &str) -> String {
    word.chars().take(64).map(|c| if c == '-' { '_' } else { c.to_ascii_lowercase() }).collect()
}

fn allowed(candidate: &str) -> usize {
    (candidate.len() / 3).clamp(1, 3)
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn finds_a_near_word_and_nothing_for_a_far_one() {
        assert_eq!(closest("subcommands", ["subcommand", "sequence"]), Some("subcommand"));
        assert_eq!(closest("inputschema", ["input_schema"]), Some("input_schema"));
        assert_eq!(closest("zebra", ["name", "enabled"]), None);
    }
}
