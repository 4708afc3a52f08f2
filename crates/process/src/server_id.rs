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
}

impl ServerId {
    /// The current process.
    pub fn this() -> Self {
        static THIS: OnceLock<ServerId> = OnceLock::new();
        let find = || {
            let pid = std::process::id();
            Self {
                process: ProcessId::from_pid(pid).unwrap_or(ProcessId { pid, started: 0 }),
                boot: boot(),
            }
        };
        THIS.get_or_init(find).clone()
    }

    /// Whether it still runs. A zombie does not count.
    pub fn is_alive(&self) -> bool {
        self.boot == boot() && self.process.is_alive()
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
