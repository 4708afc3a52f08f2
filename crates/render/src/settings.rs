//! Settings of the operator.

use std::{path::PathBuf, thread, time::Duration};

/// The preferred backend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preference {
    /// The safest one available.
    #[default]
    Auto,
    /// A container, through the API of Docker or Podman.
    Docker,
    /// A container, through the command of Docker Compose.
    Compose,
    /// R on this machine.
    Local,
}

/// Settings of the operator. This crate reads no configuration itself.
#[derive(Clone, Debug)]
pub struct RenderSettings {
    /// The preferred backend.
    pub backend: Preference,
    /// Whether documents may be rendered by R on this machine.
    pub allow_local: bool,
    /// The image to render in; `None` builds the default image.
    pub image: Option<String>,
    /// The base of the default image; `None` for the one in the Dockerfile.
    pub base: Option<String>,
    /// R packages that are added to the default image.
    pub packages: Vec<String>,
    /// Sockets of Docker or Podman to try, in order.
    pub sockets: Vec<String>,
    /// Memory limit of a render.
    pub memory_bytes: u64,
    /// CPU limit of a container.
    pub cpus: f64,
    /// Process limit of a render.
    pub processes: usize,
    /// Disk limit of a render.
    pub disk_bytes: u64,
    /// Size limit of the rendered document.
    pub output_bytes: u64,
    /// Time limit of a render.
    pub timeout: Duration,
    /// Number of concurrent renders; others wait.
    pub concurrency: usize,
    /// The cache folder.
    pub cache: PathBuf,
    /// Size limit of the cache.
    pub cache_bytes: u64,
}

impl RenderSettings {
    /// The defaults, with this cache folder.
    pub fn new(cache: PathBuf) -> Self {
        const MIB: u64 = 1024 * 1024;
        Self {
            backend: Preference::default(),
            allow_local: false,
            image: None,
            base: None,
            packages: Vec::new(),
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
