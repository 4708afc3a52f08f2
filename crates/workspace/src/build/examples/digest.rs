//! A digest of everything in a package that an example can use.
//!
//! It depends on contents only, not on times or absolute paths, so that it is the same on every
//! machine. Generated definition files are not part of it; otherwise a build would invalidate its
//! own result.

use std::{fs, path::Path};

use roxygen::FileAuthor;
use sha2::{Digest as _, Sha256};

use crate::build::RPackage;

/// Files besides the R code.
const FILES: [&str; 3] = ["DESCRIPTION", "NAMESPACE", "R/sysdata.rda"];

/// Folders that code may read.
const FOLDERS: [&str; 2] = ["data", "inst"];

/// Enough of a file to detect its author.
const HEADER_BYTES: usize = 100;

/// The digest of a package.
pub(super) struct PackageDigest(Sha256);

impl PackageDigest {
    pub(super) fn new(package: &RPackage) -> Self {
        let mut digest = Self(Sha256::new());
        for name in FILES {
            digest.add(&fs::read(package.folder.join(name)).unwrap_or_default());
        }
        // Files are hashed in the order in which R loads them, which affects their meaning.
        // Documentation is left out, so that editing a comment does not rerun every example of the
        // package.
        for (_, text) in &package.files {
            let is_code = |line: &&str| !line.trim_start().starts_with("#'");
            digest.add(text.lines().filter(is_code).collect::<Vec<_>>().join("\n").as_bytes());
        }
        for folder in FOLDERS {
            digest.add_folder(&package.folder, &package.folder.join(folder));
        }
        digest
    }

    /// The digest of the package together with `texts`, in hexadecimal.
    pub(super) fn combine(&self, texts: &[&str]) -> String {
        let mut all = Self(self.0.clone());
        texts.iter().for_each(|text| all.add(text.as_bytes()));
        all.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Adds bytes with their length, so that moving text from one part to the next changes the
    /// digest.
    fn add(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_be_bytes());
        self.0.update(part);
    }

    /// Adds the names and contents of all files below a folder.
    fn add_folder(&mut self, package: &Path, folder: &Path) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
        // The order of directory entries differs between file systems.
        paths.sort();
        for path in paths {
            if path.is_dir() && !path.is_symlink() {
                self.add_folder(package, &path);
            }
            // Only regular files: opening a named pipe would block.
            let Some(bytes) = path.is_file().then(|| fs::read(&path).ok()).flatten() else {
                continue;
            };
            let header = String::from_utf8_lossy(&bytes[..bytes.len().min(HEADER_BYTES)]);
            if FileAuthor::detect(&header) == FileAuthor::Person {
                let name = path.strip_prefix(package).unwrap_or(&path);
                self.add(name.as_os_str().as_encoded_bytes());
                self.add(&bytes);
            }
        }
    }
}
