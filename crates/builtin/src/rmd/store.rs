//! The documents of a folder, and what was rendered of them: listed, read, written, removed.
//!
//! Nothing here waits for anybody but the disk: it is called on threads that may.

use std::{
    collections::HashMap,
    fmt,
    io::{self, ErrorKind},
    path::PathBuf,
};

use formats::rmd;
use parking_lot::Mutex;
use serde_json::json;
use sha2::{Digest, Sha256};
use toolkit::{ErrorType, Failure};

use super::{
    document_dir::{DocumentDir, Found, Version},
    name::{DEEPEST, DocumentName, OUTPUT, OutputName},
};

/// How many bytes of a document are looked at for its title.
const LOOKED_AT: u64 = 64 << 10;

/// The largest output that is read whole, in bytes.
const LARGEST_OUTPUT: u64 = 128 << 20;

/// Where documents are, and how large they may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The folder. What is rendered goes into `output` in it.
    pub folder: PathBuf,
    /// The most bytes that a document may have.
    pub largest: u64,
}

impl Settings {
    /// Documents of at most 10 MB in a folder.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, largest: 10_000_000 }
    }
}

/// A folder of documents.
pub struct DocumentStore {
    settings: Settings,
    /// Held while a document is looked at and then written, so that nobody writes in between.
    writing: Mutex<()>,
    titles: Mutex<HashMap<String, (Version, Option<String>)>>,
}

/// A document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its name.
    pub name: DocumentName,
    /// What stands in it.
    pub text: String,
    /// The hash of it.
    pub hash: String,
}

/// What a list says of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedDocument {
    /// Its name.
    pub name: DocumentName,
    /// The title that its front matter has.
    pub title: Option<String>,
    /// How many bytes it has.
    pub size: u64,
}

/// What a list says of something rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedOutput {
    /// Its name.
    pub name: OutputName,
    /// How many bytes it has.
    pub size: u64,
}

/// Some of what there is, and whether there may be more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing<T> {
    /// What was found, by name.
    pub items: Vec<T>,
    /// Whether there may be more than is looked at.
    pub is_cut: bool,
}

/// What a document that is there already means for one that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WriteMode {
    /// It stays, and nothing is written.
    CreateNew,
    /// It is replaced.
    Overwrite,
    /// It is replaced if it has this hash; without it nothing is written.
    OverwriteIf(String),
}

/// A document that was written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) hash: String,
    pub(super) replaced: bool,
}

impl DocumentStore {
    pub(super) fn new(settings: Settings) -> Self {
        Self { settings, writing: Mutex::default(), titles: Mutex::default() }
    }

    /// Where it is, and how large documents may be.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Makes its folder and that of outputs, if they are not there.
    pub(super) fn make_folder(&self) -> Result<(), Failure> {
        let made = DocumentDir::open_or_make(&self.settings.folder.join(OUTPUT));
        made.map(drop)
            .map_err(|error| unwritable(&self.settings.folder.display().to_string(), &error))
    }

    /// The documents there are now.
    pub fn documents(&self) -> Listing<ListedDocument> {
        let Ok(folder) = DocumentDir::open(&self.settings.folder) else {
            return Listing { items: Vec::new(), is_cut: false };
        };
        let is_wanted = |path: &str| match path.ends_with('/') {
            true => !path.eq_ignore_ascii_case("output/"),
            false => is_document(path),
        };
        let (found, is_cut) = folder.files(DEEPEST, &is_wanted);
        let mut titles = self.titles.lock();
        let mut before = std::mem::take(&mut *titles);
        let mut items = Vec::with_capacity(found.len());
        for Found { path, size, version } in found {
            let Ok(name) = DocumentName::existing(&path) else {
                continue;
            };
            let known = before.remove(&path).filter(|(known, _)| *known == version);
            let title = known.map_or_else(|| title(&folder, &path), |(_, title)| title);
            titles.insert(path, (version, title.clone()));
            items.push(ListedDocument { name, title, size });
        }
        Listing { items, is_cut }
    }

