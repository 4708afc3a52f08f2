//! The journal and the key-value store on disk.

use std::{
    collections::BTreeMap,
    future::ready,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use catalog::{ErrorType, Failure};
use runtime::{
    Approval, AuditLine, Digest,
    journal::{
        Cursor, Filter, Journal, JournalError, JournalFuture, Note, Page, Retention, Ruling,
    },
    operation::{ApprovalId, Operation, OperationId, Owner, ServerId},
};
use serde_json::Value;
use tokio::time::sleep;
use toolkit::{Storage, StorageFuture};

use crate::{
    approvals,
    audit::{AuditLog, LogRetention},
    connection::Durability,
    database_file::{DatabaseFile, OpenDatabase},
    database_thread::{DatabaseThread, Mode},
    error::{OpenError, unavailable},
    key_value, operations, retention,
    server_lock::ServerLock,
};

/// The database in the state folder of a crib, and in the state folder of the user.
const CRIB: &str = "store.db";
const USER: &str = "user.db";
/// Maximum wait of a write of a value for a locked database.
const MAX_LOCK_WAIT: Duration = Duration::from_secs(30);
/// The pause between two transactions that delete old operations, and before a locked database is
/// tried again.
const PRUNE_PAUSE: Duration = Duration::from_millis(10);

/// The journal of a crib, which several servers may share, or the key-value store of the user.
pub struct Store {
    writer: DatabaseThread,
    reader: DatabaseThread,
    audit: AuditLog,
    file: Arc<DatabaseFile>,
    server_lock: ServerLock,
    moved_aside: Option<PathBuf>,
}

impl Store {
    /// Opens the store of a crib in `folder`. Creates both if necessary, accessible only to their
    /// owner. A corrupt store is moved aside.
    pub fn open(folder: &Path) -> Result<Self, OpenError> {
        Self::open_file(folder, CRIB, Durability::ProcessKill)
    }

    /// Opens the store of the user in `folder`, like [`Store::open`]. Writes are rare and must
    /// last, so they also survive a power failure.
    pub fn open_user(folder: &Path) -> Result<Self, OpenError> {
        Self::open_file(folder, USER, Durability::PowerLoss)
    }

    /// The store of a crib in `folder`, which is opened when it is first needed. While that fails,
    /// requests fail with [`JournalError::Unavailable`], and later ones try again. An error means
    /// that no thread could be started.
    pub fn open_when_available(folder: &Path) -> Result<Self, OpenError> {
        let file = DatabaseFile::new(folder, CRIB, Durability::ProcessKill);
        Self::start(folder, file, (None, None), None)
    }

    fn open_file(folder: &Path, name: &str, durability: Durability) -> Result<Self, OpenError> {
        let file = DatabaseFile::new(folder, name, durability);
        // The writer opens first: it migrates or replaces the file.
        let (writing, moved_aside) = file.open()?;
        let (reading, _) = file.open()?;
        Self::start(folder, file, (Some(writing), Some(reading)), moved_aside)
    }

    fn start(
        folder: &Path,
        file: DatabaseFile,
        (writing, reading): (Option<OpenDatabase>, Option<OpenDatabase>),
        moved_aside: Option<PathBuf>,
    ) -> Result<Self, OpenError> {
        let problem = |error| OpenError::Folder { path: folder.to_owned(), error };
        let file = Arc::new(file);
        let writer = DatabaseThread::start(Mode::Write, writing, Arc::clone(&file));
        let reader = DatabaseThread::start(Mode::Read, reading, Arc::clone(&file));
        Ok(Self {
            writer: writer.map_err(problem)?,
            reader: reader.map_err(problem)?,
            audit: AuditLog::new(folder.to_owned()),
            server_lock: ServerLock::new(folder.to_owned()),
            file,
            moved_aside,
        })
    }

    /// Sets the limits on the audit log.
    pub fn with_log_retention(mut self, retention: LogRetention) -> Self {
        self.audit.set_retention(retention);
        self
    }

    /// The path of the corrupt store that was moved aside when this one was opened.
    pub fn corrupt_file_path(&self) -> Option<&Path> {
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

    fn page(
        &self,
        space: &str,
        after: Option<&str>,
        limit: usize,
    ) -> StorageFuture<'_, Vec<(String, Value)>> {
        let (space, after) = (space.to_owned(), after.map(str::to_owned));
        to_storage_future(
            self.reader.run(move |connection| {
                key_value::page(connection, &space, after.as_deref(), limit)
            }),
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
        let write = move || {
            let (space, key, value) = (space.clone(), key.clone(), value.clone());
            self.writer
                .run(move |connection| key_value::set(connection, &space, &key, value.as_ref()))
        };
        to_storage_future(Box::pin(async move {
            let begun = Instant::now();
            loop {
                match write().await {
                    // A call with an earlier deadline stops waiting then.
                    Err(JournalError::Locked) if begun.elapsed() < MAX_LOCK_WAIT => {
                        sleep(PRUNE_PAUSE).await;
                    }
                    written => return written,
                }
            }
        }))
    }
}

/// Converts errors of the journal to failures of a tool.
fn to_storage_future<T: Send + 'static>(result: JournalFuture<'_, T>) -> StorageFuture<'_, T> {
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
        // Locked before the record is written, so that no server finds the operation and takes this
        // server for dead.
        if let Err(error) = self.server_lock.hold() {
            tracing::error!("the lock of this server could not be taken: {error}");
            return Box::pin(ready(Err(unavailable(error.kind()))));
        }
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
        // Cursors come from clients.
        let before = match cursor.map(|cursor| cursor.number()).transpose() {
            Ok(before) => before,
            Err(error) => return Box::pin(ready(Err(error))),
        };
        self.reader.run(move |connection| operations::list(connection, &filter, before, limit))
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
        self.audit.prune();
        Box::pin(async move {
            let mut pruned = Vec::new();
            loop {
                let batch = self
                    .writer
                    .run(move |connection| retention::prune_batch(connection, retention));
                match batch.await {
                    Ok(batch) => {
                        pruned.extend(batch.ids);
                        if batch.is_last {
                            return Ok(pruned);
                        }
                    }
                    Err(error) if pruned.is_empty() => return Err(error),
                    // Deleted operations leave files, which the caller removes.
                    Err(error) => {
                        tracing::warn!(%error, "not all old operations could be deleted");
                        return Ok(pruned);
                    }
                }
                // Other servers poll for the lock, and find it free only in a pause.
                sleep(PRUNE_PAUSE).await;
            }
        })
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

    fn return_approval(&self, id: ApprovalId) -> JournalFuture<'_, ()> {
        self.writer.run(move |connection| approvals::give_back(connection, &id))
    }

    fn approval(&self, id: ApprovalId) -> JournalFuture<'_, Option<Approval>> {
        self.reader.run(move |connection| approvals::get(connection, &id))
    }

    fn open_approvals(&self, now: SystemTime) -> JournalFuture<'_, Vec<Approval>> {
        self.reader.run(move |connection| approvals::list_open(connection, now))
    }

    fn digest_key(&self) -> &[u8] {
        self.file.digest_key()
    }

    fn is_server_alive(&self, server: &ServerId) -> bool {
        if server.is_local() { server.is_alive() } else { self.server_lock.is_held_by(server) }
    }

    fn keeps_audit(&self) -> bool {
        true
    }

    fn audit(&self, lines: &[AuditLine]) -> Result<(), JournalError> {
        self.audit.append(lines)
    }
}
