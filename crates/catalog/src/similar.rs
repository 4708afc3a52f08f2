//! "Did you mean": the closest known word to a misspelt one.

/// Returns the candidate closest to `word`, if one is close enough to be a likely misspelling.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = fold(word);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&folded, &fold(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= max_distance(candidate))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Case and separators are not counted as differences.
fn fold(word: &str) -> String {
    // Truncated, because the distance takes quadratic time.
    word.chars().take(64).map(|c| if c == '-' { '_' } else { c.to_ascii_lowercase() }).collect()
}

fn max_distance(candidate: &str) -> usize {
    (candidate.len() / 3).clamp(1, 3)
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn suggests_only_similar_words() {
        assert_eq!(closest("subcommands", ["subcommand", "sequence"]), Some("subcommand"));
        assert_eq!(closest("inputschema", ["input_schema"]), Some("input_schema"));
        assert_eq!(closest("zebra", ["name", "enabled"]), None);
    }
}
