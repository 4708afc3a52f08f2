//! A category as one request sees it: each part of its folder is looked through once, and only so much.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use formats::Pattern;

use super::{
    category_dir::{CategoryDir, Listing, MOST_FILES, SearchScope},
    pattern::{Matcher, is_plain, names, scope_of},
};

/// How many files one request looks at, and how often it holds one of them against a glob.
const MOST_LOOKED_AT: usize = 2 * MOST_FILES;
const MOST_TRIED: usize = 4 * MOST_FILES;

/// What a request may still look at.
pub(super) struct SearchBudget {
    files: usize,
    tries: usize,
}

impl SearchBudget {
    pub(super) fn new() -> Self {
        Self { files: MOST_LOOKED_AT, tries: MOST_TRIED }
    }
}

/// Why not all was looked at.
pub(super) enum SearchError {
    /// A pattern that is no glob, and what is wrong with it.
    Glob(String),
    /// It would be too much.
    TooMuch,
}

/// A category's folder, and what of it has been looked through.
pub(super) struct CategoryIndex {
    pub(super) folder: Arc<CategoryDir>,
    listed: HashMap<(String, usize), Arc<Listed>>,
}

/// A part of a folder that was looked through.
pub(super) struct Listed {
    pub(super) listing: Listing,
    /// Which paths a name stands for.
    named: HashMap<String, Vec<usize>>,
}

impl CategoryIndex {
    pub(super) fn new(folder: Arc<CategoryDir>) -> Self {
        Self { folder, listed: HashMap::new() }
    }

    /// What lies within reach.
    pub(super) fn list(
        &mut self,
        reach: SearchScope,
        budget: &mut SearchBudget,
        stop: &dyn Fn() -> bool,
    ) -> Result<Arc<Listed>, SearchError> {
        let key = (reach.below.clone(), reach.depth);
        if let Some(listed) = self.listed.get(&key) {
            return Ok(Arc::clone(listed));
        }
        let listing = self.folder.files(reach, stop);
        budget.files = budget.files.checked_sub(listing.paths.len()).ok_or(SearchError::TooMuch)?;
        let mut named: HashMap<_, Vec<_>> = HashMap::new();
        for (index, path) in listing.paths.iter().enumerate() {
            names(path)
                .into_iter()
                .for_each(|name| named.entry(name.into_owned()).or_default().push(index));
        }
        let listed = Arc::new(Listed { listing, named });
        self.listed.insert(key, Arc::clone(&listed));
        Ok(listed)
    }

    /// The paths that a pattern finds, in order, and whether there may be more.
    pub(super) fn find(
        &mut self,
        pattern: &Pattern,
        budget: &mut SearchBudget,
        stop: &dyn Fn() -> bool,
    ) -> Result<(BTreeSet<String>, bool), SearchError> {
        let matcher = Matcher::new([pattern]).map_err(SearchError::Glob)?;
        let listed = self.list(scope_of(pattern), budget, stop)?;
        let paths = &listed.listing.paths;
        let found = match is_plain(&pattern.glob) {
            true => listed
                .named
                .get(&pattern.glob)
                .into_iter()
                .flatten()
                .map(|index| paths[*index].clone())
                .collect(),
            false => {
                budget.tries = budget.tries.checked_sub(paths.len()).ok_or(SearchError::TooMuch)?;
                paths.iter().filter(|path| matcher.finds(path)).cloned().collect()
            }
        };
        Ok((found, listed.listing.is_cut))
    }
}
