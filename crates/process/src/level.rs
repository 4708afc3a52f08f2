//! How strongly programs are isolated on this machine.

use std::sync::OnceLock;

use crate::{
    launcher::{has_cgroups, has_namespaces},
    sandbox::{SandboxLevel, sandbox_support},
};

/// The level that sandboxed programs get on this machine. Determined once, by trying.
pub fn sandbox_level() -> SandboxLevel {
    static LEVEL: OnceLock<SandboxLevel> = OnceLock::new();
    *LEVEL.get_or_init(|| {
        if !sandbox_support().files {
            return SandboxLevel::None;
        }
        match has_namespaces() {
            Ok(true) => SandboxLevel::Namespaces,
            Ok(false) => SandboxLevel::Landlock,
            Err(error) => {
                tracing::warn!(%error, "the launcher process could not be started");
                SandboxLevel::None
            }
        }
    })
}

/// How memory and processes of a program as a whole are limited on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceControl {
    /// The kernel does, by a control group for each program.
    Cgroup,
    /// The supervisor adds up what the processes use, every [`crate::WATCH_INTERVAL`], and kills them.
    Watched,
    /// Nothing does.
    None,
}

/// Returns how memory and processes of a program as a whole are limited on this machine. Determined by
/// trying.
pub fn resource_control() -> ResourceControl {
    match has_cgroups() {
        _ if !cfg!(target_os = "linux") => ResourceControl::None,
        Ok(true) => ResourceControl::Cgroup,
        Ok(false) | Err(_) => ResourceControl::Watched,
    }
}
