//! Connects clients to a crib: an entry in a client's file, and its removal.
//!
//! A record in the crib's state folder has the original file. If the file was not changed
//! otherwise, undoing restores it byte by byte; else it only removes the entry.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use atomic_file::Access;
use clients::{Client, EditError, Folders, Scope, Server};
use serde::{Deserialize, Serialize};
use workspace::{Crib, Environment};

/// A client's configuration file with its servers.
pub struct ClientFile {
    /// The client.
    pub client: &'static Client,
    /// Whether the file belongs to the user or to the project.
    pub scope: Scope,
    /// The path of the file, which need not exist.
    pub path: PathBuf,
    record: PathBuf,
}

/// Whether a client is connected to the crib.
#[derive(Debug, PartialEq, Eq)]
pub enum ConnectionState {
    /// The file has no entry with this name.
    Absent,
    /// It has exactly the entry that `connect` writes.
    Connected,
    /// It has a different entry with this name.
    Different,
    /// It cannot be read.
    Unreadable(String),
}

/// An error while changing a client's file.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    /// It cannot be read.
    #[error("cannot read `{path}`: {source}")]
    Read {
        /// The configuration file of the client.
        path: PathBuf,
        /// What the operating system reported.
        source: io::Error,
    },
    /// It cannot be edited.
    #[error("`{path}` is left as it is: {source}")]
    Edit {
        /// The configuration file of the client.
        path: PathBuf,
        /// The reason why the entry cannot be written or removed.
        source: EditError,
    },
    /// It cannot be written.
    #[error("cannot write `{path}`: {source}")]
    Write {
        /// The configuration file of the client.
        path: PathBuf,
        /// What the operating system reported.
        source: io::Error,
    },
}

/// A planned change of a client's file.
pub struct Change {
    /// The configuration file of the client.
    pub path: PathBuf,
    /// The current text; `None` if the file does not exist.
    pub before: Option<String>,
    /// The new text; `None` to delete the file.
    pub after: Option<String>,
    record_path: PathBuf,
    /// The record for undoing; `None` if the change itself undoes a connection.
    record: Option<FileBackup>,
}

/// The data for restoring a file.
#[derive(Debug, Serialize, Deserialize)]
struct FileBackup {
    version: u32,
    file: PathBuf,
    /// The text without the entry; `None` if the file did not exist.
    before: Option<String>,
    /// The text that was written.
    after: String,
    /// Folders that were created for the file, the innermost first.
    folders: Vec<PathBuf>,
}

impl ClientFile {
    /// Locates the file of a client for a scope; `None` if the client has none.
    pub fn find(
        client: &'static Client,
        scope: Scope,
        crib: &Crib,
        environment: &Environment,
    ) -> Option<Self> {
        let home = PathBuf::from(environment.get("HOME")?);
        let variable = |name: &str| environment.get(name).map(str::to_owned);
        let folders = Folders { home: &home, project: &crib.folder, variable: &variable };
        let path = client.location(scope)?.resolve(&folders, &|path| path.exists());
        let record = format!("{}-{}.json", client.name, scope.name());
        let record = crib.state_folder().join("connections").join(record);
        Some(Self { client, scope, path, record })
    }

    /// Compares the entry in the file with this server.
    pub fn state(&self, server: &Server) -> ConnectionState {
        let found = self.read().and_then(|text| {
            let text = text.unwrap_or_default();
            self.client.editor().entry(&text, &server.name).map_err(|error| self.edit_error(error))
        });
        match found {
            Ok(None) => ConnectionState::Absent,
            Ok(entry) if entry == self.client.entry(server) => ConnectionState::Connected,
            Ok(Some(_)) => ConnectionState::Different,
            Err(ConnectionError::Edit { source, .. }) => {
                ConnectionState::Unreadable(source.to_string())
            }
            Err(error) => ConnectionState::Unreadable(error.to_string()),
        }
    }

