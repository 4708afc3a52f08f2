//! Definitions that tests read.

use std::path::{Path, PathBuf};

use crate::skip;

/// The root of the repository.
pub fn repository() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the repository contains this crate")
}

/// A folder of the corpus that is part of the repository: `mtdf`, `rave` or `specs`.
pub fn own_corpus(part: &str) -> PathBuf {
    repository().join("crates/formats/tests/corpus").join(part)
}

/// A folder or file of the corpus that is too large for the repository. [Skips](skip) without it;
/// set `TOOLCRIB_SHARED` if it is not next to the repository.
pub fn shared_corpus(part: &str) -> Option<PathBuf> {
    let root = std::env::var_os("TOOLCRIB_SHARED")
        .map_or_else(|| repository().join("../shared"), PathBuf::from);
    let path = root.join(part);
    if path.exists() {
        return Some(path);
    }
    skip(&format!("{} does not exist; set TOOLCRIB_SHARED", path.display()));
    None
}
