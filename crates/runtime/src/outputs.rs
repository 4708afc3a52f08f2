//! Outputs that are too long for a result, kept in files for a while.

mod long_output;
mod reader;
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

use parking_lot::Mutex;
use process::OutputStream;

use crate::{
    digest::content_digest,
    operation::{OperationId, Owner},
};
pub(crate) use long_output::LongOutput;
pub use reader::{Lines, MAX_LINE_BYTES, OutputName, OutputPage, OutputReader};
pub(crate) use resources::OutputResources;

pub(crate) const SCHEME: &str = "toolcrib://output/";

/// Whether a URI names an output that was too long for its result.
pub fn is_long_output(uri: &str) -> bool {
    uri.starts_with(SCHEME)
}

/// An output of this size is kept regardless of the limits, because results refer to it.
const MIN_MAX_BYTES: u64 = 1024 * 1024;
/// Maximum bytes of all calls together.
const MAX_TOTAL_BYTES: u64 = 1024 * 1024 * 1024;
/// Maximum number of calls whose outputs are kept.
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
    /// The whole text of a failure.
    Text,
}

impl OutputKind {
    pub(crate) const ALL: [Self; 4] = [Self::Stdout, Self::Stderr, Self::Value, Self::Text];

    /// Its name in URIs and file names.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
            Self::Value => "value",
            Self::Text => "text",
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
    /// Maximum bytes of one output.
    max_bytes: u64,
    /// Maximum total bytes of the outputs of plain calls.
    max_total_bytes: u64,
    /// The served name of the tool that reads outputs.
    reader: String,
    swept: Once,
    /// The sizes of the files of operations that have not ended, by step.
    operation_bytes: Mutex<HashMap<String, u64>>,
}

impl OutputStore {
    /// Tells a caller how to read an output. Few clients let the model read resources, so a tool does.
    fn describe_access(&self, uri: &str) -> String {
        format!("to read it, call `{}` with output `{uri}`", self.reader)
    }

    /// Creates nothing before the first long output.
    pub(crate) fn new(folder: PathBuf, max_bytes: u64, keep_bytes: u64, reader: String) -> Self {
        let max_total_bytes = keep_bytes.min(MAX_TOTAL_BYTES);
        // The newest output is kept even if it exceeds the total alone.
        let max_bytes = max_bytes.min(keep_bytes.max(MIN_MAX_BYTES));
        let operation_bytes = Mutex::default();
        Self { folder, max_bytes, max_total_bytes, reader, swept: Once::new(), operation_bytes }
    }

    /// Adds the files of an ended step to the size of its operation. Counting a step more than once is
    /// harmless.
    fn count(&self, id: &str) {
        let bytes = self.bytes_of(id);
        self.operation_bytes.lock().insert(id.to_owned(), bytes);
    }

    /// Takes the size of all output files of an ended operation.
    pub(crate) fn take_bytes(&self, operation: &OperationId) -> u64 {
        let is_step = |id: &String| id.split('.').next() == Some(operation.as_str());
        let mut steps = self.operation_bytes.lock();
        steps.extract_if(|id, _| is_step(id)).map(|(_, bytes)| bytes).sum()
    }

    /// The total size of the files with this id.
    pub(crate) fn bytes_of(&self, id: &str) -> u64 {
        let files = OutputKind::ALL.map(|kind| self.path(id, kind.name()));
        files.iter().filter_map(|file| fs::metadata(file).ok()).map(|found| found.len()).sum()
    }

    fn path(&self, id: &str, stream: &str) -> PathBuf {
        self.folder.join(format!("{id}-{stream}"))
    }

    fn create(&self, id: &str, stream: OutputKind) -> io::Result<File> {
        ensure_private(&self.folder)?;
        // Done with the first file rather than at start, because most servers never have a long
        // output.
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
            // A step has its number after the id, as in `op_….2-stdout`.
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
            if total <= self.max_total_bytes && count <= MAX_CALLS {
                return;
            }
            total -= bytes;
            count -= 1;
            for stream in OutputKind::ALL {
                // Most calls have only some of these files.
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

/// Length of the random part of the id of a plain call's outputs. It is followed by a tag of the
/// owner, by which any server of the crib can check who may read them.
const RANDOM_LENGTH: usize = 24;

/// Appends the tag of the owner to a random id.
fn tag_id(random: &str, owner: &Owner) -> String {
    let random = &random[..RANDOM_LENGTH.min(random.len())];
    let digest = content_digest(format!("{random} {}", owner.0).as_bytes());
    let tag: String = digest.chars().rev().take(32 - RANDOM_LENGTH).collect();
    format!("{random}{tag}")
}

fn is_owned(id: &str, owner: &Owner) -> bool {
    is_random(id) && tag_id(id, owner) == id
}

fn is_random(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
