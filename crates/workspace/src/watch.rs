//! Tells when definitions, configuration or documents change, for development.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::mpsc,
    time::Duration,
};

use notify::{RecursiveMode, Watcher as _};

use crate::{Content, Crib, prompts};

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
    _inner: notify::RecommendedWatcher,
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
pub fn watch(crib: &Crib, content: &Content, changed: impl Fn(Changes) + Send + 'static) -> Result<Watcher, WatchError> {
    let (sender, receiver) = mpsc::channel::<Vec<PathBuf>>();
    let inner = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if let Ok(event) = event
            && !event.kind.is_access()
        {
            // The receiver is gone only when the watcher is being dropped.
            let _ = sender.send(event.paths);
        }
    });
    let mut inner = inner.map_err(|source| WatchError { folder: crib.folder.clone(), source })?;
    let definitions = [vec![crib.folder.clone(), crib.folder.join("tools")], prompts::folders(crib)].concat();
    let documents: Vec<_> = content.categories.iter().map(|category| category.folder.clone()).collect();
    for (folders, depth) in [(&definitions, RecursiveMode::NonRecursive), (&documents, RecursiveMode::Recursive)] {
        for folder in folders.iter().filter(|folder| folder.is_dir()) {
            inner.watch(folder, depth).map_err(|source| WatchError { folder: folder.clone(), source })?;
        }
    }
    std::thread::spawn(move || {
        while let Ok(first) = receiver.recv() {
            let more = std::iter::from_fn(|| receiver.recv_timeout(QUIET).ok());
            let paths = std::iter::once(first).chain(more).flatten();
            let changes = sorted(paths, &definitions, &documents);
            if changes != Changes::default() {
                changed(changes);
            }
        }
    });
    Ok(Watcher { _inner: inner })
}

fn sorted(paths: impl Iterator<Item = PathBuf>, definitions: &[PathBuf], documents: &[PathBuf]) -> Changes {
    let mut changes = Changes::default();
    for path in paths {
        changes.definitions |=
            matters(&path) && path.parent().is_some_and(|parent| definitions.iter().any(|folder| folder == parent));
        if documents.iter().any(|folder| path.starts_with(folder)) {
            changes.documents.insert(path);
        }
    }
    changes
}

fn matters(path: &Path) -> bool {
    path.extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| ["json", "toml", "md", "yaml", "yml"].contains(&extension))
}
