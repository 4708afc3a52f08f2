//! The store of documents and rendered outputs: lists, reads, writes and removes them.
//!
//! Blocks on the disk, so it is called on blocking threads.

use std::{
    collections::HashMap,
    fmt,
    io::{self, ErrorKind},
    path::{Component, Path, PathBuf},
};

use formats::rmd;
use parking_lot::Mutex;
use serde_json::json;
use sha2::{Digest, Sha256};
use toolkit::{ErrorType, Failure, closest};

use super::{
    document_dir::{DocumentDir, FileEntry, Version},
    name::{DocumentName, MAX_FOLDERS, OUTPUT_FOLDER, OutputName},
};
use crate::open_dir::Folder;

/// Bytes of a document that are read for its title.
const HEAD_BYTES: u64 = 64 << 10;

/// Minimum length of a name for which similar names are suggested. All very short names are
/// similar.
const MIN_STEM: usize = 3;

/// The largest output that is read.
const MAX_OUTPUT_BYTES: u64 = 128 << 20;

/// The location and limits of documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The folder of documents. Rendered outputs go into its subfolder `output`.
    pub folder: PathBuf,
    /// The maximum size of a document, in bytes.
    pub largest: u64,
    /// The maximum size of everything that is copied for a render, in bytes.
    pub largest_folder: u64,
    /// Data folders that documents may read. Each is mapped into the document folder under its own
    /// name.
    pub data: Vec<PathBuf>,
}

impl Settings {
    /// The default settings for a folder: documents of at most 10 MB, 256 MiB in all.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, largest: 10_000_000, largest_folder: 256 << 20, data: Vec::new() }
    }
}

/// The store of documents and rendered outputs.
pub struct DocumentStore {
    settings: Settings,
    folder: Folder,
    /// Held from the check of a hash to the write, so that no other call writes in between.
    write_lock: Mutex<()>,
    /// Titles of unchanged documents, so that a list need not read every file.
    titles: Mutex<HashMap<String, (Version, Option<String>)>>,
}

/// A document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Path and extension.
    pub name: DocumentName,
    /// The whole text.
    pub text: String,
    /// SHA-256 of the text, hexadecimal.
    pub hash: String,
}

/// A listed document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedDocument {
    /// Path and extension.
    pub name: DocumentName,
    /// The title in its front matter.
    pub title: Option<String>,
    /// Size in bytes.
    pub size: u64,
}

/// A listed output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedOutput {
    /// Path and extension.
    pub name: OutputName,
    /// Size in bytes.
    pub size: u64,
}

/// A list that may be incomplete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing<T> {
    /// The items, sorted by name.
    pub items: Vec<T>,
    /// Whether items may be missing because of a limit.
    pub is_truncated: bool,
}

/// What to do if the document to write exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WriteMode {
    /// Fail.
    CreateNew,
    /// Replace it.
    Overwrite,
    /// Replace it if it has this hash, else fail. Also fail if it does not exist.
    OverwriteIf(String),
}

/// The result of a write.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) hash: String,
    pub(super) replaced: bool,
}

impl DocumentStore {
    pub(super) fn new(settings: Settings) -> Self {
        let folder = Folder::new(settings.folder.clone());
        Self { settings, folder, write_lock: Mutex::default(), titles: Mutex::default() }
    }

    /// The location and limits.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Creates the folders of documents and outputs if they do not exist, and removes the drafts
    /// that a killed server left there.
    pub(super) fn create_folder(&self) -> Result<(), Failure> {
        let created = self
            .create_output_folder()
            .and_then(|_| DocumentDir::open(&self.folder))
            .map_err(|error| write_failure(&self.settings.folder.display().to_string(), &error))?;
        // Listing removes the drafts that it meets.
        created.files(MAX_FOLDERS, &|path| path.ends_with('/'));
        Ok(())
    }

    /// Lists the documents.
    pub fn list_documents(&self) -> Listing<ListedDocument> {
        let Ok(folder) = self.open_folder() else {
            return Listing { items: Vec::new(), is_truncated: false };
        };
        let is_wanted = |path: &str| {
            if path.ends_with('/') {
                !path.eq_ignore_ascii_case("output/")
            } else {
                is_document(path)
            }
        };
        let (found, is_truncated) = folder.files(MAX_FOLDERS, &is_wanted);
        let mut titles = self.titles.lock();
        // Rebuilt from the listed documents, so that removed ones do not stay in the cache.
        let mut before = std::mem::take(&mut *titles);
        let mut items = Vec::with_capacity(found.len());
        for FileEntry { path, size, version } in found {
            // Other programs may put files here whose names no tool could accept.
            let Ok(name) = DocumentName::parse_existing(&path) else {
                continue;
            };
            let cached = before.remove(&path).filter(|(cached, _)| *cached == version);
            let title = cached.map_or_else(|| read_title(&folder, &path), |(_, title)| title);
            titles.insert(path, (version, title.clone()));
            items.push(ListedDocument { name, title, size });
        }
        Listing { items, is_truncated }
    }

