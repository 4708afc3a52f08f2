//! How results that follow reach clients without tasks: what they are told, and what they are
//! given with a later answer.

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use parking_lot::{Mutex, MutexGuard};
use runtime::{Operations, operation::Operation};
use toolkit::Level;

use crate::{Snapshot, connection::Connection, era::Era, exchange::Exchange};

/// The most results that one answer brings.
const MOST: usize = 3;

/// The most that are named besides.
const MOST_NAMED: usize = 20;

/// The longest text of one result, in bytes.
const LONGEST: usize = 8 << 10;

/// How often, at most, a call finds out whether other servers on the crib have written something.
const GLANCE: Duration = Duration::from_millis(500);

/// Who may have results that were not given to them yet. Asking the journal before each call would
/// slow down those that have none.
#[derive(Default)]
pub(crate) struct Deliveries {
    /// Those who have none for certain. About the others nothing is known, least of all at the beginning.
    none: Mutex<HashSet<String>>,
    others: Mutex<Others>,
}

/// What is known of the other servers on the crib.
#[derive(Default)]
struct Others {
    /// When the journal's version was last asked for.
    asked: Option<Instant>,
    version: Option<i64>,
}

impl Deliveries {
    /// Something of this owner has ended.
    pub(crate) fn expect(&self, owner: &str) {
        self.none().remove(owner);
    }

    /// Something has ended; nobody knows whose it was.
    pub(crate) fn expect_all(&self) {
        self.none().clear();
    }

    /// Whether it is worth looking. If so, it is not from now on.
    fn begin(&self, owner: &str) -> bool {
        let mut none = self.none();
        !none.contains(owner) && none.insert(owner.to_owned())
    }

    /// Something of anybody may have ended in another server, if that wrote since the last time.
    async fn heed_others(&self, operations: &Operations) {
        if !self.is_time() {
            return;
        }
        if let Ok(version) = operations.version().await
            && self.others().version.replace(version) != Some(version)
        {
            self.expect_all();
        }
    }

    /// Whether others were not looked at for a while. If so, they are about to be.
    fn is_time(&self) -> bool {
        let mut others = self.others();
        let is_time = others.asked.is_none_or(|asked| asked.elapsed() >= GLANCE);
        if is_time {
            others.asked = Some(Instant::now());
        }
        is_time
    }

    fn none(&self) -> MutexGuard<'_, HashSet<String>> {
        self.none.lock()
    }

    fn others(&self) -> MutexGuard<'_, Others> {
        self.others.lock()
    }
}

/// What a model should know about long work before it starts any.
pub(crate) fn instructions(snapshot: &Snapshot) -> Option<String> {
    let (wait, status, cancel) =
        (snapshot.built_in("await")?, snapshot.built_in("status")?, snapshot.built_in("cancel")?);
    Some(format!(
        "Some tools only start their work if it takes long; the answer then names an operation. Its result comes with the \
         answer to your next call after it has ended. `{wait}` waits for it, `{status}` shows how far it is, and `{cancel}` \
         ends it."
    ))
}

/// How the result of what was started reaches this client.
pub(crate) fn how(snapshot: &Snapshot, exchange: &Exchange) -> String {
    let mut ways =
        vec!["Its result comes with the answer to your next call after it has ended.".to_owned()];
    if let Some(wait) = snapshot.built_in("await") {
        ways.push(format!("To wait for it, call `{wait}` with its id."));
    }
    if let Some(status) = snapshot.built_in("status") {
        ways.push(format!("`{status}` shows how far it is."));
    }
    if exchange.era == Era::Legacy && exchange.hears(Level::Info) {
        ways.push("A log message is sent when it ends.".to_owned());
    }
    ways.join(" ")
}

/// The results that the caller was not given yet, as far as they fit; those are given now.
pub(crate) async fn since_last_call(
    connection: &Connection,
    snapshot: &Snapshot,
) -> Option<String> {
    let deliveries = &connection.server.deliveries;
    let operations = connection.server.operations();
    deliveries.heed_others(&operations).await;
    if !deliveries.begin(&connection.owner) {
        return None;
    }
    let Ok(ended) = operations.uncollected(&connection.owner(), MOST + MOST_NAMED + 1).await else {
        deliveries.expect(&connection.owner);
        return None;
    };
    if ended.is_empty() {
        return None;
    }
    let (given, named) = ended.split_at(ended.len().min(MOST));
    if !named.is_empty() {
        deliveries.expect(&connection.owner);
    }
    let ids = given.iter().map(|operation| operation.id.clone()).collect();
    if let Err(failure) = operations.collect(ids).await {
        tracing::warn!(failure.message, "results may be delivered twice");
    }
    let mut parts = vec!["Since your last call:".to_owned()];
    parts.extend(given.iter().map(one));
    parts.extend(rest(snapshot, named));
    Some(parts.join("\n\n"))
}

fn one(operation: &Operation) -> String {
    let content = operation
        .outcome
        .as_ref()
        .map(|outcome| builtin::content_texts(&outcome.content))
        .unwrap_or_default();
    let mut text = content.join("\n");
    if text.len() > LONGEST {
        text.truncate(text.floor_char_boundary(LONGEST));
        text.push_str(&format!(
            "\n[cut; the whole is the resource {}]",
            builtin::operation_uri(&operation.id)
        ));
    }
    format!("{}\n{text}", builtin::summarize_operation(operation))
}

fn rest(snapshot: &Snapshot, named: &[Operation]) -> Option<String> {
    if named.is_empty() {
        return None;
    }
    let names: Vec<_> = named
        .iter()
        .take(MOST_NAMED)
        .map(|operation| format!("{} `{}`", operation.id, operation.tool))
        .collect();
    let more = if named.len() > MOST_NAMED { " and more" } else { "" };
    let wait = snapshot
        .built_in("await")
        .map(|wait| format!("; `{wait}` gives them at once"))
        .unwrap_or_default();
    Some(format!(
        "Also ended: {}{more}. Their results come with your next calls{wait}.",
        names.join(", ")
    ))
}
