//! Which restrictions this machine supports.

use std::sync::OnceLock;

use serde::Serialize;

use super::SandboxLevel;
#[cfg(target_os = "linux")]
use super::kernel_support::find_support;

/// Which restrictions this kernel supports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SandboxSupport {
    /// The Landlock ABI version, if the kernel has Landlock.
    pub landlock: Option<u32>,
    /// Whether file access can be restricted.
    pub files: bool,
    /// Whether network access can be denied.
    pub network: bool,
    /// Whether TCP connections can be restricted to some ports.
    pub ports: bool,
    /// Whether a child can be prevented from signalling unrelated processes.
    pub signals: bool,
    /// A sentence for each missing restriction.
    pub missing: Vec<String>,
}

/// Which restrictions this kernel supports. Determined once.
pub fn sandbox_support() -> &'static SandboxSupport {
    static SUPPORT: OnceLock<SandboxSupport> = OnceLock::new();
    SUPPORT.get_or_init(find_support)
}

/// Nothing is restricted on systems other than Linux.
#[cfg(not(target_os = "linux"))]
fn find_support() -> SandboxSupport {
    let missing = "a sandbox, which needs Linux: tools can touch every file that this user can and use the \
        network, and only their time and output are limited";
    SandboxSupport { missing: vec![missing.to_owned()], ..SandboxSupport::default() }
}

/// How far a list of destinations is enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListEnforcement {
    /// Hosts and ports: the program reaches only a proxy that checks them.
    HostsAndPorts,
    /// TCP ports, by Landlock. Hosts and UDP are not restricted.
    Ports,
    /// Nothing, so the program is not started.
    Refused,
}

impl ListEnforcement {
    /// A phrase for reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::HostsAndPorts => "hosts and ports are enforced",
            Self::Ports => "only TCP ports are enforced, not hosts",
            Self::Refused => "refused, because nothing of it can be enforced here",
        }
    }
}

/// How far a level enforces a list of destinations.
pub fn list_enforcement(level: SandboxLevel) -> ListEnforcement {
    match level {
        SandboxLevel::Namespaces => ListEnforcement::HostsAndPorts,
        SandboxLevel::Landlock if sandbox_support().ports => ListEnforcement::Ports,
        SandboxLevel::Landlock | SandboxLevel::None => ListEnforcement::Refused,
    }
}
