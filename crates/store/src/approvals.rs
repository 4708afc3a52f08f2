//! Approvals in the database.

use std::time::SystemTime;

use runtime::{
    Approval, Digest,
    journal::Ruling,
    operation::{ApprovalId, Owner},
};
use rusqlite::{Connection, OptionalExtension, Result, Row, params};

use crate::record::{self, micros, text, time};

const COLUMNS: &str = "id, owner, tool, tool_digest, arguments_digest, reason, plan, created, expires, uses, approved, ruled_by, ruled";

/// Adds a question, unless the same is open.
pub(crate) fn propose(connection: &Connection, approval: Approval) -> Result<Approval> {
    let same = matching(connection, &approval.digest, &approval.owner)?;
    if let Some(open) = same.into_iter().find(|known| known.is_open(approval.created)) {
        return Ok(open);
    }
    connection
        .prepare_cached(
            "INSERT INTO approvals (id, owner, tool, tool_digest, arguments_digest, reason, plan, created, expires, uses) \
             VALUES (?,?,?,?,?,?,?,?,?,?)",
        )?
        .execute(params![
            approval.id.as_str(),
            approval.owner.0,
            approval.tool,
            approval.digest.tool,
            approval.digest.arguments,
            approval.reason,
            text(&approval.plan),
            micros(approval.created),
            micros(approval.expires),
            approval.uses,
        ])?;
    Ok(approval)
}

/// Takes down an answer to an open question.
pub(crate) fn decide(
    connection: &Connection,
    id: &ApprovalId,
    ruling: &Ruling,
) -> Result<Option<Approval>> {
    let Some(approval) = get(connection, id)? else {
        return Ok(None);
    };
    if !approval.is_open(ruling.at) {
        return Ok(Some(approval));
    }
    connection
        .prepare_cached(
            "UPDATE approvals SET approved = ?2, ruled_by = ?3, ruled = ?4 WHERE id = ?1",
        )?
        .execute(params![id.as_str(), ruling.approved, ruling.by, micros(ruling.at)])?;
    get(connection, id)
}

/// An approval that can be used.
pub(crate) fn find(
    connection: &Connection,
    digest: &Digest,
    owner: &Owner,
    now: SystemTime,
) -> Result<Option<Approval>> {
    Ok(matching(connection, digest, owner)?.into_iter().find(|approval| approval.is_usable(now)))
}

/// Takes one use of an approval.
pub(crate) fn use_up(connection: &Connection, id: &ApprovalId, now: SystemTime) -> Result<bool> {
    let is_usable = get(connection, id)?.is_some_and(|approval| approval.is_usable(now));
    if is_usable {
        connection
            .prepare_cached("UPDATE approvals SET uses = uses - 1 WHERE id = ?")?
            .execute([id.as_str()])?;
    }
    Ok(is_usable)
}

/// One approval.
pub(crate) fn get(connection: &Connection, id: &ApprovalId) -> Result<Option<Approval>> {
    let sql = format!("SELECT {COLUMNS} FROM approvals WHERE id = ?");
    connection.prepare_cached(&sql)?.query_row([id.as_str()], approval).optional()
}

/// The questions that are open.
pub(crate) fn open(connection: &Connection, now: SystemTime) -> Result<Vec<Approval>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM approvals WHERE approved IS NULL AND expires > ? ORDER BY seq"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map([micros(now)], approval)?;
    let found: Vec<_> = rows.collect::<Result<_>>()?;
    Ok(found.into_iter().filter(|approval: &Approval| approval.is_open(now)).collect())
}

fn matching(connection: &Connection, digest: &Digest, owner: &Owner) -> Result<Vec<Approval>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM approvals WHERE tool_digest = ? AND arguments_digest = ? AND owner = ? ORDER BY seq DESC LIMIT 100"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params![digest.tool, digest.arguments, owner.0], approval)?;
    rows.collect()
}

fn approval(row: &Row<'_>) -> Result<Approval> {
    let ruling = row.get::<_, Option<bool>>(10)?.map(|approved| -> Result<Ruling> {
        let by = row.get::<_, Option<String>>(11)?.unwrap_or_default();
        Ok(Ruling { approved, by, at: time(row.get::<_, Option<i64>>(12)?.unwrap_or_default()) })
    });
    Ok(Approval {
        id: row.get::<_, String>(0)?.parse().map_err(|error| record::unreadable(0, error))?,
        owner: Owner(row.get(1)?),
        tool: row.get(2)?,
        digest: Digest { tool: row.get(3)?, arguments: row.get(4)? },
        reason: row.get(5)?,
        plan: record::json(row, 6)?,
        created: time(row.get(7)?),
        expires: time(row.get(8)?),
        uses: row.get(9)?,
        ruling: ruling.transpose()?,
    })
}
