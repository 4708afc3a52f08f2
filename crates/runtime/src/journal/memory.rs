//! A journal in memory, for servers without a state folder and for tests.

use std::{
    collections::{BTreeMap, HashMap},
    future::ready,
    time::SystemTime,
};

use parking_lot::{Mutex, MutexGuard};

use super::{
    AuditLine, Cursor, Filter, Journal, JournalError, JournalFuture, Note, Page, Retention, Ruling,
};
use crate::{
    approval::{Approval, Digest},
    operation::{ApprovalId, Operation, OperationId, Owner},
};

/// Maximum number of ended operations that are kept.
const MAX_OPERATIONS: usize = 1000;
/// Maximum number of approvals that are kept.
const MAX_APPROVALS: usize = 1000;

/// A journal in memory. It keeps no audit.
#[derive(Default)]
pub struct MemoryJournal(Mutex<Memory>);

#[derive(Default)]
struct Memory {
    /// Numbered in the order in which they began.
    operations: BTreeMap<i64, Operation>,
    numbers: HashMap<OperationId, i64>,
    last: i64,
    approvals: Vec<Approval>,
}

impl MemoryJournal {
    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.0.lock()
    }
}

impl Memory {
    fn add(&mut self, operation: Operation) {
        self.last += 1;
        self.numbers.insert(operation.id.clone(), self.last);
        self.operations.insert(self.last, operation);
        // Only ended operations are dropped, so running ones may exceed the limit.
        let mut surplus = self.operations.len().saturating_sub(MAX_OPERATIONS);
        let is_surplus = |_: &Operation| {
            let is_surplus = surplus > 0;
            surplus = surplus.saturating_sub(1);
            is_surplus
        };
        if self.operations.len() > MAX_OPERATIONS {
            self.drop_while(is_surplus);
        }
    }

    fn find(&mut self, id: &OperationId) -> Option<&mut Operation> {
        let number = self.numbers.get(id)?;
        self.operations.get_mut(number)
    }

    /// Removes ended operations, oldest first, while `is_dropped` holds.
    fn drop_while(&mut self, mut is_dropped: impl FnMut(&Operation) -> bool) -> Vec<OperationId> {
        let over = self.operations.iter().filter(|(_, operation)| operation.state.is_final());
        let dropped: Vec<_> = over
            .take_while(|(_, operation)| is_dropped(operation))
            .map(|(number, _)| *number)
            .collect();
        let removed: Vec<_> =
            dropped.iter().filter_map(|number| self.operations.remove(number)).collect();
        removed.iter().for_each(|operation| _ = self.numbers.remove(&operation.id));
        removed.into_iter().map(|operation| operation.id).collect()
    }

    fn approval(&mut self, id: &ApprovalId) -> Option<&mut Approval> {
        self.approvals.iter_mut().find(|approval| approval.id == *id)
    }
}

impl Filter {
    fn matches(&self, operation: &Operation) -> bool {
        self.owner.as_ref().is_none_or(|owner| *owner == operation.owner)
            && (self.ids.is_empty() || self.ids.contains(&operation.id))
            && self.tool.as_ref().is_none_or(|tool| operation.tool.starts_with(tool.as_str()))
            && (self.states.is_empty() || self.states.contains(&operation.state))
    }
}

fn ready_ok<T: Send + 'static>(value: T) -> JournalFuture<'static, T> {
    Box::pin(ready(Ok(value)))
}

