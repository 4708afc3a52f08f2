//! Render jobs and their results.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// A self-contained HTML page.
    #[default]
    Html,
    /// A PDF, through LaTeX.
    Pdf,
    /// A Word document.
    Word,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Html, Self::Pdf, Self::Word];

    /// The file extension.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Pdf => "pdf",
            Self::Word => "docx",
        }
    }
}

/// A render backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// A container, through the API of Docker or Podman.
    Docker,
    /// A container, through the command of Docker Compose.
    Compose,
    /// R on this machine.
    Local,
}

impl Backend {
    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Docker => "docker",
            Self::Compose => "compose",
            Self::Local => "local",
        }
    }
}

/// The document or a file next to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its path relative to the folder of documents, with `/` separators.
    pub path: String,
    /// Its content.
    pub bytes: Vec<u8>,
    /// Whether the document may read it; a change then invalidates the cache.
    pub may_be_read: bool,
}

/// A document to render.
#[derive(Clone, Debug)]
pub struct RenderJob {
    /// The document, by its path among the files.
    pub document: String,
    /// The document and the files it may read.
    pub files: Vec<SourceFile>,
    /// The output format.
    pub format: Format,
    /// Values that override the parameters in the document.
    pub params: Map<String, Value>,
    /// The backend; `None` to use the settings.
    pub backend: Option<Backend>,
    /// Whether a cached result is acceptable.
    pub freshness: Freshness,
}

/// Whether a cached result is acceptable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Freshness {
    /// Yes, if no input has changed.
    #[default]
    Cached,
    /// No: render again, because the document may read the clock.
    Fresh,
}

impl Freshness {
    pub(super) fn may_be_cached(self) -> bool {
        self == Self::Cached
    }
}

impl RenderJob {
    /// Whether it is a Quarto document.
    pub(super) fn is_quarto(&self) -> bool {
        self.document.to_ascii_lowercase().ends_with(".qmd")
    }

    /// Whether the document, or code that it may read, seeds the random number generator, so that
    /// every run is the same.
    pub(super) fn sets_seed(&self) -> bool {
        let readable = self.files.iter().filter(|file| file.may_be_read);
        readable.into_iter().any(|file| String::from_utf8_lossy(&file.bytes).contains("seed("))
    }

    /// The total size of its files.
    pub(super) fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes.len() as u64).sum()
    }
}

/// A rendered document.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    /// The document.
    pub bytes: Vec<u8>,
    /// Warnings of R.
    pub warnings: Vec<Warning>,
    /// Versions of the programs and packages used, by name.
    pub versions: BTreeMap<String, String>,
    /// The backend used.
    pub backend: Backend,
    /// Why that backend was selected.
    pub reason: String,
    /// The digest of the container image.
    pub image: Option<String>,
    /// The end of the log.
    pub log: String,
    /// Whether it came from the cache.
    pub cached: bool,
    /// Whether R drew random numbers without a seed. Such a render is not cached.
    pub drew_random_numbers: bool,
    /// The time the request took.
    pub duration: Duration,
    /// Local files it depends on; a change invalidates the cache entry.
    pub(super) depends: Vec<PathBuf>,
}

/// A warning of R.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// The text of the warning.
    pub message: String,
    /// The label of the chunk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}
