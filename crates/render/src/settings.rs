//! What the operator decided about rendering.

use std::{path::PathBuf, thread, time::Duration};

/// Which backend the operator wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preference {
    /// The safest that works.
    #[default]
    Auto,
    /// A container, by the API of Docker or Podman.
    Docker,
    /// A container, by the command of Docker Compose.
    Compose,
    /// R on this machine.
    Local,
}

/// What the operator decided about rendering. Handed in; nothing here is read from the machine.
#[derive(Clone, Debug)]
pub struct RenderSettings {
    /// Which backend.
    pub backend: Preference,
    /// Whether documents may be rendered by R on this machine.
    pub allow_local: bool,
    /// The image to render in; without one, ours is built.
    pub image: Option<String>,
    /// What ours is built on; without one, as the Dockerfile says.
    pub base: Option<String>,
    /// Sockets on which Docker or Podman may listen, in order.
    pub sockets: Vec<String>,
    /// How much memory a render may take.
    pub memory_bytes: u64,
    /// How many processors a container may take.
    pub cpus: f64,
    /// How many processes a render may have.
    pub processes: usize,
    /// How much a render may write to disk.
    pub disk_bytes: u64,
    /// How long the document that comes of it may be.
    pub output_bytes: u64,
    /// How long a render may take.
    pub timeout: Duration,
    /// How many run at once; others wait.
    pub concurrency: usize,
    /// Where rendered documents are kept, in case they are asked for again.
    pub cache: PathBuf,
    /// How much is kept.
    pub cache_bytes: u64,
}

impl RenderSettings {
    /// The defaults, with what is kept in this folder.
    pub fn new(cache: PathBuf) -> Self {
        const MIB: u64 = 1024 * 1024;
        Self {
            backend: Preference::default(),
            allow_local: false,
            image: None,
            base: None,
            sockets: Vec::new(),
            memory_bytes: 2048 * MIB,
            cpus: 2.0,
            processes: 128,
            disk_bytes: 1024 * MIB,
            output_bytes: 128 * MIB,
            timeout: Duration::from_secs(600),
            concurrency: thread::available_parallelism().map_or(1, usize::from),
            cache,
            cache_bytes: 256 * MIB,
        }
    }
}
