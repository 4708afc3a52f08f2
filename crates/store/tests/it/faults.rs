//! A full disk, and a store that is locked, corrupt or of a later version: reported, and nothing
//! hangs.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use runtime::{
    Runtime, Settings, Viewer,
    journal::{Filter, Journal, JournalError},
    operation::{Operation, State},
};
use rusqlite::Connection;
use store::{OpenError, Store};
use testing::{SmallDisk, wait_for};

use crate::servers::{background, call, ended, foreground, running, start_server, state_folder};

fn store_file(folder: &Path) -> PathBuf {
    state_folder(folder).join("store.db")
}

#[tokio::test]
async fn moves_an_invalid_store_file_aside_and_reports_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(state_folder(folder.path())).unwrap();
    fs::write(
        store_file(folder.path()),
        "this is no database, and longer than its header would be ".repeat(100),
    )
    .unwrap();
    let store = Store::open(&state_folder(folder.path())).unwrap();
    let aside = store.corrupt_file_path().unwrap();
    assert!(fs::read_to_string(aside).unwrap().starts_with("this is no database"));
    store.begin(running("tool")).await.unwrap();
    assert_eq!(store.list(Filter::default(), None, 10).await.unwrap().operations.len(), 1);
}

#[tokio::test]
async fn moves_a_corrupt_store_aside_and_continues() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&state_folder(folder.path())).unwrap();
    for _ in 0..200 {
        store
            .finish(ended(&running("tool"), std::time::SystemTime::now(), &"x".repeat(2000)))
            .await
            .unwrap();
    }
    drop(store);
    // Everything but the first page is garbage.
    let mut bytes = fs::read(store_file(folder.path())).unwrap();
    bytes[4096..].fill(0x5a);
    fs::write(store_file(folder.path()), bytes).unwrap();
    let store = Store::open(&state_folder(folder.path())).unwrap();
    let mut refused = 0;
    let operation = running("tool");
    while let Err(error) = store.begin(operation.clone()).await {
        assert!(matches!(error, JournalError::Failed(_)), "{error}");
        refused += 1;
        assert!(refused < 5);
    }
    assert_eq!(store.list(Filter::default(), None, 1000).await.unwrap().operations.len(), 1);
    let names = fs::read_dir(state_folder(folder.path()))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(names.into_iter().any(|name| name.contains("broken")));
}

