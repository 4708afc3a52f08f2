//! The tables, and the migration of older files.

use rusqlite::{Connection, Transaction, TransactionBehavior};

/// Each migration takes a file from one version to the next. Released migrations are never changed:
/// files that already ran them would differ from new ones.
const MIGRATIONS: [&str; 4] = [
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
    -- Covers the columns that lists filter by, so that rows that do not match are not read.
    CREATE INDEX operations_by_owner ON operations (owner, seq, state, tool);
    CREATE INDEX operations_open ON operations (seq) WHERE ended IS NULL;
    CREATE INDEX operations_uncollected ON operations (owner, seq) WHERE ended IS NOT NULL AND collected = 0;

    -- A table of its own, so that lists do not read past large outcomes.
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
    // No plan has an empty digest, so older approvals fit no call and are asked for again.
    "ALTER TABLE approvals ADD COLUMN plan_digest TEXT NOT NULL DEFAULT '';",
    // So that no request reads more rows than it returns or deletes, however long the history is.
    "
    CREATE INDEX operations_by_end ON operations (ended) WHERE ended IS NOT NULL;
    -- Only ended operations, so that it is written once for each.
    CREATE INDEX operations_by_state ON operations (state, seq, owner, tool) WHERE ended IS NOT NULL;
    CREATE INDEX approvals_by_expiry ON approvals (expires);

    -- The sum of `operations.bytes`. Triggers, because servers of an earlier version may still write.
    CREATE TABLE totals (bytes INTEGER NOT NULL) STRICT;
    INSERT INTO totals SELECT coalesce(sum(bytes), 0) FROM operations;
    CREATE TRIGGER operations_inserted AFTER INSERT ON operations
        BEGIN UPDATE totals SET bytes = bytes + new.bytes; END;
    CREATE TRIGGER operations_updated AFTER UPDATE OF bytes ON operations
        BEGIN UPDATE totals SET bytes = bytes + new.bytes - old.bytes; END;
    CREATE TRIGGER operations_deleted AFTER DELETE ON operations
        BEGIN UPDATE totals SET bytes = bytes - old.bytes; END;
",
];

/// The version that this program writes.
pub(crate) const VERSION: i64 = MIGRATIONS.len() as i64;

/// Migrates a file to the current version. Returns the version of the file as an error if it is a
/// later one.
pub(crate) fn migrate(connection: &mut Connection) -> rusqlite::Result<Result<(), i64>> {
    // Checked without a lock: this is the usual case, and a starting server must not wait for a
    // writer.
    if read_version(connection)? == VERSION {
        return Ok(Ok(()));
    }
    // Another server may migrate at the same time: the lock makes one of them wait, and the version
    // is read again under the lock.
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    let found = read_version(&transaction)?;
    if found > VERSION {
        return Ok(Err(found));
    }
    for migration in MIGRATIONS.iter().skip(usize::try_from(found).unwrap_or(0)) {
        transaction.execute_batch(migration)?;
    }
    // Written in the same transaction, so that a crash leaves either the old version or the new
    // one.
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()?;
    Ok(Ok(()))
}

fn read_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}
