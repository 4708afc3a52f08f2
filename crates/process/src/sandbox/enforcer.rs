//! Applies a sandbox to the calling process.

use std::{
    collections::HashMap,
    io,
    os::fd::BorrowedFd,
    path::{Path, PathBuf},
};

use egress::NetworkAccess;
use landlock::RulesetCreated;
use seccompiler::BpfProgram;

use super::{
    Sandbox, capabilities,
    files::{self, NetworkRules, SystemFiles},
    filter,
    granted::GrantedDescriptors,
    system_calls::Conditions,
};
use crate::opened_path::OpenedPaths;

/// Folders that are replaced by empty private ones for every program in a mount namespace.
const PRIVATE_PLACES: [&str; 2] = ["/tmp", "/dev/shm"];

/// The parts that sandboxes share, prepared once.
pub(crate) struct Enforcer {
    system_files: SystemFiles,
    /// The filters that were needed so far. There are few different ones.
    filters: HashMap<Conditions, Option<BpfProgram>>,
    /// The common rules for the next sandbox, which adds its own rules and consumes them.
    common_rules: Option<(NetworkRules, RulesetCreated)>,
}

/// How one process is restricted.
pub(crate) struct Restriction<'a> {
    pub(crate) sandbox: &'a Sandbox,
    /// The descriptors of the paths that the sandbox grants.
    pub(crate) descriptors: &'a GrantedDescriptors,
    pub(crate) private_folder: &'a Path,
    /// The private places to which it has full access; absent without namespaces.
    pub(crate) own_places: Option<&'a [&'a str]>,
}

impl Restriction<'_> {
    pub(super) fn network(&self) -> &NetworkAccess {
        self.sandbox.enforced_network(self.own_places.is_some())
    }
}

impl Sandbox {
    /// Replaces opened paths by their real paths, without links. Also returns the descriptors of those
    /// that still exist, by path.
    pub(crate) fn resolve_opened(&self) -> (Self, HashMap<&Path, BorrowedFd<'_>>) {
        let mut descriptors = HashMap::new();
        let mut resolve = |path: &PathBuf| match self.opened.get(path) {
            Some((real, fd)) => {
                descriptors.extend(fd.map(|fd| (real, fd)));
                real.to_owned()
            }
            None => path.clone(),
        };
        // Rules of the system's folders cover most of the `PATH`.
        let read = self.read.iter().filter(|path| !files::is_system_folder(path));
        let read = read.map(&mut resolve).collect();
        let write: Vec<_> = self.write.iter().map(&mut resolve).collect();
        let is_writable = |path: &&PathBuf| write.iter().any(|folder| path.starts_with(folder));
        let protected = self.protected.iter().filter(is_writable).cloned().collect();
        (
            Self { read, write, protected, opened: OpenedPaths::default(), ..self.clone() },
            descriptors,
        )
    }

    /// The private places that the program gets in a mount namespace, except those that it was granted.
    pub(crate) fn private_places(&self) -> Vec<&'static str> {
        let is_granted = |place: &str| {
            let mut granted = self.read.iter().chain(&self.write);
            granted.any(|granted| Path::new(place).starts_with(granted))
        };
        PRIVATE_PLACES.into_iter().filter(|place| !is_granted(place)).collect()
    }

    /// The network access that Landlock and seccomp have to enforce. In a network namespace of its own,
    /// a program may use every port: nothing listens there except its own processes and its proxy.
    fn enforced_network(&self, has_namespaces: bool) -> &NetworkAccess {
        match &self.network {
            NetworkAccess::Only(_) if has_namespaces => &NetworkAccess::Internet,
            network => network,
        }
    }

    fn conditions(&self, has_namespaces: bool) -> Conditions {
        Conditions {
            network: self.network.is_granted(),
            restricts_ports: matches!(
                self.enforced_network(has_namespaces),
                NetworkAccess::Only(_)
            ),
            unix_sockets: self.unix_sockets,
            changes_metadata: self.changes_metadata,
            has_namespaces,
        }
    }
}

impl Enforcer {
    pub(crate) fn new() -> Self {
        Self { system_files: SystemFiles::open(), filters: HashMap::new(), common_rules: None }
    }

    /// Builds the parts of a sandbox that are not cached yet.
    pub(crate) fn prepare(&mut self, sandbox: &Sandbox, has_namespaces: bool) {
        let conditions = sandbox.conditions(has_namespaces);
        self.filters.entry(conditions).or_insert_with(|| filter::build(conditions));
        let network = sandbox.enforced_network(has_namespaces).into();
        if self.common_rules.as_ref().is_none_or(|(known, _)| *known != network) {
            self.build_common_rules(network);
        }
    }

    /// Builds the common rules for the next sandbox, while the program of the last one starts: the next
    /// one is probably of the same kind.
    pub(crate) fn prepare_next(&mut self) {
        if let Some((network, _)) = self.common_rules.take() {
            self.build_common_rules(network);
        }
    }

    /// On failure, the next sandbox reports that it cannot be applied.
    fn build_common_rules(&mut self, network: NetworkRules) {
        let rules = files::build_common_rules(&self.system_files, network);
        self.common_rules = rules.ok().map(|rules| (network, rules));
    }

    /// Follows changes of the system's files. Called before each start, by the process that all
    /// programs are clones of.
    pub(crate) fn refresh(&mut self) {
        if self.system_files.refresh() {
            self.common_rules = None;
        }
    }

    /// Restricts the calling process irrevocably. Leaves out what this kernel does not support; see
    /// [`sandbox_support`].
    pub(crate) fn restrict_current_thread(&self, restriction: &Restriction<'_>) -> io::Result<()> {
        capabilities::keep_few()?;
        if restriction.sandbox.is_unrestricted {
            return Ok(());
        }
        let unprepared = || io::Error::other("the sandbox was not prepared");
        let (_, common) = self.common_rules.as_ref().ok_or_else(unprepared)?;
        // The clone refers to the same ruleset in the kernel. Adding rules therefore changes the
        // original, which must not be used again: see `prepare_next`.
        files::restrict(common.try_clone()?, restriction).map_err(io::Error::other)?;
        let conditions = restriction.sandbox.conditions(restriction.own_places.is_some());
        match self.filters.get(&conditions) {
            Some(filter) => filter.as_ref().map_or(Ok(()), apply_filter),
            None => Err(unprepared()),
        }
    }
}

/// Applies a filter, unless the kernel has no seccomp.
fn apply_filter(filter: &BpfProgram) -> io::Result<()> {
    match seccompiler::apply_filter(filter) {
        // A kernel without seccomp returns EINVAL or ENOSYS, depending on its configuration.
        Err(seccompiler::Error::Seccomp(error))
            if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) =>
        {
            Ok(())
        }
        applied => applied.map_err(io::Error::other),
    }
}
