//! Delivers results of operations to clients without tasks: they are appended to the response of
//! the next call.

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use runtime::{
    Operations,
    operation::{Operation, OperationId, Owner},
};
use tokio::time::timeout;
use toolkit::Level;

use crate::{Snapshot, active_request::ActiveRequest, era::Era, response_sent::ResponseSent};

/// Results that are appended to one response.
const MAX_RESULTS: usize = 3;

/// Further operations that are listed without their results.
const MAX_LISTED: usize = 20;

/// Longest text of one appended result, in bytes.
const MAX_RESULT_BYTES: usize = 8 << 10;

/// The minimum interval between checks for journal changes by other servers of the crib.
const JOURNAL_CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// Maximum delay of a response for the journal, which may be locked. Results come with a later
/// response then.
const JOURNAL_TIMEOUT: Duration = Duration::from_millis(200);

/// Tracks which owners may have undelivered results, because querying the journal before each call
/// would slow down every caller that has none.
#[derive(Default)]
pub(crate) struct PendingResults {
    /// Owners without undelivered results. Owners that are not in the set are unknown: at
    /// the start the journal may hold results of an earlier process.
    delivered: Mutex<HashSet<String>>,
    /// Results that are part of a response which was not sent yet.
    sending: Mutex<HashSet<OperationId>>,
    journal: Mutex<JournalCheck>,
}

/// When the journal was last checked, and its version then.
#[derive(Default)]
struct JournalCheck {
    checked: Option<Instant>,
    version: Option<i64>,
}

impl PendingResults {
    /// An operation of this owner has ended.
    pub(crate) fn mark(&self, owner: &str) {
        self.delivered.lock().remove(owner);
    }

    /// Operations of unknown owners have ended.
    pub(crate) fn mark_all(&self) {
        self.delivered.lock().clear();
    }

    /// Returns whether an owner may have undelivered results, and unmarks it.
    fn claim(&self, owner: &str) -> bool {
        let mut delivered = self.delivered.lock();
        // `insert` alone would allocate the name on each call.
        !delivered.contains(owner) && delivered.insert(owner.to_owned())
    }

    /// Marks all owners if another server of the crib has written to the journal.
    async fn check_journal(&self, operations: &Operations) {
        if !self.is_check_due() {
            return;
        }
        if let Ok(Ok(version)) = timeout(JOURNAL_TIMEOUT, operations.version()).await
            && self.journal.lock().version.replace(version) != Some(version)
        {
            self.mark_all();
        }
    }

    fn is_check_due(&self) -> bool {
        let mut journal = self.journal.lock();
        let is_due =
            journal.checked.is_none_or(|checked| checked.elapsed() >= JOURNAL_CHECK_INTERVAL);
        if is_due {
            journal.checked = Some(Instant::now());
        }
        is_due
    }
}

/// The part of the server's instructions that is about operations. `None` if the tools for them are
/// not served.
pub(crate) fn instructions(snapshot: &Snapshot) -> Option<String> {
    let (wait, status, cancel) =
        (snapshot.built_in("await")?, snapshot.built_in("status")?, snapshot.built_in("cancel")?);
    Some(format!(
        "A tool whose work takes long may return the id of an operation that is still running. Its result is part of the \
         response to your next call after it has ended. `{wait}` waits for it, `{status}` shows its progress, and \
         `{cancel}` stops it."
    ))
}

/// Tells the caller of an operation how to get its result.
pub(crate) fn describe_delivery(
    snapshot: &Snapshot,
    request: &ActiveRequest,
    ends_with_client: bool,
) -> String {
    let mut sentences =
        vec!["Its result is part of the response to your next call after it has ended.".to_owned()];
    if let Some(wait) = snapshot.built_in("await") {
        sentences.push(format!("To wait for it, call `{wait}` with its id."));
    }
    if let Some(status) = snapshot.built_in("status") {
        sentences.push(format!("`{status}` shows its progress."));
    }
    if ends_with_client {
        sentences.push("It is cancelled if your client disconnects.".to_owned());
    }
    // Modern clients get no log messages outside of a request.
    if request.era == Era::Legacy && request.wants_log(Level::Info) {
        sentences.push("A log message is sent when it ends.".to_owned());
    }
    sentences.join(" ")
}

