//! Observing a call with `strace`, to find the smallest sandbox profile under which it works.

mod definition;
mod profile;
mod strace;

use std::{
    fs, io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    process,
    time::SystemTime,
};

use catalog::{
    Catalog, Failure, Implementation, Tool,
    implementation::{Binding, PassBy, Process, ValueKind},
};
use runtime::{Plan, Runtime, Settings};
use serde_json::Value;
use toolkit::Arguments;

use self::definition::Place;
pub use definition::{DefinitionChange, DefinitionError};
pub use profile::Profile;

/// The names of calls' private temporary folders start with this, and so does the trace file, which
/// is created beside them.
const PRIVATE: &str = "toolcrib-";

/// A call that is observed instead of confined.
pub struct Observation {
    trace: TraceFile,
    plan: Plan,
    place: Place,
    /// The crib and the roots.
    own: Vec<PathBuf>,
    /// The parent of private temporary folders.
    temp: PathBuf,
    /// The path parameters that have a value, and the paths they name.
    values: Vec<(String, Vec<PathBuf>)>,
}

/// Why a call cannot be observed.
#[derive(Debug, thiserror::Error)]
pub enum ObserveError {
    /// Only one program, or one R or Python function, has a process to trace.
    #[error("`{0}` is {1}; only programs, R functions and Python functions can be observed")]
    NoProcess(String, &'static str),
    /// The call itself would fail with this.
    #[error("{}", .0.message)]
    Call(Failure),
    /// The trace file cannot be created or read.
    #[error("cannot use the trace `{}`: {error}", path.display())]
    Trace {
        /// The trace file.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
}

impl Observation {
    /// Prepares to observe a call of `tool`.
    pub fn prepare(
        runtime: &Runtime,
        settings: &Settings,
        tool: &Tool,
        arguments: &Arguments,
    ) -> Result<Self, ObserveError> {
        let Some(place) = Place::of(tool) else {
            let what = tool.implementation.summary();
            return Err(ObserveError::NoProcess(tool.name.clone(), what));
        };
        let admitted = runtime.admit(tool, arguments.clone()).map_err(ObserveError::Call)?;
        let plan =
            // One program or function calls no other tools, so an empty catalog is enough.
            runtime.plan(&Catalog::default(), tool, &admitted).map_err(ObserveError::Call)?;
        Ok(Self {
            trace: TraceFile::create(&settings.temp)?,
            own: settings.roots.iter().chain([&settings.crib]).cloned().collect(),
            // strace reports real paths, and `/tmp` may be a link.
            temp: settings.temp.canonicalize().unwrap_or_else(|_| settings.temp.clone()),
            values: match &tool.implementation {
                Implementation::Process(process) => path_values(process, &admitted, plan.folder()),
                _ => Vec::new(),
            },
            plan,
            place,
        })
    }

    /// The file that the call is to be traced to.
    pub fn trace(&self) -> PathBuf {
        self.trace.0.clone()
    }

    /// Reads the trace and derives the profile; `None` if the program never ran.
    pub fn finish(self) -> Result<Option<Profile>, ObserveError> {
        let bytes = fs::read(&self.trace.0).map_err(|error| self.trace.error(error))?;
        // strace writes its first line when the program starts.
        if bytes.is_empty() {
            return Ok(None);
        }
        let accesses = strace::parse(&String::from_utf8_lossy(&bytes), self.plan.folder());
        Ok(Some(Profile::derive(&accesses, &self)))
    }

    /// Whether a path is in the private temporary folder of a call, which every call may use.
    fn is_private(&self, path: &Path) -> bool {
        let inside = path.strip_prefix(&self.temp).ok().and_then(|path| path.components().next());
        let Some(first) = inside else { return false };
        let folder = self.temp.join(first);
        first.as_os_str().to_string_lossy().starts_with(PRIVATE)
            && !self.own.iter().any(|root| root.starts_with(&folder))
    }
}

/// The path parameters that have a value, and the paths they name.
fn path_values(
    process: &Process,
    arguments: &Arguments,
    folder: &Path,
) -> Vec<(String, Vec<PathBuf>)> {
    let is_path =
        |binding: &&Binding| binding.kind == ValueKind::Path && binding.pass_by != PassBy::Folder;
    let paths_of = |binding: &Binding| {
        let texts = match arguments.get(&binding.parameter)? {
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
            value => vec![value.as_str()?],
        };
        Some((binding.parameter.clone(), texts.into_iter().map(|text| folder.join(text)).collect()))
    };
    process.bindings().filter(is_path).filter_map(paths_of).collect()
}

/// A file that only its owner can read, removed when dropped.
struct TraceFile(PathBuf);

impl TraceFile {
    fn create(folder: &Path) -> Result<Self, ObserveError> {
        let now =
            SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let file = Self(folder.join(format!("{PRIVATE}trace-{}-{now}", process::id())));
        // `create_new` does not follow a link that another user put into the shared folder.
        let created = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file.0);
        match created {
            Ok(_) => Ok(file),
            Err(error) => Err(file.error(error)),
        }
    }

    fn error(&self, error: io::Error) -> ObserveError {
        ObserveError::Trace { path: self.0.clone(), error }
    }
}

impl Drop for TraceFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
