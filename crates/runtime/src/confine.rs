//! Holding a child to its bounds, without unsafe code.
//!
//! Landlock, seccomp and no-new-privileges bind a thread and whatever it starts. A fresh thread
//! binds itself, starts one child and ends; no thread of the server is ever bound. Resource limits
//! belong to a process and are set on the child once it runs.

mod capabilities;
pub(crate) mod files;
mod network;
mod support;

use std::{io, path::Path, sync::OnceLock};

use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit, setrlimit};
use seccompiler::BpfProgram;

use crate::plan::Bounds;
use files::SystemFiles;
pub use support::{Support, confinement};

/// What is the same for every child, made when the first one starts.
#[derive(Default)]
pub(crate) struct Confinement {
    system: OnceLock<SystemFiles>,
    no_sockets: OnceLock<Option<BpfProgram>>,
}

impl Confinement {
    /// Binds the calling thread, for good. What this kernel cannot do is left out; [`confinement`]
    /// tells what that is.
    pub(crate) fn bind_this_thread(&self, bounds: &Bounds, private: &Path) -> io::Result<()> {
        capabilities::keep_few()?;
        if bounds.is_watched {
            return Ok(());
        }
        files::restrict(self.system.get_or_init(SystemFiles::open), bounds, private)
            .map_err(io::Error::other)?;
        match self.no_sockets.get_or_init(network::no_sockets) {
            Some(filter) if !bounds.network && confinement().network => {
                seccompiler::apply_filter(filter).map_err(io::Error::other)
            }
            _ => Ok(()),
        }
    }
}

/// The most files a child may have open at once.
const OPEN_FILES: u64 = 4096;
/// The longest file a child may write.
const FILE_BYTES: u64 = 16 * 1024 * 1024 * 1024;

/// How many files this process could have open before [`raise_open_files`].
static FORMER_OPEN_FILES: OnceLock<Option<u64>> = OnceLock::new();

/// Lets this process have as many files open as it may: each running program takes a few. Children
/// get the former limit, because some cannot deal with a high one.
pub(crate) fn raise_open_files() {
    FORMER_OPEN_FILES.get_or_init(|| {
        let now = getrlimit(Resource::Nofile);
        let raised = Rlimit { current: now.maximum, maximum: now.maximum };
        if let Err(error) = setrlimit(Resource::Nofile, raised) {
            tracing::warn!(%error, "the limit of open files could not be raised");
        }
        now.current
    });
}

/// Limits what the child takes of the machine. One that has ended already needs no limits.
pub(crate) fn limit(child: Pid, memory_bytes: u64) {
    let limits = [
        (Resource::Core, 0),
        (Resource::Data, memory_bytes),
        (Resource::Nofile, OPEN_FILES),
        (Resource::Fsize, FILE_BYTES),
    ];
    for (resource, most) in limits {
        // The child has the server's limits; they are only ever lowered.
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
