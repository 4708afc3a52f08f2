//! Operations of other servers: recovery after a crash, and cancelling across servers.
//!
//! A server that dies leaves unfinished operations. The next server finds them by the server id in the
//! journal. Their processes died with the server; should its launcher process still be busy killing
//! them, they are found by the supervisor that the journal names.

use std::{fs, sync::Arc, time::Duration};

use catalog::{Content, ErrorType, Failure, Outcome};
use futures_util::future::try_join_all;
use process::{
    ProcessId,
    process_table::{self, KilledProcess},
};
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::{
    task::spawn_blocking,
    time::{sleep, timeout},
};

use super::{Operations, Shared, store_failed};
use crate::{
    journal::Filter,
    operation::{Operation, ServerId, State},
    outputs::OutputKind,
};

/// Number of operations that are read, and recorded as lost, at once.
const RECOVERY_PAGE: usize = 256;
/// How often a server checks whether another one has ended its operations.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// How long reading operations waits for the recovery of the newest, which takes milliseconds unless the
/// store is locked.
const RECOVERY_WAIT: Duration = Duration::from_millis(100);

/// How far the recovery of operations of dead servers is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recovery {
    /// None is announced, or it takes too long to wait for.
    NotExpected,
    Expected,
    /// The newest operations are recorded as lost.
    HasNewest,
}

impl Operations {
    /// Finds operations whose server died, kills their processes and records them as lost. Operations of
    /// running servers are left alone.
    pub async fn recover(&self) -> Result<Vec<Operation>, Failure> {
        let mut lost = Vec::new();
        let mut cursor = None;
        // Read in pages, because there may be tens of thousands.
        loop {
            let page = self.0.journal.list(Filter::unfinished(), cursor, RECOVERY_PAGE).await;
            let page = page.map_err(store_failed)?;
            let orphans = self.find_orphans(page.operations).await?;
            lost.extend(self.record_lost(orphans).await?);
            // The list is newest first: readers need not wait for the pages with older ones.
            self.0.recovery.send_replace(Recovery::HasNewest);
            cursor = page.next;
            if cursor.is_none() {
                return Ok(lost);
            }
        }
    }

    /// Announces [`Operations::recover`]. Until then, reading operations waits for the newest. So the
    /// start of a server does not wait for its history.
    pub fn expect_recovery(&self) {
        self.0.recovery.send_replace(Recovery::Expected);
    }

    /// Waits until an announced recovery has recorded the newest operations, usually all.
    pub(super) async fn wait_for_newest(&self) {
        let mut recovery = self.0.recovery.subscribe();
        let is_ready = recovery.wait_for(|recovery| *recovery != Recovery::Expected);
        if timeout(RECOVERY_WAIT, is_ready).await.is_err() {
            // The store is locked: the next one who reads need not wait again.
            self.0.recovery.send_replace(Recovery::NotExpected);
        }
    }

    async fn record_lost(&self, orphans: Vec<Operation>) -> Result<Vec<Operation>, Failure> {
        if orphans.is_empty() {
            return Ok(Vec::new());
        }
        // Reading `/proc` blocks.
        let ended = spawn_blocking(move || kill_processes(orphans)).await;
        let (orphans, killed) = ended.map_err(join_failure)?;
        // All at once, so that the journal can write them in one transaction.
        let recorded = orphans.into_iter().zip(killed).map(async |(operation, killed)| {
            let ended = self.0.build_lost(operation, &killed);
            // Another server may recover the same store at the same time; only one of them reports
            // the loss.
            let is_first = self.0.journal.finish(ended.clone()).await.map_err(store_failed)?;
            if is_first {
                tracing::warn!(operation = %ended.id, tool = ended.tool, killed = killed.len(), "an operation was lost");
            }
            Ok(is_first.then_some(ended))
        });
        Ok(try_join_all(recorded).await?.into_iter().flatten().collect())
    }

    /// The operations whose server is dead.
    async fn find_orphans(&self, unfinished: Vec<Operation>) -> Result<Vec<Operation>, Failure> {
        let journal = Arc::clone(&self.0.journal);
        let find = move || {
            // Most belong to a few servers, and asking reads files.
            let mut servers: Vec<(ServerId, bool)> = Vec::new();
            let mut is_orphan = |operation: &Operation| {
                let known = servers.iter().find(|(server, _)| *server == operation.server);
                let is_alive = known.map(|(_, is_alive)| *is_alive).unwrap_or_else(|| {
                    let is_alive = journal.is_server_alive(&operation.server);
                    servers.push((operation.server.clone(), is_alive));
                    is_alive
                });
                !is_alive
            };
            unfinished.into_iter().filter(|operation| is_orphan(operation)).collect()
        };
        spawn_blocking(find).await.map_err(join_failure)
    }
}

impl Shared {
    fn build_lost(&self, operation: Operation, killed: &[KilledProcess]) -> Operation {
        let failure = Failure::new(
            ErrorType::Lost,
            format!(
                "the server died while `{}` ran, so its result is unknown; {}",
                operation.tool,
                describe_killed(killed)
            ),
        );
        self.build_ended_elsewhere(operation, State::Lost, failure, killed)
    }

