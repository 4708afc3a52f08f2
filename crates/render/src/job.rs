//! What is to be rendered, and what comes of it.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Backend;

/// What a document becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// A page with everything in it.
    #[default]
    Html,
    /// A PDF, by LaTeX.
    Pdf,
    /// A Word document.
    Word,
}

impl Format {
    /// Every one.
    pub const ALL: [Self; 3] = [Self::Html, Self::Pdf, Self::Word];

    /// The word for it in a call.
    pub fn word(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Pdf => "pdf",
            Self::Word => "word",
        }
    }

    /// What the names of its files end with.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Pdf => "pdf",
            Self::Word => "docx",
        }
    }
}

/// A file beside the document, or the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Where it is below the documents' folder, with `/` between folders.
    pub path: String,
    /// What is in it.
    pub bytes: Vec<u8>,
    /// Whether the document may read it: it is rendered again if this has changed.
    pub may_be_read: bool,
}

/// What is to be rendered.
#[derive(Clone, Debug)]
pub struct RenderJob {
    /// The document, by its path among the files.
    pub document: String,
    /// The document and whatever it may read.
    pub files: Vec<SourceFile>,
    /// What it becomes.
    pub format: Format,
    /// The values of its parameters, where they are not as the document says.
    pub params: Map<String, Value>,
    /// By which backend, where that is not left to the settings.
    pub backend: Option<Backend>,
    /// Whether it may come from the cache.
    pub freshness: Freshness,
}

/// Whether a document may come from the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Freshness {
    /// If nothing that went into it has changed.
    #[default]
    Cached,
    /// It is rendered anyway: it may read the clock.
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

    /// How long all its files are.
    pub(super) fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes.len() as u64).sum()
    }
}

/// A rendered document.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    /// The document.
    pub bytes: Vec<u8>,
    /// What was complained about, and did not keep it from being made.
    pub warnings: Vec<Warning>,
    /// The versions of what made it, by name.
    pub versions: BTreeMap<String, String>,
    /// What made it.
    pub backend: Backend,
    /// Why that one.
    pub reason: String,
    /// The image it was made in, by digest.
    pub image: Option<String>,
    /// The last that was printed.
    pub log: String,
    /// Whether it was made before.
    pub cached: bool,
    /// How long it took.
    pub duration: Duration,
    /// Files of this machine that it depends on: if one changes, so may the document.
    pub(super) depends: Vec<PathBuf>,
}

/// Something R complained about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// What.
    pub message: String,
    /// In which chunk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}
