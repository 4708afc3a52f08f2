//! The paths of the system that every program may use.

use std::path::Path;

pub(super) const USR: &str = "/usr";

/// Opened at each start: every pid namespace has its own file system there.
pub(super) const PROC: &str = "/proc";

/// Programs, libraries and machine configuration. Contains no user's files.
pub(super) const SYSTEM: [&str; 19] = [
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
pub(super) const DEVICES: [&str; 5] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Whether every child may read this path.
pub(super) fn is_readable_by_all(path: &Path) -> bool {
    SYSTEM.iter().chain(&DEVICES).chain([&PROC]).any(|place| path.starts_with(place))
}

/// Whether every child may write to this path.
pub(super) fn is_writable_by_all(path: &Path) -> bool {
    DEVICES.iter().any(|device| path == Path::new(device))
}
