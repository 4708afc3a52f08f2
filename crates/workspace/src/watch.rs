//! Watches the definitions, configuration and documents of a crib for changes.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    time::Duration,
};

use notify::{RecursiveMode, Watcher as _};
use parking_lot::Mutex;

use crate::{Content, Crib, discover, prompts};

/// The time without events before a change is reported. Editors save a file in several steps
/// (truncate, write, rename), and a checkout changes many files.
const DEBOUNCE: Duration = Duration::from_millis(150);

/// A folder that cannot be watched.
#[derive(Debug, thiserror::Error)]
#[error("cannot watch `{}`: {source}", folder.display())]
pub struct WatchError {
    /// The folder that was to be watched.
    pub folder: PathBuf,
    /// The error of the watcher.
    pub source: notify::Error,
}

/// Watches a crib until it is dropped.
#[derive(Debug)]
pub struct Watcher {
    inner: notify::RecommendedWatcher,
    folders: Arc<Mutex<Folders>>,
}

/// The watched folders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Folders {
    /// Folders that contain definitions, prompts or the configuration; subfolders are not watched.
    definitions: Vec<PathBuf>,
    /// Folders of documents, with their subfolders.
    documents: Vec<PathBuf>,
}

/// The changes since the last report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Whether definitions, prompts or the configuration may have changed.
    pub definitions: bool,
    /// The documents that were created, changed or removed.
    pub documents: BTreeSet<PathBuf>,
}

/// Watches a crib and calls `on_change`, on a thread of its own, after changes.
pub fn watch(
    crib: &Crib,
    content: &Content,
    on_change: impl Fn(Changes) + Send + 'static,
) -> Result<Watcher, WatchError> {
    let (sender, receiver) = mpsc::channel::<Vec<PathBuf>>();
    let inner = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if let Ok(event) = event
            // Reading the definitions causes access events, which would trigger the next read.
            && !event.kind.is_access()
        {
            // Fails only while the watcher is being dropped.
            let _ = sender.send(event.paths);
        }
    });
    let inner = inner.map_err(|source| WatchError { folder: crib.folder.clone(), source })?;
    let folders = Arc::<Mutex<Folders>>::default();
    let mut watcher = Watcher { inner, folders: Arc::clone(&folders) };
    watcher.update(crib, content)?;
    std::thread::spawn(move || {
        // Ends when the watcher drops the sender.
        while let Ok(first) = receiver.recv() {
            // Collects until nothing has happened for a while, however long that takes.
            let more: Vec<_> =
                std::iter::from_fn(|| receiver.recv_timeout(DEBOUNCE).ok()).flatten().collect();
            let changes = folders.lock().classify(first.into_iter().chain(more));
            if changes != Changes::default() {
                on_change(changes);
            }
        }
    });
    Ok(watcher)
}

impl Watcher {
    /// Updates the watched folders after the crib has been read again. Folders that the crib no
    /// longer uses stay watched by the system, and their events are ignored.
    pub fn update(&mut self, crib: &Crib, content: &Content) -> Result<(), WatchError> {
        let now = Folders::of(crib, content);
        // Replaced before the new folders are watched: their first events must find them.
        let before = std::mem::replace(&mut *self.folders.lock(), now.clone());
        let is_new = |folder: &&PathBuf, before: &[PathBuf]| !before.contains(folder);
        let definitions =
            now.definitions.iter().filter(|folder| is_new(folder, &before.definitions));
        let documents = now.documents.iter().filter(|folder| is_new(folder, &before.documents));
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
        let conventional =
            discover::definition_folders().into_iter().map(|folder| crib.folder.join(folder));
        let named_files = discover::find_named_files(&crib.folder)
            .into_iter()
            .filter_map(|path| path.parent().map(Path::to_owned));
        let definitions: BTreeSet<_> = [crib.folder.clone()]
            .into_iter()
            .chain(conventional)
            .chain(prompts::prompt_folders(crib))
            .chain(named_files)
            .collect();
        let definitions = definitions.into_iter().filter(|folder| folder.is_dir()).collect();
        let categories = content.categories.iter().map(|category| &category.folder);
        let documents =
            categories.chain(crib.documents.iter().map(|documents| &documents.folder)).cloned();
        Self { definitions, documents: documents.filter(|folder| folder.is_dir()).collect() }
    }

    /// Assigns changed paths to definitions or documents, and drops unrelated ones.
    fn classify(&self, paths: impl Iterator<Item = PathBuf>) -> Changes {
        let mut changes = Changes::default();
        for path in paths {
            let is_definition = path
                .parent()
                .is_some_and(|parent| self.definitions.iter().any(|folder| folder == parent));
            // A new folder may be `tools` or `prompts`.
            changes.definitions |= is_definition && (is_relevant(&path) || path.is_dir());
            if self.documents.iter().any(|folder| path.starts_with(folder)) {
                changes.documents.insert(path);
            }
        }
        changes
    }
}

/// Whether a file can be a definition, a prompt or the configuration. Editors also write backup and
/// swap files.
fn is_relevant(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| ["json", "toml", "md", "yaml", "yml"].contains(&extension))
}
