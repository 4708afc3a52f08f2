//! Finds renamed tools: a removed tool and an added one that have similar names, descriptions and
//! parameters are one tool.
//!
//! A rename is breaking either way. Recognizing it replaces "removed" and "added" by one entry that
//! shows what else changed. The thresholds were tuned on the revision history of real
//! specifications (`tests/it/history.rs`).

use std::collections::{HashMap, HashSet};

use catalog::{Tool, name::split_words};

use crate::{Class, schema::compare_input};

/// Two tools with at least this similarity are taken for one.
const MIN_SIMILARITY: f64 = 0.65;

/// Weights of the similarity of the names, of the descriptions and of the parameters.
const WEIGHTS: [f64; 3] = [0.35, 0.35, 0.3];

/// Above this many pairs nothing is matched: every pair is scored, and a change that replaces
/// hundreds of tools at once is not a set of renames.
const MAX_PAIRS: usize = 250_000;

/// Maps the names of removed tools to the added tools that they became, where that is clear.
pub(crate) fn find_renames<'t>(
    removed: &[&'t Tool],
    added: &[&'t Tool],
) -> HashMap<&'t str, &'t Tool> {
    if removed.len().saturating_mul(added.len()) > MAX_PAIRS {
        return HashMap::new();
    }
    // One numbering for both sides: ids of different numberings could not be intersected.
    let mut ids = WordIds::default();
    let removed: Vec<_> = removed.iter().map(|tool| Features::of(tool, &mut ids)).collect();
    let added: Vec<_> = added.iter().map(|tool| Features::of(tool, &mut ids)).collect();
    let mut candidates = Vec::new();
    for (from, old) in removed.iter().enumerate() {
        let scored = added.iter().enumerate().map(|(to, new)| (old.similarity(new), from, to));
        candidates.extend(scored.filter(|(score, ..)| *score >= MIN_SIMILARITY));
    }
    // Greedy, most similar pairs first: each tool is used once, so a tool that resembles several
    // gets the best of them. The sort is stable, so ties follow the order of the catalogs.
    candidates.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut renames = HashMap::new();
    let mut used = HashSet::new();
    for (_, from, to) in candidates {
        let old_name = removed[from].tool.name.as_str();
        if !renames.contains_key(old_name) && used.insert(to) {
            renames.insert(old_name, added[to].tool);
        }
    }
    renames
}

/// Numbers words, because sorted numbers are intersected faster than sets of strings.
#[derive(Default)]
struct WordIds(HashMap<String, u32>);

impl WordIds {
    /// The distinct ids of `words`, sorted.
    fn intern(&mut self, words: impl IntoIterator<Item = String>) -> Vec<u32> {
        let mut ids: Vec<u32> = Vec::new();
        for word in words {
            // MAX_PAIRS bounds the number of tools, so the ids never reach the maximum; saturating
            // only avoids a panic.
            let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
            ids.push(*self.0.entry(word).or_insert(next));
        }
        ids.sort_unstable();
        ids.dedup();
        ids
    }
}

/// The words by which a tool is recognized, as sorted ids.
struct Features<'t> {
    tool: &'t Tool,
    name: Vec<u32>,
    text: Vec<u32>,
    parameters: Vec<u32>,
}

impl<'t> Features<'t> {
    fn of(tool: &'t Tool, ids: &mut WordIds) -> Self {
        Self {
            tool,
            name: ids.intern(split_words(&tool.name)),
            text: ids.intern(prose_words(&tool.description.text)),
            // Parameter names are compared whole: `max_rows` and `max_size` share a word, but they
            // are different parameters.
            parameters: ids.intern(tool.input.properties().map(|(name, _)| name.to_owned())),
        }
    }

    /// How similar two tools are, from 0 to 1.
    ///
    /// Parameters alone never reach the threshold: that two tools both take a `path` means nothing.
    fn similarity(&self, other: &Self) -> f64 {
        let name = jaccard(&self.name, &other.name);
        let text = jaccard(&self.text, &other.text);
        let parameters = if self.parameters.is_empty() && other.parameters.is_empty() {
            // No parameters on both sides is weak evidence, neither for nor against.
            0.5
        } else {
            jaccard(&self.parameters, &other.parameters)
        };
        let weighted = WEIGHTS[0] * name + WEIGHTS[1] * text + WEIGHTS[2] * parameters;
        if extends_name(&self.name, &other.name) && parameters >= 0.5 {
            // A prefix such as a module name was added or removed. A similar text breaks ties
            // between several candidates.
            return weighted.max(MIN_SIMILARITY + 0.1 * text);
        }
        // Strong evidence in two features makes up for a complete change of the third, if the
        // pair would pass with that feature at its best.
        let is_near = weighted + WEIGHTS[0] >= MIN_SIMILARITY;
        let has_same_text = text >= 0.8 && parameters >= 0.5;
        let may_have_same_input = parameters >= 1.0 && text + name >= 0.8;
        // The schema comparison comes last because it is by far the most expensive test.
        if is_near && (has_same_text || may_have_same_input && self.has_same_input(other)) {
            weighted.max(MIN_SIMILARITY)
        } else {
            weighted
        }
    }

    fn has_same_input(&self, other: &Self) -> bool {
        let changes = compare_input(self.tool, other.tool);
        changes.iter().all(|change| change.effect.class() <= Class::Behavioural)
    }
}

fn prose_words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

/// The Jaccard similarity of two sets: the size of the intersection over that of the union.
fn jaccard(one: &[u32], other: &[u32]) -> f64 {
    let common = count_common(one, other);
    let all = one.len() + other.len() - common;
    if all == 0 { 0.0 } else { common as f64 / all as f64 }
}

/// Counts the ids that two sorted lists have in common.
fn count_common(one: &[u32], other: &[u32]) -> usize {
    let (mut count, mut rest) = (0, other.iter().peekable());
    for id in one {
        // Both lists are sorted, so whatever is smaller cannot match a later id either.
        while rest.next_if(|next| *next < id).is_some() {}
        count += usize::from(rest.next_if_eq(&id).is_some());
    }
    count
}

/// Whether one name has all words of the other. A single shared word is too common to count.
fn extends_name(one: &[u32], other: &[u32]) -> bool {
    let shorter = one.len().min(other.len());
    shorter >= 2 && count_common(one, other) == shorter
}
