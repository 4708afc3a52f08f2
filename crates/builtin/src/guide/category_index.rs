//! The files of a category during one request: each part of the folder is listed once, within a
//! budget.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use formats::Pattern;

use super::{
    category_dir::{CategoryDir, Listing, MAX_FILES, SearchScope},
    pattern::{Matcher, is_plain, names, scope_of},
};

/// Files that one request may list.
const MAX_LISTED: usize = 2 * MAX_FILES;
/// Comparisons of a file with a glob that one request may make.
const MAX_COMPARISONS: usize = 4 * MAX_FILES;

/// The remaining budget of a request for listing and comparing.
pub(super) struct SearchBudget {
    files: usize,
    comparisons: usize,
}

impl SearchBudget {
    pub(super) fn new() -> Self {
        Self { files: MAX_LISTED, comparisons: MAX_COMPARISONS }
    }
}

/// Why a search failed.
pub(super) enum SearchError {
    /// A pattern is not a valid glob: the reason.
    InvalidGlob(String),
    /// The budget is used up.
    OverBudget,
}

/// The folder of a category and the parts of it that were listed.
pub(super) struct CategoryIndex {
    pub(super) folder: Arc<CategoryDir>,
    listed: HashMap<(String, usize), Arc<ListedPart>>,
}

/// A listed part of a folder.
pub(super) struct ListedPart {
    pub(super) listing: Listing,
    /// Indexes into the paths by name.
    by_name: HashMap<String, Vec<usize>>,
}

impl CategoryIndex {
    pub(super) fn new(folder: Arc<CategoryDir>) -> Self {
        Self { folder, listed: HashMap::new() }
    }

    /// Lists a part of the folder, or returns the list from earlier in the request.
    pub(super) fn list(
        &mut self,
        reach: SearchScope,
        budget: &mut SearchBudget,
        stop: &dyn Fn() -> bool,
    ) -> Result<Arc<ListedPart>, SearchError> {
        // Patterns of one request often look into the same folder.
        let key = (reach.below.clone(), reach.depth);
        if let Some(listed) = self.listed.get(&key) {
            return Ok(Arc::clone(listed));
        }
        let listing = self.folder.files(reach, stop);
        budget.files =
            budget.files.checked_sub(listing.paths.len()).ok_or(SearchError::OverBudget)?;
        let mut by_name: HashMap<_, Vec<_>> = HashMap::new();
        for (index, path) in listing.paths.iter().enumerate() {
            names(path)
                .into_iter()
                .for_each(|name| by_name.entry(name.into_owned()).or_default().push(index));
        }
        let listed = Arc::new(ListedPart { listing, by_name });
        self.listed.insert(key, Arc::clone(&listed));
        Ok(listed)
    }

    /// The paths that match a pattern, sorted, and whether some may be missing.
    pub(super) fn find(
        &mut self,
        pattern: &Pattern,
        budget: &mut SearchBudget,
        stop: &dyn Fn() -> bool,
    ) -> Result<(BTreeSet<String>, bool), SearchError> {
        let matcher = Matcher::new([pattern]).map_err(SearchError::InvalidGlob)?;
        let listed = self.list(scope_of(pattern), budget, stop)?;
        let paths = &listed.listing.paths;
        // A plain name is looked up, because an expression may have hundreds of them.
        let found = if is_plain(&pattern.glob) {
            let indexes = listed.by_name.get(&pattern.glob).into_iter().flatten();
            indexes.map(|index| paths[*index].clone()).collect()
        } else {
            budget.comparisons =
                budget.comparisons.checked_sub(paths.len()).ok_or(SearchError::OverBudget)?;
            paths.iter().filter(|path| matcher.matches_any(path)).cloned().collect()
        };
        Ok((found, listed.listing.is_truncated))
    }
}
