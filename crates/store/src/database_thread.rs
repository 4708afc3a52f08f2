//! The two threads of a store: one writes, in groups, one reads.
//!
//! Whatever waits when the writer comes round is written in one transaction, and told only after
//! the commit: many small writes at once cost little more than one.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread::{self, JoinHandle},
};

use runtime::journal::{Answered, JournalError};
use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::oneshot;

use crate::{
    connection::{self, Survives},
    error::{is_corrupt, journal_error},
};

/// The most writes of one transaction.
const GROUP: usize = 512;

/// Some work on a connection, if there is one to be had. It answers what is to be done once its
/// effect is certain, or lost.
type Task = Box<dyn FnOnce(Result<&Connection, &JournalError>) -> Done + Send>;

/// The end of a task, told whether its transaction was committed. Answers whether the file is broken.
type Done = Box<dyn FnOnce(Result<(), JournalError>) -> bool + Send>;

/// What both threads know of the file.
pub(crate) struct File {
    pub(crate) path: PathBuf,
    survives: Survives,
    /// Set by whoever finds it broken; the writer then puts another in its place.
    is_broken: AtomicBool,
    /// How often it was replaced.
    replaced: AtomicU64,
}

impl File {
    pub(crate) fn new(path: PathBuf, survives: Survives) -> Self {
        Self { path, survives, is_broken: AtomicBool::new(false), replaced: AtomicU64::new(0) }
    }
}

/// A thread that works on a connection of its own.
pub(crate) struct Worker {
    /// Gone when the store ends.
    tasks: Option<Sender<Task>>,
    thread: Option<JoinHandle<()>>,
}

/// How a worker goes about its tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Duty {
    /// Many tasks in one transaction.
    Write,
    /// One task after the other.
    Read,
}

impl Worker {
    /// Starts the thread on a connection to `file`.
    pub(crate) fn start(
        duty: Duty,
        connection: Connection,
        file: Arc<File>,
    ) -> std::io::Result<Self> {
        let (tasks, incoming) = channel();
        let name = match duty {
            Duty::Write => "store-write",
            Duty::Read => "store-read",
        };
        let mut desk = Desk { connection, file, seen: 0 };
        let work = move || match duty {
            Duty::Write => desk.write(&incoming),
            Duty::Read => desk.read(&incoming),
        };
        let thread = thread::Builder::new().name(name.to_owned()).spawn(work)?;
        Ok(Self { tasks: Some(tasks), thread: Some(thread) })
    }

    /// Has some work done, and answers what came of it.
    pub(crate) fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Answered<'static, T> {
        let (answer, answered) = oneshot::channel();
        self.hand_over(work, move |result| _ = answer.send(result));
        Box::pin(async move {
            answered.await.unwrap_or_else(|_| {
                Err(JournalError::Failed("the thread of the store ended".to_owned()))
            })
        })
    }

    /// Has some work done, some time soon.
    pub(crate) fn tell<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) {
        self.hand_over(work, |result| {
            if let Err(error) = result {
                tracing::warn!(%error, "a note could not be written");
            }
        });
    }

    fn hand_over<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
        then: impl FnOnce(Result<T, JournalError>) + Send + 'static,
    ) {
        let task: Task = Box::new(move |connection| {
            let (result, is_broken) = match connection.map(work) {
                Ok(Ok(value)) => (Ok(value), false),
                Ok(Err(error)) => {
                    let is_broken = is_corrupt(&error);
                    (Err(journal_error(error)), is_broken)
                }
                Err(error) => (Err(error.clone()), false),
            };
            Box::new(move |committed| {
                then(result.and_then(|value| committed.map(|()| value)));
                is_broken
            })
        });
        if let Some(tasks) = &self.tasks {
            // If the thread is gone, the answer's sender is dropped, and that is told.
            let _ = tasks.send(task);
        }
    }
}

impl Drop for Worker {
    /// What was handed over is done before the end.
    fn drop(&mut self) {
        self.tasks = None;
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// A thread's place of work.
struct Desk {
    connection: Connection,
    file: Arc<File>,
    /// How often the file had been replaced when the connection was made.
    seen: u64,
}

impl Desk {
    fn write(&mut self, incoming: &Receiver<Task>) {
        while let Ok(first) = incoming.recv() {
            if self.file.is_broken.swap(false, Ordering::SeqCst) {
                self.replace();
            }
            let group: Vec<_> =
                std::iter::once(first).chain(incoming.try_iter().take(GROUP - 1)).collect();
            if self.commit(group) {
                self.replace();
            }
        }
    }

    /// Carries out a group of tasks. Says whether the file is broken.
    fn commit(&mut self, group: Vec<Task>) -> bool {
        let transaction =
            match Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate) {
                Ok(transaction) => transaction,
                Err(error) => {
                    let is_broken = is_corrupt(&error);
                    let error = journal_error(error);
                    group.into_iter().for_each(|task| _ = task(Err(&error))(Ok(())));
                    return is_broken;
                }
            };
        let done: Vec<_> = group.into_iter().map(|task| task(Ok(&transaction))).collect();
        // A full disk may have undone everything already.
        let was_undone = transaction.is_autocommit();
        let committed = match transaction.commit() {
            _ if was_undone => Err(JournalError::Full),
            result => result.map_err(journal_error),
        };
        // Everyone is told, whatever the first one says.
        done.into_iter().map(|done| done(committed.clone())).filter(|is_broken| *is_broken).count()
            > 0
    }

    fn read(&mut self, incoming: &Receiver<Task>) {
        while let Ok(task) = incoming.recv() {
            let replaced = self.file.replaced.load(Ordering::SeqCst);
            if replaced != self.seen {
                self.seen = replaced;
                self.reopen();
            }
            if task(Ok(&self.connection))(Ok(())) {
                self.file.is_broken.store(true, Ordering::SeqCst);
            }
        }
    }

    /// The file turned out to be broken: it is moved aside, and a new one begun.
    fn replace(&mut self) {
        match connection::move_aside(&self.file.path) {
            Ok(aside) => {
                tracing::error!(aside = %aside.display(), "the store is broken; it was moved aside and a new one is used")
            }
            Err(error) => {
                tracing::error!(%error, "the store is broken and could not be moved aside")
            }
        }
        self.reopen();
        self.file.replaced.fetch_add(1, Ordering::SeqCst);
    }

    fn reopen(&mut self) {
        match connection::open(&self.file.path, self.file.survives) {
            Ok((connection, _)) => self.connection = connection,
            Err(error) => tracing::error!(%error, "the store could not be opened again"),
        }
    }
}
