//! Forgetting what is over: by age, and by how much there is.

use runtime::{journal::Retention, operation::OperationId};
use rusqlite::{Connection, Result, params};

use crate::record::{self, micros};

/// Forgets what is too old or too much, oldest first. What runs is never forgotten.
pub(crate) fn prune(connection: &Connection, retention: Retention) -> Result<Vec<OperationId>> {
    let mut too_old = connection
        .prepare("SELECT seq, id FROM operations WHERE ended IS NOT NULL AND ended < ?")?;
    let mut doomed = rows(&mut too_old, params![micros(retention.since)])?;
    // From the newest on, until there is enough; what is left is too much.
    let mut too_much = connection.prepare(
        "SELECT seq, id FROM (SELECT seq, id, ended, sum(bytes) OVER (ORDER BY seq DESC) AS total FROM operations) \
         WHERE ended IS NOT NULL AND total > ?",
    )?;
    doomed
        .extend(rows(&mut too_much, params![i64::try_from(retention.bytes).unwrap_or(i64::MAX)])?);
    doomed.sort();
    doomed.dedup();
    for (seq, _) in &doomed {
        connection.prepare_cached("DELETE FROM outcomes WHERE seq = ?")?.execute([seq])?;
        connection.prepare_cached("DELETE FROM operations WHERE seq = ?")?.execute([seq])?;
    }
    let expired = "DELETE FROM approvals WHERE expires < ?";
    connection.execute(expired, params![micros(retention.since)])?;
    Ok(doomed.into_iter().map(|(_, id)| id).collect())
}

fn rows(
    statement: &mut rusqlite::Statement<'_>,
    values: impl rusqlite::Params,
) -> Result<Vec<(i64, OperationId)>> {
    let rows = statement.query_map(values, |row| Ok((row.get(0)?, record::id(row, 1)?)))?;
    rows.collect()
}
