//! What a request costs does not grow with the history, and pruning lets others write.

use std::{
    path::Path,
    time::{Duration, Instant, SystemTime},
};

use runtime::{
    journal::{Filter, Journal, Retention},
    operation::{OperationId, State},
};
use rusqlite::Connection;
use store::Store;
use toolkit::Storage;

use crate::servers::{ended, owner, running};

/// A store with this many ended operations and flags, and one running operation.
async fn filled_store(folder: &Path, rows: u32) -> Store {
    let store = Store::open(folder).unwrap();
    store.begin(running("tool")).await.unwrap();
    store.finish(ended(&running("tool"), SystemTime::now(), "done")).await.unwrap();
    let columns = "owner, tool, arguments, state, created, started, ended, elapsed, server, folder, \
                   leader, progress, last_line, hint, collected, bytes";
    // Ids are base32, which has no 0 and 1.
    let id = "'op_' || replace(replace(printf('%026o', i), '0', 'a'), '1', 'b')";
    let numbers = format!(
        "WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < {rows})"
    );
    Connection::open(folder.join("store.db"))
        .unwrap()
        .execute_batch(&format!(
            "INSERT INTO operations (id, {columns}) {numbers}
                 SELECT {id}, {columns} FROM numbers, operations WHERE ended IS NOT NULL;
             INSERT INTO kept (space, key, value) {numbers}
                 SELECT 'space', printf('key-%06d', i), '1' FROM numbers;"
        ))
        .unwrap();
    store
}

/// The shortest time of several runs, which other load disturbs least.
async fn measure<T>(mut run: impl AsyncFnMut() -> T) -> Duration {
    let mut shortest = Duration::MAX;
    for _ in 0..30 {
        let start = Instant::now();
        run().await;
        shortest = shortest.min(start.elapsed());
    }
    shortest
}

/// Fails if a request takes more than five times as long with a hundred times as many rows.
async fn assert_flat(name: &str, request: impl AsyncFn(&Store)) {
    let mut times = Vec::new();
    for rows in [200, 20_000] {
        let folder = tempfile::tempdir().unwrap();
        let store = filled_store(folder.path(), rows).await;
        times.push(measure(async || request(&store).await).await);
    }
    assert!(times[1] < times[0] * 5 + Duration::from_micros(200), "{name}: {times:?}");
}

#[tokio::test]
async fn unfinished_operations_are_found_without_reading_ended_ones() {
    let mine = Filter { owner: Some(owner()), ..Filter::unfinished() };
    assert_flat("unfinished operations of an owner", async |store| {
        let listed = store.list(mine.clone(), None, 1000).await.unwrap();
        assert_eq!(listed.operations.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_rare_state_is_found_without_reading_others() {
    let lost = Filter { states: vec![State::Lost], ..Filter::default() };
    let mine = Filter { owner: Some(owner()), ..lost.clone() };
    let tool = Filter { tool: Some("tool".to_owned()), ..lost };
    for filter in [mine, tool] {
        assert_flat("a rare state", async |store| {
            let listed = store.list(filter.clone(), None, 100).await.unwrap();
            assert!(listed.operations.is_empty());
        })
        .await;
    }
}

#[tokio::test]
async fn named_operations_are_found_without_reading_others() {
    let states = State::ALL.into_iter().filter(|state| state.is_final()).collect();
    let ids = (0..100).map(|_| OperationId::random()).collect();
    let filter = Filter { ids, states, owner: Some(owner()), ..Filter::default() };
    assert_flat("named operations", async |store| {
        let listed = store.list(filter.clone(), None, 100).await.unwrap();
        assert!(listed.operations.is_empty());
    })
    .await;
}

#[tokio::test]
async fn pruning_reads_only_what_it_deletes() {
    let nothing = Retention { since: SystemTime::UNIX_EPOCH, bytes: u64::MAX };
    assert_flat("pruning nothing", async |store| {
        assert!(store.prune(nothing).await.unwrap().is_empty())
    })
    .await;
}

#[tokio::test]
async fn a_page_of_values_reads_only_that_page() {
    assert_flat("a page of values", async |store| {
        let page = store.page("space", Some("key-000100"), 20).await.unwrap();
        assert_eq!((page.len(), page[0].0.as_str()), (20, "key-000101"));
    })
    .await;
}

#[tokio::test]
async fn writes_do_not_read_what_is_there() {
    assert_flat("setting a value", async |store| {
        store.set("space", "key-000100", Some(2.into())).await.unwrap();
    })
    .await;
    assert_flat("beginning an operation", async |store| {
        store.begin(running("tool")).await.unwrap();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn others_write_while_much_is_pruned() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled_store(folder.path(), 20_000).await;
    let other = Store::open(folder.path()).unwrap();
    let everything = Retention { since: SystemTime::now() + Duration::from_secs(1), bytes: 0 };
    let pruning = tokio::spawn(async move { store.prune(everything).await });
    let mut written = 0;
    while !pruning.is_finished() {
        other.begin(running("other")).await.unwrap();
        written += 1;
    }
    assert_eq!(pruning.await.unwrap().unwrap().len(), 20_001);
    assert!(written > 10, "only {written} operations were recorded meanwhile");
}

#[tokio::test]
async fn an_older_store_gets_its_indexes_and_its_total() {
    let folder = tempfile::tempdir().unwrap();
    drop(filled_store(folder.path(), 100).await);
    let file = Connection::open(folder.path().join("store.db")).unwrap();
    file.execute_batch(
        "DROP INDEX operations_by_end; DROP INDEX operations_by_state; DROP INDEX approvals_by_expiry;
         DROP TRIGGER operations_inserted; DROP TRIGGER operations_updated; DROP TRIGGER operations_deleted;
         DROP TABLE totals; PRAGMA user_version = 3;",
    )
    .unwrap();
    let store = Store::open(folder.path()).unwrap();
    let total = |sql: &str| file.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let sum = "SELECT sum(bytes) FROM operations";
    assert_eq!(total("SELECT bytes FROM totals"), total(sum));
    store.finish(ended(&running("new"), SystemTime::now(), &"x".repeat(1000))).await.unwrap();
    assert_eq!(total("SELECT bytes FROM totals"), total(sum));
    let half = Retention { since: SystemTime::UNIX_EPOCH, bytes: total(sum) as u64 / 2 };
    assert!(store.prune(half).await.unwrap().len() > 40);
    assert_eq!(total("SELECT bytes FROM totals"), total(sum));
    assert!(total(sum) <= half.bytes as i64);
}
