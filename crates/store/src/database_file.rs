//! The database file that the threads of a store share: opening it, and noticing that it was
//! removed.

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::{OnceLock, atomic::AtomicBool},
};

use parking_lot::Mutex;
use rusqlite::Connection;

use crate::{
    connection::{self, Durability},
    digest_key,
    error::OpenError,
};

/// The database file that the threads of a store share.
pub(crate) struct DatabaseFile {
    folder: PathBuf,
    pub(crate) path: PathBuf,
    durability: Durability,
    /// Held while the file is opened: of two threads that find it corrupt, the second must not move
    /// the new file aside.
    opening: Mutex<()>,
    /// Set by the reader when it finds the file corrupt; the writer then replaces the file.
    pub(crate) is_corrupt: AtomicBool,
    digest_key: OnceLock<Vec<u8>>,
}

/// A connection, and the file that it is connected to.
pub(crate) struct OpenDatabase {
    pub(crate) connection: Connection,
    /// Device and inode.
    file: Option<(u64, u64)>,
}

impl DatabaseFile {
    /// Neither the folder nor the file needs to exist.
    pub(crate) fn new(folder: &Path, name: &str, durability: Durability) -> Self {
        Self {
            folder: folder.to_owned(),
            path: folder.join(name),
            durability,
            opening: Mutex::default(),
            is_corrupt: AtomicBool::new(false),
            digest_key: OnceLock::new(),
        }
    }

    /// Opens the file. Creates it and its folder if necessary, accessible only to their owner. A
    /// corrupt file is moved aside; its new path is returned.
    pub(crate) fn open(&self) -> Result<(OpenDatabase, Option<PathBuf>), OpenError> {
        let _opening = self.opening.lock();
        let problem = |path: &Path| {
            let path = path.to_owned();
            move |error| OpenError::Folder { path, error }
        };
        self.create_folder().map_err(problem(&self.folder))?;
        let (connection, moved_aside) = connection::open(&self.path, self.durability)?;
        // SQLite creates files with the default mode. Operations contain arguments, which other
        // users must not read.
        fs::set_permissions(&self.path, fs::Permissions::from_mode(0o600))
            .map_err(problem(&self.path))?;
        // If the folder was removed, the key that this server still uses is stored again.
        let key = digest_key::open(&self.folder, self.digest_key.get().map(Vec::as_slice))
            .map_err(problem(&self.folder))?;
        self.digest_key.get_or_init(|| key);
        Ok((OpenDatabase { connection, file: identify(&self.path) }, moved_aside))
    }

    /// Whether a connection still uses the file with this name. One that was unlinked can be
    /// written without an error, and its content is lost when it is closed.
    pub(crate) fn is_current(&self, database: &OpenDatabase) -> bool {
        database.file.is_some() && database.file == identify(&self.path)
    }

    /// The key for digests; empty while the folder cannot be used.
    pub(crate) fn digest_key(&self) -> &[u8] {
        if let Some(key) = self.digest_key.get() {
            return key;
        }
        let opened = self.create_folder().and_then(|()| digest_key::open(&self.folder, None));
        match opened {
            Ok(key) => self.digest_key.get_or_init(|| key),
            Err(_) => &[],
        }
    }

    fn create_folder(&self) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)
    }
}

/// By path and not by descriptor: closing a descriptor of the file would release the locks that
/// SQLite holds on it in this process.
fn identify(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}
