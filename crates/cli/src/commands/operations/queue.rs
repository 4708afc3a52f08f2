//! The places of those who wait for their turn, which only the server that has them knows.

use std::{collections::HashMap, time::Duration};

use runtime::{
    Operations,
    operation::{Operation, State},
};
use tokio::time::timeout;
use workspace::Crib;

use crate::servers;

/// What a server is asked for.
pub(in crate::commands) const VERB: &str = "queue";

/// How long servers may take to answer: without a place, a list is better than no list.
const PATIENCE: Duration = Duration::from_secs(1);

/// What a server answers: the operations that wait for their turn, by id, each with its place in words.
pub(in crate::commands) fn answer(operations: &Operations) -> String {
    let waiting = operations
        .waiting()
        .into_iter()
        .map(|operation| (operation.id.to_string(), operation.progress.message));
    let places: HashMap<_, _> = waiting.filter_map(|(id, place)| Some((id, place?))).collect();
    serde_json::to_string(&places).unwrap_or_default()
}

/// Asks the running servers for the places of those that wait, if any do.
pub(super) async fn fill(crib: &Crib, operations: &mut [Operation]) {
    if !operations.iter().any(is_pending) {
        return;
    }
    let sockets = servers::of_crib(&crib.state_folder());
    let answers = timeout(PATIENCE, servers::tell(&sockets, VERB)).await.unwrap_or_default();
    for mut places in answers
        .iter()
        .filter_map(|answer| serde_json::from_str::<HashMap<String, String>>(answer).ok())
    {
        for operation in operations.iter_mut().filter(|operation| is_pending(operation)) {
            if let Some(place) = places.remove(operation.id.as_str()) {
                operation.progress.message = Some(place);
            }
        }
    }
}

fn is_pending(operation: &Operation) -> bool {
    operation.state == State::Pending
}
