//! The tables, and how an older file becomes one of today.

use rusqlite::{Connection, Transaction, TransactionBehavior};

/// Each step takes a file from one version to the next. Steps are never changed, only added.
const STEPS: [&str; 2] = [
    "
    CREATE TABLE operations (
        seq       INTEGER PRIMARY KEY AUTOINCREMENT,
        id        TEXT NOT NULL UNIQUE,
        owner     TEXT NOT NULL,
        tool      TEXT NOT NULL,
        arguments TEXT NOT NULL,
        state     TEXT NOT NULL,
        created   INTEGER NOT NULL,
        started   INTEGER,
        ended     INTEGER,
        elapsed   INTEGER NOT NULL,
        server    TEXT NOT NULL,
        folder    BLOB NOT NULL,
        leader    TEXT,
        progress  TEXT NOT NULL,
        last_line TEXT,
        hint      TEXT,
        collected INTEGER NOT NULL,
        bytes     INTEGER NOT NULL
    ) STRICT;
    -- With what lists are filtered by, so that what does not fit is passed over without reading its row.
    CREATE INDEX operations_by_owner ON operations (owner, seq, state, tool);
    CREATE INDEX operations_open ON operations (seq) WHERE ended IS NULL;
    CREATE INDEX operations_uncollected ON operations (owner, seq) WHERE ended IS NOT NULL AND collected = 0;

    -- Apart, so that lists do not read past them.
    CREATE TABLE outcomes (
        seq     INTEGER PRIMARY KEY,
        outcome TEXT NOT NULL
    ) STRICT;

    CREATE TABLE approvals (
        seq              INTEGER PRIMARY KEY AUTOINCREMENT,
        id               TEXT NOT NULL UNIQUE,
        owner            TEXT NOT NULL,
        tool             TEXT NOT NULL,
        tool_digest      TEXT NOT NULL,
        arguments_digest TEXT NOT NULL,
        reason           TEXT NOT NULL,
        plan             TEXT NOT NULL,
        created          INTEGER NOT NULL,
        expires          INTEGER NOT NULL,
        uses             INTEGER NOT NULL,
        approved         INTEGER,
        ruled_by         TEXT,
        ruled            INTEGER
    ) STRICT;
    CREATE INDEX approvals_by_digest ON approvals (tool_digest, arguments_digest, owner);
",
    "
    CREATE TABLE kept (
        space TEXT NOT NULL,
        key   TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (space, key)
    ) STRICT, WITHOUT ROWID;
",
];

/// The version of a file that this program writes.
pub(crate) const VERSION: i64 = STEPS.len() as i64;

/// Brings a file up to date. Another server may be doing the same: whoever is second finds it done.
/// Answers the version that was found if it is a later one.
pub(crate) fn migrate(connection: &mut Connection) -> rusqlite::Result<Result<(), i64>> {
    if version(connection)? == VERSION {
        return Ok(Ok(()));
    }
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    let found = version(&transaction)?;
    if found > VERSION {
        return Ok(Err(found));
    }
    for step in STEPS.iter().skip(usize::try_from(found).unwrap_or(0)) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()?;
    Ok(Ok(()))
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}
