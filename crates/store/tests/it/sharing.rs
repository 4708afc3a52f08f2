//! Several servers on one crib.

use std::{
    fs,
    time::{Duration, Instant},
};

use runtime::{
    Until, Viewer,
    journal::{Filter, Journal},
    operation::{Operation, State},
};
use store::Store;
use testing::wait_until;

use crate::servers::{background, call, ended, foreground, running, start_server, state_folder};

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_stores_lose_no_writes() {
    let folder = tempfile::tempdir().unwrap();
    let mut writers = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let store = Store::open(folder.path()).unwrap();
        writers.spawn(async move {
            for _ in 0..100 {
                let operation = running("tool");
                store.begin(operation.clone()).await.unwrap();
                assert!(store.finish(ended(&operation, operation.created, "done")).await.unwrap());
            }
        });
    }
    while let Some(done) = writers.join_next().await {
        done.unwrap();
    }
    let store = Store::open(folder.path()).unwrap();
    let filter = Filter { states: vec![State::Completed], ..Filter::default() };
    assert_eq!(store.list(filter, None, 1000).await.unwrap().operations.len(), 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn operations_of_a_live_server_are_kept_and_can_be_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (start_server(folder.path(), |_| {}), start_server(folder.path(), |_| {}));
    let started = call(&one, background("echo $$ > pid; echo working; sleep 600")).await;
    let id = Operation::started_by(&started).unwrap();
    assert!(other.recover().await.unwrap().is_empty());
    let seen = other.operations().get(Viewer::Operator, &id).await.unwrap();
    assert_eq!(seen.state, State::Running);
    let still = other
        .operations()
        .wait(Viewer::Operator, std::slice::from_ref(&id), Until::All, Duration::from_millis(300))
        .await
        .unwrap();
    assert_eq!(still[0].state, State::Running);
    let over = other.operations().cancel(Viewer::Operator, &id).await.unwrap();
    assert_eq!(over.state, State::Cancelled);
    let known = one
        .operations()
        .wait(Viewer::Operator, std::slice::from_ref(&id), Until::All, Duration::from_secs(20))
        .await
        .unwrap();
    assert_eq!(known[0], over, "both tell the same");
    let pid = fs::read_to_string(folder.path().join("crib/pid")).unwrap();
    // The supervisor, which has the same id outside, exits right after the program.
    let entry = format!("/proc/{}", pid.trim());
    wait_until("the end of all processes", || !fs::exists(&entry).unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn results_are_available_to_the_next_server() {
    let folder = tempfile::tempdir().unwrap();
    let first = start_server(folder.path(), |_| {});
    let id =
        Operation::started_by(&call(&first, background("sleep 0.2; echo result")).await).unwrap();
    first
        .operations()
        .wait(Viewer::Operator, std::slice::from_ref(&id), Until::All, Duration::from_secs(20))
        .await
        .unwrap();
    drop(first);
    let second = start_server(folder.path(), |_| {});
    let operation = second.operations().get(Viewer::Operator, &id).await.unwrap();
    assert_eq!(operation.outcome.unwrap().structured.unwrap()["stdout"], "result\n");
    assert_eq!(second.operations().uncollected(&operation.owner, 10).await.unwrap()[0].id, id);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_call_is_audited_with_a_digest_of_its_arguments() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = start_server(folder.path(), |_| {});
    for script in ["true", "exit 3"] {
        call(&runtime, foreground(script)).await;
    }
    let path = state_folder(folder.path()).join("audit.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let outcomes: Vec<_> = lines.iter().map(|line| line["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["started", "ok", "started", "nonzero_exit"]);
    let calls: Vec<_> = lines.iter().map(|line| line["call"].as_str().unwrap()).collect();
    assert!(calls[0] == calls[1] && calls[2] == calls[3] && calls[0] != calls[2], "{calls:?}");
    for line in &lines {
        assert_eq!((&line["decision"], &line["tool"]), (&"allow".into(), &"script".into()));
        assert_eq!(line["tool_digest"].as_str().unwrap().len(), 64);
        assert_eq!(line["arguments_digest"].as_str().unwrap().len(), 64);
        assert!(
            line["time_ms"].is_u64() && line["duration_ms"].is_u64() && line["owner"].is_string()
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_in_the_audit_log_before_it_runs() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = start_server(folder.path(), |settings| settings.read.push(folder.path().into()));
    let log = state_folder(folder.path()).join("audit.jsonl");
    let read = format!("cat {}", log.display());
    let seen = call(&runtime, foreground(&read)).await.structured.unwrap();
    let stdout = seen["stdout"].as_str().unwrap();
    let line: serde_json::Value = serde_json::from_str(stdout).unwrap_or_else(|_| panic!("{seen}"));
    assert_eq!((&line["tool"], &line["outcome"]), (&"script".into(), &"started".into()));
    // An operation is named, so that its end can be looked up.
    let seen = call(&runtime, background(&format!("{read} | tail -n 1"))).await.structured.unwrap();
    let line: serde_json::Value = serde_json::from_str(seen["stdout"].as_str().unwrap()).unwrap();
    assert!(line["operation"].as_str().unwrap().starts_with("op_"), "{line}");
    let lines = || fs::read_to_string(&log).unwrap().lines().count();
    let before = lines();
    let outcome = call(&runtime, background("sleep 1")).await;
    assert!(runtime::operation::Operation::started_by(&outcome).is_some());
    assert_eq!(lines(), before + 1, "one line while it continues");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_audit_log_lags_at_most_fifty_milliseconds() {
    /// The tolerance for a busy machine, at the median.
    const SLACK: Duration = Duration::from_millis(25);
    let folder = tempfile::tempdir().unwrap();
    let runtime = start_server(folder.path(), |_| {});
    let path = state_folder(folder.path()).join("audit.jsonl");
    let mut behind = Vec::new();
    for count in 1..=21 {
        call(&runtime, foreground("true")).await;
        let answered = Instant::now();
        while fs::read_to_string(&path).unwrap_or_default().lines().count() < 2 * count {
            assert!(answered.elapsed() < Duration::from_secs(20), "the line comes");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        behind.push(answered.elapsed());
    }
    behind.sort();
    assert!(behind[10] < Duration::from_millis(50) + SLACK, "{behind:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn flush_writes_every_audit_line() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = start_server(folder.path(), |_| {});
    for count in 1..=3 {
        call(&runtime, foreground("true")).await;
        runtime.flush_audit();
        let text = fs::read_to_string(state_folder(folder.path()).join("audit.jsonl")).unwrap();
        assert_eq!(text.lines().count(), 2 * count);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_first_decision_of_a_person_is_audited() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = start_server(folder.path(), |_| {});
    let context = toolkit::Context::detached(tokio_util::sync::CancellationToken::new());
    runtime
        .call(runtime::Call::new(background("true").into(), toolkit::Arguments::new(), context))
        .await
        .unwrap();
    let open = runtime.journal().open_approvals(std::time::SystemTime::now()).await.unwrap();
    let id = open[0].id.clone();
    let ruled = runtime.rule(id.clone(), false, "terminal").await.unwrap().unwrap();
    assert!(!ruled.ruling.unwrap().approved);
    let known = runtime.rule(id.clone(), true, "terminal").await.unwrap().unwrap();
    assert!(!known.ruling.unwrap().approved, "the first counts");
    assert_eq!(
        runtime.rule(runtime::operation::ApprovalId::random(), true, "terminal").await.unwrap(),
        None
    );
    let text = fs::read_to_string(state_folder(folder.path()).join("audit.jsonl")).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2, "{text}");
    let (asked, line) = (&lines[0], &lines[1]);
    assert_eq!(
        (&line["decision"], &line["by"], &line["outcome"]),
        (&"denied".into(), &"terminal".into(), &"ruled".into())
    );
    assert_eq!(line["approval"], id.as_str());
    for same in ["owner", "tool", "tool_digest", "arguments_digest"] {
        assert_eq!(line[same], asked[same], "{same}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_audited_before_the_response() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = start_server(folder.path(), |_| {});
    let mut tool = background("true");
    tool.annotations.dangerous = Some(true);
    let context = toolkit::Context::detached(tokio_util::sync::CancellationToken::new());
    runtime
        .call(runtime::Call::new(tool.into(), toolkit::Arguments::new(), context))
        .await
        .unwrap();
    let text = fs::read_to_string(state_folder(folder.path()).join("audit.jsonl")).unwrap();
    let line: serde_json::Value = serde_json::from_str(text.trim()).unwrap();
    assert_eq!((&line["decision"], &line["outcome"]), (&"ask".into(), &"approval_required".into()));
    assert!(line["approval"].as_str().unwrap().starts_with("ap_"));
}

#[tokio::test]
async fn reading_operations_waits_for_the_recovery_of_the_newest() {
    let folder = tempfile::tempdir().unwrap();
    let server = start_server(folder.path(), |_| {});
    let store = Store::open(&state_folder(folder.path())).unwrap();
    for _ in 0..600 {
        let mut operation = running("tool");
        operation.server.boot = "an earlier boot".to_owned();
        store.begin(operation).await.unwrap();
    }
    let unfinished = async || {
        let page = store.list(Filter::unfinished(), None, 1000).await.unwrap();
        page.operations.len()
    };
    let operations = server.operations();
    operations.expect_recovery();
    let mut recovering = std::pin::pin!(server.recover());
    tokio::select! {
        _ = &mut recovering => panic!("it recovered all of them first"),
        page = operations.list(Filter::default(), None, 10) => {
            let states: Vec<_> = page.unwrap().operations.iter().map(|one| one.state).collect();
            assert_eq!(states, [State::Lost; 10]);
        }
    }
    assert!((1..600).contains(&unfinished().await));
    assert_eq!(recovering.await.unwrap().len(), 600);
    assert_eq!(unfinished().await, 0);
}
