//! Sequences: steps run in order and in the right folder, stop at a failure, and are skipped by conditions.

use std::{
    fs,
    sync::Arc,
    time::{Duration, Instant},
};

use catalog::{
    Catalog, Implementation, Mode, Outcome, Tool,
    implementation::{Binding, PassBy, Piece, Sequence, Step, ValueKind},
};
use runtime::{
    Call, Viewer,
    operation::{Operation, State},
};
use serde_json::{Value, json};
use testing::{
    RuntimeFixture, allow_all, field, is_process_running, object, script_tool, wait_until,
};
use tokio_util::sync::CancellationToken;
use toolkit::Context;

fn step(tool: &str) -> Step {
    Step {
        tool: tool.to_owned(),
        arguments: json!({}),
        description: None,
        skip_if_exists: None,
        skip_if_missing: None,
    }
}

fn sequence(steps: Vec<Step>) -> Tool {
    Tool {
        name: "all".to_owned(),
        implementation: Implementation::Sequence(Sequence { steps, delay_ms: 0 }),
        ..script_tool("sh", "")
    }
}

/// A tool that runs a script in the folder of its argument.
fn script(name: &str, script: &str) -> Tool {
    let mut tool = Tool { name: name.to_owned(), ..script_tool("sh", script) };
    let Implementation::Process(process) = &mut tool.implementation else { panic!() };
    let folder = Binding {
        pass_by: PassBy::Folder,
        kind: ValueKind::Path,
        ..Binding::positional("working_directory")
    };
    process.pieces.push(Piece::Parameter(folder));
    tool.input = catalog::Schema::new(object(
        json!({"type": "object", "properties": {"working_directory": {"type": "string"}}}),
    ));
    tool
}

fn call(
    crib: &RuntimeFixture,
    all: &Tool,
    tools: Vec<Tool>,
    arguments: Value,
    cancel: CancellationToken,
) -> impl Future<Output = Outcome> + use<> {
    let catalog = Arc::new(Catalog::merge(tools).0);
    let call = Call {
        catalog,
        policy: allow_all(),
        ..Call::new(Arc::new(all.clone()), object(arguments), Context::detached(cancel))
    };
    let runtime = Arc::clone(&crib.runtime);
    async move { runtime.call(call).await.unwrap() }
}

async fn run(crib: &RuntimeFixture, all: &Tool, tools: Vec<Tool>, arguments: Value) -> Outcome {
    call(crib, all, tools, arguments, CancellationToken::new()).await
}

fn statuses(outcome: &Outcome) -> Vec<String> {
    let steps = field(outcome, "steps").as_array().unwrap_or_else(|| panic!("{outcome:?}"));
    steps
        .iter()
        .map(|step| {
            format!("{} {}", step["tool"].as_str().unwrap(), step["status"].as_str().unwrap())
        })
        .collect()
}

#[tokio::test]
async fn steps_run_in_order_and_stop_at_the_first_failure() {
    let crib = RuntimeFixture::new();
    let tools = vec![
        script("one", "echo 1 >> log"),
        script("two", "echo 2 >> log; exit 7"),
        script("three", "echo 3 >> log"),
    ];
    let outcome =
        run(&crib, &sequence(vec![step("one"), step("two"), step("three")]), tools, json!({}))
            .await;
    assert!(outcome.failed);
    assert_eq!(statuses(&outcome), ["one ok", "two failed"]);
    assert_eq!(field(&outcome, "steps")[1]["exit_code"], 7);
    assert!(field(&outcome, "steps")[0]["duration_ms"].is_u64());
    assert_eq!(field(&outcome, "error_type"), "step_failed");
    assert_eq!(fs::read_to_string(crib.path("crib/log")).unwrap(), "1\n2\n");
}

#[tokio::test]
async fn skips_steps_by_files_in_the_working_directory() {
    let crib = RuntimeFixture::new();
    fs::create_dir(crib.path("crib/inner")).unwrap();
    fs::write(crib.path("crib/inner/there"), "").unwrap();
    let steps = vec![
        Step { skip_if_exists: Some("there".to_owned()), ..step("one") },
        Step { skip_if_missing: Some("not_there".to_owned()), ..step("one") },
        Step { skip_if_exists: Some("not_there".to_owned()), ..step("one") },
    ];
    let mut all = sequence(steps);
    all.input = script("any", "").input;
    let outcome =
        run(&crib, &all, vec![script("one", "pwd")], json!({"working_directory": "inner"})).await;
    assert_eq!(statuses(&outcome), ["one skipped", "one skipped", "one ok"]);
    assert!(
        field(&outcome, "steps")[2]["stdout"].as_str().unwrap().trim().ends_with("/crib/inner"),
        "the folder is handed on"
    );
}

