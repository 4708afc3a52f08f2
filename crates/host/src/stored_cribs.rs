//! Finds the user's cribs that have a store, by their state folders.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use runtime::{Runtime, Settings};
use store::Store;

use crate::{AssemblyError, persistence};

/// A store that was not written for this long has no waiting request, since requests expire within
/// an hour.
const MAX_AGE: Duration = Duration::from_secs(2 * 3600);

/// A crib with a store.
pub struct StoredCrib {
    /// The crib's name, taken from the name of the state folder.
    pub name: String,
    /// The path of the state folder.
    pub state: PathBuf,
}

impl StoredCrib {
    /// Opens the store for listing and deciding requests for approval.
    pub fn open(&self) -> Result<Runtime, AssemblyError> {
        let store = Store::open(&self.state)?;
        let settings = Settings::new(self.state.clone());
        Ok(persistence::runtime_on(settings, store))
    }
}

/// The recently used cribs below the user's state folder.
pub fn recent_cribs(state: &Path) -> Vec<StoredCrib> {
    let folders = fs::read_dir(state.join("cribs")).into_iter().flatten().flatten();
    let mut recent: Vec<_> = folders
        .map(|entry| entry.path())
        .filter(|folder| is_recent(folder))
        .map(|state| StoredCrib { name: crib_name(&state), state })
        .collect();
    recent.sort_by(|a, b| a.state.cmp(&b.state));
    recent
}

fn is_recent(folder: &Path) -> bool {
    // SQLite writes to the write-ahead log first.
    ["store.db", "store.db-wal"].iter().any(|name| {
        let modified = fs::metadata(folder.join(name)).and_then(|file| file.modified());
        modified.is_ok_and(|time| time.elapsed().unwrap_or_default() < MAX_AGE)
    })
}

/// Strips the hash that makes the folder name unique.
fn crib_name(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    name.rsplit_once('-').map_or(name.as_ref(), |(name, _)| name).to_owned()
}
