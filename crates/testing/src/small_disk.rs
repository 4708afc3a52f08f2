//! A file system that is full soon.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::skip;

/// A small file system in memory, mounted on a folder until this value is dropped.
pub struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts a file system of this size on a folder, which is created if it is missing.
    /// [Skips](skip) if this process is not allowed to mount.
    pub fn mount(folder: &Path, kib: usize) -> Option<Self> {
        fs::create_dir_all(folder).expect("a folder");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={kib}k"), "tmpfs"]).arg(folder);
        if mount.status().is_ok_and(|status| status.success()) {
            return Some(Self(folder.to_owned()));
        }
        skip("a file system cannot be mounted; run this test as root");
        None
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily, because a process of the test may still have a file open.
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}
