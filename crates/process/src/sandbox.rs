//! Restricts child processes with Landlock, seccomp, capabilities and resource limits, without
//! unsafe code.
//!
//! Landlock, seccomp and no-new-privileges restrict a thread and every process it starts. A fresh
//! thread restricts itself, starts one child and exits; no other thread of the server is ever
//! restricted. Resource limits belong to a process and are set on the child once it runs.

mod capabilities;
mod files;
mod network;
mod support;

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit, setrlimit};
use seccompiler::BpfProgram;

use serde::Serialize;

use files::SystemFiles;
pub use support::{SandboxSupport, sandbox_support};

/// What a child process may access beyond the system folders, which every process may read.
#[derive(Clone, Debug, Serialize)]
pub struct Sandbox {
    /// Whether file access is enforced. False if the operator switched the sandbox off or the kernel
    /// lacks Landlock.
    pub enforced: bool,
    /// Whether it may open sockets.
    pub network: bool,
    /// Files and folders it may read and execute.
    pub read: Vec<PathBuf>,
    /// Files and folders it may read, execute and change, in addition to its private folder.
    pub write: Vec<PathBuf>,
    /// How much memory each of its processes may allocate.
    pub memory_bytes: u64,
    /// Those of the paths that the caller chose. If one of them has become a symbolic link by the
    /// start, it gets no rule: another program may have replaced it after it was checked.
    #[serde(skip)]
    pub caller_paths: Vec<PathBuf>,
    /// Files and folders that it must not change even inside of [`Sandbox::write`].
    #[serde(skip)]
    pub protected: Arc<[PathBuf]>,
    /// Applies no file and network rules at all: for programs that are traced, and for those that
    /// run with the user's own rights.
    #[serde(skip)]
    pub is_unrestricted: bool,
}

impl Sandbox {
    /// Adds paths that it may read; those that are listed already keep their place.
    pub fn allow_read(&mut self, paths: impl IntoIterator<Item = PathBuf>) {
        add_missing(&mut self.read, paths);
    }

    /// Adds paths that it may write; those that are listed already keep their place.
    pub fn allow_write(&mut self, paths: impl IntoIterator<Item = PathBuf>) {
        add_missing(&mut self.write, paths);
    }

    /// Whether it may read this path.
    pub fn may_read(&self, path: &Path) -> bool {
        files::is_readable_by_all(path)
            || self.read.iter().chain(&self.write).any(|place| path.starts_with(place))
    }

    /// Whether it may write to this path. The private folder is not known here.
    pub fn may_write(&self, path: &Path) -> bool {
        files::is_writable_by_all(path) || self.write.iter().any(|place| path.starts_with(place))
    }
}

fn add_missing(list: &mut Vec<PathBuf>, paths: impl IntoIterator<Item = PathBuf>) {
    for path in paths {
        if !list.contains(&path) {
            list.push(path);
        }
    }
}

/// The parts that all sandboxes share, prepared when the first child starts.
#[derive(Default)]
pub(crate) struct Enforcer {
    system_files: OnceLock<SystemFiles>,
    socket_filter: OnceLock<Option<BpfProgram>>,
}

impl Enforcer {
    /// Restricts the calling thread irrevocably. Leaves out what this kernel does not support; see
    /// [`sandbox_support`].
    pub(crate) fn restrict_current_thread(
        &self,
        sandbox: &Sandbox,
        private_folder: &Path,
    ) -> io::Result<()> {
        capabilities::keep_few()?;
        if sandbox.is_unrestricted {
            return Ok(());
        }
        let system_files = self.system_files.get_or_init(SystemFiles::open);
        files::restrict(system_files, sandbox, private_folder).map_err(io::Error::other)?;
        match self.socket_filter.get_or_init(network::build_socket_filter) {
            Some(filter) if !sandbox.network && sandbox_support().network => {
                seccompiler::apply_filter(filter).map_err(io::Error::other)
            }
            _ => Ok(()),
        }
    }
}

/// The most files a child may have open at the same time.
const OPEN_FILES: u64 = 4096;
/// The size of the largest file a child may write.
const FILE_BYTES: u64 = 16 * 1024 * 1024 * 1024;

/// The soft limit of open files before [`raise_open_file_limit`].
static FORMER_OPEN_FILES: OnceLock<Option<u64>> = OnceLock::new();

/// Raises this process's limit of open files to the maximum, because each running child takes a few.
/// Children get the former limit: programs that use `select` or loop over all possible descriptors
/// cannot cope with a high one.
pub fn raise_open_file_limit() {
    FORMER_OPEN_FILES.get_or_init(|| {
        let now = getrlimit(Resource::Nofile);
        let raised = Rlimit { current: now.maximum, maximum: now.maximum };
        if let Err(error) = setrlimit(Resource::Nofile, raised) {
            tracing::warn!(%error, "the limit of open files could not be raised");
        }
        now.current
    });
}

/// Sets the resource limits of a child. One that has exited already needs none.
pub(crate) fn set_limits(child: Pid, memory_bytes: u64) {
    let limits = [
        (Resource::Core, 0),
        (Resource::Data, memory_bytes),
        (Resource::Nofile, OPEN_FILES),
        (Resource::Fsize, FILE_BYTES),
    ];
    for (resource, most) in limits {
        // The child inherited the server's limits; they are only ever lowered.
        let now = getrlimit(resource);
        let lower = |limit: Option<u64>| Some(limit.map_or(most, |limit| limit.min(most)));
        let current = match resource {
            Resource::Nofile => FORMER_OPEN_FILES.get().copied().unwrap_or(now.current),
            _ => now.current,
        };
        let limit = Rlimit { current: lower(current), maximum: lower(now.maximum) };
        if let Err(error) = prlimit(Some(child), resource, limit)
            && error != rustix::io::Errno::SRCH
        {
            tracing::warn!(?resource, %error, "a limit could not be set on a child");
        }
    }
}
