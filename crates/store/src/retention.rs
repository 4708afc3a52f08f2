//! Deletes finished operations, by age and by total size.

use runtime::{journal::Retention, operation::OperationId};
use rusqlite::{Connection, Result, params};

use crate::record::{self, to_micros};

/// Deletes finished operations that ended before `retention.since`, and the oldest ones beyond
/// `retention.bytes`. Returns their ids, for the files that belong to them. Running operations are
/// never deleted.
pub(crate) fn prune(connection: &Connection, retention: Retention) -> Result<Vec<OperationId>> {
    let mut too_old = connection
        .prepare("SELECT seq, id FROM operations WHERE ended IS NOT NULL AND ended < ?")?;
    let mut deleted = query_ids(&mut too_old, params![to_micros(retention.since)])?;
    // A running total from the newest operation on: rows beyond the limit are too many.
    let mut too_large = connection.prepare(
        "SELECT seq, id FROM (SELECT seq, id, ended, sum(bytes) OVER (ORDER BY seq DESC) AS total FROM operations) \
         WHERE ended IS NOT NULL AND total > ?",
    )?;
    deleted.extend(query_ids(
        &mut too_large,
        params![i64::try_from(retention.bytes).unwrap_or(i64::MAX)],
    )?);
    // An operation may be too old and beyond the size limit at once.
    deleted.sort();
    deleted.dedup();
    for (seq, _) in &deleted {
        connection.prepare_cached("DELETE FROM outcomes WHERE seq = ?")?.execute([seq])?;
        connection.prepare_cached("DELETE FROM operations WHERE seq = ?")?.execute([seq])?;
    }
    // Approvals are kept as long as operations, so that the history shows who allowed a call.
    let expired = "DELETE FROM approvals WHERE expires < ?";
    connection.execute(expired, params![to_micros(retention.since)])?;
    Ok(deleted.into_iter().map(|(_, id)| id).collect())
}

fn query_ids(
    statement: &mut rusqlite::Statement<'_>,
    values: impl rusqlite::Params,
) -> Result<Vec<(i64, OperationId)>> {
    let rows = statement.query_map(values, |row| Ok((row.get(0)?, record::read_id(row, 1)?)))?;
    rows.collect()
}
