//! Outputs that are too long for a result, kept in files for a while.

mod long_output;
mod resources;

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
pub(crate) use long_output::LongOutput;
pub(crate) use resources::OutputResources;

const SCHEME: &str = "toolcrib://output/";

/// Whether a URI names an output that was too long for its result.
pub fn is_long_output(uri: &str) -> bool {
    uri.starts_with(SCHEME)
}

/// The most bytes of all calls together.
const MAX_TOTAL_BYTES: u64 = 1024 * 1024 * 1024;
/// The most calls whose outputs are kept.
const MAX_CALLS: usize = 256;
/// Older files were left by a server that is gone, or are of no use any more.
const MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);

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

/// The files with long outputs.
pub(crate) struct OutputStore {
    folder: PathBuf,
    /// The most bytes of one output.
    max_bytes: u64,
    swept: Once,
    /// The ids and total bytes of finished calls, oldest first.
    calls: Mutex<VecDeque<(String, u64)>>,
}

impl OutputStore {
    /// Creates nothing before the first long output.
    pub(crate) fn new(folder: PathBuf, max_bytes: u64) -> Self {
        Self { folder, max_bytes, swept: Once::new(), calls: Mutex::default() }
    }

    fn path(&self, id: &str, stream: &str) -> PathBuf {
        self.folder.join(format!("{id}-{stream}"))
    }

    fn create(&self, id: &str, stream: OutputKind) -> io::Result<File> {
        ensure_private(&self.folder)?;
        // With the first file and not at start: most servers never have a long output.
        self.swept.call_once(|| sweep(&self.folder));
        OpenOptions::new()
            .write(true)
            // Ids are random, so a file that exists is not ours.
            .create_new(true)
            .mode(0o600)
            .open(self.path(id, stream.name()))
    }

    /// The path of an output file, whether or not it exists.
    pub(crate) fn file(&self, id: &str, stream: OutputKind) -> PathBuf {
        self.path(id, stream.name())
    }

    /// The URI of an output file, if it exists.
    pub(crate) fn find_uri(&self, id: &str, stream: OutputKind) -> Option<String> {
        self.path(id, stream.name()).exists().then(|| format!("{SCHEME}{id}/{}", stream.name()))
    }

    /// Removes the files of operations.
    pub(crate) fn remove(&self, operations: &[OperationId]) {
        let operations: HashSet<_> = operations.iter().map(OperationId::as_str).collect();
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let id = name.to_str().and_then(|name| name.split(['-', '.']).next());
            if id.is_some_and(|id| operations.contains(id)) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Counts the files of a finished call, and removes the oldest ones beyond the limits.
    fn add(&self, id: String, bytes: u64) {
        let mut calls = self.calls.lock();
        calls.push_back((id, bytes));
        let mut total: u64 = calls.iter().map(|(_, bytes)| bytes).sum();
        // The newest call keeps its files even if it exceeds the limit alone, because its result
        // refers to them.
        while (total > MAX_TOTAL_BYTES || calls.len() > MAX_CALLS) && calls.len() > 1 {
            let Some((id, bytes)) = calls.pop_front() else {
                return;
            };
            total -= bytes;
            for stream in OutputKind::ALL {
                let _ = fs::remove_file(self.path(&id, stream.name()));
            }
        }
    }
}

/// Creates the folder if necessary, and fails if another user could write to it.
fn ensure_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // The folder has a well-known name in `/tmp`, so another user may have made it, or a link,
    // first.
    let found = fs::symlink_metadata(folder)?;
    let is_ours = found.is_dir()
        && found.uid() == rustix::process::getuid().as_raw()
        && found.mode() & 0o022 == 0;
    if is_ours {
        Ok(())
    } else {
        Err(io::Error::other(format!("`{}` is writable by other users", folder.display())))
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
        if is_output && age.is_some_and(|age| age > MAX_AGE) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a text is the id of a call's outputs: random, or an operation's id with step numbers.
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
