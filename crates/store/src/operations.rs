//! The table of operations.

use catalog::Outcome;
use runtime::{
    journal::{Cursor, Filter, Note, Page},
    operation::{Operation, OperationId, Owner},
};
use rusqlite::{Connection, OptionalExtension, Result, params, params_from_iter, types::Value};

use crate::record::{
    self, COLUMNS, OutcomeRecord, duration_to_micros, path_bytes, to_json, to_micros,
};

/// Inserts an operation, with its outcome if it has one.
pub(crate) fn insert(connection: &Connection, operation: Operation) -> Result<()> {
    let outcome = operation.outcome.map(|outcome| to_json(&OutcomeRecord::from(outcome)));
    let arguments = to_json(&operation.arguments);
    let bytes = outcome.as_ref().map_or(0, String::len) + arguments.len();
    let bytes = bytes as u64 + operation.output_bytes;
    connection
        .prepare_cached(
            "INSERT INTO operations (id, owner, tool, arguments, state, created, started, ended, elapsed, server, folder, \
             leader, progress, last_line, hint, collected, bytes) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        )?
        .execute(params![
            operation.id.as_str(),
            operation.owner.0,
            operation.tool,
            arguments,
            operation.state.as_str(),
            to_micros(operation.created),
            operation.started.map(to_micros),
            operation.ended.map(to_micros),
            duration_to_micros(operation.elapsed),
            to_json(&operation.server),
            path_bytes(&operation.folder),
            operation.leader.map(|leader| to_json(&leader)),
            to_json(&operation.progress),
            operation.last_line,
            operation.hint,
            operation.collected,
            bytes as i64,
        ])?;
    match outcome {
        Some(outcome) => insert_outcome(connection, connection.last_insert_rowid(), &outcome),
        None => Ok(()),
    }
}

/// Updates the state and progress of an operation. Notes are not awaited, so one may arrive after
/// the end of its operation; it is ignored then.
pub(crate) fn update(connection: &Connection, id: &OperationId, note: &Note) -> Result<()> {
    connection
        .prepare_cached(
            "UPDATE operations SET state = ?2, started = ?3, leader = ?4, progress = ?5, last_line = ?6 \
             WHERE id = ?1 AND ended IS NULL",
        )?
        .execute(params![
            id.as_str(),
            note.state.as_str(),
            note.started.map(to_micros),
            note.leader.map(|leader| to_json(&leader)),
            to_json(&note.progress),
            note.last_line,
        ])?;
    Ok(())
}

/// Records the end of an operation. Returns false if it had already ended: two servers may both
/// try, and the first one wins. An operation that was deleted meanwhile is inserted again.
pub(crate) fn finish(connection: &Connection, operation: Operation) -> Result<bool> {
    let known: Option<(i64, bool)> = connection
        .prepare_cached("SELECT seq, ended IS NOT NULL FROM operations WHERE id = ?")?
        .query_row([operation.id.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let seq = match known {
        Some((_, true)) => return Ok(false),
        Some((seq, false)) => seq,
        // The row is gone if a corrupt file was replaced while the operation ran. Its owner still
        // waits for the outcome.
        None => return insert(connection, operation).map(|()| true),
    };
    let outcome = to_json(&OutcomeRecord::from(operation.outcome.unwrap_or_default()));
    // `folder`, `server` and `leader` stay as they were: they show where the operation ran.
    connection
        .prepare_cached(
            "UPDATE operations SET state = ?2, started = ?3, ended = ?4, elapsed = ?5, progress = ?6, last_line = ?7, \
             collected = ?8, bytes = bytes + ?9 WHERE seq = ?1",
        )?
        .execute(params![
            seq,
            operation.state.as_str(),
            operation.started.map(to_micros),
            operation.ended.map(to_micros),
            duration_to_micros(operation.elapsed),
            to_json(&operation.progress),
            operation.last_line,
            operation.collected,
            (outcome.len() as u64 + operation.output_bytes) as i64,
        ])?;
    insert_outcome(connection, seq, &outcome)?;
    Ok(true)
}

fn insert_outcome(connection: &Connection, seq: i64, outcome: &str) -> Result<()> {
    connection
        .prepare_cached("INSERT INTO outcomes (seq, outcome) VALUES (?, ?)")?
        .execute(params![seq, outcome])?;
    Ok(())
}

/// Reads an operation with its outcome.
pub(crate) fn get(connection: &Connection, id: &OperationId) -> Result<Option<Operation>> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {COLUMNS} FROM operations WHERE id = ?"))?;
    let found = statement.query_row([id.as_str()], record::read_operation).optional()?;
    found.map(|(seq, operation)| add_outcome(connection, seq, operation)).transpose()
}

fn add_outcome(connection: &Connection, seq: i64, operation: Operation) -> Result<Operation> {
    let mut statement = connection.prepare_cached("SELECT outcome FROM outcomes WHERE seq = ?")?;
    let outcome =
        statement.query_row([seq], |row| record::read_json::<OutcomeRecord>(row, 0)).optional()?;
    Ok(Operation { outcome: outcome.map(Outcome::from), ..operation })
}

/// Lists operations without outcomes, newest first. A cursor is the sequence number of the last
/// operation of a page, so pages stay stable while operations are added.
pub(crate) fn list(
    connection: &Connection,
    filter: &Filter,
    before: Option<i64>,
    limit: usize,
) -> Result<Page> {
    let (condition, mut values) = build_condition(filter, before);
    let sql =
        format!("SELECT {COLUMNS} FROM operations WHERE {condition} ORDER BY seq DESC LIMIT ?");
    // One more than the limit, to know whether there is a next page.
    values.push(Value::from(i64::try_from(limit.saturating_add(1)).unwrap_or(i64::MAX)));
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params_from_iter(values), record::read_operation)?;
    let mut rows: Vec<(i64, Operation)> = rows.collect::<Result<_>>()?;
    let has_more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| has_more).map(|(seq, _)| Cursor::from_number(*seq));
    Ok(Page { operations: rows.into_iter().map(|(_, operation)| operation).collect(), next })
}