#[test]
fn refuses_a_store_of_a_later_version() {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::open(&state_folder(folder.path())).unwrap());
    Connection::open(store_file(folder.path()))
        .unwrap()
        .pragma_update(None, "user_version", 99)
        .unwrap();
    assert!(matches!(
        Store::open(&state_folder(folder.path())),
        Err(OpenError::TooNew { found: 99, .. })
    ));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_locked_store_rejects_new_operations_and_loses_no_result() {
    let folder = tempfile::tempdir().unwrap();
    let runtime =
        start_server(folder.path(), |settings| settings.answer_within = Duration::from_millis(100));
    let id =
        Operation::started_by(&call(&runtime, background("sleep 0.5; echo kept")).await).unwrap();
    let lock = Connection::open(store_file(folder.path())).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let begun = Instant::now();
    let mut tool = background("touch ran");
    tool.timeout = Some(Duration::from_secs(1));
    let refused = call(&runtime, tool).await;
    assert!(begun.elapsed() < Duration::from_secs(4), "its timeout counts: {:?}", begun.elapsed());
    assert_eq!(refused.structured.unwrap()["error_type"], "store_failed");
    assert!(!folder.path().join("crib/ran").exists(), "what cannot be recorded does not run");
    let ids = [id.clone()];
    let wait = runtime
        .operations()
        .wait(Viewer::Operator, &ids, runtime::Until::All, Duration::from_secs(30))
        .await;
    let operation = wait.unwrap().remove(0);
    assert_eq!(operation.state, State::Completed);
    let outcome = operation.outcome.as_ref().unwrap().structured.as_ref().unwrap();
    assert_eq!((&outcome["stdout"], outcome["not_recorded"].is_string()), (&"kept\n".into(), true));
    let owner = &operation.owner;
    let waiting = runtime.operations().uncollected(owner, 10).await.unwrap();
    assert_eq!(waiting.len(), 1, "its owner can have it meanwhile");
    lock.execute_batch("ROLLBACK").unwrap();
    wait_for("the result is recorded once the store can be written again", async || {
        let operation = runtime.journal().get(id.clone()).await.unwrap().unwrap();
        (operation.state == State::Completed).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_locked_store_is_waited_for_until_the_timeout_of_the_call() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = start_server(folder.path(), |_| {});
    let store = Arc::new(Store::open(&state_folder(folder.path())).unwrap());
    let lock = Connection::open(store_file(folder.path())).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let calls: Vec<_> = (0..2)
        .map(|number| {
            let mut tool = background(&format!("touch ran{number}"));
            tool.timeout = (number == 0).then_some(Duration::from_millis(300));
            let runtime = Arc::clone(&runtime);
            tokio::spawn(async move { call(&runtime, tool).await })
        })
        .collect();
    let flag = tokio::spawn({
        let store = Arc::clone(&store);
        async move { toolkit::Storage::set(&*store, "space", "key", Some(1.into())).await }
    });
    // Longer than one attempt of the store to get the lock.
    tokio::time::sleep(Duration::from_secs(8)).await;
    lock.execute_batch("ROLLBACK").unwrap();
    let mut outcomes = Vec::new();
    for call in calls {
        outcomes.push(call.await.unwrap().structured.unwrap());
    }
    assert_eq!(outcomes[0]["error_type"], "store_failed", "{outcomes:?}");
    assert_eq!(outcomes[1]["exit_code"], 0, "{outcomes:?}");
    assert!(flag.await.unwrap().is_ok());
    assert!(!folder.path().join("crib/ran0").exists());
    // The record of a refused call does not stay unfinished.
    wait_for("no operation is left", async || {
        let open = runtime.journal().list(Filter::unfinished(), None, 10).await.unwrap();
        open.operations.is_empty().then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_a_full_disk_and_keeps_recorded_operations() {
    let folder = tempfile::tempdir().unwrap();
    let Some(_disk) = SmallDisk::mount(&state_folder(folder.path()), 512) else {
        return;
    };
    let store = Store::open(&state_folder(folder.path())).unwrap();
    let (mut kept, mut error) = (Vec::new(), None);
    for _ in 0..1000 {
        let operation = ended(&running("tool"), std::time::SystemTime::now(), &"x".repeat(4000));
        match store.finish(operation.clone()).await {
            Ok(_) => kept.push(operation.id),
            Err(found) => {
                error = Some(found);
                break;
            }
        }
    }
    assert_eq!(error, Some(JournalError::Full));
    assert!(!kept.is_empty());
    for id in &kept {
        assert!(store.get(id.clone()).await.unwrap().is_some());
    }
    drop(store);
    let store = Store::open(&state_folder(folder.path())).unwrap();
    assert!(
        store.get(kept[0].clone()).await.unwrap().is_some(),
        "it can be opened while the disk is full"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_blocks_operations_but_not_plain_calls() {
    let folder = tempfile::tempdir().unwrap();
    let Some(_disk) = SmallDisk::mount(&state_folder(folder.path()), 512) else {
        return;
    };
    let runtime = start_server(folder.path(), |_| {});
    fs::write(state_folder(folder.path()).join("filler"), vec![0; 1024 * 1024]).unwrap_err();
    let refused = call(&runtime, background("touch ran")).await.structured.unwrap();
    assert_eq!(refused["error_type"], "store_failed");
    assert!(refused["error_message"].as_str().unwrap().contains("full"), "{refused}");
    assert!(!folder.path().join("crib/ran").exists());
    assert_eq!(
        call(&runtime, foreground("echo fine")).await.structured.unwrap()["stdout"],
        "fine\n"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn waits_for_a_store_that_is_locked_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::open(folder.path()).unwrap());
    let lock = Connection::open(folder.path().join("store.db")).unwrap();
    // Keeps out readers as well.
    lock.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").unwrap();
    let store = Store::open_when_available(folder.path()).unwrap();
    let operation = running("tool");
    let begun = store.begin(operation.clone());
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(2500));
        drop(lock);
    });
    begun.await.unwrap();
    drop(store);
    let store = Store::open(folder.path()).unwrap();
    assert!(store.get(operation.id).await.unwrap().is_some(), "it is on disk");
}

#[tokio::test]
async fn refuses_until_the_store_can_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let state = state_folder(folder.path());
    drop(Store::open(&state).unwrap());
    let other = Connection::open(store_file(folder.path())).unwrap();
    let version: i64 = other.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    other.pragma_update(None, "user_version", 99).unwrap();
    let store = Store::open_when_available(&state).unwrap();
    let refused = store.begin(running("tool")).await.unwrap_err();
    let reason = "the store is unavailable: a later version of this program wrote it (format 99)";
    assert_eq!(refused.to_string(), reason);
    other.pragma_update(None, "user_version", version).unwrap();
    wait_for("the store is tried again", async || store.begin(running("tool")).await.ok()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_state_folder_is_created_again_before_anything_is_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = start_server(folder.path(), |_| {});
    let script = "while [ ! -e go ]; do sleep 0.02; done; echo done";
    let started = Operation::started_by(&call(&runtime, background(script)).await).unwrap();
    let state = state_folder(folder.path());
    let key = fs::read(state.join("digest.key")).unwrap();
    fs::remove_dir_all(&state).unwrap();
    let outcome = call(&runtime, background("true")).await;
    assert!(!outcome.failed, "{outcome:?}");
    // Longer than the interval in which a server looks for operations that others have ended.
    tokio::time::sleep(Duration::from_millis(1500)).await;
    fs::write(folder.path().join("crib/go"), "").unwrap();
    let ids = [started.clone()];
    let operations = runtime.operations();
    let limit = Duration::from_secs(20);
    let ended = operations.wait(Viewer::Operator, &ids, runtime::Until::All, limit).await.unwrap();
    assert_eq!(ended[0].state, State::Completed, "it ran on");
    runtime.flush_audit();
    let other = Store::open(&state).unwrap();
    assert!(other.get(started).await.unwrap().is_some(), "its result is on disk");
    let done = Filter { states: vec![State::Completed], ..Filter::default() };
    assert_eq!(other.list(done, None, 10).await.unwrap().operations.len(), 2);
    assert_eq!(fs::read(state.join("digest.key")).unwrap(), key);
    assert!(state.join("audit.jsonl").exists());
}

#[test]
fn an_unusable_folder_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(state_folder(folder.path()), "a file").unwrap();
    assert!(matches!(Store::open(&state_folder(folder.path())), Err(OpenError::Folder { .. })));
}

#[tokio::test]
async fn migrates_an_older_store() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(state_folder(folder.path())).unwrap();
    // An empty file counts as the oldest format.
    drop(Connection::open(store_file(folder.path())).unwrap());
    let settings = Settings::new(folder.path().canonicalize().unwrap());
    let store = Arc::new(Store::open(&state_folder(folder.path())).unwrap());
    let runtime = Runtime::with_journal(settings, store);
    assert!(runtime.recover().await.unwrap().is_empty());
}
