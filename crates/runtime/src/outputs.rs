//! Outputs too long to answer, kept whole in files for a while: which ones, where, and how long.

mod resources;
mod spill;

use std::{
    collections::{HashSet, VecDeque},
    fs::{self, DirBuilder, File, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::Once,
    time::{Duration, SystemTime},
};

use parking_lot::Mutex;
use process::OutputStream;

use crate::operation::OperationId;
pub(crate) use resources::OutputResources;
pub(crate) use spill::Spill;

const SCHEME: &str = "toolcrib://output/";

/// Whether an address leads to an output that was too long for its answer.
pub fn is_long_output(uri: &str) -> bool {
    uri.starts_with(SCHEME)
}
/// The most that is kept of all calls together.
const KEPT_BYTES: u64 = 1024 * 1024 * 1024;
/// The most calls whose outputs are kept.
const KEPT_CALLS: usize = 256;
/// What is older than this was left by a server that is gone, or is of no use to anyone.
const OLDEST: Duration = Duration::from_secs(24 * 60 * 60);

/// The outputs of a call that can be long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputKind {
    Stdout,
    Stderr,
    /// The value that a function returned, as JSON.
    Value,
}

impl OutputKind {
    pub(crate) const ALL: [Self; 3] = [Self::Stdout, Self::Stderr, Self::Value];

    /// Its name in URIs and file names.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
            Self::Value => "value",
        }
    }
}

impl From<OutputStream> for OutputKind {
    fn from(stream: OutputStream) -> Self {
        match stream {
            OutputStream::Stdout => Self::Stdout,
            OutputStream::Stderr => Self::Stderr,
        }
    }
}

/// The outputs that are kept.
pub(crate) struct Outputs {
    folder: PathBuf,
    /// The longest that is kept of one stream.
    longest: u64,
    swept: Once,
    kept: Mutex<VecDeque<(String, u64)>>,
}

impl Outputs {
    /// Nothing is touched before something is kept.
    pub(crate) fn new(folder: PathBuf, longest: u64) -> Self {
        Self { folder, longest, swept: Once::new(), kept: Mutex::default() }
    }

    fn path(&self, id: &str, stream: &str) -> PathBuf {
        self.folder.join(format!("{id}-{stream}"))
    }

    fn create(&self, id: &str, stream: OutputKind) -> io::Result<File> {
        ensure_private(&self.folder)?;
        self.swept.call_once(|| sweep(&self.folder));
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(self.path(id, stream.name()))
    }

    /// The file of a stream, whether or not it is there.
    pub(crate) fn file(&self, id: &str, stream: OutputKind) -> PathBuf {
        self.path(id, stream.name())
    }

    /// The address of what was kept of a stream, if anything was.
    pub(crate) fn uri_of(&self, id: &str, stream: OutputKind) -> Option<String> {
        self.path(id, stream.name()).exists().then(|| format!("{SCHEME}{id}/{}", stream.name()))
    }

    /// Drops what operations left.
    pub(crate) fn forget(&self, operations: &[OperationId]) {
        let operations: HashSet<_> = operations.iter().map(OperationId::as_str).collect();
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let id = name.to_str().and_then(|name| name.split(['-', '.']).next());
            if id.is_some_and(|id| operations.contains(id)) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Counts what one call left, and drops the oldest where that is too much.
    fn keep(&self, id: String, bytes: u64) {
        let mut kept = self.kept.lock();
        kept.push_back((id, bytes));
        let mut total: u64 = kept.iter().map(|(_, bytes)| bytes).sum();
        while (total > KEPT_BYTES || kept.len() > KEPT_CALLS) && kept.len() > 1 {
            let Some((id, bytes)) = kept.pop_front() else {
                return;
            };
            total -= bytes;
            for stream in OutputKind::ALL {
                let _ = fs::remove_file(self.path(&id, stream.name()));
            }
        }
    }
}

/// Makes the folder if need be, and makes sure that it is nobody else's.
fn ensure_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let found = fs::symlink_metadata(folder)?;
    let is_ours = found.is_dir()
        && found.uid() == rustix::process::getuid().as_raw()
        && found.mode() & 0o022 == 0;
    if is_ours {
        Ok(())
    } else {
        Err(io::Error::other(format!("`{}` can be written by others", folder.display())))
    }
}

fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_output = name
            .to_str()
            .is_some_and(|name| name.split_once('-').is_some_and(|(id, _)| is_random(id)));
        let modified = entry.metadata().and_then(|found| found.modified());
        let age =
            modified.ok().and_then(|modified| SystemTime::now().duration_since(modified).ok());
        if is_output && age.is_some_and(|age| age > OLDEST) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The id of a call's output, or that of an operation, with the numbers of a step.
fn is_id(text: &str) -> bool {
    let (operation, step) = text.split_once('.').unwrap_or((text, "0"));
    let is_step = step
        .split('.')
        .all(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()));
    is_random(text) || is_step && operation.parse::<OperationId>().is_ok()
}

fn is_random(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
