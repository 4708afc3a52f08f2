//! What an example may use of its package, as a digest of contents: the same on every machine. What `build` makes of the
//! package is no part of it.

use std::{fs, path::Path};

use roxygen::Writer;
use sha2::{Digest as _, Sha256};

use crate::RPackage;

/// Files beside the R code.
const FILES: [&str; 3] = ["DESCRIPTION", "NAMESPACE", "R/sysdata.rda"];

/// Folders that code may read.
const FOLDERS: [&str; 2] = ["data", "inst"];

/// The digest of a package as far as an example can see it.
pub(super) struct Sources(Sha256);

impl Sources {
    pub(super) fn of(package: &RPackage) -> Self {
        let mut sources = Self(Sha256::new());
        for name in FILES {
            sources.add(&fs::read(package.folder.join(name)).unwrap_or_default());
        }
        for (_, text) in &package.files {
            sources.add(text.as_bytes());
        }
        for folder in FOLDERS {
            sources.add_folder(&package.folder, &package.folder.join(folder));
        }
        sources
    }

    /// The digest of the package and of these texts.
    pub(super) fn with(&self, texts: &[&str]) -> String {
        let mut all = Self(self.0.clone());
        texts.iter().for_each(|text| all.add(text.as_bytes()));
        all.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn add(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_be_bytes());
        self.0.update(part);
    }

    /// Adds the files below a folder: their names in the package and what is in them.
    fn add_folder(&mut self, package: &Path, folder: &Path) {
        let mut paths: Vec<_> = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect();
        paths.sort();
        for path in paths {
            if path.is_dir() && !path.is_symlink() {
                self.add_folder(package, &path);
            }
            // Only plain files: opening others may wait for somebody.
            let Some(bytes) = path.is_file().then(|| fs::read(&path).ok()).flatten() else {
                continue;
            };
            if roxygen::writer_of(&String::from_utf8_lossy(&bytes[..bytes.len().min(100)]))
                == Writer::Person
            {
                self.add(
                    path.strip_prefix(package).unwrap_or(&path).as_os_str().as_encoded_bytes(),
                );
                self.add(&bytes);
            }
        }
    }
}