#[tokio::test]
async fn pauses_between_steps() {
    let crib = RuntimeFixture::new();
    let mut all = sequence(vec![step("one"), step("one")]);
    let Implementation::Sequence(sequence) = &mut all.implementation else { panic!() };
    sequence.delay_ms = 300;
    let begun = Instant::now();
    assert!(!run(&crib, &all, vec![script("one", "true")], json!({})).await.failed);
    assert!(begun.elapsed() >= Duration::from_millis(300));
}

#[tokio::test]
async fn rejects_cycles_and_unknown_steps_before_anything_runs() {
    let crib = RuntimeFixture::new();
    let circle = sequence(vec![step("one"), step("all")]);
    let outcome =
        run(&crib, &circle, vec![circle.clone(), script("one", "touch ran")], json!({})).await;
    assert_eq!(field(&outcome, "error_type"), "invalid_definition");
    let unknown = sequence(vec![step("one"), step("nowhere")]);
    let outcome = run(&crib, &unknown, vec![script("one", "touch ran")], json!({})).await;
    assert_eq!(field(&outcome, "error_type"), "invalid_definition");
    assert!(!crib.path("crib/ran").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_asynchronous_sequence_is_one_cancellable_operation() {
    let crib = RuntimeFixture::with_settings(|settings| {
        settings.answer_within = Duration::from_millis(50)
    });
    let all = Tool {
        mode: Mode::Asynchronous,
        ..sequence(vec![step("quick"), step("slow"), step("never")])
    };
    let tools = vec![
        script("quick", "echo quick"),
        script("slow", "echo $$ > pid; sleep 600"),
        script("never", "touch never"),
    ];
    let started = run(&crib, &all, tools, json!({})).await;
    let id = Operation::started_by(&started).unwrap();
    let pid = || fs::read_to_string(crib.path("crib/pid")).unwrap_or_default();
    wait_until("the second step runs", || pid().ends_with('\n')).await;
    let operations = crib.runtime.operations();
    let running = operations.get(Viewer::Operator, &id).await.unwrap();
    assert!(running.progress.message.is_some_and(|message| message.contains("step 2 of 3")));
    let operation = operations.cancel(Viewer::Operator, &id).await.unwrap();
    assert_eq!(operation.state, State::Cancelled);
    assert_eq!(statuses(operation.outcome.as_ref().unwrap()), ["quick ok", "slow failed"]);
    assert!(!is_process_running(&pid()) && !crib.path("crib/never").exists());
    let page = operations.list(Default::default(), None, 10).await.unwrap();
    assert_eq!(page.operations.len(), 1, "steps are no operations of their own");
}

#[tokio::test]
async fn the_timeout_of_a_sequence_covers_all_steps() {
    let crib = RuntimeFixture::new();
    let all = Tool {
        timeout: Some(Duration::from_millis(400)),
        ..sequence(vec![step("quick"), step("slow")])
    };
    let outcome =
        run(&crib, &all, vec![script("quick", "true"), script("slow", "sleep 600")], json!({}))
            .await;
    assert_eq!(field(&outcome, "error_type"), "timed_out");
    assert_eq!(statuses(&outcome), ["quick ok", "slow failed"]);
}

#[tokio::test]
async fn an_exclusive_sequence_does_not_block_its_own_steps() {
    let crib = RuntimeFixture::new();
    let exclusive = Some(catalog::Concurrency::Exclusive);
    let all = Tool { concurrency: exclusive, ..sequence(vec![step("one"), step("one")]) };
    let one = Tool { concurrency: exclusive, ..script("one", "true") };
    let outcome =
        tokio::time::timeout(Duration::from_secs(20), run(&crib, &all, vec![one], json!({})))
            .await
            .unwrap();
    assert_eq!(statuses(&outcome), ["one ok", "one ok"]);
}

#[tokio::test]
async fn long_output_of_a_step_is_stored_by_reference() {
    let crib = RuntimeFixture::new();
    let outcome = run(
        &crib,
        &sequence(vec![step("long"), step("long")]),
        vec![script("long", "seq 100000")],
        json!({}),
    )
    .await;
    let first = &field(&outcome, "steps")[0];
    assert_eq!(first["truncated"], true);
    assert!(first["output"].as_str().is_some());
    let size: usize = serde_json::to_string(&outcome.structured).unwrap().len();
    assert!(size < 128 * 1024, "{size}");
}
