//! Which files a child may touch, by Landlock.

use std::{
    os::fd::{AsFd, AsRawFd},
    path::{Path, PathBuf},
};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, RestrictionStatus, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};

use crate::plan::Bounds;

/// The newest version whose rights are known to suit ordinary programs. Older kernels do less.
const VERSION: ABI = ABI::V7;

const USR: &str = "/usr";

/// Programs, libraries and what they need to know of the machine. Nobody's own files.
const SYSTEM: [&str; 20] = [
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
    "/proc",
    "/sys",
    "/var/lib/dpkg",
    "/var/lib/texmf",
    "/var/lib/ca-certificates",
    "/var/cache/fontconfig",
    "/run/systemd/resolve",
    "/run/resolvconf",
    "/run/current-system",
];

/// Devices that keep nothing and tell nothing.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// What every child may use, opened once: these places do not come and go.
pub(crate) struct SystemFiles {
    folders: Vec<PathFd>,
    devices: Vec<PathFd>,
}

impl SystemFiles {
    /// Opens those of the places that exist.
    pub(crate) fn open() -> Self {
        let open = |path: &&str| PathFd::new(path).ok();
        // Where `/bin` is a link into `/usr`, the rule for `/usr` serves both.
        let is_separate = |path: &&&str| {
            **path == USR || !Path::new(path).canonicalize().is_ok_and(|real| real.starts_with(USR))
        };
        Self {
            folders: SYSTEM.iter().filter(is_separate).filter_map(open).collect(),
            devices: DEVICES.iter().filter_map(open).collect(),
        }
    }
}

/// Whether all may read a path, whatever they are.
pub(crate) fn is_common(path: &Path) -> bool {
    SYSTEM.iter().chain(&DEVICES).any(|place| path.starts_with(place))
}

/// Whether all may write to a path, whatever they are.
pub(crate) fn is_sink(path: &Path) -> bool {
    DEVICES.iter().any(|device| path == Path::new(device))
}

/// Binds the calling thread to the system's files, the bounds and the private folder.
pub(crate) fn restrict(
    system: &SystemFiles,
    bounds: &Bounds,
    private: &Path,
) -> Result<RestrictionStatus, RulesetError> {
    let mut rules = ruleset(bounds.network)?;
    for folder in &system.folders {
        rules = rules.add_rule(PathBeneath::new(folder, reading()))?;
    }
    for device in &system.devices {
        rules = rules.add_rule(PathBeneath::new(device, device_access()))?;
    }
    rules = add(rules, &bounds.read, reading(), &bounds.given)?;
    rules = add(rules, &bounds.write, AccessFs::from_all(VERSION), &bounds.given)?;
    rules = add(rules, &[private.to_owned()], AccessFs::from_all(VERSION), &[])?;
    rules.restrict_self()
}

/// A ruleset that forbids everything there is a right for, and reaching out of its own domain.
pub(crate) fn ruleset(network: bool) -> Result<RulesetCreated, RulesetError> {
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(VERSION))?
        .scope(Scope::from_all(VERSION))?;
    if !network {
        rules = rules.handle_access(AccessNet::from_all(VERSION))?;
    }
    rules.create()
}

/// A place that does not exist needs no rule, nor does reading what all may read. One of the `given`
/// that has become a link to somewhere else gets none: another program may have put it there.
fn add(
    mut rules: RulesetCreated,
    paths: &[PathBuf],
    access: BitFlags<AccessFs>,
    given: &[PathBuf],
) -> Result<RulesetCreated, RulesetError> {
    for path in paths {
        if access == reading() && path.starts_with(USR) {
            continue;
        }
        if let Ok(place) = PathFd::new(path)
            && (!given.contains(path) || is_at(&place, path))
        {
            rules = rules.add_rule(PathBeneath::new(place, access))?;
        }
    }
    Ok(rules)
}

/// Whether an opened place is the one of this path, and not one that a link led to.
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
    fn sees_through_a_link_that_took_a_place() -> Result<(), Box<dyn Error>> {
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