impl Journal for MemoryJournal {
    fn begin(&self, operation: Operation) -> JournalFuture<'_, ()> {
        self.memory().add(operation);
        ready_ok(())
    }

    fn note(&self, id: OperationId, note: Note) {
        if let Some(operation) =
            self.memory().find(&id).filter(|operation| !operation.state.is_final())
        {
            operation.state = note.state;
            operation.started = note.started;
            operation.leader = note.leader;
            operation.progress = note.progress;
            operation.last_line = note.last_line;
        }
    }

    fn finish(&self, operation: Operation) -> JournalFuture<'_, bool> {
        let mut memory = self.memory();
        match memory.find(&operation.id) {
            Some(known) if known.state.is_final() => return ready_ok(false),
            Some(known) => *known = operation,
            None => memory.add(operation),
        }
        ready_ok(true)
    }

    fn get(&self, id: OperationId) -> JournalFuture<'_, Option<Operation>> {
        ready_ok(self.memory().find(&id).map(|operation| operation.clone()))
    }

    fn list(
        &self,
        filter: Filter,
        cursor: Option<Cursor>,
        limit: usize,
    ) -> JournalFuture<'_, Page> {
        let before = match cursor.map(|cursor| cursor.number()).transpose() {
            Ok(before) => before.unwrap_or(i64::MAX),
            Err(error) => return Box::pin(ready(Err(error))),
        };
        let memory = self.memory();
        let mut found = memory
            .operations
            .range(..before)
            .rev()
            .filter(|(_, operation)| filter.matches(operation));
        let page: Vec<_> = found.by_ref().take(limit).collect();
        // Looks one further than the page, so that a full last page has no cursor to an empty one.
        let next = found.next().and(page.last()).map(|(number, _)| Cursor::from_number(**number));
        let operations = page
            .into_iter()
            .map(|(_, operation)| Operation { outcome: None, ..operation.clone() })
            .collect();
        ready_ok(Page { operations, next })
    }

    fn uncollected(&self, owner: Owner, limit: usize) -> JournalFuture<'_, Vec<Operation>> {
        let memory = self.memory();
        let wanted = |operation: &&Operation| {
            operation.state.is_final() && !operation.collected && operation.owner == owner
        };
        ready_ok(memory.operations.values().filter(wanted).take(limit).cloned().collect())
    }

    fn version(&self) -> JournalFuture<'_, i64> {
        ready_ok(0)
    }

    fn collect(&self, ids: Vec<OperationId>) -> JournalFuture<'_, ()> {
        let mut memory = self.memory();
        for id in &ids {
            if let Some(operation) = memory.find(id) {
                operation.collected = true;
            }
        }
        ready_ok(())
    }

    fn prune(&self, retention: Retention) -> JournalFuture<'_, Vec<OperationId>> {
        ready_ok(
            self.memory().drop_while(|operation| {
                operation.ended.is_some_and(|ended| ended < retention.since)
            }),
        )
    }

    fn propose(&self, approval: Approval) -> JournalFuture<'_, Approval> {
        let mut memory = self.memory();
        let same =
            |known: &&Approval| known.digest == approval.digest && known.owner == approval.owner;
        if let Some(open) =
            memory.approvals.iter().filter(same).find(|known| known.is_open(approval.created))
        {
            return ready_ok(open.clone());
        }
        if memory.approvals.len() >= MAX_APPROVALS {
            memory.approvals.remove(0);
        }
        memory.approvals.push(approval.clone());
        ready_ok(approval)
    }

    fn decide(&self, id: ApprovalId, ruling: Ruling) -> JournalFuture<'_, Option<Approval>> {
        let mut memory = self.memory();
        let approval = memory.approval(&id).map(|approval| {
            if approval.is_open(ruling.at) {
                approval.ruling = Some(ruling);
            }
            approval.clone()
        });
        ready_ok(approval)
    }

    fn find_approvals(
        &self,
        digest: Digest,
        owner: Owner,
        now: SystemTime,
    ) -> JournalFuture<'_, Vec<Approval>> {
        let memory = self.memory();
        let fits = |approval: &&Approval| {
            approval.digest.is_same_call(&digest)
                && approval.owner == owner
                && approval.is_usable(now)
        };
        ready_ok(memory.approvals.iter().rev().filter(fits).cloned().collect())
    }

    fn use_approval(&self, id: ApprovalId, now: SystemTime) -> JournalFuture<'_, bool> {
        let mut memory = self.memory();
        let Some(approval) = memory.approval(&id).filter(|approval| approval.is_usable(now)) else {
            return ready_ok(false);
        };
        approval.uses -= 1;
        ready_ok(true)
    }

    fn return_approval(&self, id: ApprovalId) -> JournalFuture<'_, ()> {
        self.memory().approval(&id).into_iter().for_each(|approval| approval.uses += 1);
        ready_ok(())
    }

    fn approval(&self, id: ApprovalId) -> JournalFuture<'_, Option<Approval>> {
        ready_ok(self.memory().approval(&id).cloned())
    }

    fn open_approvals(&self, now: SystemTime) -> JournalFuture<'_, Vec<Approval>> {
        ready_ok(
            self.memory()
                .approvals
                .iter()
                .filter(|approval| approval.is_open(now))
                .cloned()
                .collect(),
        )
    }

    fn keeps_audit(&self) -> bool {
        false
    }

    fn audit(&self, _: &[AuditLine]) -> Result<(), JournalError> {
        Ok(())
    }
}
