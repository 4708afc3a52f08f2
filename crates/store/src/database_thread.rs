//! The two threads of a store: one writes, the other reads.
//!
//! SQLite calls block, so they run outside the async executor. One writer per process is enough,
//! because SQLite allows one at a time; and it can group: all tasks that are queued when the writer
//! becomes free run in one transaction and complete after its commit, so many small writes cost
//! little more than one.
//!
//! Each thread opens the database when it first needs it, and again when it was removed. While it
//! cannot be opened, tasks fail.

use std::{
    sync::{
        Arc,
        atomic::Ordering,
        mpsc::{Receiver, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use runtime::journal::{JournalError, JournalFuture};
use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::oneshot;

use crate::{
    connection,
    database_file::{DatabaseFile, OpenDatabase},
    error::{is_corrupt, journal_error},
};

/// The maximum number of tasks in one transaction, which bounds the latency of the first one.
const MAX_GROUP: usize = 512;
/// Time for which a failure to open the file is repeated before the next attempt, so that a queue
/// of tasks does not wait for each of them.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);

/// Work on a connection, or an error if no transaction could be started. Returns what to do once
/// its transaction has been committed or rolled back.
type Task = Box<dyn FnOnce(Result<&Connection, &JournalError>) -> Completion + Send>;

/// Completes a task with the result of the commit. Returns whether the task found the file corrupt.
type Completion = Box<dyn FnOnce(Result<(), JournalError>) -> bool + Send>;

/// A handle to a thread with its own connection. Dropping it runs all queued tasks and waits.
pub(crate) struct DatabaseThread {
    /// `None` only while it is dropped: closing the channel ends the thread.
    tasks: Option<Sender<Task>>,
    thread: Option<JoinHandle<()>>,
}

/// How a thread runs its tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// All queued tasks in one transaction.
    Write,
    /// One after the other, without a transaction.
    Read,
}

impl DatabaseThread {
    /// Starts a thread for `file`, which may be open already.
    pub(crate) fn start(
        mode: Mode,
        database: Option<OpenDatabase>,
        file: Arc<DatabaseFile>,
    ) -> std::io::Result<Self> {
        let (tasks, queue) = channel();
        let name = match mode {
            Mode::Write => "store-write",
            Mode::Read => "store-read",
        };
        let mut executor = Executor { database, file, failure: None };
        let run = move || match mode {
            Mode::Write => executor.run_writes(&queue),
            Mode::Read => executor.run_reads(&queue),
        };
        let thread = thread::Builder::new().name(name.to_owned()).spawn(run)?;
        Ok(Self { tasks: Some(tasks), thread: Some(thread) })
    }

    /// Queues work and returns its result. The work is queued at once, even if the future is never
    /// polled.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> JournalFuture<'static, T> {
        // The caller may drop the future, for example when a client disconnects; the work is done
        // all the same.
        let (sender, receiver) = oneshot::channel();
        self.enqueue(work, move |result| _ = sender.send(result));
        Box::pin(async move {
            receiver
                .await
                .unwrap_or_else(|_| Err(JournalError::Failed("the store thread exited".to_owned())))
        })
    }

    /// Queues work without waiting for it. A failure is logged.
    pub(crate) fn submit<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) {
        self.enqueue(work, |result| {
            if let Err(error) = result {
                tracing::warn!(%error, "the progress of an operation could not be recorded");
            }
        });
    }

    fn enqueue<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
        complete: impl FnOnce(Result<T, JournalError>) + Send + 'static,
    ) {
        let task: Task = Box::new(move |connection| {
            let (result, is_corrupt) = match connection.map(work) {
                Ok(Ok(value)) => (Ok(value), false),
                Ok(Err(error)) => {
                    let is_corrupt = is_corrupt(&error);
                    (Err(journal_error(error)), is_corrupt)
                }
                Err(error) => (Err(error.clone()), false),
            };
            Box::new(move |committed| {
                complete(result.and_then(|value| committed.map(|()| value)));
                is_corrupt
            })
        });
        if let Some(tasks) = &self.tasks {
            // If the thread has ended, the task is dropped with its sender, and `run` reports that.
            let _ = tasks.send(task);
        }
    }
}

