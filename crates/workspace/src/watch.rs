//! Tells when definitions or configuration change, for development.

use std::{
    path::{Path, PathBuf},
    sync::mpsc,
    time::Duration,
};

use notify::{RecursiveMode, Watcher as _};

use crate::discover;

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

/// Calls `changed` after definitions or the configuration of the crib in `folder` have changed.
pub fn watch(folder: &Path, changed: impl Fn() + Send + 'static) -> Result<Watcher, WatchError> {
    let problem = |source| WatchError { folder: folder.to_owned(), source };
    let (sender, receiver) = mpsc::channel::<()>();
    let mut inner = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if event.is_ok_and(|event| !event.kind.is_access() && event.paths.iter().any(|path| matters(path))) {
            // The receiver is gone only when the watcher is being dropped.
            let _ = sender.send(());
        }
    })
    .map_err(problem)?;
    inner.watch(folder, RecursiveMode::NonRecursive).map_err(problem)?;
    let tools = folder.join("tools");
    if tools.is_dir() {
        inner.watch(&tools, RecursiveMode::NonRecursive).map_err(problem)?;
    }
    for specification in discover::specifications(folder) {
        let around = specification.parent().unwrap_or(folder);
        inner.watch(around, RecursiveMode::NonRecursive).map_err(problem)?;
    }
    std::thread::spawn(move || {
        while receiver.recv().is_ok() {
            while receiver.recv_timeout(QUIET).is_ok() {}
            changed();
        }
    });
    Ok(Watcher { _inner: inner })
}

fn matters(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json" || extension == "toml" || extension == "md")
}
