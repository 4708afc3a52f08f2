//! Which restrictions this kernel supports, determined by trying them.

use std::{sync::OnceLock, thread};

use landlock::{ABI, LandlockStatus};
use serde::Serialize;

use super::{
    SandboxLevel,
    files::{self, NetworkRules},
    filter,
    system_calls::Conditions,
};

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

/// Which restrictions this kernel supports. Determined once, by a thread that restricts itself and
/// exits.
pub fn sandbox_support() -> &'static SandboxSupport {
    static SUPPORT: OnceLock<SandboxSupport> = OnceLock::new();
    SUPPORT.get_or_init(|| {
        let (landlock, network) =
            thread::spawn(|| (try_landlock(), try_seccomp())).join().unwrap_or((None, false));
        describe(landlock.unwrap_or(ABI::Unsupported), network)
    })
}

fn try_landlock() -> Option<ABI> {
    match files::build_ruleset(NetworkRules::Restricted).ok()?.restrict_self().ok()?.landlock {
        LandlockStatus::Available { effective_abi, .. } => Some(effective_abi),
        _ => None,
    }
}

fn try_seccomp() -> bool {
    // Any filter will do, because only the answer of the kernel matters.
    let conditions = Conditions {
        network: false,
        restricts_ports: false,
        unix_sockets: false,
        changes_metadata: false,
        has_namespaces: false,
    };
    filter::build(conditions).is_some_and(|filter| seccompiler::apply_filter(&filter).is_ok())
}

fn describe(landlock: ABI, network: bool) -> SandboxSupport {
    let version = landlock as u32;
    let lacks = [
        (version < 1, "Landlock (Linux 5.13): tools can touch every file that this user can"),
        (
            (1..3).contains(&version),
            "Landlock 3 (Linux 6.2): tools can truncate files that they may not write",
        ),
        (
            version < 4,
            "Landlock 4 (Linux 6.7): without namespaces, tools with a list in `network` are refused",
        ),
        (
            version < 6,
            "Landlock 6 (Linux 6.12): tools can send signals to other processes of this user",
        ),
        (
            !network,
            "seccomp: tools can use the network even where their definition does not say so",
        ),
    ];
    SandboxSupport {
        landlock: (version > 0).then_some(version),
        files: version > 0,
        network,
        ports: version >= 4 && network,
        signals: version >= 6,
        missing: lacks
            .into_iter()
            .filter(|(lacking, _)| *lacking)
            .map(|(_, what)| what.to_owned())
            .collect(),
    }
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

#[cfg(test)]
mod tests {
    use landlock::ABI;

    use super::describe;

    #[test]
    fn reports_missing_features_of_an_old_kernel() {
        assert!(describe(ABI::V7, true).missing.is_empty());
        assert_eq!(describe(ABI::V1, true).missing.len(), 3);
        let nothing = describe(ABI::Unsupported, false);
        assert!(!nothing.files && nothing.landlock.is_none() && nothing.missing.len() == 4);
    }
}
