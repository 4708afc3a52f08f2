//! What other servers left behind, and what they still run.
//!
//! A server that dies leaves operations that never end, and their processes. Whoever comes next
//! finds both: the operations by the server's mark in the journal, the processes by the private
//! folder in their environment, by their group, or by the mark that they inherited.

use std::{fs, sync::Arc, time::Duration};

use catalog::{Content, ErrorType, Failure, Outcome};
use process::process_table::{self, KilledProcess, ProcessQuery};
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::{task::spawn_blocking, time::sleep};

use super::{Operations, Shared, store_failed};
use crate::{
    operation::{Operation, ServerId, State},
    outputs::OutputKind,
};

/// How often a server looks whether its operations were ended by another.
const GLANCE: Duration = Duration::from_secs(1);

impl Operations {
    /// Finds operations whose server died, ends their processes, and takes them down as lost.
    /// Those of servers that live are left alone.
    pub async fn recover(&self) -> Result<Vec<Operation>, Failure> {
        let unfinished = self.0.journal.unfinished().await.map_err(store_failed)?;
        let orphans: Vec<_> =
            unfinished.into_iter().filter(|operation| !operation.server.is_alive()).collect();
        if orphans.is_empty() {
            // Programs of plain calls may be left all the same; nobody need wait for their end.
            spawn_blocking(end_abandoned);
            return Ok(Vec::new());
        }
        let ended = spawn_blocking(move || {
            let ended = end_processes(orphans);
            end_abandoned();
            ended
        });
        let (orphans, killed) = ended.await.map_err(interrupted)?;
        let mut lost = Vec::new();
        for (operation, killed) in orphans.into_iter().zip(killed) {
            let ended = self.0.lost(operation, &killed);
            if self.0.journal.finish(ended.clone()).await.map_err(store_failed)? {
                tracing::warn!(operation = %ended.id, tool = ended.tool, killed = killed.len(), "an operation was lost");
                lost.push(ended);
            }
        }
        Ok(lost)
    }
}

impl Shared {
    fn lost(&self, operation: Operation, killed: &[KilledProcess]) -> Operation {
        let failure = Failure::new(
            ErrorType::Lost,
            format!(
                "the server died while `{}` ran, so its result is not known; {}",
                operation.tool,
                said(killed)
            ),
        );
        self.ended_elsewhere(operation, State::Lost, failure, killed)
    }

    fn ended_elsewhere(
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
            let uri = self.outputs.uri_of(operation.id.as_str(), stream);
            outcome.content.extend(uri.map(|uri| Content::Link {
                uri,
                name: stream.name().to_owned(),
                mime_type: "text/plain".to_owned(),
            }));
        }
        Operation {
            state,
            ended: Some(ended),
            // The clock may have jumped; nobody measured better.
            elapsed: operation
                .started
                .and_then(|started| ended.duration_since(started).ok())
                .unwrap_or_default(),
            outcome: Some(outcome),
            collected: false,
            ..operation
        }
    }

    /// Looks now and then whether operations of this server were ended by another one, for as long
    /// as there are any.
    pub(super) async fn heed_others(self: Arc<Self>) {
        loop {
            sleep(GLANCE).await;
            let live = self.all();
            if live.is_empty() && self.stop_heeding() {
                return;
            }
            let Ok(unfinished) = self.journal.unfinished().await else {
                continue;
            };
            for live in live
                .iter()
                .filter(|live| !unfinished.iter().any(|operation| operation.id == *live.id()))
            {
                live.end("it was ended from another server");
            }
        }
    }
}

/// Ends an operation that another server runs: taken down first, so that this ending counts.
pub(super) async fn end_elsewhere(
    shared: &Arc<Shared>,
    operation: Operation,
) -> Result<(), Failure> {
    let is_lost = !operation.server.is_alive();
    let seen = operation.clone();
    let killed = spawn_blocking(move || members(&seen)).await.map_err(interrupted)?;
    let ended = if is_lost {
        shared.lost(operation.clone(), &killed)
    } else {
        let pid = operation.server.process.pid;
        let message = format!(
            "`{}` was cancelled; it ran in the server with process id {pid}; {}",
            operation.tool,
            said(&killed)
        );
        shared.ended_elsewhere(
            operation.clone(),
            State::Cancelled,
            Failure::new(ErrorType::Cancelled, message),
            &killed,
        )
    };
    shared.journal.finish(ended).await.map_err(store_failed)?;
    spawn_blocking(move || end_processes(vec![operation])).await.map_err(interrupted)?;
    Ok(())
}

fn interrupted(error: tokio::task::JoinError) -> Failure {
    Failure::new(ErrorType::InternalError, format!("ending processes failed: {error}"))
}

/// Who would be ended.
fn members(operation: &Operation) -> Vec<KilledProcess> {
    let found = process_table::find(&[query(operation)]);
    found.into_iter().map(|(_, seen)| seen.killed_by(Signal::KILL)).collect()
}

/// Ends the processes of operations; says whom, for each.
fn end_processes(operations: Vec<Operation>) -> (Vec<Operation>, Vec<Vec<KilledProcess>>) {
    let killed = process_table::kill(&operations.iter().map(query).collect::<Vec<_>>());
    for operation in &operations {
        let _ = fs::remove_dir_all(&operation.folder);
    }
    (operations, killed)
}

/// Ends what is known only to have been started by a server that is no more.
fn end_abandoned() {
    let killed = process_table::kill_abandoned();
    if killed > 0 {
        tracing::warn!(killed, "programs that a dead server had started were ended");
    }
}

/// Ids of processes of an earlier boot mean nothing now.
fn query(operation: &Operation) -> ProcessQuery<'_> {
    let leader = operation.leader.filter(|_| operation.server.boot == ServerId::this().boot);
    ProcessQuery { leader, folder: &operation.folder }
}

fn said(killed: &[KilledProcess]) -> String {
    match killed {
        [] => "no process of it was left".to_owned(),
        killed => format!("{} processes of it were ended", killed.len()),
    }
}
