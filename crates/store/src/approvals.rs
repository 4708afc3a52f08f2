//! The table of approvals. Each function runs in the writer's transaction, so that no other server
//! changes a row between its check and its update.

use std::time::SystemTime;

use runtime::{
    Approval, Digest,
    journal::Ruling,
    operation::{ApprovalId, Owner},
};
use rusqlite::{Connection, OptionalExtension, Result, Row, params};

use crate::record::{self, from_micros, to_json, to_micros};

const COLUMNS: &str = "id, owner, tool, tool_digest, arguments_digest, reason, plan, created, expires, uses, approved, ruled_by, ruled, plan_digest";

/// Inserts a pending approval. If the same one is already pending, returns that instead: a client
/// that repeats a call must not ask its user twice.
pub(crate) fn propose(connection: &Connection, approval: Approval) -> Result<Approval> {
    let same = find_matching(connection, &approval.digest, &approval.owner)?;
    let is_same =
        |known: &Approval| known.digest == approval.digest && known.is_open(approval.created);
    if let Some(open) = same.into_iter().find(is_same) {
        return Ok(open);
    }
    connection
        .prepare_cached(
            "INSERT INTO approvals (id, owner, tool, tool_digest, arguments_digest, reason, plan, created, expires, uses, plan_digest) \
             VALUES (?,?,?,?,?,?,?,?,?,?,?)",
        )?
        .execute(params![
            approval.id.as_str(),
            approval.owner.0,
            approval.tool,
            approval.digest.tool,
            approval.digest.arguments,
            approval.reason,
            to_json(&approval.plan),
            to_micros(approval.created),
            to_micros(approval.expires),
            approval.uses,
            approval.digest.plan,
        ])?;
    // The ruling columns stay NULL: that is what makes an approval pending.
    Ok(approval)
}

/// Records the ruling on a pending approval. Returns the approval with its first ruling, which
/// later ones do not change; `None` if there is no such approval.
pub(crate) fn decide(
    connection: &Connection,
    id: &ApprovalId,
    ruling: &Ruling,
) -> Result<Option<Approval>> {
    let Some(approval) = get(connection, id)? else {
        return Ok(None);
    };
    // Two people may answer at the same time, or one after the expiry. A "no" must not become a
    // "yes" afterwards.
    if !approval.is_open(ruling.at) {
        return Ok(Some(approval));
    }
    connection
        .prepare_cached(
            "UPDATE approvals SET approved = ?2, ruled_by = ?3, ruled = ?4 WHERE id = ?1",
        )?
        .execute(params![id.as_str(), ruling.approved, ruling.by, to_micros(ruling.at)])?;
    get(connection, id)
}

/// Finds the approvals that can be used for a tool and its arguments, newest first.
pub(crate) fn find_usable(
    connection: &Connection,
    digest: &Digest,
    owner: &Owner,
    now: SystemTime,
) -> Result<Vec<Approval>> {
    let mut found = find_matching(connection, digest, owner)?;
    found.retain(|approval| approval.is_usable(now));
    Ok(found)
}

/// Consumes one use of an approval. Returns false if none is left or it has expired.
pub(crate) fn consume(connection: &Connection, id: &ApprovalId, now: SystemTime) -> Result<bool> {
    // Checked again under the write lock: `find` ran on the reader, and another call may have used
    // the approval since.
    let is_usable = get(connection, id)?.is_some_and(|approval| approval.is_usable(now));
    if is_usable {
        connection
            .prepare_cached("UPDATE approvals SET uses = uses - 1 WHERE id = ?")?
            .execute([id.as_str()])?;
    }
    Ok(is_usable)
}

/// Gives one use of an approval back.
pub(crate) fn give_back(connection: &Connection, id: &ApprovalId) -> Result<()> {
    connection
        .prepare_cached("UPDATE approvals SET uses = uses + 1 WHERE id = ?")?
        .execute([id.as_str()])?;
    Ok(())
}

/// Reads an approval.
pub(crate) fn get(connection: &Connection, id: &ApprovalId) -> Result<Option<Approval>> {
    let sql = format!("SELECT {COLUMNS} FROM approvals WHERE id = ?");
    connection.prepare_cached(&sql)?.query_row([id.as_str()], read_approval).optional()
}

/// Lists pending approvals.
pub(crate) fn list_open(connection: &Connection, now: SystemTime) -> Result<Vec<Approval>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM approvals WHERE approved IS NULL AND expires > ? ORDER BY seq"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map([to_micros(now)], read_approval)?;
    let found: Vec<_> = rows.collect::<Result<_>>()?;
    // The model decides what is open; the SQL condition only keeps the number of rows small.
    Ok(found.into_iter().filter(|approval: &Approval| approval.is_open(now)).collect())
}

/// The approvals of an owner for one tool and one set of arguments, newest first.
fn find_matching(connection: &Connection, digest: &Digest, owner: &Owner) -> Result<Vec<Approval>> {
    let sql = format!(
        // A bound for clients that repeat a call without end. Only recent approvals can still be
        // valid.
        "SELECT {COLUMNS} FROM approvals WHERE tool_digest = ? AND arguments_digest = ? AND owner = ? ORDER BY seq DESC LIMIT 100"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows =
        statement.query_map(params![digest.tool, digest.arguments, owner.0], read_approval)?;
    rows.collect()
}

fn read_approval(row: &Row<'_>) -> Result<Approval> {
    let ruling = row.get::<_, Option<bool>>(10)?.map(|approved| -> Result<Ruling> {
        // Written together with `approved`, so both are set; a file edited by hand must not make
        // the approval unreadable.
        let by = row.get::<_, Option<String>>(11)?.unwrap_or_default();
        Ok(Ruling {
            approved,
            by,
            at: from_micros(row.get::<_, Option<i64>>(12)?.unwrap_or_default()),
        })
    });
    Ok(Approval {
        id: row.get::<_, String>(0)?.parse().map_err(|error| record::conversion_error(0, error))?,
        owner: Owner(row.get(1)?),
        tool: row.get(2)?,
        digest: Digest { tool: row.get(3)?, arguments: row.get(4)?, plan: row.get(13)? },
        reason: row.get(5)?,
        plan: record::read_json(row, 6)?,
        created: from_micros(row.get(7)?),
        expires: from_micros(row.get(8)?),
        uses: row.get(9)?,
        ruling: ruling.transpose()?,
    })
}
