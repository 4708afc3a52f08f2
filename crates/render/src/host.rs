//! The interface between a renderer and its server.

use std::{path::PathBuf, sync::Arc};

use process::{Launcher, OpenedPaths};
use tokio_util::task::TaskTracker;

/// The services of the server that a renderer uses.
#[derive(Clone)]
pub struct RenderHost {
    /// Starts the programs of a render.
    pub launcher: Arc<Launcher>,
    /// Tracks the clean-up of cancelled renders; a server waits for it before it exits.
    pub cleanup: TaskTracker,
    /// The environment of programs, with `PATH`.
    pub environment: Vec<(String, String)>,
    /// Paths that programs may read beyond the system's folders.
    pub read: Vec<PathBuf>,
    /// The granted paths as they were opened when the crib was loaded.
    pub opened: OpenedPaths,
    /// The parent of temporary folders, without links.
    pub temp_folder: PathBuf,
    /// Whether the operator wants programs sandboxed.
    pub is_sandboxed: bool,
}
