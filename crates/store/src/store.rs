//! The journal and the key-value store on disk.

use std::{
    collections::BTreeMap,
    fs::{self, DirBuilder},
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use catalog::{ErrorType, Failure};
use runtime::{
    Approval, AuditLine, Digest,
    journal::{
        Cursor, Filter, Journal, JournalError, JournalFuture, Note, Page, Retention, Ruling,
    },
    operation::{ApprovalId, Operation, OperationId, Owner},
};
use serde_json::Value;
use toolkit::{Storage, StorageFuture};

use crate::{
    approvals,
    audit::AuditLog,
    connection::{self, Durability},
    database_thread::{DatabaseFile, DatabaseThread, Mode},
    digest_key,
    error::OpenError,
    key_value, operations, retention,
};

/// The database in the state folder of a crib, and in the state folder of the user.
const CRIB: &str = "store.db";
const USER: &str = "user.db";

/// The journal of a crib, which several servers may share, or the key-value store of the user.
pub struct Store {
    writer: DatabaseThread,
    reader: DatabaseThread,
    audit: AuditLog,
    digest_key: Vec<u8>,
    moved_aside: Option<PathBuf>,
}

impl Store {
    /// Opens the store of a crib in `folder`. Creates both if necessary, accessible only to their
    /// owner. A corrupt store is moved aside.
    pub fn open(folder: &Path) -> Result<Self, OpenError> {
        Self::open_file(folder, CRIB, Durability::ProcessKill)
    }

    /// Opens the store of the user in `folder`, like [`Store::open`]. Writes are rare and must last, so
    /// they also survive a power failure.
    pub fn open_user(folder: &Path) -> Result<Self, OpenError> {
        Self::open_file(folder, USER, Durability::PowerLoss)
    }

    fn open_file(folder: &Path, name: &str, durability: Durability) -> Result<Self, OpenError> {
        let problem = |path: &Path| {
            let path = path.to_owned();
            move |error| OpenError::Folder { path, error }
        };
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(problem(folder))?;
        let path = folder.join(name);
        // The writer opens first: it migrates or replaces the file, which the reader must not race
        // with.
        let (writing, moved_aside) = connection::open(&path, durability)?;
        // SQLite creates files with the default mode. Operations contain arguments, which other
        // users must not read.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).map_err(problem(&path))?;
        let (reading, _) = connection::open(&path, durability)?;
        let file = Arc::new(DatabaseFile::new(path.clone(), durability));
        let writer = DatabaseThread::start(Mode::Write, writing, Arc::clone(&file))
            .map_err(problem(&path))?;
        let reader = DatabaseThread::start(Mode::Read, reading, file).map_err(problem(&path))?;
        let digest_key = digest_key::open(folder).map_err(problem(folder))?;
        let audit = AuditLog::new(folder.to_owned());
        Ok(Self { writer, reader, audit, digest_key, moved_aside })
    }

    /// The path of the corrupt store that was moved aside when this one was opened.
    pub fn moved_aside(&self) -> Option<&Path> {
        self.moved_aside.as_deref()
    }
}

impl Storage for Store {
    fn get(&self, space: &str, key: &str) -> StorageFuture<'_, Option<Value>> {
        let (space, key) = (space.to_owned(), key.to_owned());
        to_storage_future(
            self.reader.run(move |connection| key_value::get(connection, &space, &key)),
        )
    }

    fn all(&self, space: &str) -> StorageFuture<'_, BTreeMap<String, Value>> {
        let space = space.to_owned();
        to_storage_future(self.reader.run(move |connection| key_value::all(connection, &space)))
    }

    fn set(
        &self,
        space: &str,
        key: &str,
        value: Option<Value>,
    ) -> StorageFuture<'_, Option<Value>> {
        let (space, key) = (space.to_owned(), key.to_owned());
        to_storage_future(
            self.writer
                .run(move |connection| key_value::set(connection, &space, &key, value.as_ref())),
        )
    }
}

/// Converts errors of the journal to failures of a tool.
fn to_storage_future<T: Send + 'static>(
    result: JournalFuture<'static, T>,
) -> StorageFuture<'static, T> {
    Box::pin(async move {
        result.await.map_err(|error| {
            Failure::new(
                ErrorType::StoreFailed,
                format!("stored values could not be read or written: {error}"),
            )
        })
    })
}

impl Journal for Store {
    fn begin(&self, operation: Operation) -> JournalFuture<'_, ()> {
        self.writer.run(move |connection| operations::insert(connection, operation))
    }

    fn note(&self, id: OperationId, note: Note) {
        self.writer.submit(move |connection| operations::update(connection, &id, &note));
    }

    fn finish(&self, operation: Operation) -> JournalFuture<'_, bool> {
        self.writer.run(move |connection| operations::finish(connection, operation))
    }

    fn get(&self, id: OperationId) -> JournalFuture<'_, Option<Operation>> {
        self.reader.run(move |connection| operations::get(connection, &id))
    }

    fn list(
        &self,
        filter: Filter,
        cursor: Option<Cursor>,
        limit: usize,
    ) -> JournalFuture<'_, Page> {
        self.reader
            .run(move |connection| operations::list(connection, &filter, cursor.as_ref(), limit))
    }

    fn unfinished(&self) -> JournalFuture<'_, Vec<Operation>> {
        self.reader.run(operations::unfinished)
    }

    fn uncollected(&self, owner: Owner, limit: usize) -> JournalFuture<'_, Vec<Operation>> {
        self.reader.run(move |connection| operations::uncollected(connection, &owner, limit))
    }

    fn version(&self) -> JournalFuture<'_, i64> {
        self.reader
            // `data_version` changes when another connection commits, so one cheap read tells
            // whether a list is outdated.
            .run(|connection| connection.pragma_query_value(None, "data_version", |row| row.get(0)))
    }

    fn collect(&self, ids: Vec<OperationId>) -> JournalFuture<'_, ()> {
        self.writer.run(move |connection| operations::mark_collected(connection, &ids))
    }

    fn prune(&self, retention: Retention) -> JournalFuture<'_, Vec<OperationId>> {
        self.writer.run(move |connection| retention::prune(connection, retention))
    }

    fn propose(&self, approval: Approval) -> JournalFuture<'_, Approval> {
        self.writer.run(move |connection| approvals::propose(connection, approval))
    }

    fn decide(&self, id: ApprovalId, ruling: Ruling) -> JournalFuture<'_, Option<Approval>> {
        self.writer.run(move |connection| approvals::decide(connection, &id, &ruling))
    }

    fn find_approvals(
        &self,
        digest: Digest,
        owner: Owner,
        now: SystemTime,
    ) -> JournalFuture<'_, Vec<Approval>> {
        self.reader.run(move |connection| approvals::find_usable(connection, &digest, &owner, now))
    }

    fn use_approval(&self, id: ApprovalId, now: SystemTime) -> JournalFuture<'_, bool> {
        self.writer.run(move |connection| approvals::consume(connection, &id, now))
    }

    fn approval(&self, id: ApprovalId) -> JournalFuture<'_, Option<Approval>> {
        self.reader.run(move |connection| approvals::get(connection, &id))
    }

    fn open_approvals(&self, now: SystemTime) -> JournalFuture<'_, Vec<Approval>> {
        self.reader.run(move |connection| approvals::list_open(connection, now))
    }

    fn digest_key(&self) -> &[u8] {
        &self.digest_key
    }

    fn keeps_audit(&self) -> bool {
        true
    }

    fn audit(&self, lines: &[AuditLine]) -> Result<(), JournalError> {
        self.audit.append(lines)
    }
}
