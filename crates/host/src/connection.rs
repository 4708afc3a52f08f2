//! Connects clients to a crib: an entry in a client's file, and its removal.
//!
//! A record in the crib's state folder has the original file. If the file was not changed otherwise,
//! undoing restores it byte by byte; else it only removes the entry. A change of one entry is applied to
//! the texts in the records of other entries too, so that entries of one file can be undone in any order.

mod record;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use atomic_file::Access;
use clients::{Client, EditError, Folders, Scope, Server};
use workspace::{Crib, Environment};

use self::record::{FileBackup, read_others};

/// A client's configuration file with its servers.
pub struct ClientFile {
    /// The client.
    pub client: &'static Client,
    /// Whether the file belongs to the user or to the project.
    pub scope: Scope,
    /// The path of the file, which need not exist.
    pub path: PathBuf,
    /// The folder of the records.
    records: PathBuf,
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
    /// The path of the record, which has the original text.
    pub backup: PathBuf,
    /// The record for undoing; `None` if the change itself undoes a connection.
    record: Option<FileBackup>,
    /// The changed records of other entries in the file.
    others: Vec<(PathBuf, FileBackup)>,
    /// Folders to remove with the file.
    folders: Vec<PathBuf>,
    access: Access,
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
        let records = crib.state_folder().join("connections");
        Some(Self { client, scope, path, records })
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

    /// The change that adds or replaces the entry of a server.
    pub fn connect(
        &self,
        server: &Server,
        entry: &serde_json::Value,
    ) -> Result<Change, ConnectionError> {
        let name = &server.name;
        let before = self.read()?;
        let text = before.as_deref().unwrap_or_default();
        let editor = self.client.editor();
        let edit_error = |error| self.edit_error(error);
        let after = editor.insert(text, name, entry).map_err(edit_error)?;
        let backup = self.record_path(name);
        let mut others = read_others(&backup, &self.path);
        let is_known = |record: &FileBackup| record.after == before;
        let mut record = match FileBackup::read(&backup, &self.path) {
            // The file is unchanged since it was written, so the original text is still valid.
            Some(record)
                if is_known(&record) || others.iter().any(|(_, other)| is_known(other)) =>
            {
                record
            }
            // The crib was connected before, so the entry was written by `connect`, and the original
            // text is the current one without it.
            Some(record) => {
                let original = Some(editor.remove(text, name).map_err(edit_error)?);
                FileBackup::new(&self.path, original, Some(after.clone()), record.folders)
            }
            None => {
                let folders = find_missing_folders(&self.path);
                FileBackup::new(&self.path, before.clone(), Some(after.clone()), folders)
            }
        };
        // Texts with an older form of this entry get the new one, so that they still match the file.
        let texts = others.iter_mut().flat_map(|(_, other)| [&mut other.before, &mut other.after]);
        for text in texts.chain([&mut record.after]).flatten() {
            if editor.entry(text, name).is_ok_and(|entry| entry.is_some()) {
                *text = editor.insert(text, name, entry).map_err(edit_error)?;
            }
        }
        let access = match self.client.stores_token(server) && before.is_none() {
            true => Access::OwnerOnly,
            false => Access::Usual,
        };
        Ok(Change {
            path: self.path.clone(),
            before,
            after: Some(after),
            backup,
            record: Some(record),
            others,
            folders: Vec::new(),
            access,
        })
    }

    /// The change that removes the entry with this name.
    pub fn disconnect(&self, name: &str) -> Result<Change, ConnectionError> {
        let before = self.read()?;
        let backup = self.record_path(name);
        let record = FileBackup::read(&backup, &self.path);
        let mut others = read_others(&backup, &self.path);
        let editor = self.client.editor();
        // The original for the text that was written, and for any other text the rest of it.
        let undo = |text: &Option<String>| match (&record, text) {
            (Some(record), text) if record.after == *text => Ok(record.before.clone()),
            (_, None) => Ok(None),
            (_, Some(text)) => {
                editor.remove(text, name).map(Some).map_err(|error| self.edit_error(error))
            }
        };
        let after = match &before {
            None => None,
            text => undo(text)?,
        };
        let mut folders = record.as_ref().map(|record| record.folders.clone()).unwrap_or_default();
        for (_, other) in &mut others {
            let existed = other.before.is_some();
            other.before = undo(&other.before)?;
            other.after = undo(&other.after)?;
            // The file was created for this entry, and is now removed with the other one.
            if existed && other.before.is_none() {
                other.folders.append(&mut folders);
            }
        }
        Ok(Change {
            path: self.path.clone(),
            before,
            after,
            backup,
            record: None,
            others,
            folders,
            access: Access::Usual,
        })
    }

    /// The path of the record for the entry with this name.
    fn record_path(&self, name: &str) -> PathBuf {
        let name = clients::server_name(name);
        self.records.join(format!("{}-{}-{name}.json", self.client.name, self.scope.name()))
    }

    fn read(&self) -> Result<Option<String>, ConnectionError> {
        match fs::read_to_string(&self.path) {
            // YAML is edited by lines, and a line that looks right may be inside a string or a list that
            // was never closed.
            Ok(text) if self.path.extension().is_some_and(|extension| extension == "yaml") => {
                match formats::find_yaml_problem(&text) {
                    None => Ok(Some(text)),
                    Some(problem) => Err(self.edit_error(EditError::Broken(problem))),
                }
            }
            Ok(text) => Ok(Some(text)),
            // A broken link is not a missing file: writing to it would fail later.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !self.path.is_symlink() => {
                Ok(None)
            }
            Err(source) => Err(ConnectionError::Read { path: self.path.clone(), source }),
        }
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

    /// Writes the file. Records are written first, because a changed file without a record could not be
    /// restored.
    pub fn apply(&self) -> Result<(), ConnectionError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| ConnectionError::Write { path, source }
        };
        let own = self.record.iter().map(|record| (&self.backup, record));
        for (path, record) in own.chain(self.others.iter().map(|(path, record)| (path, record))) {
            record.write(path).map_err(failed(path))?;
        }
        match (&self.after, self.is_empty()) {
            (_, true) => {}
            (Some(text), false) => atomic_file::replace(&self.path, text.as_bytes(), self.access)
                .map_err(failed(&self.path))?,
            (None, false) => self.remove_file().map_err(failed(&self.path))?,
        }
        if self.record.is_none() {
            // Nothing is left to undo. Without a record, undoing again would find no entry either.
            let _ = fs::remove_file(&self.backup);
        }
        Ok(())
    }

    /// Removes a file that did not exist before, with the folders that were created for it.
    fn remove_file(&self) -> io::Result<()> {
        fs::remove_file(&self.path)?;
        for folder in &self.folders {
            // Fails if the folder is no longer empty.
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }
}

/// The folders above a path that do not exist, the innermost first.
fn find_missing_folders(path: &Path) -> Vec<PathBuf> {
    let missing = path.ancestors().skip(1).take_while(|folder| !folder.exists());
    missing.map(Path::to_owned).collect()
}
