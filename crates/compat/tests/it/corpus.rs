//! Test material that is too large for the repository.

use std::path::{Path, PathBuf};

/// A folder of the shared corpus. Without the corpus, prints a notice and returns `None`.
#[expect(clippy::print_stderr, reason = "a skipped test must be visible")]
pub(crate) fn corpus_folder(folder: &str) -> Option<PathBuf> {
    let root = std::env::var_os("TOOLCRIB_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let folder = root.join(folder);
    if !folder.is_dir() {
        eprintln!("SKIPPED: {} does not exist; set TOOLCRIB_SHARED", folder.display());
        return None;
    }
    Some(folder)
}
