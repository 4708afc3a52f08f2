//! Identifies a server process across reuse of process ids and reboots.

use std::{fs, sync::OnceLock};

use crate::ProcessId;
use serde::{Deserialize, Serialize};

/// A server process and the boot of the machine it was started in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerId {
    /// The process.
    pub process: ProcessId,
    /// The boot id of the kernel.
    pub boot: String,
    /// The inode number of its PID namespace. Absent in records of earlier versions.
    #[serde(default)]
    pub namespace: Option<u64>,
}

impl ServerId {
    /// The current process.
    pub fn current() -> Self {
        static THIS: OnceLock<ServerId> = OnceLock::new();
        let find = || {
            let pid = std::process::id();
            Self {
                process: ProcessId::from_pid(pid).unwrap_or(ProcessId { pid, started: 0 }),
                boot: boot(),
                namespace: pid_namespace(),
            }
        };
        THIS.get_or_init(find).clone()
    }

    /// Whether its process ids mean the same here: it was started in this boot and PID namespace.
    pub fn is_local(&self) -> bool {
        self.boot == boot()
            && (self.namespace.is_none() || self.namespace == Self::current().namespace)
    }

    /// Whether it still runs. A zombie does not count. A server of another PID namespace, whose process
    /// cannot be seen, counts as running until the next boot.
    pub fn is_alive(&self) -> bool {
        self.boot == boot() && (!self.is_local() || self.process.is_alive())
    }
}

fn boot() -> String {
    static BOOT: OnceLock<String> = OnceLock::new();
    let read = || {
        fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
    };
    BOOT.get_or_init(read).clone()
}

/// The inode number of the PID namespace of this process: process ids have a meaning only within it.
pub fn pid_namespace() -> Option<u64> {
    let link = fs::read_link("/proc/self/ns/pid").ok()?.into_os_string().into_string().ok()?;
    link.strip_prefix("pid:[")?.strip_suffix(']')?.parse().ok()
}
