//! Holding a child to its bounds, without unsafe code.
//!
//! Landlock, seccomp and no-new-privileges bind a thread and whatever it starts. A fresh thread
//! binds itself, starts one child and ends; no thread of the server is ever bound. Resource limits
//! belong to a process and are set on the child once it runs.

mod capabilities;
mod files;
mod network;
mod support;

use std::{io, path::Path, sync::OnceLock};

use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
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
        files::restrict(self.system.get_or_init(SystemFiles::open), bounds, private).map_err(io::Error::other)?;
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

/// Limits what the child takes of the machine. One that has ended already needs no limits.
pub(crate) fn limit(child: Pid, memory_bytes: u64) {
    let limits =
        [(Resource::Core, 0), (Resource::Data, memory_bytes), (Resource::Nofile, OPEN_FILES), (Resource::Fsize, FILE_BYTES)];
    for (resource, most) in limits {
        // The child has the server's limits; they are only ever lowered.
        let now = getrlimit(resource);
        let lower = |limit: Option<u64>| Some(limit.map_or(most, |limit| limit.min(most)));
        let limit = Rlimit { current: lower(now.current), maximum: lower(now.maximum) };
        if let Err(error) = prlimit(Some(child), resource, limit)
            && error != rustix::io::Errno::SRCH
        {
            tracing::warn!(?resource, %error, "a limit could not be set on a child");
        }
    }
}
