//! Tools that have another name: one that is gone and one that is new are the same if they take and say the same.

use std::collections::{HashMap, HashSet};

use catalog::{Tool, name::split_words};

use crate::{Class, schema::Walk};

/// From here on two tools are one.
const ALIKE: f64 = 0.65;
/// No more pairs than this are looked at; whoever replaces hundreds of tools at once does not rename them.
const MOST_PAIRS: usize = 250_000;

/// Which of the new tools each of the gone ones is, where that is clear.
pub(crate) fn pairs<'t>(gone: &[&'t Tool], fresh: &[&'t Tool]) -> HashMap<&'t str, &'t Tool> {
    if gone.len().saturating_mul(fresh.len()) > MOST_PAIRS {
        return HashMap::new();
    }
    let mut numbers = Numbers::default();
    let gone: Vec<_> = gone.iter().map(|tool| Features::of(tool, &mut numbers)).collect();
    let fresh: Vec<_> = fresh.iter().map(|tool| Features::of(tool, &mut numbers)).collect();
    let mut scored = Vec::new();
    for (at, old) in gone.iter().enumerate() {
        let alike = fresh.iter().enumerate().map(|(other, new)| (old.alikeness(new), at, other));
        scored.extend(alike.filter(|(score, ..)| *score >= ALIKE));
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut found = HashMap::new();
    let mut taken = HashSet::new();
    for (_, at, other) in scored {
        if !found.contains_key(gone[at].tool.name.as_str()) && taken.insert(other) {
            found.insert(gone[at].tool.name.as_str(), fresh[other].tool);
        }
    }
    found
}

/// Words as numbers, which are compared faster.
#[derive(Default)]
struct Numbers(HashMap<String, u32>);

impl Numbers {
    fn of(&mut self, words: impl Iterator<Item = String>) -> Vec<u32> {
        let mut numbers: Vec<u32> = Vec::new();
        for word in words {
            let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
            numbers.push(*self.0.entry(word).or_insert(next));
        }
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}

/// What tools are known by: sets of words, as sorted numbers.
struct Features<'t> {
    tool: &'t Tool,
    name: Vec<u32>,
    text: Vec<u32>,
    parameters: Vec<u32>,
}

impl<'t> Features<'t> {
    fn of(tool: &'t Tool, numbers: &mut Numbers) -> Self {
        Self {
            tool,
            name: numbers.of(split_words(&tool.name).into_iter()),
            text: numbers.of(prose_words(&tool.description.text)),
            parameters: numbers.of(tool.input.properties().map(|(name, _)| name.to_owned())),
        }
    }

    /// How much two tools are one, from 0 to 1. Names and texts must have something in common: that two tools take one
    /// `path` each does not make them one.
    fn alikeness(&self, other: &Self) -> f64 {
        let (name, text) = (shared(&self.name, &other.name), shared(&self.text, &other.text));
        let parameters = match (self.parameters.is_empty(), other.parameters.is_empty()) {
            (true, true) => 0.5,
            _ => shared(&self.parameters, &other.parameters),
        };
        let rough = 0.35 * name + 0.35 * text + 0.3 * parameters;
        // Only what is taken alike in full, or called alike but for a prefix, makes up for another text.
        let is_prefixed = is_part(&self.name, &other.name) && parameters >= 0.5;
        match rough {
            rough if is_prefixed => rough.max(ALIKE + 0.1 * text),
            rough if rough + 0.35 >= ALIKE && text >= 0.8 && parameters >= 0.5 => rough.max(ALIKE),
            rough
                if rough + 0.35 >= ALIKE
                    && parameters >= 1.0
                    && text + name >= 0.8
                    && self.takes_the_same(other) =>
            {
                rough.max(ALIKE)
            }
            rough => rough,
        }
    }

    fn takes_the_same(&self, other: &Self) -> bool {
        let changes = Walk::of_input(self.tool, other.tool);
        changes.iter().all(|change| change.effect.class() <= Class::Behavioural)
    }
}

/// Splits prose into lower-case words.
fn prose_words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

/// How much of two sets is in both.
fn shared(one: &[u32], other: &[u32]) -> f64 {
    let both = common(one, other);
    let all = one.len() + other.len() - both;
    if all == 0 { 0.0 } else { both as f64 / all as f64 }
}

/// How many numbers are in both of two sorted lists.
fn common(one: &[u32], other: &[u32]) -> usize {
    let (mut count, mut rest) = (0, other.iter().peekable());
    for number in one {
        while rest.next_if(|next| *next < number).is_some() {}
        count += usize::from(rest.next_if_eq(&number).is_some());
    }
    count
}

/// Whether one name is the other and something more, such as the name of a module before it.
fn is_part(one: &[u32], other: &[u32]) -> bool {
    let shorter = one.len().min(other.len());
    shorter >= 2 && common(one, other) == shorter
}