    /// Lists the rendered outputs.
    pub fn list_outputs(&self) -> Listing<ListedOutput> {
        let Ok(folder) = self.open_output_folder() else {
            return Listing { items: Vec::new(), is_truncated: false };
        };
        let (found, is_truncated) =
            folder.files(MAX_FOLDERS, &|path| path.ends_with('/') || OutputName::new(path).is_ok());
        let named = found
            .into_iter()
            .filter_map(|found| Some((OutputName::new(&found.path).ok()?, found.size)));
        Listing {
            items: named.map(|(name, size)| ListedOutput { name, size }).collect(),
            is_truncated,
        }
    }

    /// Finds a document by its name, with or without extension.
    pub fn find(&self, text: &str) -> Result<DocumentName, Failure> {
        let candidates = DocumentName::candidates(text)?;
        let folder = self.open_folder().ok();
        let exists = |name: &&DocumentName| {
            folder.as_ref().is_some_and(|folder| folder.is_file(name.as_str()))
        };
        candidates.iter().find(exists).cloned().ok_or_else(|| self.suggest(&candidates[0]))
    }

    /// The failure for a missing document, with the names of documents that are close.
    fn suggest(&self, name: &DocumentName) -> Failure {
        let listed = self.list_documents().items;
        // Compare without folder and extension, which most documents share.
        let stem = |path: &str| {
            let file = path.rsplit('/').next().unwrap_or(path);
            file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_ascii_lowercase()
        };
        let stems: Vec<_> = listed.iter().map(|document| stem(document.name.as_str())).collect();
        let wanted = stem(name.as_str());
        let near = closest(&wanted, stems.iter().map(String::as_str))
            .filter(|near| wanted.len() >= MIN_STEM || *near == wanted);
        let found = near.and_then(|near| stems.iter().position(|stem| stem == near));
        match found.and_then(|at| listed.get(at)) {
            Some(close) => {
                let message = format!("{}; did you mean `{}`?", missing_message(name), close.name);
                Failure::new(ErrorType::NotFound, message)
            }
            None => missing_failure(name),
        }
    }

    /// The path of an output on disk.
    pub(super) fn output_path(&self, name: &OutputName) -> PathBuf {
        self.settings.folder.join(OUTPUT_FOLDER).join(name.as_str())
    }

    /// Whether a render finds a file at a path relative to a document: in the folder of documents, or in
    /// a data folder, which is copied into it.
    pub(super) fn has_relative(&self, name: &DocumentName, path: &str) -> bool {
        let mut inside = PathBuf::from(name.as_str());
        inside.pop();
        for part in Path::new(path).components() {
            match part {
                Component::ParentDir if !inside.pop() => return false,
                Component::ParentDir | Component::CurDir => {}
                part => inside.push(part),
            }
        }
        let is_data = |data: &PathBuf| {
            let rest = inside.strip_prefix(data.file_name()?).ok()?.to_str()?;
            Some(DocumentDir::open(&Folder::new(data.clone())).ok()?.is_file(rest))
        };
        let has_document =
            |folder: DocumentDir| inside.to_str().is_some_and(|path| folder.is_file(path));
        self.open_folder().is_ok_and(has_document)
            || self.settings.data.iter().any(|data| is_data(data) == Some(true))
    }

