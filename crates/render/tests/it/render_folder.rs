//! The folders of a renderer.

use std::{path::PathBuf, sync::Arc};

use process::{Launcher, LauncherOptions};
use render::RenderHost;
use tempfile::TempDir;

/// A temporary folder for the caches and temporary files of a renderer.
pub(crate) struct RenderFolder {
    folder: TempDir,
}

impl RenderFolder {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["temp", "outside", "beside"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// A host whose programs have this `PATH`.
    pub(crate) fn host(&self, path: &str) -> RenderHost {
        let temp_folder = self.path("temp");
        let options = LauncherOptions::new(temp_folder.clone());
        RenderHost {
            launcher: Arc::new(Launcher::new(options)),
            cleanup: Default::default(),
            environment: vec![("PATH".to_owned(), path.to_owned())],
            read: Vec::new(),
            opened: Default::default(),
            temp_folder,
            is_sandboxed: true,
        }
    }
}
