//! Restricts file access with Landlock.

use std::{
    os::fd::{AsFd, AsRawFd},
    path::{Path, PathBuf},
};

use egress::NetworkAccess;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, NetPort, PathBeneath, PathFd, RestrictionStatus,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};

use super::Restriction;

/// The newest ABI version whose rights are known to suit ordinary programs. Older kernels enforce
/// fewer of them.
const VERSION: ABI = ABI::V7;

const USR: &str = "/usr";

/// Opened at each start: every pid namespace has its own file system there.
const PROC: &str = "/proc";

/// Programs, libraries and machine configuration. Contains no user's files.
const SYSTEM: [&str; 19] = [
    USR,
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/snap",
    "/sys",
    "/var/lib/dpkg",
    "/var/lib/texmf",
    "/var/lib/ca-certificates",
    "/var/cache/fontconfig",
    "/run/systemd/resolve",
    "/run/resolvconf",
    "/run/current-system",
];

/// Devices that store nothing and reveal nothing.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// What every child may use. Opened once, because these paths do not change while the server runs.
pub(crate) struct SystemFiles {
    folders: Vec<PathFd>,
    devices: Vec<PathFd>,
}

impl SystemFiles {
    /// Opens the paths that exist.
    pub(crate) fn open() -> Self {
        let open = |path: &&str| PathFd::new(path).ok();
        // Where `/bin` is a link into `/usr`, the rule for `/usr` covers both.
        let is_separate = |path: &&&str| {
            **path == USR || !Path::new(path).canonicalize().is_ok_and(|real| real.starts_with(USR))
        };
        Self {
            folders: SYSTEM.iter().filter(is_separate).filter_map(open).collect(),
            devices: DEVICES.iter().filter_map(open).collect(),
        }
    }
}

/// Whether every child may read this path.
pub(super) fn is_readable_by_all(path: &Path) -> bool {
    SYSTEM.iter().chain(&DEVICES).chain([&PROC]).any(|place| path.starts_with(place))
}

/// Whether every child may write to this path.
pub(super) fn is_writable_by_all(path: &Path) -> bool {
    DEVICES.iter().any(|device| path == Path::new(device))
}

/// Restricts the calling process to the system files, the sandbox's paths and the private folder.
pub(super) fn restrict(
    system: &SystemFiles,
    restriction: &Restriction<'_>,
) -> Result<RestrictionStatus, RulesetError> {
    let sandbox = restriction.sandbox;
    let mut rules = build_ruleset(&sandbox.network)?;
    for folder in &system.folders {
        rules = rules.add_rule(PathBeneath::new(folder, reading()))?;
    }
    for device in &system.devices {
        rules = rules.add_rule(PathBeneath::new(device, device_access()))?;
    }
    let all = AccessFs::from_all(VERSION);
    rules = add_rules(rules, &[PROC], reading(), &[])?;
    rules = add_rules(rules, &sandbox.read, reading(), &sandbox.caller_paths)?;
    rules = add_rules(rules, &sandbox.write, all, &sandbox.caller_paths)?;
    rules = add_rules(rules, &[restriction.private_folder], all, &[])?;
    rules = add_rules(rules, restriction.own_places.unwrap_or_default(), all, &[])?;
    rules.restrict_self()
}

/// A ruleset that denies every right Landlock knows, and signals to processes outside its domain.
/// With a list of destinations it allows connections to their ports.
pub(super) fn build_ruleset(network: &NetworkAccess) -> Result<RulesetCreated, RulesetError> {
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(VERSION))?
        .scope(Scope::from_all(VERSION))?;
    if *network != NetworkAccess::Internet {
        rules = rules.handle_access(AccessNet::from_all(VERSION))?;
    }
    let rules = rules.create()?;
    match network {
        NetworkAccess::Only(list) => {
            let ports = list.iter().map(|entry| NetPort::new(entry.port, AccessNet::ConnectTcp));
            rules.add_rules(ports.map(Ok))
        }
        NetworkAccess::None | NetworkAccess::Internet => Ok(rules),
    }
}

/// Adds a rule for each path that exists. A caller's path that has become a symbolic link gets no
/// rule: another program may have replaced it after the path was checked.
fn add_rules(
    mut rules: RulesetCreated,
    paths: &[impl AsRef<Path>],
    access: BitFlags<AccessFs>,
    caller_paths: &[PathBuf],
) -> Result<RulesetCreated, RulesetError> {
    for path in paths {
        let path = path.as_ref();
        // Covered by the rules of the system folders.
        if access == reading() && path.starts_with(USR) {
            continue;
        }
        if let Ok(place) = PathFd::new(path)
            && (!caller_paths.iter().any(|own| own == path) || is_at(&place, path))
        {
            rules = rules.add_rule(PathBeneath::new(place, access))?;
        }
    }
    Ok(rules)
}

/// Whether an opened path is exactly this path, not the target of a symbolic link. Checking after
/// opening leaves no time in which the path could be replaced.
fn is_at(place: &PathFd, path: &Path) -> bool {
    let opened = format!("/proc/self/fd/{}", place.as_fd().as_raw_fd());
    std::fs::read_link(opened).is_ok_and(|real| real == path)
}

fn reading() -> BitFlags<AccessFs> {
    AccessFs::from_read(VERSION)
}

fn device_access() -> BitFlags<AccessFs> {
    AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev
}

#[cfg(test)]
mod tests {
    use std::{error::Error, fs, os::unix::fs::symlink};

    use landlock::PathFd;

    use super::is_at;

    #[test]
    fn detects_a_link_that_replaced_a_file() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let root = folder.path().canonicalize()?;
        let (given, other) = (root.join("given"), root.join("other"));
        fs::write(&given, "")?;
        fs::write(&other, "")?;
        assert!(is_at(&PathFd::new(&given)?, &given));
        fs::remove_file(&given)?;
        symlink(&other, &given)?;
        assert!(!is_at(&PathFd::new(&given)?, &given));
        Ok(())
    }
}