    /// What was rendered, as far as it is there now.
    pub fn outputs(&self) -> Listing<ListedOutput> {
        let Ok(folder) = DocumentDir::open(&self.settings.folder.join(OUTPUT)) else {
            return Listing { items: Vec::new(), is_cut: false };
        };
        let (found, is_cut) =
            folder.files(DEEPEST, &|path| path.ends_with('/') || OutputName::new(path).is_ok());
        let named = found
            .into_iter()
            .filter_map(|found| Some((OutputName::new(&found.path).ok()?, found.size)));
        Listing { items: named.map(|(name, size)| ListedOutput { name, size }).collect(), is_cut }
    }

    /// The document that somebody names, with or without its ending.
    pub fn find(&self, text: &str) -> Result<DocumentName, Failure> {
        let candidates = DocumentName::candidates(text)?;
        let folder = DocumentDir::open(&self.settings.folder).ok();
        let is_there = |name: &&DocumentName| {
            folder.as_ref().is_some_and(|folder| folder.is_file(name.as_str()))
        };
        candidates.iter().find(is_there).cloned().ok_or_else(|| missing(&candidates[0]))
    }

    /// Whether there is a file at a path from a document.
    pub(super) fn has_beside(&self, name: &DocumentName, path: &str) -> bool {
        let path = name
            .as_str()
            .rsplit_once('/')
            .map_or_else(|| path.to_owned(), |(folder, _)| format!("{folder}/{path}"));
        DocumentDir::open(&self.settings.folder).is_ok_and(|folder| folder.is_file(&path))
    }

