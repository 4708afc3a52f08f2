//! Persistence of operations, approvals, the audit log and flags.

use std::{sync::Arc, time::Duration};

use runtime::{Runtime, Settings};
use store::{LogRetention, Store};
use toolkit::MemoryStorage;
use workspace::{Crib, LogConfig};

use crate::AssemblyError;

/// Where operations, approvals, the audit log and flags are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Persistence {
    /// Calls leave no record: for commands that call no tool. Flags are on disk.
    #[default]
    Memory,
    /// Everything is in memory and gone with the process: what `--ephemeral` asks for.
    Ephemeral,
    /// On disk. While the store cannot be opened, calls that need it are refused.
    OnDisk,
    /// On disk, or the assembly fails: for commands about stored operations and approvals.
    Required,
}

/// Makes a runtime without native tools.
pub(crate) fn open_runtime(
    crib: &Crib,
    settings: Settings,
    persistence: Persistence,
) -> Result<Runtime, AssemblyError> {
    let folder = crib.state_folder();
    let store = match persistence {
        Persistence::Memory => return Ok(Runtime::new(settings)),
        Persistence::Ephemeral => {
            return Ok(Runtime::new(settings).with_storage(Arc::new(MemoryStorage::default())));
        }
        // A server starts without its store: a locked or full disk must not take it down, and it
        // uses the store as soon as that can be opened.
        Persistence::OnDisk => Store::open_when_available(&folder)?,
        Persistence::Required => Store::open(&folder)?,
    };
    Ok(runtime_on(settings, store.with_log_retention(log_retention(&crib.config.log))))
}

/// A runtime on a store, without native tools.
pub(crate) fn runtime_on(settings: Settings, store: Store) -> Runtime {
    let store = Arc::new(store);
    Runtime::with_journal(settings, store.clone()).with_storage(store)
}

fn log_retention(config: &LogConfig) -> LogRetention {
    let defaults = LogRetention::default();
    let days = |days: u64| Duration::from_secs(days.saturating_mul(86_400));
    LogRetention {
        age: config.keep_days.map_or(defaults.age, days),
        bytes: config.keep_bytes.unwrap_or(defaults.bytes),
    }
}
