//! Paths that only people may change, whatever programs may write otherwise.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use parking_lot::RwLock;

/// A list of paths that only people may change. Clones share it, so that it can follow a change of
/// what it protects while programs run.
#[derive(Clone, Debug, Default)]
pub struct ProtectedPaths(Arc<RwLock<List>>);

#[derive(Debug, Default)]
struct List {
    paths: Arc<[PathBuf]>,
    names: Vec<String>,
}

impl ProtectedPaths {
    /// Protects these files and folders, with everything in them.
    pub fn new(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let protected = Self::default();
        protected.set(paths);
        protected
    }

    /// Replaces the list of files and folders.
    pub fn set(&self, paths: impl IntoIterator<Item = PathBuf>) {
        let mut paths: Vec<_> = paths.into_iter().collect();
        paths.sort_unstable();
        paths.dedup();
        self.0.write().paths = paths.into();
    }

    /// Also protects files with these names, in any case and any folder: those that would be
    /// protected if they existed.
    pub fn set_names(&self, names: impl IntoIterator<Item = String>) {
        self.0.write().names = names.into_iter().collect();
    }

    /// The files and folders.
    pub fn paths(&self) -> Arc<[PathBuf]> {
        Arc::clone(&self.0.read().paths)
    }

    /// Whether a path, whose links were followed, is protected.
    pub fn contains(&self, path: &Path) -> bool {
        let list = self.0.read();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        // A protected path may be a link itself, or lie behind one.
        let is_in = |place: &PathBuf| {
            path.starts_with(place) || place.canonicalize().is_ok_and(|real| path.starts_with(real))
        };
        list.names.iter().any(|known| known.eq_ignore_ascii_case(name))
            || list.paths.iter().any(is_in)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::ProtectedPaths;

    #[test]
    fn clones_share_changes() {
        let protected = ProtectedPaths::new(["/crib/tools".into()]);
        let clone = protected.clone();
        let contains = |path: &str| clone.contains(Path::new(path));
        assert!(contains("/crib/tools/a.json") && contains("/crib/tools"));
        assert!(!contains("/crib/toolshed") && !contains("/crib/Spec.md"));
        protected.set(["/crib/run.sh".into()]);
        protected.set_names(["SPEC.md".to_owned()]);
        assert!(contains("/crib/run.sh") && contains("/crib/a/Spec.md"));
        assert!(!contains("/crib/tools"));
    }
}
