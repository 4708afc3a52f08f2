//! How much of what calls do is written to disk.

use std::sync::Arc;

use runtime::{Runtime, Settings};
use store::Store;
use workspace::Crib;

use crate::AssemblyError;

/// Whether operations, approvals and the audit log are stored in the crib's state folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Persistence {
    /// In memory only: for commands that call no tool.
    #[default]
    Memory,
    /// On disk; in memory, with an error in the log, if the store cannot be opened.
    BestEffort,
    /// On disk, or the assembly fails: for commands about stored operations and approvals.
    Required,
}

/// Makes a runtime without native tools.
pub(crate) fn open_runtime(
    crib: &Crib,
    settings: Settings,
    persistence: Persistence,
) -> Result<Runtime, AssemblyError> {
    if persistence == Persistence::Memory {
        return Ok(Runtime::new(settings));
    }
    match Store::open(&crib.state_folder()) {
        Ok(store) => {
            if let Some(path) = store.moved_aside() {
                tracing::warn!(
                    "the store was corrupt; moved it to {} and started a new one",
                    path.display()
                );
            }
            let store = Arc::new(store);
            Ok(Runtime::with_journal(settings, store.clone()).with_storage(store))
        }
        Err(error) if persistence == Persistence::Required => Err(error.into()),
        Err(error) => {
            // Tools keep working: a read-only home folder should not take a server down.
            tracing::error!("operations and approvals are kept in memory only: {error}");
            Ok(Runtime::new(settings))
        }
    }
}
