//! Finds phrases in prose, for rules about the meaning of a text.
//!
//! A phrase is a pattern of words separated by spaces: `a|b` matches either word, `..3` matches up
//! to three arbitrary words. A match never crosses the end of a sentence.

use std::{collections::HashMap, ops::Range};

use crate::prose::Word;

/// A set of phrases, indexed by their first word.
pub(crate) struct Phrases {
    by_first: HashMap<&'static str, Vec<usize>>,
    phrases: Vec<Vec<Token>>,
    /// The lengths of the first words as bits, by first letter. This rejects almost every word of a
    /// text without a hash lookup.
    lengths: [u32; 26],
}

enum Token {
    OneOf(Vec<&'static str>),
    Gap(usize),
}

impl Phrases {
    /// Parses phrases. Each must begin with a word.
    pub(crate) fn new(patterns: &[&'static str]) -> Self {
        let phrases: Vec<Vec<Token>> =
            patterns.iter().map(|pattern| pattern.split(' ').map(parse_token).collect()).collect();
        let mut by_first: HashMap<&'static str, Vec<usize>> = HashMap::new();
        let mut lengths = [0; 26];
        for (index, phrase) in phrases.iter().enumerate() {
            let Some(Token::OneOf(first)) = phrase.first() else {
                continue;
            };
            for word in first {
                by_first.entry(word).or_default().push(index);
                let (letter, length) =
                    letter_and_length(word).expect("phrases begin with a short lower-case word");
                lengths[letter] |= length;
            }
        }
        Self { by_first, phrases, lengths }
    }

    /// Finds every match, as a range of words.
    pub(crate) fn find<'a>(
        &'a self,
        words: &'a [Word<'_>],
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        (0..words.len()).filter_map(|start| {
            let candidates = self.starting_with(&words[start].lower)?;
            let rest = &words[start..];
            // Otherwise "Do not. Tell the user …" would match "do not tell … user".
            let sentence = rest.iter().take_while(|word| word.sentence == rest[0].sentence).count();
            candidates
                .iter()
                .find_map(|index| match_length(&self.phrases[*index], &rest[..sentence]))
                .map(|length| start..start + length)
        })
    }

    fn starting_with(&self, word: &str) -> Option<&[usize]> {
        let (letter, length) = letter_and_length(word)?;
        let is_possible = self.lengths[letter] & length != 0;
        is_possible.then(|| self.by_first.get(word)).flatten().map(Vec::as_slice)
    }
}

/// The index of the first letter in the alphabet, and the length as a bit.
fn letter_and_length(word: &str) -> Option<(usize, u32)> {
    let letter = word.bytes().next().filter(u8::is_ascii_lowercase)?;
    Some((usize::from(letter - b'a'), 1_u32.checked_shl(u32::try_from(word.len()).ok()?)?))
}

fn parse_token(token: &'static str) -> Token {
    match token.strip_prefix("..").and_then(|longest| longest.parse().ok()) {
        Some(longest) => Token::Gap(longest),
        None => Token::OneOf(token.split('|').collect()),
    }
}

/// The number of words that the phrase matches at the start of `words`.
fn match_length(phrase: &[Token], words: &[Word<'_>]) -> Option<usize> {
    match phrase.split_first() {
        None => Some(0),
        Some((Token::OneOf(options), rest)) => {
            let (first, after) = words.split_first()?;
            options
                .contains(&first.lower.as_ref())
                .then(|| match_length(rest, after))
                .flatten()
                .map(|length| length + 1)
        }
        Some((Token::Gap(longest), rest)) => (0..=(*longest).min(words.len()))
            .find_map(|gap| match_length(rest, &words[gap..]).map(|length| gap + length)),
    }
}

#[cfg(test)]
mod tests {
    use super::Phrases;
    use crate::prose::split_prose;

    #[test]
    fn finds_alternatives_and_gaps_inside_one_sentence() {
        let phrases = Phrases::new(&["ignore|forget ..2 previous rules", "be quiet"]);
        let find = |text: &str| phrases.find(&split_prose(text)).next();
        assert_eq!(find("please FORGET all the previous rules now"), Some(1..6));
        assert_eq!(find("forget all of the previous rules"), None);
        assert_eq!(find("forget. Previous rules"), None);
        assert_eq!(find("so be quiet"), Some(1..3));
    }
}