    /// Reads a document.
    pub fn read(&self, name: &DocumentName) -> Result<Document, Failure> {
        let bytes = DocumentDir::open(&self.settings.folder)
            .and_then(|folder| folder.read(name.as_str(), self.settings.largest));
        let bytes = bytes.map_err(|error| unreadable(name, &error))?;
        let hash = hash(&bytes);
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
            Failure::new(ErrorType::NotText, format!("`{name}` is not UTF-8 text (line {line})"))
        })?;
        Ok(Document { name: name.clone(), text, hash })
    }

    /// Reads something rendered; nothing if it is not there.
    pub fn read_output(&self, name: &OutputName) -> Result<Option<Vec<u8>>, Failure> {
        let read = DocumentDir::open(&self.settings.folder.join(OUTPUT))
            .and_then(|folder| folder.read(name.as_str(), LARGEST_OUTPUT));
        match read {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(Failure::new(
                ErrorType::Unreadable,
                format!("`{name}` cannot be read: {error}"),
            )),
        }
    }

    /// Puts something rendered into its place, all at once.
    pub fn put_output(&self, name: &OutputName, bytes: &[u8]) -> Result<(), Failure> {
        let folder = DocumentDir::open_or_make(&self.settings.folder.join(OUTPUT));
        folder
            .and_then(|folder| folder.replace(name.as_str(), bytes))
            .map_err(|error| unwritable(name.as_str(), &error))
    }

    /// Writes a document, all at once.
    pub(super) fn write(
        &self,
        name: &DocumentName,
        text: &str,
        existing: &WriteMode,
    ) -> Result<Written, Failure> {
        self.check_size(name, text)?;
        let folder = DocumentDir::open_or_make(&self.settings.folder)
            .map_err(|error| unwritable(name.as_str(), &error))?;
        let _writing = self.writing.lock();
        let replaced = folder.is_file(name.as_str());
        let written = match existing {
            WriteMode::CreateNew => folder.create(name.as_str(), text.as_bytes()),
            WriteMode::Overwrite => folder.replace(name.as_str(), text.as_bytes()),
            WriteMode::OverwriteIf(expected) => {
                self.check_hash(&folder, name, expected)?;
                folder.replace(name.as_str(), text.as_bytes())
            }
        };
        match written {
            Ok(()) => Ok(Written { hash: hash(text.as_bytes()), replaced }),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                Err(self.taken(&folder, name))
            }
            Err(error) => Err(unwritable(name.as_str(), &error)),
        }
    }

    /// Removes a document; with a hash, only if it has it.
    pub(super) fn remove(
        &self,
        name: &DocumentName,
        expected: Option<&str>,
    ) -> Result<(), Failure> {
        let folder = DocumentDir::open(&self.settings.folder).map_err(|_| missing(name))?;
        let _writing = self.writing.lock();
        if let Some(expected) = expected {
            self.check_hash(&folder, name, expected)?;
        }
        folder.remove(name.as_str()).map_err(|error| match is_absent(&error) {
            true => missing(name),
            false => Failure::new(
                ErrorType::StorageError,
                format!("`{name}` cannot be removed: {error}"),
            ),
        })
    }

    fn check_size(&self, name: &DocumentName, text: &str) -> Result<(), Failure> {
        let (size, largest) = (text.len() as u64, self.settings.largest);
        match size > largest {
            true => Err(Failure::new(
                ErrorType::TooLarge,
                format!("`{name}` would have {size} bytes, and may have {largest}"),
            )
            .details(json!({"size": size, "largest": largest}))),
            false => Ok(()),
        }
    }

    fn check_hash(
        &self,
        folder: &DocumentDir,
        name: &DocumentName,
        expected: &str,
    ) -> Result<(), Failure> {
        let bytes = folder
            .read(name.as_str(), self.settings.largest)
            .map_err(|error| unreadable(name, &error))?;
        let found = hash(&bytes);
        match found == expected {
            true => Ok(()),
            false => Err(Failure::new(
                ErrorType::Conflict,
                format!("`{name}` has changed: its hash is `{found}`; read it again"),
            )
            .details(json!({"hash": found, "expected_hash": expected}))),
        }
    }

    fn taken(&self, folder: &DocumentDir, name: &DocumentName) -> Failure {
        let hash = folder.read(name.as_str(), self.settings.largest).map(|bytes| hash(&bytes)).ok();
        let why = "is there already and was left as it is; pass `overwrite: true` to replace it";
        Failure::new(ErrorType::AlreadyExists, format!("`{name}` {why}"))
            .details(json!({"hash": hash}))
    }
}

/// What tells one text from another: SHA-256, as hexadecimal digits.
pub(super) fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn is_document(path: &str) -> bool {
    DocumentName::existing(path).is_ok_and(|name| name.as_str() == path)
}

fn title(folder: &DocumentDir, path: &str) -> Option<String> {
    let head = folder.head(path, LOOKED_AT).ok()?;
    rmd::title(head.utf8_chunks().next()?.valid())
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) || leads_out(error)
}

/// Refused by the handle, not by the system: it leads out of the folder.
fn leads_out(error: &io::Error) -> bool {
    error.kind() == ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}

/// What is said of a document that is not there.
pub(super) fn not_found(name: impl fmt::Display) -> String {
    format!("R Markdown file not found: {name}")
}

fn missing(name: &DocumentName) -> Failure {
    Failure::new(ErrorType::NotFound, not_found(name))
}

fn unreadable(name: &DocumentName, error: &io::Error) -> Failure {
    match error.kind() {
        _ if is_absent(error) => missing(name),
        ErrorKind::FileTooLarge => {
            Failure::new(ErrorType::TooLarge, format!("`{name}` is too large: {error}"))
        }
        _ => Failure::new(ErrorType::Unreadable, format!("`{name}` cannot be read: {error}")),
    }
}

fn unwritable(name: &str, error: &io::Error) -> Failure {
    let why = if leads_out(error) {
        "it leads out of the folder of documents".to_owned()
    } else {
        error.to_string()
    };
    Failure::new(ErrorType::StorageError, format!("`{name}` cannot be written: {why}"))
}
