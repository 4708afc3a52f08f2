//! The contract of a journal, which the one on disk and the one in memory both fulfil.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use catalog::{Content, Outcome};
use runtime::{
    Approval, Digest,
    journal::{Cursor, Filter, Journal, JournalError, MemoryJournal, Note, Retention, Ruling},
    operation::{ApprovalId, Operation, OperationId, Owner, ProcessId, Progress, State},
};
use serde_json::json;
use store::Store;

use crate::servers::{ended, owner, running};

/// Both journals, in turn.
async fn with_both_journals(check: impl AsyncFn(Arc<dyn Journal>)) {
    check(Arc::new(MemoryJournal::default())).await;
    let folder = tempfile::tempdir().unwrap();
    check(Arc::new(Store::open(folder.path()).unwrap())).await;
}

fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000)
}

#[tokio::test]
async fn operations_survive_a_round_trip() {
    with_both_journals(async |journal| {
        let mut operation = running("tool");
        operation.started = Some(now());
        operation.leader = Some(ProcessId { pid: 7, started: 8 });
        operation.arguments = json!({"z": [1, null], "a": "é"}).as_object().unwrap().clone();
        journal.begin(operation.clone()).await.unwrap();
        assert_eq!(journal.get(operation.id.clone()).await.unwrap(), Some(operation.clone()));
        let content = vec![
            Content::Text("text".to_owned()),
            Content::Image { data: vec![0, 255], mime_type: "image/png".to_owned() },
            Content::Link {
                uri: "a:b".to_owned(),
                name: "b".to_owned(),
                mime_type: "text/plain".to_owned(),
            },
        ];
        let outcome = Outcome { content, structured: Some(json!({"exit_code": 0})), failed: true };
        let over = Operation { outcome: Some(outcome), ..ended(&operation, now(), "") };
        assert!(journal.finish(over.clone()).await.unwrap());
        assert_eq!(journal.get(operation.id.clone()).await.unwrap(), Some(over));
        assert_eq!(journal.get(OperationId::random()).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn the_first_result_is_final_and_notes_do_not_change_it() {
    with_both_journals(async |journal| {
        let operation = running("tool");
        journal.begin(operation.clone()).await.unwrap();
        assert!(journal.finish(ended(&operation, now(), "first")).await.unwrap());
        assert!(!journal.finish(ended(&operation, now(), "second")).await.unwrap());
        let note = Note {
            state: State::Running,
            started: None,
            leader: None,
            progress: Progress::default(),
            last_line: None,
        };
        journal.note(operation.id.clone(), note);
        let found = journal.get(operation.id.clone()).await.unwrap().unwrap();
        assert_eq!((found.state, found.outcome), (State::Completed, Some(Outcome::text("first"))));
        assert!(journal.list(Filter::unfinished(), None, 10).await.unwrap().operations.is_empty());
        let forgotten = running("forgotten");
        assert!(journal.finish(ended(&forgotten, now(), "kept")).await.unwrap(), "known again");
        assert!(journal.get(forgotten.id).await.unwrap().is_some());
    })
    .await;
}

#[tokio::test]
async fn lists_newest_first_with_filters_and_stable_pages() {
    with_both_journals(async |journal| {
        for number in 0..10 {
            let mut operation = running(if number % 2 == 0 { "cargo_build" } else { "git_log" });
            operation.owner = Owner(if number < 8 { "me" } else { "you" }.to_owned());
            journal.begin(operation.clone()).await.unwrap();
            if number < 3 {
                journal.finish(ended(&operation, now(), "")).await.unwrap();
            }
        }
        let mine = Filter { owner: Some(owner()), ..Filter::default() };
        let first = journal.list(mine.clone(), None, 5).await.unwrap();
        assert_eq!(first.operations.len(), 5);
        journal.begin(running("late")).await.unwrap();
        let second = journal.list(mine.clone(), first.next.clone(), 5).await.unwrap();
        assert_eq!((second.operations.len(), second.next), (3, None));
        assert!(second.operations.iter().all(|operation| operation.state == State::Completed && operation.outcome.is_none()));
        let count = async |filter| journal.list(filter, None, 100).await.unwrap().operations.len();
        assert_eq!(count(Filter { tool: Some("cargo".to_owned()), ..mine.clone() }).await, 4);
        assert_eq!(count(Filter { tool: Some("c%".to_owned()), ..mine.clone() }).await, 0);
        assert_eq!(count(Filter { states: vec![State::Completed, State::Lost], ..Filter::default() }).await, 3);
        assert_eq!(count(Filter { ids: vec![first.operations[0].id.clone()], ..Filter::default() }).await, 1);
        for malformed in ["nonsense; DROP TABLE operations", "", "-1"] {
            let cursor = Cursor(malformed.to_owned());
            let error = journal.list(mine.clone(), Some(cursor), 5).await.unwrap_err();
            assert_eq!(error, JournalError::InvalidCursor(malformed.to_owned()));
        }
    })
    .await;
}

#[tokio::test]
async fn uncollected_results_are_listed_for_their_owner_oldest_first() {
    with_both_journals(async |journal| {
        let operations = [running("a"), running("b"), running("c")];
        for operation in &operations {
            journal.begin(operation.clone()).await.unwrap();
        }
        for operation in &operations[..2] {
            journal.finish(ended(operation, now(), &operation.tool)).await.unwrap();
        }
        let waiting = journal.uncollected(owner(), 10).await.unwrap();
        assert_eq!(
            waiting.iter().map(|operation| operation.tool.as_str()).collect::<Vec<_>>(),
            ["a", "b"]
        );
        assert!(waiting.iter().all(|operation| operation.outcome.is_some()));
        assert!(journal.uncollected(Owner("you".to_owned()), 10).await.unwrap().is_empty());
        journal.collect(vec![waiting[0].id.clone()]).await.unwrap();
        assert_eq!(journal.uncollected(owner(), 10).await.unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn prune_deletes_old_operations_but_not_running_ones() {
    with_both_journals(async |journal| {
        let (old, new, runs) = (running("old"), running("new"), running("runs"));
        for operation in [&old, &new, &runs] {
            journal.begin(operation.clone()).await.unwrap();
        }
        journal.finish(ended(&old, now(), "")).await.unwrap();
        journal.finish(ended(&new, now() + Duration::from_secs(100), "")).await.unwrap();
        let retention = Retention { since: now() + Duration::from_secs(50), bytes: u64::MAX };
        assert_eq!(journal.prune(retention).await.unwrap(), std::slice::from_ref(&old.id));
        assert!(journal.get(old.id).await.unwrap().is_none());
        assert_eq!(journal.list(Filter::default(), None, 10).await.unwrap().operations.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn prune_deletes_the_oldest_operations_over_the_size_limit() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    for _ in 0..10 {
        store.finish(ended(&running("big"), now(), &"x".repeat(10_000))).await.unwrap();
    }
    let kept = store.list(Filter::default(), None, 3).await.unwrap().operations;
    let forgotten =
        store.prune(Retention { since: SystemTime::UNIX_EPOCH, bytes: 35_000 }).await.unwrap();
    assert_eq!(forgotten.len(), 7);
    let left = store.list(Filter::default(), None, 10).await.unwrap().operations;
    assert_eq!(left, kept);
}

#[tokio::test]
async fn prune_counts_output_files_and_keeps_the_newest_operation() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    for _ in 0..10 {
        let over = ended(&running("long"), now(), "short");
        store.finish(Operation { output_bytes: 10_000, ..over }).await.unwrap();
    }
    for (bytes, expected) in [(35_000, 7), (5000, 2), (0, 1)] {
        let retention = Retention { since: SystemTime::UNIX_EPOCH, bytes };
        assert_eq!(store.prune(retention).await.unwrap().len(), expected, "{bytes}");
    }
}

fn question() -> Approval {
    Approval {
        id: ApprovalId::random(),
        owner: owner(),
        tool: "tool".to_owned(),
        digest: Digest { tool: "t".to_owned(), arguments: "a".to_owned(), plan: "p".to_owned() },
        reason: "because".to_owned(),
        plan: json!({"argv": ["x"]}),
        created: now(),
        expires: now() + Duration::from_secs(3600),
        uses: 2,
        ruling: None,
    }
}

#[tokio::test]
async fn a_different_plan_is_a_new_request_and_finds_the_old_approval() {
    with_both_journals(async |journal| {
        let first = journal.propose(question()).await.unwrap();
        let mut other = question();
        other.digest.plan = "q".to_owned();
        let second = journal.propose(other.clone()).await.unwrap();
        assert_ne!(first.id, second.id);
        let yes = Ruling { approved: true, by: "me".to_owned(), at: now() };
        journal.decide(first.id.clone(), yes).await.unwrap();
        let found = journal.find_approvals(other.digest, owner(), now()).await.unwrap();
        assert_eq!(found.iter().map(|found| &found.id).collect::<Vec<_>>(), [&first.id]);
        assert_eq!(found[0].digest, first.digest);
    })
    .await;
}

#[tokio::test]
async fn an_approval_is_requested_once_decided_once_and_consumed() {
    with_both_journals(async |journal| {
        let asked = question();
        assert_eq!(journal.propose(asked.clone()).await.unwrap(), asked);
        assert_eq!(
            journal.propose(question()).await.unwrap().id,
            asked.id,
            "the same question is open"
        );
        assert_eq!(journal.open_approvals(now()).await.unwrap(), std::slice::from_ref(&asked));
        let find =
            async |at| journal.find_approvals(asked.digest.clone(), owner(), at).await.unwrap();
        assert!(find(now()).await.is_empty());
        let yes = Ruling { approved: true, by: "me".to_owned(), at: now() };
        let ruled = journal.decide(asked.id.clone(), yes.clone()).await.unwrap().unwrap();
        assert_eq!(ruled.ruling, Some(yes.clone()));
        let no = Ruling { approved: false, ..yes };
        assert_eq!(
            journal.decide(asked.id.clone(), no).await.unwrap(),
            Some(ruled.clone()),
            "the first word counts"
        );
        assert!(journal.open_approvals(now()).await.unwrap().is_empty());
        assert!(find(now() + Duration::from_secs(3601)).await.is_empty(), "it has expired");
        assert_eq!(find(now()).await, [ruled]);
        for is_left in [true, true, false] {
            assert_eq!(journal.use_approval(asked.id.clone(), now()).await.unwrap(), is_left);
        }
        assert!(find(now()).await.is_empty());
        assert_eq!(journal.approval(asked.id.clone()).await.unwrap().unwrap().uses, 0);
        journal.return_approval(asked.id.clone()).await.unwrap();
        for is_left in [true, false] {
            assert_eq!(journal.use_approval(asked.id.clone(), now()).await.unwrap(), is_left);
        }
        assert!(
            journal
                .decide(
                    ApprovalId::random(),
                    Ruling { approved: true, by: String::new(), at: now() }
                )
                .await
                .unwrap()
                .is_none()
        );
    })
    .await;
}
