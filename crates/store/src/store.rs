//! The journal on disk.

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
    journal::{Answered, Cursor, Filter, Journal, JournalError, Note, Page, Retention, Ruling},
    operation::{ApprovalId, Operation, OperationId, Owner},
};
use serde_json::Value;
use toolkit::{Storage, StorageFuture};

use crate::{
    approvals,
    audit::Audit,
    connection::{self, Survives},
    error::OpenError,
    kept, operations, retention,
    threads::{Duty, File, Worker},
};

/// The database's file in the state folder of a crib, and in the one of the user.
const CRIB: &str = "store.db";
const USER: &str = "user.db";

/// The journal of a crib, in a folder of its own. Several servers may share it.
pub struct Store {
    writer: Worker,
    reader: Worker,
    audit: Audit,
    moved_aside: Option<PathBuf>,
}

impl Store {
    /// Opens the store of a crib in `folder`, making both if need be, for their owner only. A broken
    /// store is moved aside.
    pub fn open(folder: &Path) -> Result<Self, OpenError> {
        Self::open_file(folder, CRIB, Survives::Kill)
    }

    /// Opens the store of the user in `folder`, as [`Store::open`] does that of a crib. What is written
    /// here is little and meant to last, so it survives a loss of power too.
    pub fn open_user(folder: &Path) -> Result<Self, OpenError> {
        Self::open_file(folder, USER, Survives::PowerLoss)
    }

    fn open_file(folder: &Path, name: &str, survives: Survives) -> Result<Self, OpenError> {
        let problem = |path: &Path| {
            let path = path.to_owned();
            move |error| OpenError::Folder { path, error }
        };
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(problem(folder))?;
        let path = folder.join(name);
        let (writing, moved_aside) = connection::open(&path, survives)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).map_err(problem(&path))?;
        let (reading, _) = connection::open(&path, survives)?;
        let file = Arc::new(File::new(path.clone(), survives));
        let writer =
            Worker::start(Duty::Write, writing, Arc::clone(&file)).map_err(problem(&path))?;
        let reader = Worker::start(Duty::Read, reading, file).map_err(problem(&path))?;
        Ok(Self { writer, reader, audit: Audit::new(folder.to_owned()), moved_aside })
    }

    /// Where a broken store was moved to when this one was opened.
    pub fn moved_aside(&self) -> Option<&Path> {
        self.moved_aside.as_deref()
    }
}

impl Storage for Store {
    fn get(&self, space: &str, key: &str) -> StorageFuture<'_, Option<Value>> {
        let (space, key) = (space.to_owned(), key.to_owned());
        told(self.reader.ask(move |connection| kept::get(connection, &space, &key)))
    }

    fn all(&self, space: &str) -> StorageFuture<'_, BTreeMap<String, Value>> {
        let space = space.to_owned();
        told(self.reader.ask(move |connection| kept::all(connection, &space)))
    }

    fn set(
        &self,
        space: &str,
        key: &str,
        value: Option<Value>,
    ) -> StorageFuture<'_, Option<Value>> {
        let (space, key) = (space.to_owned(), key.to_owned());
        told(self.writer.ask(move |connection| kept::set(connection, &space, &key, value.as_ref())))
    }
}

/// What came of a question, as a tool takes it.
fn told<T: Send + 'static>(answer: Answered<'static, T>) -> StorageFuture<'static, T> {
    Box::pin(async move {
        answer.await.map_err(|error| {
            Failure::new(
                ErrorType::StoreFailed,
                format!("what is kept could not be read or written: {error}"),
            )
        })
    })
}

impl Journal for Store {
    fn begin(&self, operation: Operation) -> Answered<'_, ()> {
        self.writer.ask(move |connection| operations::insert(connection, operation))
    }

    fn note(&self, id: OperationId, note: Note) {
        self.writer.tell(move |connection| operations::note(connection, &id, &note));
    }

    fn finish(&self, operation: Operation) -> Answered<'_, bool> {
        self.writer.ask(move |connection| operations::finish(connection, operation))
    }

    fn get(&self, id: OperationId) -> Answered<'_, Option<Operation>> {
        self.reader.ask(move |connection| operations::get(connection, &id))
    }

    fn list(&self, filter: Filter, cursor: Option<Cursor>, limit: usize) -> Answered<'_, Page> {
        self.reader
            .ask(move |connection| operations::list(connection, &filter, cursor.as_ref(), limit))
    }

    fn unfinished(&self) -> Answered<'_, Vec<Operation>> {
        self.reader.ask(operations::unfinished)
    }

    fn uncollected(&self, owner: Owner, limit: usize) -> Answered<'_, Vec<Operation>> {
        self.reader.ask(move |connection| operations::uncollected(connection, &owner, limit))
    }

    fn version(&self) -> Answered<'_, i64> {
        self.reader
            .ask(|connection| connection.pragma_query_value(None, "data_version", |row| row.get(0)))
    }

    fn collect(&self, ids: Vec<OperationId>) -> Answered<'_, ()> {
        self.writer.ask(move |connection| operations::collect(connection, &ids))
    }

    fn prune(&self, retention: Retention) -> Answered<'_, Vec<OperationId>> {
        self.writer.ask(move |connection| retention::prune(connection, retention))
    }

    fn propose(&self, approval: Approval) -> Answered<'_, Approval> {
        self.writer.ask(move |connection| approvals::propose(connection, approval))
    }

    fn decide(&self, id: ApprovalId, ruling: Ruling) -> Answered<'_, Option<Approval>> {
        self.writer.ask(move |connection| approvals::decide(connection, &id, &ruling))
    }

    fn find_approval(
        &self,
        digest: Digest,
        owner: Owner,
        now: SystemTime,
    ) -> Answered<'_, Option<Approval>> {
        self.reader.ask(move |connection| approvals::find(connection, &digest, &owner, now))
    }

    fn use_approval(&self, id: ApprovalId, now: SystemTime) -> Answered<'_, bool> {
        self.writer.ask(move |connection| approvals::use_up(connection, &id, now))
    }

    fn approval(&self, id: ApprovalId) -> Answered<'_, Option<Approval>> {
        self.reader.ask(move |connection| approvals::get(connection, &id))
    }

    fn open_approvals(&self, now: SystemTime) -> Answered<'_, Vec<Approval>> {
        self.reader.ask(move |connection| approvals::open(connection, now))
    }

    fn keeps_audit(&self) -> bool {
        true
    }

    fn audit(&self, lines: &[AuditLine]) -> Result<(), JournalError> {
        self.audit.add(lines)
    }
}
