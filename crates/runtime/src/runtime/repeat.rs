//! Calls that may already have had their effect.
//!
//! An operation is lost when its server died: its effect is unknown. The same call would perhaps
//! do the same thing twice, so a person decides whether it runs again.

use catalog::{Failure, Mode, arguments::redact};

use super::Runtime;
use crate::{
    Call,
    journal::Filter,
    operation::{Operation, State},
    operations::store_failed,
};

/// Maximum number of operations of a tool that are compared, newest first.
const MAX_COMPARED: usize = 100;

impl Runtime {
    /// Why a call must be approved although policy allows it: the last identical one was lost. `None`
    /// for tools that change nothing, or that can be repeated safely.
    pub(super) async fn find_lost_duplicate(&self, call: &Call) -> Result<Option<String>, Failure> {
        let annotations = &call.tool.annotations;
        let may_repeat = annotations.is_read_only() || annotations.idempotent == Some(true);
        if call.tool.mode != Mode::Asynchronous || may_repeat {
            return Ok(None);
        }
        // Asked first because it is nearly always empty. Whose call it was does not matter.
        let ended_as_lost = Filter { states: vec![State::Lost], ..Filter::default() };
        let lost = match self.find_duplicate(call, ended_as_lost, |_| true).await? {
            Some(lost) => Some(lost),
            // Recovery may still run while the first calls are answered.
            None => {
                let is_dead =
                    |operation: &Operation| !self.journal.is_server_alive(&operation.server);
                self.find_duplicate(call, Filter::unfinished(), is_dead).await?
            }
        };
        let Some(lost) = lost else {
            return Ok(None);
        };
        // A later run with a known end settles the question. If none is among the compared operations,
        // the lost one may have been the last.
        let last = self.find_duplicate(call, Filter::default(), |_| true).await?;
        let is_last = last.is_none_or(|last| last.id == lost.id);
        Ok(is_last.then(|| {
            format!(
                "the same call was lost when its server ended ({}), and may have had its effect",
                lost.id
            )
        }))
    }

    /// The newest operation of the same tool with the same arguments that the filter selects and
    /// `matches`.
    async fn find_duplicate(
        &self,
        call: &Call,
        filter: Filter,
        matches: impl Fn(&Operation) -> bool,
    ) -> Result<Option<Operation>, Failure> {
        let filter = Filter { tool: Some(call.tool.name.clone()), ..filter };
        let page = self.journal.list(filter, None, MAX_COMPARED).await.map_err(store_failed)?;
        let arguments = redact(&call.tool, &call.arguments);
        let is_duplicate = |operation: &Operation| {
            operation.tool == call.tool.name
                && operation.arguments == arguments
                && matches(operation)
        };
        Ok(page.operations.into_iter().find(is_duplicate))
    }
}
