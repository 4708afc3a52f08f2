//! Material outside the repository: packages that others wrote.

use std::path::PathBuf;

/// A folder of the shared material, if it is there. In CI its absence is a failure, so that the tests
/// that need it cannot be skipped silently.
pub(crate) fn shared(part: &str) -> Option<PathBuf> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared").to_owned();
    let folder = PathBuf::from(std::env::var("TOOLCRIB_SHARED").unwrap_or(default)).join(part);
    let exists = folder.exists();
    assert!(
        exists || std::env::var_os("CI").is_none(),
        "{} does not exist; set TOOLCRIB_SHARED",
        folder.display()
    );
    exists.then_some(folder)
}
