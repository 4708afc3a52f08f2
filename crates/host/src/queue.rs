//! Queue positions of pending operations. They are not in the journal: only the server that queues
//! an operation knows its position.

use std::{collections::HashMap, time::Duration};

use runtime::{
    Operations,
    operation::{Operation, State},
};
use workspace::Crib;

use crate::servers::{self, CommandReply};

/// Timeout for servers to answer. A list without positions is better than no list.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Serializes the positions of this server's pending operations, by operation id.
pub(crate) fn serialize_positions(operations: &Operations) -> String {
    let waiting = operations
        .waiting()
        .into_iter()
        .map(|operation| (operation.id.to_string(), operation.progress.message));
    let positions: HashMap<_, _> =
        waiting.filter_map(|(id, position)| Some((id, position?))).collect();
    serde_json::to_string(&positions).unwrap_or_default()
}

/// Sets the progress message of pending operations to their queue position, as far as running
/// servers report one.
pub async fn fill_positions(crib: &Crib, operations: &mut [Operation]) {
    if !operations.iter().any(is_pending) {
        return;
    }
    let sockets = servers::sockets_of(&crib.state_folder());
    let answers = servers::send_within(&sockets, servers::QUEUE, TIMEOUT).await;
    let positions = answers.iter().filter_map(|answer| match answer {
        CommandReply::Answered(text) => serde_json::from_str::<HashMap<String, String>>(text).ok(),
        CommandReply::Silent(_) => None,
    });
    // Several servers may serve one crib; each knows only its own queue.
    for mut positions in positions {
        for operation in operations.iter_mut().filter(|operation| is_pending(operation)) {
            if let Some(position) = positions.remove(operation.id.as_str()) {
                operation.progress.message = Some(position);
            }
        }
    }
}

fn is_pending(operation: &Operation) -> bool {
    operation.state == State::Pending
}
