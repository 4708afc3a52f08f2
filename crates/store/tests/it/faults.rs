//! A disk that is full, a store that is locked, broken, or from the future: told, and nothing hangs.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
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

use crate::crib::{background, call, ended, running, server, state};

fn file(place: &Path) -> PathBuf {
    state(place).join("store.db")
}

#[tokio::test]
async fn a_file_that_is_no_store_is_moved_aside_and_said() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(state(place.path())).unwrap();
    fs::write(
        file(place.path()),
        "this is no database, and longer than its header would be ".repeat(100),
    )
    .unwrap();
    let store = Store::open(&state(place.path())).unwrap();
    let aside = store.moved_aside().unwrap();
    assert!(fs::read_to_string(aside).unwrap().starts_with("this is no database"));
    store.begin(running("tool")).await.unwrap();
    assert_eq!(store.list(Filter::default(), None, 10).await.unwrap().operations.len(), 1);
}

#[tokio::test]
async fn a_store_that_turns_out_broken_is_moved_aside_and_work_goes_on() {
    let place = tempfile::tempdir().unwrap();
    let store = Store::open(&state(place.path())).unwrap();
    for _ in 0..200 {
        store
            .finish(ended(&running("tool"), std::time::SystemTime::now(), &"x".repeat(2000)))
            .await
            .unwrap();
    }
    drop(store);
    // Everything but the first page is rubbish.
    let mut bytes = fs::read(file(place.path())).unwrap();
    bytes[4096..].fill(0x5a);
    fs::write(file(place.path()), bytes).unwrap();
    let store = Store::open(&state(place.path())).unwrap();
    let mut refused = 0;
    let operation = running("tool");
    while let Err(error) = store.begin(operation.clone()).await {
        assert!(matches!(error, JournalError::Failed(_)), "{error}");
        refused += 1;
        assert!(refused < 5);
    }
    assert_eq!(store.list(Filter::default(), None, 1000).await.unwrap().operations.len(), 1);
    let names = fs::read_dir(state(place.path()))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(names.into_iter().any(|name| name.contains("broken")));
}

#[test]
fn a_store_of_a_later_version_is_not_touched() {
    let place = tempfile::tempdir().unwrap();
    drop(Store::open(&state(place.path())).unwrap());
    Connection::open(file(place.path())).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert!(matches!(Store::open(&state(place.path())), Err(OpenError::TooNew { found: 99, .. })));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_locked_store_refuses_new_work_and_loses_no_result() {
    let place = tempfile::tempdir().unwrap();
    let runtime =
        server(place.path(), |settings| settings.answer_within = Duration::from_millis(100));
    let id =
        Operation::started_by(&call(&runtime, background("sleep 0.5; echo kept")).await).unwrap();
    let lock = Connection::open(file(place.path())).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let begun = Instant::now();
    let refused = call(&runtime, background("touch ran")).await;
    assert!(begun.elapsed() < Duration::from_secs(20), "it must not hang");
    assert_eq!(refused.structured.unwrap()["error_type"], "store_failed");
    assert!(!place.path().join("crib/ran").exists(), "what cannot be recorded does not run");
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
    let begun = Instant::now();
    loop {
        let operation = runtime.journal().get(id.clone()).await.unwrap().unwrap();
        if operation.state == State::Completed {
            break;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "it is recorded once the store can be written again"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// A file system of a few pages, gone with this value.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(at: &Path, kilobytes: usize) -> Option<Self> {
        fs::create_dir_all(at).unwrap();
        let options = format!("size={kilobytes}k");
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &options, "none"]).arg(at).status();
        mounted.is_ok_and(|status| status.success()).then(|| Self(at.to_owned()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_told_and_what_was_recorded_is_kept() {
    let place = tempfile::tempdir().unwrap();
    let Some(_disk) = SmallDisk::mount(&state(place.path()), 512) else {
        eprintln!("skipped: no file system could be mounted here");
        return;
    };
    let store = Store::open(&state(place.path())).unwrap();
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
    let store = Store::open(&state(place.path())).unwrap();
    assert!(
        store.get(kept[0].clone()).await.unwrap().is_some(),
        "it can be opened while the disk is full"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn on_a_full_disk_nothing_starts_and_plain_calls_go_on() {
    let place = tempfile::tempdir().unwrap();
    let Some(_disk) = SmallDisk::mount(&state(place.path()), 512) else {
        eprintln!("skipped: no file system could be mounted here");
        return;
    };
    let runtime = server(place.path(), |_| {});
    fs::write(state(place.path()).join("filler"), vec![0; 1024 * 1024]).unwrap_err();
    let refused = call(&runtime, background("touch ran")).await.structured.unwrap();
    assert_eq!(refused["error_type"], "store_failed");
    assert!(refused["error_message"].as_str().unwrap().contains("full"), "{refused}");
    assert!(!place.path().join("crib/ran").exists());
    let mut plain = background("echo fine");
    plain.mode = catalog::Mode::Synchronous;
    assert_eq!(call(&runtime, plain).await.structured.unwrap()["stdout"], "fine\n");
}

#[test]
fn a_folder_that_cannot_be_used_is_an_error() {
    let place = tempfile::tempdir().unwrap();
    fs::write(state(place.path()), "a file").unwrap();
    assert!(matches!(Store::open(&state(place.path())), Err(OpenError::Folder { .. })));
}

#[tokio::test]
async fn an_older_file_is_brought_up_to_date() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(state(place.path())).unwrap();
    // A file with nothing in it is the oldest there is.
    drop(Connection::open(file(place.path())).unwrap());
    let settings = Settings::new(place.path().canonicalize().unwrap());
    let store = Arc::new(Store::open(&state(place.path())).unwrap());
    let runtime = Runtime::with_journal(settings, store);
    assert!(runtime.recover().await.unwrap().is_empty());
}
