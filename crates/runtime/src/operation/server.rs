//! Which process a server is, told in a way that holds when process ids are used again.

use std::{fs, sync::OnceLock};

pub use process::ProcessId;
use serde::{Deserialize, Serialize};

/// A server: its process, and the boot of the machine that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerMark {
    /// Its process.
    pub process: ProcessId,
    /// Which boot.
    pub boot: String,
}

impl ServerMark {
    /// The process that this code runs in.
    pub fn this() -> Self {
        static THIS: OnceLock<ServerMark> = OnceLock::new();
        let find = || {
            let pid = std::process::id();
            Self {
                process: ProcessId::from_pid(pid).unwrap_or(ProcessId { pid, started: 0 }),
                boot: boot(),
            }
        };
        THIS.get_or_init(find).clone()
    }

    /// Whether it still runs. A zombie does not.
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
