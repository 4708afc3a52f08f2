//! Restricts file access with Landlock.

use std::{os::fd::AsFd, path::Path};

use egress::NetworkAccess;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, NetPort, PathBeneath, PathFd, RestrictionStatus,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};
use rustix::process::geteuid;

use super::{
    enforcer::Restriction,
    public_files::{PublicFiles, is_searched},
    system_paths::{DEVICES, PROC, SYSTEM, USR},
};
use crate::opened_path::open_without_links;

/// The newest ABI version whose rights are known to suit ordinary programs. Older kernels enforce
/// fewer of them.
const VERSION: ABI = ABI::V7;

/// The system files that every child may use. Opened once, because these paths do not change while the
/// server runs.
pub(crate) struct SystemFiles {
    folders: Vec<PathFd>,
    devices: Vec<PathFd>,
    /// Replaces some of the folders if the server runs as root.
    public: PublicFiles,
}

impl SystemFiles {
    /// Opens the paths that exist.
    pub(crate) fn open() -> Self {
        let open = |path: &&str| PathFd::new(path).ok();
        // Where `/bin` is a link into `/usr`, the rule for `/usr` covers both.
        let is_separate = |path: &&&str| {
            **path == USR || !Path::new(path).canonicalize().is_ok_and(|real| real.starts_with(USR))
        };
        let is_root = geteuid().is_root();
        let is_whole = |path: &&&str| !(is_root && is_searched(Path::new(path)));
        let folders = SYSTEM.iter().filter(is_separate).filter(is_whole);
        Self {
            folders: folders.filter_map(open).collect(),
            devices: DEVICES.iter().filter_map(open).collect(),
            public: if is_root { PublicFiles::find() } else { PublicFiles::default() },
        }
    }

    /// Searches for public files again if some have changed. Returns whether it did.
    pub(super) fn refresh(&mut self) -> bool {
        self.public.refresh()
    }
}

/// Whether the rules of the system's folders cover this path.
pub(super) fn is_system_folder(path: &Path) -> bool {
    SYSTEM.iter().any(|place| path.starts_with(place))
        && !(geteuid().is_root() && is_searched(path))
}

/// Builds the rules that all sandboxes share. For root there are hundreds, and adding them takes longer
/// than starting a program, so they are built ahead of time.
pub(super) fn build_common_rules(
    system: &SystemFiles,
    network: NetworkRules,
) -> Result<RulesetCreated, RulesetError> {
    let mut rules = build_ruleset(network)?;
    for place in system.folders.iter().chain(&system.public.readable) {
        rules = rules.add_rule(PathBeneath::new(place, reading()))?;
    }
    // A rule for reading would also cover the private entries of these folders.
    for (folder, _) in &system.public.listed {
        rules = rules.add_rule(PathBeneath::new(folder, AccessFs::ReadDir))?;
    }
    for device in &system.devices {
        rules = rules.add_rule(PathBeneath::new(device, device_access()))?;
    }
    Ok(rules)
}

/// Restricts the calling process to the common rules, the sandbox's paths and the private folder.
pub(super) fn restrict(
    common: RulesetCreated,
    restriction: &Restriction<'_>,
) -> Result<RestrictionStatus, RulesetError> {
    let sandbox = restriction.sandbox;
    let mut rules = add_ports(common, restriction.network())?;
    let all = AccessFs::from_all(VERSION);
    rules = add_rule(rules, PathFd::new(PROC).ok(), reading())?;
    for path in &sandbox.read {
        rules = add_granted(rules, restriction, path, reading())?;
    }
    for path in &sandbox.write {
        rules = add_granted(rules, restriction, path, all)?;
    }
    rules = add_rule(rules, open_without_links(restriction.private_folder).ok(), all)?;
    for place in restriction.own_places.unwrap_or_default() {
        rules = add_rule(rules, PathFd::new(place).ok(), all)?;
    }
    rules.restrict_self()
}

/// How Landlock restricts the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NetworkRules {
    Restricted,
    Unrestricted,
}

impl From<&NetworkAccess> for NetworkRules {
    fn from(network: &NetworkAccess) -> Self {
        match network {
            NetworkAccess::Internet => Self::Unrestricted,
            NetworkAccess::None | NetworkAccess::Only(_) => Self::Restricted,
        }
    }
}

/// A ruleset that denies every right Landlock knows, and signals to processes outside its domain.
pub(super) fn build_ruleset(network: NetworkRules) -> Result<RulesetCreated, RulesetError> {
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(VERSION))?
        .scope(Scope::from_all(VERSION))?;
    if network == NetworkRules::Restricted {
        rules = rules.handle_access(AccessNet::from_all(VERSION))?;
    }
    rules.create()
}

/// Allows connections to the ports of a list of destinations.
fn add_ports(
    rules: RulesetCreated,
    network: &NetworkAccess,
) -> Result<RulesetCreated, RulesetError> {
    match network {
        NetworkAccess::Only(list) => {
            let ports = list.iter().map(|entry| NetPort::new(entry.port, AccessNet::ConnectTcp));
            rules.add_rules(ports.map(Ok))
        }
        NetworkAccess::None | NetworkAccess::Internet => Ok(rules),
    }
}

/// Adds a rule for a granted path: through the descriptor that was opened when the crib was loaded, if
/// there is one. Otherwise the path is opened now, and a missing path or one that has become a link
/// gets no rule.
fn add_granted(
    rules: RulesetCreated,
    restriction: &Restriction<'_>,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    match restriction.descriptors.get(path) {
        Some(fd) => add_rule(rules, Some(fd), access),
        None => add_rule(rules, open_without_links(path).ok(), access),
    }
}

/// Adds a rule for a place. A place that could not be opened gets none, so it stays inaccessible.
fn add_rule(
    rules: RulesetCreated,
    place: Option<impl AsFd>,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    match place {
        Some(place) => rules.add_rule(PathBeneath::new(place, access)),
        None => Ok(rules),
    }
}

fn reading() -> BitFlags<AccessFs> {
    AccessFs::from_read(VERSION)
}

fn device_access() -> BitFlags<AccessFs> {
    // `> /dev/null` opens the device with `O_TRUNC`, for which Landlock requires the right to truncate.
    AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev
}
