//! Outputs that are too long for a result, kept in files for a while.

mod long_output;
mod resources;

use std::{
    collections::{HashMap, HashSet},
    fs::{self, DirBuilder, File, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::Once,
    time::{Duration, SystemTime},
};

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
}

impl OutputStore {
    /// Creates nothing before the first long output.
    pub(crate) fn new(folder: PathBuf, max_bytes: u64) -> Self {
        Self { folder, max_bytes, swept: Once::new() }
    }

    fn path(&self, id: &str, stream: &str) -> PathBuf {
        self.folder.join(format!("{id}-{stream}"))
    }

    fn create(&self, id: &str, stream: OutputKind) -> io::Result<File> {
        ensure_private(&self.folder)?;
        // With the first file and not at start: most servers never have a long output.
        self.swept.call_once(|| sweep(self));
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

    /// Removes the files of the oldest calls beyond the limits. The limits hold for all servers of the
    /// crib together, which share the folder.
    ///
    /// The call `newest` keeps its files even if it exceeds the limit alone, because its result refers
    /// to them.
    fn enforce_limits(&self, newest: &str) {
        let mut calls: HashMap<String, (SystemTime, u64)> = HashMap::new();
        for (id, found) in list_outputs(&self.folder) {
            let modified = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let (last, bytes) = calls.entry(id).or_insert((modified, 0));
            *last = modified.max(*last);
            *bytes += found.len();
        }
        let mut total: u64 = calls.values().map(|(_, bytes)| bytes).sum();
        let mut count = calls.len();
        calls.remove(newest);
        let mut oldest: Vec<_> = calls.into_iter().collect();
        oldest.sort_by_key(|(_, (modified, _))| *modified);
        for (id, (_, bytes)) in oldest {
            if total <= MAX_TOTAL_BYTES && count <= MAX_CALLS {
                return;
            }
            total -= bytes;
            count -= 1;
            for stream in OutputKind::ALL {
                let _ = fs::remove_file(self.path(&id, stream.name()));
            }
        }
    }
}

/// The files of plain calls with the ids of their calls. Files of operations are not listed: they stay
/// as long as their operation.
fn list_outputs(folder: &Path) -> impl Iterator<Item = (String, fs::Metadata)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let name = entry.file_name();
        let (id, _) = name.to_str()?.split_once('-').filter(|(id, _)| is_random(id))?;
        Some((id.to_owned(), entry.metadata().ok()?))
    })
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

fn sweep(store: &OutputStore) {
    for (id, found) in list_outputs(&store.folder) {
        let age = found.modified().ok().and_then(|modified| modified.elapsed().ok());
        if age.is_some_and(|age| age > MAX_AGE) {
            for stream in OutputKind::ALL {
                let _ = fs::remove_file(store.path(&id, stream.name()));
            }
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
