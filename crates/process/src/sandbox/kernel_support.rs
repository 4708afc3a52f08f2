//! Finds which restrictions this kernel supports, by trying them.

use std::thread;

use landlock::{ABI, LandlockStatus};

use super::{
    SandboxSupport,
    files::{self, NetworkRules},
    filter,
    system_calls::Conditions,
};

/// Tries the restrictions, in a thread that restricts itself and exits.
pub(super) fn find_support() -> SandboxSupport {
    let (landlock, network) =
        thread::spawn(|| (try_landlock(), try_seccomp())).join().unwrap_or((None, false));
    describe(landlock.unwrap_or(ABI::Unsupported), network)
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
