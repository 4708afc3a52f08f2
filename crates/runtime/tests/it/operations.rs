//! Calls that outlive their request: inline or started, waited for, and cancelled.

use std::{
    fs,
    sync::{Arc, Mutex},
    time::{Duration, Instant, SystemTime},
};

use catalog::{ErrorType, Mode, Outcome, Tool};
use runtime::{
    Call, Clock, Until, Viewer,
    journal::{Filter, Retention},
    operation::{Operation, OperationId, Owner, State},
};
use serde_json::json;
use testing::{
    RuntimeFixture, field, host_pid, is_process_running, object, script_tool, text, wait_until,
};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use toolkit::{Context, Native};

pub(crate) const LONG: Duration = Duration::from_secs(30);

pub(crate) fn background(script: &str) -> Tool {
    Tool { mode: Mode::Asynchronous, ..script_tool("sh", script) }
}

pub(crate) fn fixture_with_short_wait() -> RuntimeFixture {
    RuntimeFixture::with_settings(|settings| settings.answer_within = Duration::from_millis(50))
}

pub(crate) fn id(outcome: &Outcome) -> OperationId {
    Operation::started_by(outcome).unwrap_or_else(|| panic!("not started: {outcome:?}"))
}

pub(crate) async fn ended(crib: &RuntimeFixture, id: &OperationId) -> Operation {
    let all = crib
        .runtime
        .operations()
        .wait(Viewer::Operator, std::slice::from_ref(id), Until::All, LONG)
        .await
        .unwrap();
    assert!(all[0].state.is_final(), "{:?}", all[0]);
    all[0].clone()
}

pub(crate) async fn get(crib: &RuntimeFixture, id: &OperationId) -> Operation {
    crib.runtime.operations().get(Viewer::Operator, id).await.unwrap()
}