impl Drop for DatabaseThread {
    fn drop(&mut self) {
        // Order matters: joining before the channel is closed would wait forever.
        self.tasks = None;
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Runs tasks on the thread.
struct Executor {
    file: Arc<DatabaseFile>,
    /// Absent until the file could be opened.
    database: Option<OpenDatabase>,
    /// The last failed attempt to open it.
    failure: Option<(Instant, JournalError)>,
}

impl Executor {
    fn run_writes(&mut self, queue: &Receiver<Task>) {
        while let Ok(first) = queue.recv() {
            // Only when there is something to write: a store that is just read has no need for a
            // new file.
            if self.file.is_corrupt.swap(false, Ordering::SeqCst) {
                self.replace_file();
            }
            // `try_iter` does not wait, so a single task is committed at once.
            let group: Vec<_> =
                std::iter::once(first).chain(queue.try_iter().take(MAX_GROUP - 1)).collect();
            if self.commit_group(group) {
                self.replace_file();
            }
        }
    }

    /// Runs a group of tasks in one transaction. Returns whether the file is corrupt.
    fn commit_group(&mut self, group: Vec<Task>) -> bool {
        let fail = |group: Vec<Task>, error: &JournalError| {
            group.into_iter().for_each(|task| _ = task(Err(error))(Ok(())));
        };
        let file = Arc::clone(&self.file);
        let database = match self.connect() {
            Ok(database) => database,
            Err(error) => {
                fail(group, &error);
                return false;
            }
        };
        // Immediate: takes the write lock at the start, where the busy timeout applies. A deferred
        // transaction that reads first and writes later fails at once if another server wrote in
        // between.
        let transaction = match Transaction::new_unchecked(
            &database.connection,
            TransactionBehavior::Immediate,
        ) {
            Ok(transaction) => transaction,
            Err(error) => {
                let is_corrupt = is_corrupt(&error);
                fail(group, &journal_error(error));
                return is_corrupt;
            }
        };
        // A failed statement has no effect and leaves the transaction open, so a failed task does
        // not undo the others.
        let completions: Vec<_> = group.into_iter().map(|task| task(Ok(&transaction))).collect();
        // After some errors, such as a full disk, SQLite has already rolled back everything. The
        // commit below would then succeed without writing anything.
        let is_rolled_back = transaction.is_autocommit();
        let committed = match transaction.commit() {
            _ if is_rolled_back => Err(JournalError::Full),
            // SQLite writes to a removed file without an error. Checked after the commit: only what
            // is in the file with this name may be acknowledged.
            Ok(()) if !file.is_current(database) => Err(removed_file_error()),
            result => result.map_err(journal_error),
        };
        // `count` rather than `any`: every task must be completed.
        completions
            .into_iter()
            .map(|complete| complete(committed.clone()))
            .filter(|is_corrupt| *is_corrupt)
            .count()
            > 0
    }

    fn run_reads(&mut self, queue: &Receiver<Task>) {
        while let Ok(task) = queue.recv() {
            let found_corrupt = match self.connect() {
                Ok(database) => task(Ok(&database.connection))(Ok(())),
                Err(error) => task(Err(&error))(Ok(())),
            };
            if found_corrupt {
                // Only the writer replaces the file, so that it happens once.
                self.file.is_corrupt.store(true, Ordering::SeqCst);
            }
        }
    }

    /// The open database. Opens it first if it is not open, or if its file was removed or replaced:
    /// the old connection would go on using the old file.
    fn connect(&mut self) -> Result<&OpenDatabase, JournalError> {
        // Closed before it is opened again.
        let database = self.database.take().filter(|database| self.file.is_current(database));
        let database = match database {
            Some(database) => database,
            None => self.open()?,
        };
        Ok(self.database.insert(database))
    }

    fn open(&mut self) -> Result<OpenDatabase, JournalError> {
        if let Some((at, error)) = &self.failure
            && at.elapsed() < RETRY_INTERVAL
        {
            return Err(error.clone());
        }
        match self.file.open() {
            Ok((database, _)) => {
                if self.failure.take().is_some() {
                    tracing::info!("the store can be used now");
                }
                Ok(database)
            }
            Err(error) => {
                let reason = error.to_journal_error();
                // Logged once for each reason: attempts go on as long as there are requests.
                if self.failure.as_ref().is_none_or(|(_, known)| *known != reason) {
                    tracing::error!(
                        "calls that need the store are refused until it can be used: {error}"
                    );
                }
                self.failure = Some((Instant::now(), reason.clone()));
                Err(reason)
            }
        }
    }

    /// Moves the corrupt file aside. The next task opens a new one.
    fn replace_file(&mut self) {
        self.database = None;
        match connection::move_aside(&self.file.path) {
            Ok(aside) => {
                tracing::error!(aside = %aside.display(), "the store is corrupt; it was moved aside and a new one is used")
            }
            Err(error) => {
                tracing::error!(%error, "the store is corrupt and could not be moved aside")
            }
        }
    }
}

fn removed_file_error() -> JournalError {
    JournalError::Failed("its file was removed during the write; try again".to_owned())
}
