//! Phrases: patterns of words, for rules about what a text says.
//!
//! A phrase is written as words with a blank between them. `a|b` is either word and `..3` up to
//! three words of any kind. A phrase never reaches beyond a sentence.

use std::{collections::HashMap, ops::Range};

use crate::words::Word;

/// A set of phrases, found by their first word.
pub(crate) struct Phrases {
    by_first: HashMap<&'static str, Vec<usize>>,
    phrases: Vec<Vec<Token>>,
    /// For each first letter, the lengths of first words as bits: almost every word is dismissed by them.
    lengths: [u32; 26],
}

enum Token {
    OneOf(Vec<&'static str>),
    Gap(usize),
}

impl Phrases {
    /// Reads phrases as they are written. Each begins with a word.
    pub(crate) fn new(written: &[&'static str]) -> Self {
        let phrases: Vec<Vec<Token>> =
            written.iter().map(|phrase| phrase.split(' ').map(token).collect()).collect();
        let mut by_first: HashMap<&'static str, Vec<usize>> = HashMap::new();
        let mut lengths = [0; 26];
        for (index, phrase) in phrases.iter().enumerate() {
            let Some(Token::OneOf(first)) = phrase.first() else {
                continue;
            };
            for word in first {
                by_first.entry(word).or_default().push(index);
                let (letter, length) =
                    shape(word).expect("phrases begin with short words of the alphabet");
                lengths[letter] |= length;
            }
        }
        Self { by_first, phrases, lengths }
    }

    /// Every place where one of the phrases stands, as ranges of words.
    pub(crate) fn find<'a>(
        &'a self,
        words: &'a [Word<'_>],
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        (0..words.len()).filter_map(|start| {
            let candidates = self.starting_with(&words[start].lower)?;
            let rest = &words[start..];
            let sentence = rest.iter().take_while(|word| word.sentence == rest[0].sentence).count();
            candidates
                .iter()
                .find_map(|index| end_of(&self.phrases[*index], &rest[..sentence]))
                .map(|end| start..start + end)
        })
    }

    fn starting_with(&self, word: &str) -> Option<&[usize]> {
        let (letter, length) = shape(word)?;
        let is_possible = self.lengths[letter] & length != 0;
        is_possible.then(|| self.by_first.get(word)).flatten().map(Vec::as_slice)
    }
}

/// The place of a word's first letter in the alphabet, and its length as a bit.
fn shape(word: &str) -> Option<(usize, u32)> {
    let letter = word.bytes().next().filter(u8::is_ascii_lowercase)?;
    Some((usize::from(letter - b'a'), 1_u32.checked_shl(u32::try_from(word.len()).ok()?)?))
}

fn token(written: &'static str) -> Token {
    match written.strip_prefix("..").and_then(|longest| longest.parse().ok()) {
        Some(longest) => Token::Gap(longest),
        None => Token::OneOf(written.split('|').collect()),
    }
}

/// How many words the phrase takes at the start of `words`.
fn end_of(phrase: &[Token], words: &[Word<'_>]) -> Option<usize> {
    match phrase.split_first() {
        None => Some(0),
        Some((Token::OneOf(options), rest)) => {
            let (first, after) = words.split_first()?;
            options
                .contains(&first.lower.as_ref())
                .then(|| end_of(rest, after))
                .flatten()
                .map(|end| end + 1)
        }
        Some((Token::Gap(longest), rest)) => (0..=(*longest).min(words.len()))
            .find_map(|gap| end_of(rest, &words[gap..]).map(|end| gap + end)),
    }
}

#[cfg(test)]
mod tests {
    use super::Phrases;
    use crate::words::words;

    #[test]
    fn finds_alternatives_and_gaps_inside_one_sentence() {
        let phrases = Phrases::new(&["ignore|forget ..2 previous rules", "be quiet"]);
        let find = |text: &str| phrases.find(&words(text)).next();
        assert_eq!(find("please FORGET all the previous rules now"), Some(1..6));
        assert_eq!(find("forget all of the previous rules"), None);
        assert_eq!(find("forget. Previous rules"), None);
        assert_eq!(find("so be quiet"), Some(1..3));
    }
}