#[tokio::test]
async fn a_short_operation_returns_its_result_and_counts_as_collected() {
    let crib = RuntimeFixture::new();
    let outcome = crib.call(background("echo done"), json!({})).await;
    assert_eq!(text(&outcome, 0), "done\n");
    let operations = crib.runtime.operations();
    let page = operations.list(Filter::default(), None, 10).await.unwrap();
    assert_eq!(
        (page.operations.len(), page.operations[0].state, page.operations[0].collected),
        (1, State::Completed, true)
    );
    assert!(operations.uncollected(&page.operations[0].owner, 10).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_long_operation_is_started_and_its_result_kept_for_its_owner() {
    let crib = fixture_with_short_wait();
    let mut tool = background("sleep 0.3; echo later; exit 3");
    tool.description.hint = Some("Read the manual meanwhile.".to_owned());
    let outcome = crib.call(tool, json!({})).await;
    let id = id(&outcome);
    assert!(!outcome.failed);
    assert_eq!(field(&outcome, "status"), "started");
    assert!(text(&outcome, 0).contains(id.as_str()) && text(&outcome, 0).contains("not done"));
    assert_eq!(text(&outcome, 1), "Read the manual meanwhile.");
    let operation = ended(&crib, &id).await;
    assert_eq!((operation.state, operation.collected), (State::Failed, false));
    assert_eq!(field(operation.outcome.as_ref().unwrap(), "exit_code"), 3);
    let operations = crib.runtime.operations();
    let waiting = operations.uncollected(&operation.owner, 10).await.unwrap();
    assert_eq!(waiting, std::slice::from_ref(&operation));
    operations.collect(vec![id]).await.unwrap();
    assert!(operations.uncollected(&operation.owner, 10).await.unwrap().is_empty());
}

#[tokio::test]
async fn waits_longer_for_a_tool_that_was_slightly_late_before() {
    let crib = RuntimeFixture::with_settings(|settings| {
        settings.answer_within = Duration::from_millis(400)
    });
    let tool = background("sleep 0.5; echo done");
    let first = crib.call(tool.clone(), json!({})).await;
    ended(&crib, &id(&first)).await;
    assert_eq!(text(&crib.call(tool, json!({})).await, 0), "done\n");
}

#[tokio::test]
async fn a_refused_call_creates_no_operation() {
    let crib = RuntimeFixture::new();
    let mut tool = background("true");
    tool.implementation = catalog::Implementation::Process(catalog::implementation::Process {
        program: "no-such-program".to_owned(),
        pieces: vec![],
    });
    assert!(crib.call(tool, json!({})).await.failed);
    assert!(
        crib.runtime
            .operations()
            .list(Filter::default(), None, 10)
            .await
            .unwrap()
            .operations
            .is_empty()
    );
}

#[tokio::test]
async fn secret_arguments_are_not_stored() {
    let crib = RuntimeFixture::new();
    let mut tool = background("true");
    tool.input = catalog::Schema::new(object(
        json!({"type": "object", "properties": {"key": {"type": "string", "format": "password"}}}),
    ));
    let catalog::Implementation::Process(process) = &mut tool.implementation else { panic!() };
    process.pieces.push(crate::pieces::option("key", |_| {}));
    crib.call(tool, json!({"key": "hunter2"})).await;
    let page = crib.runtime.operations().list(Filter::default(), None, 10).await.unwrap();
    assert!(!format!("{:?}", page.operations[0].arguments).contains("hunter2"));
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_a_request_cancels_its_operation_only_while_it_waits() {
    let crib = RuntimeFixture::with_settings(|settings| {
        settings.answer_within = Duration::from_millis(700)
    });
    let cancel = CancellationToken::new();
    let waiting = tokio::spawn(crib.call_with(
        background("echo $$ > a; sleep 600"),
        json!({}),
        cancel.clone(),
        None,
    ));
    wait_until("it runs", || {
        fs::read_to_string(crib.path("crib/a")).is_ok_and(|pid| pid.ends_with('\n'))
    })
    .await;
    cancel.cancel();
    let outcome = waiting.await.unwrap();
    assert_eq!(
        (field(&outcome, "error_type"), field(&outcome, "reason")),
        (&json!("cancelled"), &json!("its request was cancelled"))
    );
    let started = crib.call_with(background("sleep 600"), json!({}), cancel.clone(), None);
    assert_eq!(field(&started.await, "error_type"), "cancelled", "cancelled before it began");
    let late = CancellationToken::new();
    let outcome =
        crib.call_with(background("echo $$ > b; sleep 600"), json!({}), late.clone(), None).await;
    late.cancel();
    // By the end of another call, a cancellation would have had its effect.
    crib.run_script("true").await;
    assert_eq!(get(&crib, &id(&outcome)).await.state, State::Running);
    crib.runtime.operations().drain().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disconnected_waiting_caller_cancels_its_operation() {
    let crib = RuntimeFixture::new();
    let call = tokio::spawn(crib.call_with(
        background("echo $$ > pid; sleep 600"),
        json!({}),
        CancellationToken::new(),
        None,
    ));
    let pid = || fs::read_to_string(crib.path("crib/pid")).unwrap_or_default();
    wait_until("it runs", || pid().ends_with('\n')).await;
    call.abort();
    wait_until("it is gone", || !is_process_running(&pid())).await;
    let page = crib.runtime.operations().list(Filter::default(), None, 10).await.unwrap();
    let operation = ended(&crib, &page.operations[0].id).await;
    assert_eq!(operation.state, State::Cancelled);
    assert_eq!(field(operation.outcome.as_ref().unwrap(), "reason"), "its caller disconnected");
}

#[tokio::test(flavor = "multi_thread")]
async fn cancel_kills_the_whole_process_group_and_reports_it() {
    let crib = fixture_with_short_wait();
    let script = "(trap '' TERM; echo $BASHPID > stubborn; while :; do sleep 1; done) & sleep 600 & echo $! > meek; wait";
    let tool = Tool { mode: Mode::Asynchronous, ..script_tool("bash", script) };
    let started = crib.call(tool, json!({})).await;
    let pid = |name: &str| fs::read_to_string(crib.path("crib").join(name)).unwrap_or_default();
    wait_until("all run", || pid("stubborn").ends_with('\n') && pid("meek").ends_with('\n')).await;
    let outside = |name: &str| host_pid(&pid(name)).expect("it runs");
    let (meek, stubborn) = (outside("meek"), outside("stubborn"));
    let operations = crib.runtime.operations();
    let before = SystemTime::now();
    let operation = operations.cancel(Viewer::Operator, &id(&started)).await.unwrap();
    assert_eq!(operation.state, State::Cancelled);
    assert!(operation.ended.is_some_and(|ended| ended >= before));
    let outcome = operation.outcome.clone().unwrap();
    let killed = field(&outcome, "killed").as_array().unwrap();
    let signal = |pid: u32| {
        killed.iter().find(|killed| killed["pid"] == pid).map(|killed| killed["signal"].clone())
    };
    assert_eq!(
        (signal(meek), signal(stubborn)),
        (Some(json!("TERM")), Some(json!("KILL"))),
        "{killed:?}"
    );
    assert!(!is_process_running(&pid("stubborn")) && !is_process_running(&pid("meek")));
    let again = operations.cancel(Viewer::Operator, &operation.id).await.unwrap();
    assert_eq!(again, operation, "a second time changes nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn cancel_kills_a_child_that_left_the_process_group() {
    let crib = fixture_with_short_wait();
    let started =
        crib.call(background("setsid sh -c 'echo $$ > away; sleep 600' & wait"), json!({})).await;
    let pid = || fs::read_to_string(crib.path("crib/away")).unwrap_or_default();
    wait_until("it forked", || pid().ends_with('\n')).await;
    let away = host_pid(&pid()).expect("it runs");
    let operation =
        crib.runtime.operations().cancel(Viewer::Operator, &id(&started)).await.unwrap();
    assert!(!is_process_running(&pid()));
    let killed = field(operation.outcome.as_ref().unwrap(), "killed").to_string();
    assert!(killed.contains(&away.to_string()), "{killed}");
}

#[tokio::test]
async fn other_owners_cannot_see_or_cancel_an_operation() {
    let crib = fixture_with_short_wait();
    let id = id(&crib.call(background("sleep 600"), json!({})).await);
    let operations = crib.runtime.operations();
    let other = Owner("other".to_owned());
    let stranger = Viewer::Owner(&other);
    assert_eq!(
        operations.get(stranger, &id).await.unwrap_err().error_type,
        ErrorType::UnknownOperation
    );
    assert_eq!(
        operations.cancel(stranger, &id).await.unwrap_err().error_type,
        ErrorType::UnknownOperation
    );
    assert!(
        operations
            .wait(stranger, std::slice::from_ref(&id), Until::Any, Duration::ZERO)
            .await
            .is_err()
    );
    let filter = Filter { owner: Some(other.clone()), ..Filter::default() };
    assert!(operations.list(filter, None, 10).await.unwrap().operations.is_empty());
    // The first program of a server waits for the launcher process.
    let start = Instant::now();
    while operations.get(Viewer::Operator, &id).await.unwrap().state == State::Pending {
        assert!(start.elapsed() < Duration::from_secs(10), "the operation does not start");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(operations.get(Viewer::Operator, &id).await.unwrap().state, State::Running);
    operations.drain().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn waits_for_any_or_all_and_reports_running_operations() {
    let crib = fixture_with_short_wait();
    let quick = id(&crib.call(background("sleep 0.3"), json!({})).await);
    let slow = id(&crib.call(background("echo at work; sleep 600"), json!({})).await);
    let operations = crib.runtime.operations();
    let both = [quick.clone(), slow.clone()];
    let begun = Instant::now();
    let any = operations.wait(Viewer::Operator, &both, Until::Any, LONG).await.unwrap();
    assert_eq!((any[0].state, any[1].state), (State::Completed, State::Running));
    assert!(begun.elapsed() < Duration::from_secs(10));
    let all = operations
        .wait(Viewer::Operator, &both, Until::All, Duration::from_millis(100))
        .await
        .unwrap();
    assert_eq!(all[1].state, State::Running);
    assert_eq!(all[1].last_line.as_deref(), Some("at work"));
    assert!(all[1].elapsed > Duration::ZERO && all[1].outcome.is_none());
    let unnamed = operations.wait(Viewer::Operator, &[], Until::All, Duration::ZERO).await.unwrap();
    assert_eq!(unnamed.iter().map(|operation| &operation.id).collect::<Vec<_>>(), [&slow]);
    operations.drain().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn server_shutdown_cancels_operations_and_records_the_reason() {
    let crib = fixture_with_short_wait();
    let id = id(&crib.call(background("echo $$ > pid; sleep 600"), json!({})).await);
    wait_until("it runs", || {
        fs::read_to_string(crib.path("crib/pid")).is_ok_and(|pid| pid.ends_with('\n'))
    })
    .await;
    crib.runtime.operations().drain().await;
    assert!(!is_process_running(&fs::read_to_string(crib.path("crib/pid")).unwrap()));
    let operation = get(&crib, &id).await;
    assert_eq!(operation.state, State::Cancelled);
    assert_eq!(field(operation.outcome.as_ref().unwrap(), "reason"), "the server was shut down");
}

#[tokio::test(flavor = "multi_thread")]
async fn endless_output_is_truncated_and_can_be_cancelled() {
    let crib = RuntimeFixture::with_settings(|settings| {
        settings.answer_within = Duration::from_millis(200);
        settings.output_file_bytes = 1024 * 1024;
    });
    let id = id(&crib.call(background("yes"), json!({})).await);
    let operation = crib.runtime.operations().cancel(Viewer::Operator, &id).await.unwrap();
    assert_eq!(operation.last_line.as_deref(), Some("y"));
    let outcome = operation.outcome.unwrap();
    assert_eq!(field(&outcome, "truncated"), true);
    assert!(text(&outcome, 0).len() < 10_000);
    let kept: u64 = fs::read_dir(crib.path("spill"))
        .unwrap()
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum();
    assert!(kept <= 1024 * 1024);
}

#[tokio::test(flavor = "multi_thread")]
async fn output_is_in_a_file_until_the_operation_is_pruned() {
    let crib = fixture_with_short_wait();
    let id = id(&crib.call(background("echo early; sleep 0.4; echo late"), json!({})).await);
    let file = crib.path("spill").join(format!("{id}-stdout"));
    wait_until("it is written", || fs::read_to_string(&file).is_ok_and(|text| text == "early\n"))
        .await;
    ended(&crib, &id).await;
    assert_eq!(fs::read_to_string(&file).unwrap(), "early\nlate\n");
    let resources = crib.runtime.outputs();
    let uri = format!("toolcrib://output/{id}/stdout");
    assert!(
        resources.read(&uri, Context::detached(CancellationToken::new())).await.unwrap().is_some()
    );
    let retention =
        Retention { since: SystemTime::now() + Duration::from_secs(1), bytes: u64::MAX };
    assert_eq!(crib.runtime.operations().prune(retention).await.unwrap(), [id]);
    assert!(!file.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_concurrent_callers_get_their_own_results() {
    let crib = RuntimeFixture::with_settings(|settings| settings.concurrency = 8);
    let mut calls = JoinSet::new();
    for number in 0..100 {
        let call = crib.call_with(
            background(&format!("echo {number}")),
            json!({}),
            CancellationToken::new(),
            None,
        );
        calls.spawn(async move { (number, call.await) });
    }
    while let Some(done) = calls.join_next().await {
        let (number, outcome) = done.unwrap();
        let outcome = match Operation::started_by(&outcome) {
            Some(id) => ended(&crib, &id).await.outcome.unwrap(),
            None => outcome,
        };
        assert_eq!(text(&outcome, 0), format!("{number}\n"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_exclusive_tool_excludes_other_writers() {
    let crib = RuntimeFixture::with_settings(|settings| settings.concurrency = 8);
    let with = |tool: Tool, concurrency| Tool { concurrency, ..tool };
    // Each records which other writers are running.
    let script = |kind: &str| format!("mkdir at/{kind}.$$; sleep 0.05; ls at; rmdir at/{kind}.$$");
    fs::create_dir(crib.path("crib/at")).unwrap();
    let mut calls = JoinSet::new();
    for _ in 0..5 {
        let exclusive =
            with(background(&script("exclusive")), Some(catalog::Concurrency::Exclusive));
        let plain = script_tool("sh", &script("plain"));
        calls.spawn(crib.call_with(exclusive, json!({}), CancellationToken::new(), None));
        calls.spawn(crib.call_with(plain, json!({}), CancellationToken::new(), None));
    }
    while let Some(outcome) = calls.join_next().await {
        let outcome = outcome.unwrap();
        let others: Vec<_> = text(&outcome, 0).lines().collect();
        assert!(
            others.len() == 1 || others.iter().all(|other| other.starts_with("plain")),
            "{others:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tolerates_clock_jumps() {
    let offset = Arc::new(Mutex::new(Duration::from_secs(3600 * 24 * 365)));
    let shown = Arc::clone(&offset);
    let crib = RuntimeFixture::with_settings(|settings| {
        settings.answer_within = Duration::from_millis(50);
        settings.clock = Clock::new(move || SystemTime::now() - *shown.lock().unwrap());
    });
    *offset.lock().unwrap() = Duration::ZERO;
    let first = id(&crib.call(background("sleep 0.2"), json!({})).await);
    *offset.lock().unwrap() = Duration::from_secs(3600);
    let operation = ended(&crib, &first).await;
    assert!(operation.ended < operation.started, "the clock went back");
    assert!(
        operation.elapsed >= Duration::from_millis(150)
            && operation.elapsed < Duration::from_secs(60)
    );
    let second = id(&crib.call(background("sleep 600"), json!({})).await);
    let page = crib.runtime.operations().list(Filter::default(), None, 10).await.unwrap();
    let ids: Vec<_> = page.operations.iter().map(|operation| operation.id.clone()).collect();
    assert_eq!(ids, [second, first], "the newest comes first whatever the clock says");
    crib.runtime.operations().drain().await;
}

#[tokio::test]
async fn lists_are_filtered_and_paged() {
    let crib = RuntimeFixture::new();
    for number in 0..7 {
        let name = if number % 2 == 0 { "even" } else { "odd" };
        let script = if number == 3 { "false" } else { "true" };
        crib.call(Tool { name: name.to_owned(), ..background(script) }, json!({})).await;
    }
    let operations = crib.runtime.operations();
    let list =
        async |filter: Filter| operations.list(filter, None, 10).await.unwrap().operations.len();
    assert_eq!(list(Filter { tool: Some("ev".to_owned()), ..Filter::default() }).await, 4);
    assert_eq!(list(Filter { states: vec![State::Failed], ..Filter::default() }).await, 1);
    let (mut seen, mut cursor) = (Vec::new(), None);
    loop {
        let page = operations.list(Filter::default(), cursor, 3).await.unwrap();
        seen.extend(page.operations.into_iter().map(|operation| operation.id));
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 7);
}

#[tokio::test]
async fn history_in_memory_is_bounded() {
    let crib = RuntimeFixture::new();
    let native = Native::new(
        "nothing",
        "Does nothing",
        catalog::Schema::empty(),
        async |_: toolkit::Arguments, _: Context| Ok(Outcome::default()),
    );
    let tool = Arc::new(Tool { mode: Mode::Asynchronous, ..native.tool.clone() });
    let runtime = Arc::new(
        runtime::Runtime::new(runtime::Settings::new(crib.path("crib"))).with_natives([native]),
    );
    for _ in 0..1100 {
        let context = Context::detached(CancellationToken::new());
        runtime.call(Call::new(Arc::clone(&tool), object(json!({})), context)).await.unwrap();
    }
    let page = runtime.operations().list(Filter::default(), None, 5000).await.unwrap();
    assert_eq!(page.operations.len(), 1000);
}
