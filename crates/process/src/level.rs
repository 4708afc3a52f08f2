//! How strongly programs are isolated on this machine.

use std::sync::OnceLock;

use crate::{
    launcher::has_namespaces,
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
