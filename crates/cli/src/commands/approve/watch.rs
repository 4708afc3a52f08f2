//! `approve --watch`: asks about each call as soon as it waits.

use std::{collections::HashSet, time::Duration};

use runtime::{Detail, operation::ApprovalId};

use super::{
    super::CommandResult,
    print_state,
    requests::{self, CribRequests, Waiting},
};
use crate::terminal;

/// Polling interval for requests.
const REFRESH: Duration = Duration::from_millis(300);

/// Asks about calls until the program is stopped. Without a terminal, calls are only listed.
pub(super) async fn run(cribs: &[CribRequests<'_>], is_full: bool) -> CommandResult {
    let detail = if is_full { Detail::Full } else { Detail::Brief };
    let is_interactive = terminal::has_person();
    let mut seen: HashSet<ApprovalId> = HashSet::new();
    if is_interactive {
        terminal::note("waiting for calls that need approval; press Ctrl-C to stop");
    }
    loop {
        let mut waiting = requests::list_waiting(cribs).await?;
        // A postponed call is not asked about again.
        waiting.retain(|waiting| seen.insert(waiting.approval.id.clone()));
        if !is_interactive && !waiting.is_empty() {
            requests::print_table(&waiting, cribs.len() > 1);
        }
        for Waiting { crib, approval } in waiting.iter().filter(|_| is_interactive) {
            terminal::note(&format!("\n{} ({})", crib.name, approval.id.code()));
            let ask = |authority: &crate::authority::Authority<'_>| authority.decide(false);
            match crib.authority.resolve_request(&crib.runtime, approval, detail, ask).await {
                Ok(state) => print_state(state),
                // A wrong passphrase must not end the watch.
                Err(error) => terminal::print_error(&error),
            }
        }
        tokio::time::sleep(REFRESH).await;
    }
}