    /// Reads a document.
    pub fn read(&self, name: &DocumentName) -> Result<Document, Failure> {
        let bytes =
            self.open_folder().and_then(|folder| folder.read(name.as_str(), self.settings.largest));
        let bytes = bytes.map_err(|error| read_failure(name, &error))?;
        // Hashes the bytes rather than the text, so that every change on disk is detected.
        let hash = hash(&bytes);
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
            Failure::new(ErrorType::NotText, format!("`{name}` is not UTF-8 text (line {line})"))
        })?;
        Ok(Document { name: name.clone(), text, hash })
    }

    /// Reads an output; `None` if it does not exist.
    pub fn read_output(&self, name: &OutputName) -> Result<Option<Vec<u8>>, Failure> {
        let read = self
            .open_output_folder()
            .and_then(|folder| folder.read(name.as_str(), MAX_OUTPUT_BYTES));
        match read {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if is_not_found(&error) => Ok(None),
            Err(error) => Err(Failure::new(
                ErrorType::Unreadable,
                format!("could not read `{name}`: {error}"),
            )),
        }
    }

    /// Writes an output atomically.
    pub fn write_output(&self, name: &OutputName, bytes: &[u8]) -> Result<(), Failure> {
        self.create_output_folder()
            .and_then(|folder| folder.replace(name.as_str(), bytes))
            .map_err(|error| write_failure(name.as_str(), &error))
    }

    /// Writes a document atomically.
    pub(super) fn write(
        &self,
        name: &DocumentName,
        text: &str,
        existing: &WriteMode,
    ) -> Result<Written, Failure> {
        self.check_size(name, text)?;
        // The folder may have been removed since the server started.
        let folder = DocumentDir::open_or_create(&self.folder)
            .map_err(|error| write_failure(name.as_str(), &error))?;
        let _lock = self.write_lock.lock();
        // Under the lock, so that it is true for this write.
        let replaced = folder.is_file(name.as_str());
        // Other programs do not take this lock. Between the check of the hash and the rename they
        // can still write; only a lock in the file system could prevent that.
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
                Err(self.already_exists(&folder, name))
            }
            Err(error) => Err(write_failure(name.as_str(), &error)),
        }
    }

    /// Removes a document. With an expected hash, only if it matches.
    pub(super) fn remove(
        &self,
        name: &DocumentName,
        expected: Option<&str>,
    ) -> Result<(), Failure> {
        let folder = self.open_folder().map_err(|_| missing_failure(name))?;
        let _lock = self.write_lock.lock();
        if let Some(expected) = expected {
            self.check_hash(&folder, name, expected)?;
        }
        folder.remove(name.as_str()).map_err(|error| {
            if is_not_found(&error) {
                return missing_failure(name);
            }
            Failure::new(ErrorType::StorageError, format!("could not remove `{name}`: {error}"))
        })
    }

    pub(super) fn open_folder(&self) -> io::Result<DocumentDir> {
        DocumentDir::open(&self.folder)
    }

    fn open_output_folder(&self) -> io::Result<DocumentDir> {
        self.open_folder()?.subfolder(OUTPUT_FOLDER)
    }

    fn create_output_folder(&self) -> io::Result<DocumentDir> {
        DocumentDir::open_or_create(&self.folder)?.create_subfolder(OUTPUT_FOLDER)
    }

    fn check_size(&self, name: &DocumentName, text: &str) -> Result<(), Failure> {
        let (size, largest) = (text.len() as u64, self.settings.largest);
        if size > largest {
            let message = format!("`{name}` would have {size} bytes; the maximum is {largest}");
            return Err(Failure::new(ErrorType::TooLarge, message)
                .details(json!({"size": size, "largest": largest})));
        }
        Ok(())
    }

    fn check_hash(
        &self,
        folder: &DocumentDir,
        name: &DocumentName,
        expected: &str,
    ) -> Result<(), Failure> {
        let bytes = folder
            .read(name.as_str(), self.settings.largest)
            .map_err(|error| read_failure(name, &error))?;
        let found = hash(&bytes);
        if found != expected {
            let message = format!("`{name}` has changed: its hash is `{found}`; read it again");
            return Err(Failure::new(ErrorType::Conflict, message)
                .details(json!({"hash": found, "expected_hash": expected})));
        }
        Ok(())
    }

    fn already_exists(&self, folder: &DocumentDir, name: &DocumentName) -> Failure {
        // With the hash, the caller can replace exactly this version without another read.
        let hash = folder.read(name.as_str(), self.settings.largest).map(|bytes| hash(&bytes)).ok();
        let message = format!("`{name}` already exists; pass `overwrite: true` to replace it");
        Failure::new(ErrorType::AlreadyExists, message).details(json!({"hash": hash}))
    }
}

/// SHA-256, hexadecimal.
pub(super) fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn is_document(path: &str) -> bool {
    DocumentName::parse_existing(path).is_ok_and(|name| name.as_str() == path)
}

fn read_title(folder: &DocumentDir, path: &str) -> Option<String> {
    let head = folder.head(path, HEAD_BYTES).ok()?;
    // The head may end inside a character, which must not hide the title.
    rmd::read_title(head.utf8_chunks().next()?.valid())
}

fn is_not_found(error: &io::Error) -> bool {
    // A path out of the folder is reported as missing, so that nothing outside can be probed.
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) || leads_out(error)
}

/// Whether the capability handle rejected the path because it leads out of the folder: such an
/// error has no code of the system.
fn leads_out(error: &io::Error) -> bool {
    error.kind() == ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}

/// The message for a missing document.
pub(super) fn missing_message(name: impl fmt::Display) -> String {
    format!("R Markdown file not found: {name}")
}

fn missing_failure(name: &DocumentName) -> Failure {
    Failure::new(ErrorType::NotFound, missing_message(name))
}

fn read_failure(name: &DocumentName, error: &io::Error) -> Failure {
    match error.kind() {
        _ if is_not_found(error) => missing_failure(name),
        ErrorKind::FileTooLarge => {
            Failure::new(ErrorType::TooLarge, format!("`{name}` is too large: {error}"))
        }
        _ => Failure::new(ErrorType::Unreadable, format!("could not read `{name}`: {error}")),
    }
}

fn write_failure(name: &str, error: &io::Error) -> Failure {
    let why = if leads_out(error) {
        "it leads out of the document folder".to_owned()
    } else {
        error.to_string()
    };
    Failure::new(ErrorType::StorageError, format!("could not write `{name}`: {why}"))
}