/// The SQL condition of a filter, with its parameters.
///
/// It leaves SQLite one index to choose: ids, else the one of unfinished or of ended operations,
/// else the one of the owner. A unary `+` keeps a column from selecting an index. Without
/// statistics SQLite would take the owner's, and read the whole history for a few rows.
fn build_condition(filter: &Filter, before: Option<i64>) -> (String, Vec<Value>) {
    let is_unfinished =
        !filter.states.is_empty() && filter.states.iter().all(|state| !state.is_final());
    let is_ended = !filter.states.is_empty() && filter.states.iter().all(|state| state.is_final());
    // With several states, the order of the index is not the order of the list.
    let has_end_index = is_unfinished || is_ended && filter.states.len() == 1;
    let (by_end, by_owner) = (filter.ids.is_empty(), filter.ids.is_empty() && !has_end_index);
    // A condition that is always true, so that the others can be joined with AND.
    let mut parts = vec!["1".to_owned()];
    let mut values = Vec::new();
    let mut add = |part: String, more: &[Value]| {
        parts.push(part);
        values.extend_from_slice(more);
    };
    if let Some(before) = before {
        add("seq < ?".to_owned(), &[before.into()]);
    }
    if let Some(owner) = &filter.owner {
        let column = if by_owner { "owner" } else { "+owner" };
        add(format!("{column} = ?"), &[owner.0.clone().into()]);
    }
    if let Some(tool) = &filter.tool {
        // LIKE is not used, because `%` and `_` would be wildcards.
        let length = tool.chars().count() as i64;
        add("substr(tool, 1, ?) = ?".to_owned(), &[length.into(), tool.clone().into()]);
    }
    if !filter.ids.is_empty() {
        // One parameter for any number of ids.
        add("id IN (SELECT value FROM json_each(?))".to_owned(), &[to_json(&filter.ids).into()]);
    }
    if by_end && is_unfinished {
        add("ended IS NULL".to_owned(), &[]);
    }
    if by_end && is_ended {
        add("ended IS NOT NULL".to_owned(), &[]);
    }
    if !filter.states.is_empty() {
        let column = if by_end && is_ended && has_end_index { "state" } else { "+state" };
        // Our own names, not parameters of the client.
        let names: Vec<_> =
            filter.states.iter().map(|state| format!("'{}'", state.as_str())).collect();
        add(format!("{column} IN ({})", names.join(", ")), &[]);
    }
    (parts.join(" AND "), values)
}

/// Lists operations that ended and whose outcome the owner has not received, oldest first, with
/// outcomes.
pub(crate) fn uncollected(
    connection: &Connection,
    owner: &Owner,
    limit: usize,
) -> Result<Vec<Operation>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM operations WHERE owner = ? AND ended IS NOT NULL AND collected = 0 ORDER BY seq LIMIT ?"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(
        params![owner.0, i64::try_from(limit).unwrap_or(i64::MAX)],
        record::read_operation,
    )?;
    rows.map(|row| row.and_then(|(seq, operation)| add_outcome(connection, seq, operation)))
        .collect()
}

/// Records that the owner received the outcomes of these operations.
pub(crate) fn mark_collected(connection: &Connection, ids: &[OperationId]) -> Result<()> {
    let mut statement =
        connection.prepare_cached("UPDATE operations SET collected = 1 WHERE id = ?")?;
    ids.iter().try_for_each(|id| statement.execute([id.as_str()]).map(|_| ()))
}