/// Takes the undelivered results of an owner, as many as fit into a response, and marks them as
/// delivered once that was `sent`. If the server dies before, the next one delivers them.
pub(crate) async fn take_results(
    pending: &Arc<PendingResults>,
    operations: &Operations,
    owner: &str,
    snapshot: &Snapshot,
    sent: Option<ResponseSent>,
) -> Option<String> {
    pending.check_journal(operations).await;
    // Unmarked before the journal is read, because an operation that ends meanwhile marks the owner
    // again.
    if !pending.claim(owner) {
        return None;
    }
    // One more than can be listed, to know whether to write "and more".
    let limit = MAX_RESULTS + MAX_LISTED + 1 + pending.sending.lock().len();
    let owner_id = Owner(owner.to_owned());
    let Ok(Ok(mut ended)) =
        timeout(JOURNAL_TIMEOUT, operations.uncollected(&owner_id, limit)).await
    else {
        // The journal failed: try again with the next call instead of forgetting the results.
        pending.mark(owner);
        return None;
    };
    ended.retain(|operation| !pending.sending.lock().contains(&operation.id));
    if ended.is_empty() {
        return None;
    }
    let (delivered, listed) = ended.split_at(ended.len().min(MAX_RESULTS));
    if !listed.is_empty() {
        // More results are left for the next call.
        pending.mark(owner);
    }
    let ids: Vec<_> = delivered.iter().map(|operation| operation.id.clone()).collect();
    pending.sending.lock().extend(ids.iter().cloned());
    tokio::spawn(collect_when_sent(Arc::clone(pending), operations.clone(), owner_id, ids, sent));
    let mut parts = vec!["Since your last call:".to_owned()];
    parts.extend(delivered.iter().map(render_result));
    parts.extend(render_list(snapshot, listed));
    Some(parts.join("\n\n"))
}

async fn collect_when_sent(
    pending: Arc<PendingResults>,
    operations: Operations,
    owner: Owner,
    ids: Vec<OperationId>,
    sent: Option<ResponseSent>,
) {
    let is_sent = match sent {
        Some(sent) => sent.wait().await,
        None => true,
    };
    if !is_sent {
        pending.mark(&owner.0);
    } else if let Err(failure) = operations.collect(ids.clone()).await {
        tracing::warn!(failure.message, "results may be delivered twice");
    }
    // Removed only after they are collected, or another response could take them along in between.
    pending.sending.lock().retain(|id| !ids.contains(id));
}

fn render_result(operation: &Operation) -> String {
    let content = operation
        .outcome
        .as_ref()
        .map(|outcome| builtin::content_texts(&outcome.content))
        .unwrap_or_default();
    let mut text = content.join("\n");
    if text.len() > MAX_RESULT_BYTES {
        // These results come unasked, so they must not crowd out the answer to the call itself.
        text.truncate(text.floor_char_boundary(MAX_RESULT_BYTES));
        text.push_str(&format!(
            "\n[truncated; the full result is the resource {}]",
            builtin::operation_uri(&operation.id)
        ));
    }
    format!("{}\n{text}", builtin::summarize_operation(operation))
}

fn render_list(snapshot: &Snapshot, listed: &[Operation]) -> Option<String> {
    if listed.is_empty() {
        return None;
    }
    let names: Vec<_> = listed
        .iter()
        .take(MAX_LISTED)
        .map(|operation| format!("{} `{}`", operation.id, operation.tool))
        .collect();
    let more = if listed.len() > MAX_LISTED { " and more" } else { "" };
    let wait = snapshot
        .built_in("await")
        .map(|wait| format!("; `{wait}` returns them at once"))
        .unwrap_or_default();
    Some(format!(
        "Also ended: {}{more}. Their results are part of the responses to your next calls{wait}.",
        names.join(", ")
    ))
}