    /// The change that adds or replaces an entry.
    pub fn connect(
        &self,
        name: &str,
        entry: &serde_json::Value,
    ) -> Result<Change, ConnectionError> {
        let before = self.read()?;
        let text = before.as_deref().unwrap_or_default();
        let editor = self.client.editor();
        let edit_error = |error| self.edit_error(error);
        let after = editor.insert(text, name, entry).map_err(edit_error)?;
        let (original, folders) = match self.read_record() {
            // The file is unchanged since it was written, so the original text is still valid.
            Some(record) if record.after == text => (record.before, record.folders),
            // The crib was connected before, so the entry was written by `connect`, and the
            // original text is the current one without it.
            Some(record) => (Some(editor.remove(text, name).map_err(edit_error)?), record.folders),
            None => (before.clone(), find_missing_folders(&self.path)),
        };
        let record = FileBackup {
            version: 1,
            file: self.path.clone(),
            before: original,
            after: after.clone(),
            folders,
        };
        Ok(self.change(before, Some(after), Some(record)))
    }

    /// The change that removes the entry with this name.
    pub fn disconnect(&self, name: &str) -> Result<Change, ConnectionError> {
        let before = self.read()?;
        let Some(text) = before.clone() else {
            return Ok(self.change(None, None, None));
        };
        let after = match self.read_record().filter(|record| record.after == text) {
            Some(record) => record.before,
            None => {
                let removed = self.client.editor().remove(&text, name);
                Some(removed.map_err(|error| self.edit_error(error))?)
            }
        };
        Ok(self.change(before, after, None))
    }

    fn change(
        &self,
        before: Option<String>,
        after: Option<String>,
        record: Option<FileBackup>,
    ) -> Change {
        Change { path: self.path.clone(), before, after, record_path: self.record.clone(), record }
    }

    fn read(&self) -> Result<Option<String>, ConnectionError> {
        match fs::read_to_string(&self.path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound && !self.path.is_symlink() => {
                Ok(None)
            }
            Err(source) => Err(ConnectionError::Read { path: self.path.clone(), source }),
        }
    }

    /// The record of an earlier connection of this file.
    fn read_record(&self) -> Option<FileBackup> {
        read_record(&self.record).filter(|record| record.file == self.path)
    }

    fn edit_error(&self, source: EditError) -> ConnectionError {
        ConnectionError::Edit { path: self.path.clone(), source }
    }
}

impl Change {
    /// Whether the change leaves the file unchanged.
    pub fn is_empty(&self) -> bool {
        self.before == self.after
    }

    /// Writes the file. The record is written first, because a changed file without a record could
    /// not be restored.
    pub fn apply(&self) -> Result<(), ConnectionError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| ConnectionError::Write { path, source }
        };
        if let Some(record) = &self.record {
            let text = serde_json::to_vec(record).expect("it has only texts and numbers");
            // The text may contain secrets of other servers.
            atomic_file::replace(&self.record_path, &text, Access::OwnerOnly)
                .map_err(failed(&self.record_path))?;
        }
        match (&self.after, self.is_empty()) {
            (_, true) => {}
            (Some(text), false) => atomic_file::replace(&self.path, text.as_bytes(), Access::Usual)
                .map_err(failed(&self.path))?,
            (None, false) => self.remove_file().map_err(failed(&self.path))?,
        }
        if self.record.is_none() {
            // Nothing is left to undo. Without a record, undoing again would find no entry either.
            let _ = fs::remove_file(&self.record_path);
        }
        Ok(())
    }

    /// Removes a file that did not exist before, with the folders that were created for it.
    fn remove_file(&self) -> io::Result<()> {
        fs::remove_file(&self.path)?;
        let folders = read_record(&self.record_path).map(|record| record.folders);
        for folder in folders.into_iter().flatten() {
            // Fails if the folder is no longer empty.
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }
}

fn read_record(path: &Path) -> Option<FileBackup> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// The folders above a path that do not exist, the innermost first.
fn find_missing_folders(path: &Path) -> Vec<PathBuf> {
    let missing = path.ancestors().skip(1).take_while(|folder| !folder.exists());
    missing.map(Path::to_owned).collect()
}
