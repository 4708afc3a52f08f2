//! The one door to definition files: reading them, and writing them better.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use catalog::{Diagnostic, Origin, Rule, Severity, SourceId};

/// The largest definition file that is read, in bytes.
pub const LARGEST_FILE: u64 = 16 << 20;

/// A definition file that is there and cannot be read.
pub(crate) static UNREADABLE_FILE: Rule = Rule {
    code: "TC602",
    name: "unreadable-file",
    severity: Severity::Error,
    why: "The file is there but cannot be read, or it is larger than any definition. Nothing of it is served; the \
          other files are.",
    bad: "",
    good: "",
};

/// Reads files below a folder and names them relative to it.
#[derive(Clone, Debug)]
pub struct Files {
    base: PathBuf,
}

impl Files {
    /// Files named relative to `base` where they lie below it.
    pub fn new(base: impl Into<PathBuf>) -> Self {
        Self { base: base.into() }
    }

    /// The name of a file, with `/` between its parts.
    pub fn name(&self, path: &Path) -> SourceId {
        let relative = path.strip_prefix(&self.base).unwrap_or(path);
        SourceId::new(relative.to_string_lossy())
    }

    /// The file of a name.
    pub fn path(&self, source: &SourceId) -> PathBuf {
        self.base.join(source.as_str())
    }

    /// The bytes of a file, or the diagnostic that says why there are none.
    pub fn read(&self, path: &Path) -> Result<Vec<u8>, Box<Diagnostic>> {
        let problem = |message: String, hint: &str| {
            let origin = Origin::whole(&self.name(path));
            Box::new(Diagnostic::new(&UNREADABLE_FILE, origin, message).hint(hint))
        };
        let unreadable = |error: io::Error| {
            problem(format!("cannot read it: {error}"), "check the file and its permissions")
        };
        let about = fs::metadata(path).map_err(unreadable)?;
        if !about.is_file() {
            return Err(problem("it is not a regular file".to_owned(), "remove it or name a file"));
        }
        if about.len() > LARGEST_FILE {
            let message = format!(
                "it has {} bytes, more than the {LARGEST_FILE} that a definition may have",
                about.len()
            );
            return Err(problem(message, "split it, or move it out of the folder"));
        }
        fs::read(path).map_err(unreadable)
    }

    /// Puts another text in the place of a file's, all of it or nothing.
    pub(crate) fn replace(&self, path: &Path, text: &str) -> io::Result<()> {
        // A link stays a link: what it leads to is written.
        let path = fs::canonicalize(path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let beside = path.with_file_name(format!(".{name}.{}.toolcrib", std::process::id()));
        let written = fs::write(&beside, text)
            .and_then(|()| fs::set_permissions(&beside, fs::metadata(&path)?.permissions()));
        let done = written.and_then(|()| fs::rename(&beside, &path));
        if done.is_err() {
            // It may never have been made.
            let _ = fs::remove_file(&beside);
        }
        done
    }

    /// The text of a source, for showing places in it; what is not UTF-8 is replaced.
    pub fn text(&self, source: &SourceId) -> Option<String> {
        let bytes = self.read(&self.path(source)).ok()?;
        Some(
            String::from_utf8(bytes)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
        )
    }
}