    fn build_ended_elsewhere(
        &self,
        operation: Operation,
        state: State,
        failure: Failure,
        killed: &[KilledProcess],
    ) -> Operation {
        let ended = self.clock.now();
        let mut outcome: Outcome = failure.into();
        if let Some(Value::Object(object)) = &mut outcome.structured {
            object.insert("killed".to_owned(), json!(killed));
        }
        for stream in [OutputKind::Stdout, OutputKind::Stderr] {
            let uri = self.outputs.find_uri(operation.id.as_str(), stream);
            outcome.content.extend(uri.map(|uri| Content::Link {
                uri,
                name: stream.name().to_owned(),
                mime_type: "text/plain".to_owned(),
            }));
        }
        Operation {
            state,
            ended: Some(ended),
            // The wall clock may have jumped, but the server that measured better is gone.
            elapsed: operation
                .started
                .and_then(|started| ended.duration_since(started).ok())
                .unwrap_or_default(),
            outcome: Some(outcome),
            collected: false,
            output_bytes: self.outputs.bytes_of(operation.id.as_str()),
            ..operation
        }
    }

    /// Checks at intervals whether another server has ended operations of this one, as long as there
    /// are any.
    pub(super) async fn watch_other_servers(self: Arc<Self>) {
        loop {
            sleep(POLL_INTERVAL).await;
            let live = self.all();
            // Checked twice, the second time under the lock: an operation may have begun in
            // between.
            if live.is_empty() && self.stop_watching() {
                return;
            }
            let states = State::ALL.into_iter().filter(|state| state.is_final()).collect();
            let ids: Vec<_> = live.iter().map(|live| live.id().clone()).collect();
            let limit = ids.len();
            let filter = Filter { ids, states, ..Filter::default() };
            // Neither a locked store nor a new one, without these operations, is a cancellation.
            let Ok(ended) = self.journal.list(filter, None, limit).await else {
                continue;
            };
            for live in ended.operations.iter().filter_map(|ended| self.find(&ended.id)) {
                live.cancel("it was cancelled from another server");
            }
        }
    }
}

/// Cancels an operation of another server. Its end is recorded before its processes are killed, so that
/// the other server does not record a failure.
pub(super) async fn cancel_elsewhere(
    shared: &Arc<Shared>,
    operation: Operation,
) -> Result<(), Failure> {
    let is_lost = !shared.journal.is_server_alive(&operation.server);
    let seen = operation.clone();
    // The processes are only listed here, so that the record can name them; they are killed after
    // it is written.
    let killed = spawn_blocking(move || find_processes(&seen)).await.map_err(join_failure)?;
    let ended = if is_lost {
        shared.build_lost(operation.clone(), &killed)
    } else {
        let pid = operation.server.process.pid;
        let message = format!(
            "`{}` was cancelled; it ran in the server with process id {pid}; {}",
            operation.tool,
            describe_killed(&killed)
        );
        shared.build_ended_elsewhere(
            operation.clone(),
            State::Cancelled,
            Failure::new(ErrorType::Cancelled, message),
            &killed,
        )
    };
    shared.journal.finish(ended).await.map_err(store_failed)?;
    spawn_blocking(move || kill_processes(vec![operation])).await.map_err(join_failure)?;
    Ok(())
}

fn join_failure(error: tokio::task::JoinError) -> Failure {
    Failure::new(ErrorType::InternalError, format!("killing processes failed: {error}"))
}

/// The processes that would be killed.
fn find_processes(operation: &Operation) -> Vec<KilledProcess> {
    let found = supervisor(operation).map(process_table::find_descendants).unwrap_or_default();
    found.into_iter().map(|seen| seen.killed_by(Signal::KILL)).collect()
}

/// Kills the processes of operations; returns the killed ones of each.
fn kill_processes(operations: Vec<Operation>) -> (Vec<Operation>, Vec<Vec<KilledProcess>>) {
    let kill =
        |operation| supervisor(operation).map(process_table::kill_descendants).unwrap_or_default();
    let killed = operations.iter().map(kill).collect();
    for operation in operations.iter().filter(|operation| operation.server.is_local()) {
        // Removed after the processes are dead, or they could create files in it again.
        let _ = fs::remove_dir_all(&operation.folder);
    }
    (operations, killed)
}

/// The supervisor of an operation. Process ids of an earlier boot or of another PID namespace have no
/// meaning here. A server there kills the processes itself, once it finds its operation ended.
fn supervisor(operation: &Operation) -> Option<ProcessId> {
    operation.leader.filter(|_| operation.server.is_local())
}

fn describe_killed(killed: &[KilledProcess]) -> String {
    match killed {
        [] => "no process was left to kill".to_owned(),
        [_] => "1 process that was still running was killed".to_owned(),
        killed => format!("{} processes that were still running were killed", killed.len()),
    }
}
