//! The cache of rendered documents.
//!
//! The key is a digest of all inputs that are known before a render. The packages that R loaded are
//! known only afterwards, so an entry records them and is valid while they are unchanged. A corrupt
//! entry is a cache miss, and a failure to write one is only logged.

use std::{
    collections::BTreeMap,
    fs::{self, DirBuilder, File},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use atomic_file::Access;
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;

use super::{Backend, Rendered, Warning};
use crate::digest;

/// The cache folder and its limit.
pub(super) struct Cache {
    folder: PathBuf,
    max_bytes: u64,
}

/// The metadata file of an entry.
#[derive(Serialize, Deserialize)]
struct CacheMetadata {
    version: u32,
    digest: String,
    warnings: Vec<Warning>,
    versions: BTreeMap<String, String>,
    backend: Backend,
    image: Option<String>,
    depends: Vec<Stamp>,
}

const VERSION: u32 = 1;

/// Identifies a version of a file by size and modification time, which is cheaper than its content.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    path: PathBuf,
    bytes: u64,
    modified: i64,
    nanoseconds: i64,
}

impl Stamp {
    /// The stamp of a file; all zero if it does not exist.
    pub(super) fn of(path: &Path) -> Self {
        let found = fs::metadata(path).ok();
        let field = |field: fn(&fs::Metadata) -> i64| found.as_ref().map_or(0, field);
        Self {
            path: path.to_owned(),
            bytes: found.as_ref().map_or(0, fs::Metadata::len),
            modified: field(MetadataExt::mtime),
            nanoseconds: field(MetadataExt::mtime_nsec),
        }
    }
}

impl Cache {
    /// Creates nothing on disk.
    pub(super) fn new(folder: PathBuf, max_bytes: u64) -> Self {
        Self { folder, max_bytes }
    }

    /// The document stored under a key, if it is still valid.
    pub(super) async fn find(&self, key: &str) -> Option<Rendered> {
        let (entry, document) = self.paths(key);
        spawn_blocking(move || load(&entry, &document)).await.ok()?
    }

    /// Stores a document under a key, and evicts the oldest entries over the limit.
    pub(super) async fn store(&self, key: &str, rendered: &Rendered) {
        // One large document must not evict all others.
        if rendered.bytes.len() as u64 > self.max_bytes / 4 {
            return;
        }
        let entry = CacheMetadata {
            version: VERSION,
            digest: digest::of_bytes(&rendered.bytes),
            warnings: rendered.warnings.clone(),
            versions: rendered.versions.clone(),
            backend: rendered.backend,
            image: rendered.image.clone(),
            depends: rendered.depends.iter().map(|path| Stamp::of(path)).collect(),
        };
        let (paths, bytes) = (self.paths(key), rendered.bytes.clone());
        let (folder, max_bytes) = (self.folder.clone(), self.max_bytes);
        let stored = spawn_blocking(move || {
            DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
            // The entry comes last: a reader that finds it also finds its document.
            atomic_file::replace(&paths.1, &bytes, Access::OwnerOnly)?;
            atomic_file::replace(&paths.0, &serde_json::to_vec(&entry)?, Access::OwnerOnly)?;
            evict_oldest(&folder, max_bytes)
        });
        if let Ok(Err(error)) = stored.await {
            tracing::warn!(%error, "could not cache a rendered document");
        }
    }

    fn paths(&self, key: &str) -> (PathBuf, PathBuf) {
        (self.folder.join(format!("{key}.json")), self.folder.join(format!("{key}.document")))
    }
}

fn load(entry: &Path, document: &Path) -> Option<Rendered> {
    let found: CacheMetadata = serde_json::from_slice(&fs::read(entry).ok()?).ok()?;
    let is_valid = found.version == VERSION
        && found.depends.iter().all(|stamp| *stamp == Stamp::of(&stamp.path));
    if !is_valid {
        return None;
    }
    let bytes = fs::read(document).ok().filter(|bytes| digest::of_bytes(bytes) == found.digest)?;
    // Eviction is by modification time, so a hit refreshes it.
    let _ = File::options()
        .append(true)
        .open(document)
        .and_then(|file| file.set_modified(SystemTime::now()));
    Some(Rendered {
        bytes,
        warnings: found.warnings,
        versions: found.versions,
        backend: found.backend,
        reason: String::new(),
        image: found.image,
        log: String::new(),
        cached: true,
        drew_random_numbers: false,
        duration: Duration::ZERO,
        depends: Vec::new(),
    })
}

fn evict_oldest(folder: &Path, max_bytes: u64) -> io::Result<()> {
    let handle = File::open(folder)?;
    let mut documents: Vec<_> = fs::read_dir(folder)?
        .flatten()
        .inspect(|entry| {
            let _ = atomic_file::remove_abandoned_draft(&handle, &entry.file_name());
        })
        .filter_map(|entry| {
            let found = entry.metadata().ok()?;
            Some((found.modified().ok()?, found.len(), entry.path()))
        })
        .filter(|(_, _, path)| path.extension().is_some_and(|extension| extension == "document"))
        .collect();
    documents.sort();
    let mut total: u64 = documents.iter().map(|(_, bytes, _)| bytes).sum();
    for (_, bytes, path) in documents {
        if total <= max_bytes {
            break;
        }
        total -= bytes;
        // The entry goes first, so that no reader finds it without its document.
        fs::remove_file(path.with_extension("json"))?;
        fs::remove_file(path)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{error::Error, fs};

    use super::{Backend, Cache, Rendered};

    fn rendered(bytes: usize, depends: &[std::path::PathBuf]) -> Rendered {
        Rendered {
            bytes: vec![b'x'; bytes],
            warnings: Vec::new(),
            versions: [("R".to_owned(), "4".to_owned())].into(),
            backend: Backend::Local,
            reason: String::new(),
            image: None,
            log: String::new(),
            cached: false,
            drew_random_numbers: false,
            duration: Default::default(),
            depends: depends.to_vec(),
        }
    }

    #[tokio::test]
    async fn finds_an_entry_until_a_dependency_changes() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let package = folder.path().join("DESCRIPTION");
        fs::write(&package, "Version: 1")?;
        let cache = Cache::new(folder.path().join("renders"), 1000);
        assert!(cache.find("key").await.is_none());
        cache.store("key", &rendered(10, std::slice::from_ref(&package))).await;
        let found = cache.find("key").await.ok_or("a cached document")?;
        assert_eq!(
            (found.bytes.len(), found.cached, found.versions["R"].as_str()),
            (10, true, "4")
        );
        fs::write(&package, "Version: 1.1")?;
        assert!(cache.find("key").await.is_none(), "a package was updated");
        Ok(())
    }

    #[tokio::test]
    async fn respects_the_limit_and_ignores_corrupt_entries() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let cache = Cache::new(folder.path().to_owned(), 1000);
        for number in 0..8 {
            cache.store(&format!("key{number}"), &rendered(200, &[])).await;
        }
        let documents = fs::read_dir(folder.path())?
            .flatten()
            .filter(|entry| entry.path().extension().is_some_and(|own| own == "document"));
        assert_eq!(documents.count(), 5);
        fs::write(folder.path().join("key7.document"), "something else")?;
        assert!(cache.find("key7").await.is_none());
        cache.store("large", &rendered(900, &[])).await;
        assert!(cache.find("large").await.is_none());
        Ok(())
    }
}
