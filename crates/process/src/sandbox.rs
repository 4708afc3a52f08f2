//! Restricts child processes with Landlock, seccomp, capabilities and resource limits.
//!
//! A process restricts itself, irrevocably, before it executes a program. Mounts and namespaces come
//! before that; see [`crate::launcher_process`]. All of this needs Linux; on other systems no sandbox is
//! applied, and [`sandbox_support`] reports that.

#[cfg(target_os = "linux")]
mod capabilities;
#[cfg(target_os = "linux")]
mod child_limits;
#[cfg(target_os = "linux")]
mod enforcer;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod granted;
#[cfg(target_os = "linux")]
mod kernel_support;
mod level;
mod limits;
#[cfg(target_os = "linux")]
mod public_files;
mod support;
#[cfg(target_os = "linux")]
mod system_calls;
mod system_paths;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use egress::NetworkAccess;
use serde::{Serialize, Serializer};

use crate::opened_path::OpenedPaths;
#[cfg(target_os = "linux")]
pub(crate) use child_limits::{open_file_limit, set_limits};
#[cfg(target_os = "linux")]
pub(crate) use enforcer::{Enforcer, Restriction};
#[cfg(target_os = "linux")]
pub(crate) use granted::{GrantedDescriptors, Place};
pub use level::SandboxLevel;
pub use limits::{Violation, WATCH_INTERVAL, raise_open_file_limit};
pub use support::{ListEnforcement, SandboxSupport, list_enforcement, sandbox_support};

/// The access of a child process, in addition to the system folders, which every process may read.
#[derive(Clone, Debug, Serialize)]
pub struct Sandbox {
    /// The level that this machine applies. `none` if the operator switched the sandbox off or the
    /// kernel lacks Landlock.
    #[serde(flatten, serialize_with = "serialize_level")]
    pub level: SandboxLevel,
    /// Which Internet addresses it may connect to.
    pub network: NetworkAccess,
    /// Files and folders it may read and execute.
    pub read: Vec<PathBuf>,
    /// Files and folders it may read, execute and change, in addition to its private folder.
    pub write: Vec<PathBuf>,
    /// Maximum memory that each of its processes may allocate and all of them may use together, in
    /// bytes.
    pub memory_bytes: u64,
    /// Maximum number of concurrent processes and threads.
    pub processes: u64,
    /// Maximum bytes in its private folders: `$TMPDIR`, and `/tmp` and `/dev/shm` if it has its own.
    pub temp_bytes: u64,
    /// Whether the limits of all its processes together are enforced. False for programs that the
    /// server watches itself.
    #[serde(skip)]
    pub is_watched: bool,
    /// Granted paths that were opened when the crib was loaded. Other paths are opened at the start; if
    /// one of them has become a symbolic link by then, it gets no rule.
    #[serde(skip)]
    pub opened: OpenedPaths,
    /// Files and folders that it must not change even inside of [`Sandbox::write`].
    #[serde(skip)]
    pub protected: Arc<[PathBuf]>,
    /// Whether it may connect to Unix sockets, if it may open sockets at all: for programs that need a
    /// daemon of this machine, such as Docker.
    #[serde(skip)]
    pub unix_sockets: bool,
    /// Whether it may change permissions, owners, times and extended attributes where no mount
    /// namespace protects files that it may not write.
    #[serde(skip)]
    pub changes_metadata: bool,
    /// Applies no file and network rules at all: for programs that are traced, and for those that
    /// run with the user's own rights.
    #[serde(skip)]
    pub is_unrestricted: bool,
}

impl Sandbox {
    /// Adds readable paths, unless they are already listed.
    pub fn allow_read(&mut self, paths: impl IntoIterator<Item = PathBuf>) {
        add_missing(&mut self.read, paths);
    }

    /// Adds writable paths, unless they are already listed.
    pub fn allow_write(&mut self, paths: impl IntoIterator<Item = PathBuf>) {
        add_missing(&mut self.write, paths);
    }

    /// Whether it may read this path.
    pub fn may_read(&self, path: &Path) -> bool {
        system_paths::is_readable_by_all(path)
            || self.read.iter().chain(&self.write).any(|place| path.starts_with(place))
    }

    /// Whether it may write to this path. The private folder is not known here.
    pub fn may_write(&self, path: &Path) -> bool {
        system_paths::is_writable_by_all(path)
            || self.write.iter().any(|place| path.starts_with(place))
    }
}

/// Plans had `enforced` before they had `level`, and programs that read them rely on it.
fn serialize_level<S: Serializer>(level: &SandboxLevel, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Applied {
        enforced: bool,
        level: SandboxLevel,
    }
    Applied { enforced: *level > SandboxLevel::None, level: *level }.serialize(serializer)
}

fn add_missing(list: &mut Vec<PathBuf>, paths: impl IntoIterator<Item = PathBuf>) {
    for path in paths {
        if !list.contains(&path) {
            list.push(path);
        }
    }
}
