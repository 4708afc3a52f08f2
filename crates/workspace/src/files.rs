//! The single entry point for reading definitions and configuration.

use std::{
    fs,
    io::{self, Read},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::SystemTime,
};

use catalog::{Diagnostic, Origin, Rule, Severity, SourceId};
use runtime::open_file_beneath;

/// The maximum size of a definition file, in bytes. Larger files are data that happens to have the
/// extension of a definition.
pub const LARGEST_FILE: u64 = 16 << 20;

/// A definition file that exists and cannot be read.
pub(crate) static UNREADABLE_FILE: Rule = Rule {
    code: "TC602",
    name: "unreadable-file",
    severity: Severity::Error,
    why: "The file exists but cannot be read, or it is larger than any definition. None of its tools are served; the \
          other files are not affected.",
    bad: "",
    good: "",
};

/// Reads files below a folder and names them relative to it.
#[derive(Clone, Debug)]
pub struct Files {
    base: PathBuf,
    links: Links,
    /// A text that is not in a file, such as standard input.
    given: Option<(SourceId, String)>,
}

/// Which symbolic links are followed.
#[derive(Clone, Copy, Debug)]
enum Links {
    Any,
    /// Follows links that stay below the base. A tool, or an archive that it unpacked, may have
    /// created others.
    Inside,
}

impl Files {
    /// Files below `base` are named relative to it, others by their full path.
    pub fn new(base: impl Into<PathBuf>) -> Self {
        Self { base: base.into(), links: Links::Any, given: None }
    }

    /// Like [`Files::new`], for a crib: links that lead out of it are not followed.
    pub(crate) fn of_crib(folder: &Path) -> Self {
        Self { base: folder.to_owned(), links: Links::Inside, given: None }
    }

    /// Adds a text that is not in a file, under this name.
    pub fn with_text(self, source: SourceId, text: String) -> Self {
        Self { given: Some((source, text)), ..self }
    }

    /// The source id of a file.
    pub fn name(&self, path: &Path) -> SourceId {
        let relative = path.strip_prefix(&self.base).unwrap_or(path);
        SourceId::new(relative.to_string_lossy())
    }

    /// The path of a source.
    pub fn path(&self, source: &SourceId) -> PathBuf {
        self.base.join(source.as_str())
    }

    /// The bytes of a regular file of at most [`LARGEST_FILE`] bytes, or the diagnostic that
    /// explains why it cannot be read.
    pub fn read(&self, path: &Path) -> Result<Vec<u8>, Box<Diagnostic>> {
        let report = |message: String, hint: &str| {
            let origin = Origin::whole_file(&self.name(path));
            Box::new(Diagnostic::new(&UNREADABLE_FILE, origin, message).hint(hint))
        };
        let report_io = |error: io::Error| {
            report(format!("cannot read the file: {error}"), "check the file and its permissions")
        };
        let report_open = |error: io::Error| match error.kind() {
            io::ErrorKind::CrossesDevices => report(
                "a symbolic link leads out of the crib".to_owned(),
                "copy the file into the crib, or remove the link if you did not create it",
            ),
            _ => report_io(error),
        };
        let check_kind = || match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => Ok(()),
            Ok(_) => Err(report("not a regular file".to_owned(), "remove it or name a file")),
            Err(error) => Err(report_io(error)),
        };
        let file = match (path.strip_prefix(&self.base), self.links) {
            // Opening never blocks here, so the path is looked at again only to explain a failure.
            (Ok(relative), Links::Inside) => open_file_beneath(&self.base, relative)
                .or_else(|error| check_kind().and(Err(report_open(error))))?,
            // Checked before opening: opening a pipe would block until someone writes to it.
            _ => check_kind().and_then(|()| fs::File::open(path).map_err(report_io))?,
        };
        let metadata = file.metadata().map_err(report_io)?;
        if metadata.len() > LARGEST_FILE {
            let message = format!(
                "the file has {} bytes; a definition may have at most {LARGEST_FILE}",
                metadata.len()
            );
            return Err(report(message, "split it, or move it out of the folder"));
        }
        // One byte more than expected, so that the end of the file is found without growing.
        let mut bytes = Vec::with_capacity(metadata.len() as usize + 1);
        file.take(LARGEST_FILE).read_to_end(&mut bytes).map_err(report_io)?;
        Ok(bytes)
    }

    /// The text of a source, for showing excerpts. Invalid UTF-8 is replaced, so that offsets
    /// before it stay correct.
    pub fn text(&self, source: &SourceId) -> Option<String> {
        if let Some((_, text)) = self.given.as_ref().filter(|(given, _)| given == source) {
            return Some(text.clone());
        }
        let bytes = self.read(&self.path(source)).ok()?;
        Some(
            String::from_utf8(bytes)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
        )
    }
}

/// The text of a file that is not a definition, such as the lock file.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    fs::read_to_string(path)
}

/// Whether a path that the user named is a folder; an error if it does not exist or is not
/// accessible.
pub(crate) fn is_folder(path: &Path) -> io::Result<bool> {
    Ok(fs::metadata(path)?.is_dir())
}

/// Identifies a version of a file. The inode is included because editors often save by renaming a
/// new file over the old one, possibly with the same size within the clock's resolution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileVersion {
    modified: SystemTime,
    bytes: u64,
    inode: u64,
}

impl FileVersion {
    /// The current version of a file; `None` if it does not exist.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        let modified = metadata.modified().ok()?;
        Some(Self { modified, bytes: metadata.len(), inode: metadata.ino() })
    }
}
