//! Tells when definitions, configuration or documents change, for development.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    time::Duration,
};

use notify::{RecursiveMode, Watcher as _};
use parking_lot::{Mutex, MutexGuard};

use crate::{Content, Crib, discover, prompts};

/// How long it must be quiet before a change is told: editors write a file in several steps.
const QUIET: Duration = Duration::from_millis(150);

/// A crib that cannot be watched.
#[derive(Debug, thiserror::Error)]
#[error("cannot watch `{}`: {source}", folder.display())]
pub struct WatchError {
    /// The folder.
    pub folder: PathBuf,
    /// Why.
    pub source: notify::Error,
}

/// Watches until it is dropped.
#[derive(Debug)]
pub struct Watcher {
    inner: notify::RecommendedWatcher,
    folders: Arc<Mutex<Folders>>,
}

/// What is watched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Folders {
    /// Folders whose own files are definitions, prompts or the configuration.
    definitions: Vec<PathBuf>,
    /// Folders of documents, with everything below.
    documents: Vec<PathBuf>,
}

/// What has changed since it was last told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Whether definitions, prompts or the configuration may be others than before.
    pub definitions: bool,
    /// The files in folders of documents that were written, made or removed.
    pub documents: BTreeSet<PathBuf>,
}

/// Calls `changed` after definitions, prompts, the configuration or documents of a crib have changed.
pub fn watch(
    crib: &Crib,
    content: &Content,
    changed: impl Fn(Changes) + Send + 'static,
) -> Result<Watcher, WatchError> {
    let (sender, receiver) = mpsc::channel::<Vec<PathBuf>>();
    let inner = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if let Ok(event) = event
            && !event.kind.is_access()
        {
            // The receiver is gone only when the watcher is being dropped.
            let _ = sender.send(event.paths);
        }
    });
    let inner = inner.map_err(|source| WatchError { folder: crib.folder.clone(), source })?;
    let folders = Arc::<Mutex<Folders>>::default();
    let mut watcher = Watcher { inner, folders: Arc::clone(&folders) };
    watcher.update(crib, content)?;
    std::thread::spawn(move || {
        while let Ok(first) = receiver.recv() {
            let more: Vec<_> =
                std::iter::from_fn(|| receiver.recv_timeout(QUIET).ok()).flatten().collect();
            let changes = lock(&folders).sorted(first.into_iter().chain(more));
            if changes != Changes::default() {
                changed(changes);
            }
        }
    });
    Ok(watcher)
}

impl Watcher {
    /// Watches what the crib consists of now.
    pub fn update(&mut self, crib: &Crib, content: &Content) -> Result<(), WatchError> {
        let now = Folders::of(crib, content);
        let before = std::mem::replace(&mut *lock(&self.folders), now.clone());
        let new = |folder: &&PathBuf, before: &[PathBuf]| !before.contains(folder);
        let definitions = now.definitions.iter().filter(|folder| new(folder, &before.definitions));
        let documents = now.documents.iter().filter(|folder| new(folder, &before.documents));
        let definitions = definitions.map(|folder| (folder, RecursiveMode::NonRecursive));
        for (folder, depth) in
            definitions.chain(documents.map(|folder| (folder, RecursiveMode::Recursive)))
        {
            self.inner
                .watch(folder, depth)
                .map_err(|source| WatchError { folder: folder.clone(), source })?;
        }
        Ok(())
    }
}

impl Folders {
    fn of(crib: &Crib, content: &Content) -> Self {
        let own = discover::definition_folders().into_iter().map(|folder| crib.folder.join(folder));
        let specified = discover::named_files(&crib.folder)
            .into_iter()
            .filter_map(|path| path.parent().map(Path::to_owned));
        let definitions: BTreeSet<_> = [crib.folder.clone()]
            .into_iter()
            .chain(own)
            .chain(prompts::folders(crib))
            .chain(specified)
            .collect();
        let definitions = definitions.into_iter().filter(|folder| folder.is_dir()).collect();
        let categories = content.categories.iter().map(|category| &category.folder);
        let documents =
            categories.chain(crib.documents.iter().map(|documents| &documents.folder)).cloned();
        Self { definitions, documents: documents.filter(|folder| folder.is_dir()).collect() }
    }

    fn sorted(&self, paths: impl Iterator<Item = PathBuf>) -> Changes {
        let mut changes = Changes::default();
        for path in paths {
            let is_own = path
                .parent()
                .is_some_and(|parent| self.definitions.iter().any(|folder| folder == parent));
            // A new folder may be one in which definitions or prompts are looked for.
            changes.definitions |= is_own && (matters(&path) || path.is_dir());
            if self.documents.iter().any(|folder| path.starts_with(folder)) {
                changes.documents.insert(path);
            }
        }
        changes
    }
}

fn lock(folders: &Mutex<Folders>) -> MutexGuard<'_, Folders> {
    folders.lock()
}

fn matters(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| ["json", "toml", "md", "yaml", "yml"].contains(&extension))
}
