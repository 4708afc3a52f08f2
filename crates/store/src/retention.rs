//! Deletes finished operations, by age and by total size.

use runtime::{journal::Retention, operation::OperationId};
use rusqlite::{Connection, Result, Row, params};

use crate::record::{self, to_micros};

/// Maximum number of operations that one transaction deletes, which bounds the time that other
/// writers wait.
const BATCH: usize = 500;

/// The operations that one transaction has deleted.
pub(crate) struct PrunedBatch {
    /// The deleted operations, whose output files must be removed.
    pub(crate) ids: Vec<OperationId>,
    /// Whether nothing is left to delete.
    pub(crate) is_last: bool,
}

/// Deletes finished operations that ended before `retention.since`, and the oldest ones beyond
/// `retention.bytes`, at most as many as one transaction should. Running operations are never
/// deleted.
pub(crate) fn prune_batch(connection: &Connection, retention: Retention) -> Result<PrunedBatch> {
    let since = to_micros(retention.since);
    let mut deleted = oldest(connection, since, BATCH)?;
    delete(connection, &deleted)?;
    let total: i64 = connection.query_row("SELECT bytes FROM totals", [], |row| row.get(0))?;
    let mut surplus = total - i64::try_from(retention.bytes).unwrap_or(i64::MAX);
    if surplus > 0 {
        let mut too_large = oldest(connection, i64::MAX, BATCH - deleted.len())?;
        // The newest operation is kept even if it exceeds the limit alone, because its owner may be
        // waiting for the result.
        if retention.bytes > 0 && too_large.len() < BATCH - deleted.len() {
            too_large.pop();
        }
        too_large.retain(|row| {
            let is_surplus = surplus > 0;
            surplus -= row.bytes;
            is_surplus
        });
        delete(connection, &too_large)?;
        deleted.extend(too_large);
    }
    // Approvals are kept as long as operations, so that the history shows who allowed a call.
    let expired = connection
        .prepare_cached(
            "DELETE FROM approvals WHERE seq IN (SELECT seq FROM approvals WHERE expires < ? LIMIT ?)",
        )?
        .execute(params![since, BATCH as i64])?;
    let is_last = deleted.len() < BATCH && expired < BATCH;
    Ok(PrunedBatch { ids: deleted.into_iter().map(|row| row.id).collect(), is_last })
}

struct EndedRow {
    seq: i64,
    id: OperationId,
    bytes: i64,
}

/// The operations that ended first, if before a time.
fn oldest(connection: &Connection, before: i64, limit: usize) -> Result<Vec<EndedRow>> {
    let mut statement = connection.prepare_cached(
        "SELECT seq, id, bytes FROM operations WHERE ended IS NOT NULL AND ended < ? ORDER BY ended, seq LIMIT ?",
    )?;
    let read = |row: &Row<'_>| {
        Ok(EndedRow { seq: row.get(0)?, id: record::read_id(row, 1)?, bytes: row.get(2)? })
    };
    statement.query_map(params![before, limit as i64], read)?.collect()
}

fn delete(connection: &Connection, rows: &[EndedRow]) -> Result<()> {
    for row in rows {
        connection.prepare_cached("DELETE FROM outcomes WHERE seq = ?")?.execute([row.seq])?;
        connection.prepare_cached("DELETE FROM operations WHERE seq = ?")?.execute([row.seq])?;
    }
    Ok(())
}
