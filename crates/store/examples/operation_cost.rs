//! Measures operations and, in the same run, the baselines they are compared with. Prints JSON:
//! starting one, querying the status among 10,000 finished ones, and a thousand at once.

#![expect(clippy::print_stdout, reason = "the figures are what this is for")]

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use catalog::{
    Implementation, Mode, Origin, Outcome, Schema, SourceId, Tool,
    implementation::{Piece, Process},
};
use runtime::{
    Call, Runtime, Settings,
    journal::Filter,
    operation::{Operation, OperationId, Owner, Progress, ServerId, State},
};
use serde_json::json;
use store::Store;
use tokio_util::sync::CancellationToken;
use toolkit::{Arguments, Context, Native};

const ROUNDS: usize = 500;
const FINISHED: usize = 10_000;
const AT_ONCE: usize = 1_000;

type Failed = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failed> {
    // In a task, as a server runs its calls.
    tokio::spawn(measure()).await?
}

async fn measure() -> Result<(), Failed> {
    let place = tempfile::tempdir()?;
    let start = Instant::now();
    let store = Arc::new(Store::open(&place.path().join("state"))?);
    let open_ms = start.elapsed().as_secs_f64() * 1e3;
    let runtime = runtime(place.path(), store)?;
    let native = measure_native_calls(place.path()).await?;
    let (plain, operation) = starting(&runtime).await?;
    let begin = measure_begin(&runtime).await?;
    let (all_at_once, rss) = measure_concurrent_calls(&runtime).await?;
    let (status, filtered) = status(&runtime).await?;
    println!(
        "{}",
        json!({
            "open_store_ms": open_ms,
            "native_call_us": micros(&native),
            "plain_call_us": micros(&plain),
            "operation_us": micros(&operation),
            "durable_begin_us": micros(&begin),
            "operation_adds_us": micros(&operation) - micros(&plain),
            "status_of_10000_us": micros(&status),
            "status_of_10000_by_state_us": micros(&filtered),
            "thousand_sleeps_s": all_at_once.as_secs_f64(),
            "peak_memory_mib": rss,
        })
    );
    Ok(())
}

fn runtime(place: &Path, store: Arc<Store>) -> Result<Arc<Runtime>, Failed> {
    let crib = place.join("crib");
    std::fs::create_dir(&crib)?;
    let mut settings = Settings::new(crib.canonicalize()?);
    settings.concurrency = AT_ONCE;
    settings.output_folder = place.join("spill");
    settings.answer_within = Duration::from_secs(60);
    Ok(Arc::new(Runtime::with_journal(settings, store)))
}

fn tool(program: &str, word: Option<&str>, mode: Mode) -> Arc<Tool> {
    let pieces = word.map(|word| Piece::Word(word.to_owned())).into_iter().collect();
    let implementation = Implementation::Process(Process { program: program.to_owned(), pieces });
    let mut tool = Tool::new(
        program,
        "A program",
        Schema::empty(),
        implementation,
        Origin::whole_file(&SourceId::new("example")),
    );
    tool.mode = mode;
    Arc::new(tool)
}

async fn call(runtime: &Arc<Runtime>, tool: &Arc<Tool>) -> Result<Duration, Failed> {
    let call =
        Call::new(Arc::clone(tool), Arguments::new(), Context::detached(CancellationToken::new()));
    let start = Instant::now();
    let outcome = runtime.call(call).await.map_err(|interrupt| format!("{interrupt:?}"))?;
    if outcome.failed {
        return Err(format!("{:?}", outcome.content).into());
    }
    Ok(start.elapsed())
}

/// Read-only functions of the server, whose only cost beside their own is the audit log.
async fn measure_native_calls(place: &Path) -> Result<Vec<Duration>, Failed> {
    let schema = json!({"type": "object", "properties": {"message": {"type": "string"}, "count": {"type": "integer"}}});
    let schema = Schema::new(schema.as_object().cloned().unwrap_or_default());
    let native = Native::new("echo", "Echoes", schema, async |arguments: Arguments, _: Context| {
        Ok(Outcome::text(arguments["message"].as_str().unwrap_or_default()))
    });
    let native = native.read_only();
    let tool = Arc::new(native.tool.clone());
    let store = Arc::new(Store::open(&place.join("native"))?);
    let settings = Settings::new(place.canonicalize()?);
    let runtime = Arc::new(Runtime::with_journal(settings, store).with_natives([native]));
    let arguments = json!({"message": "a message of ordinary length", "count": 1});
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let mut times = Vec::new();
    for _ in 0..10 * ROUNDS {
        let context = Context::detached(CancellationToken::new());
        let call = Call::new(Arc::clone(&tool), arguments.clone(), context);
        let start = Instant::now();
        runtime.call(call).await.map_err(|interrupt| format!("{interrupt:?}"))?;
        times.push(start.elapsed());
    }
    Ok(times)
}

/// A plain call and an operation of the same program, in turn. The operation is recorded twice,
/// before its start and at its end.
async fn starting(runtime: &Arc<Runtime>) -> Result<(Vec<Duration>, Vec<Duration>), Failed> {
    let (plain, operation) =
        (tool("true", None, Mode::Synchronous), tool("true", None, Mode::Asynchronous));
    let (mut plainly, mut operated) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        plainly.push(call(runtime, &plain).await?);
        operated.push(call(runtime, &operation).await?);
    }
    Ok((plainly, operated))
}

/// The durable record that is written before a program starts.
async fn measure_begin(runtime: &Arc<Runtime>) -> Result<Vec<Duration>, Failed> {
    let owner = Owner("beginner".to_owned());
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let operation =
            Operation { state: State::Pending, ended: None, outcome: None, ..finished(&owner) };
        let start = Instant::now();
        runtime.journal().begin(operation).await?;
        times.push(start.elapsed());
    }
    Ok(times)
}

async fn status(runtime: &Arc<Runtime>) -> Result<(Vec<Duration>, Vec<Duration>), Failed> {
    let owner = Owner("someone".to_owned());
    let begun = (0..FINISHED).map(|_| runtime.journal().finish(finished(&owner)));
    for done in begun.collect::<Vec<_>>() {
        done.await?;
    }
    let (mut all, mut failed) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let filter = Filter { owner: Some(owner.clone()), ..Filter::default() };
        let start = Instant::now();
        let page = runtime
            .operations()
            .list(filter.clone(), None, 50)
            .await
            .map_err(|failure| failure.message)?;
        all.push(start.elapsed());
        assert_eq!(page.operations.len(), 50);
        let filter = Filter { states: vec![State::Running, State::Failed], ..filter };
        let start = Instant::now();
        runtime.operations().list(filter, None, 50).await.map_err(|failure| failure.message)?;
        failed.push(start.elapsed());
    }
    Ok((all, failed))
}

fn finished(owner: &Owner) -> Operation {
    let now = std::time::SystemTime::now();
    let text = "a line of output\n".repeat(100);
    Operation {
        id: OperationId::random(),
        owner: owner.clone(),
        tool: "cargo_build".to_owned(),
        arguments: Arguments::new(),
        state: State::Completed,
        created: now,
        started: Some(now),
        ended: Some(now),
        elapsed: Duration::from_secs(1),
        server: ServerId::current(),
        folder: "/tmp/none".into(),
        leader: None,
        progress: Progress::default(),
        last_line: None,
        hint: None,
        outcome: Some(catalog::Outcome::text(text)),
        collected: true,
        output_bytes: 0,
    }
}

async fn measure_concurrent_calls(runtime: &Arc<Runtime>) -> Result<(Duration, f64), Failed> {
    let sleep = tool("sleep", Some("1"), Mode::Asynchronous);
    let start = Instant::now();
    let calls: Vec<_> = (0..AT_ONCE)
        .map(|_| {
            let (runtime, sleep) = (Arc::clone(runtime), Arc::clone(&sleep));
            tokio::spawn(async move { call(&runtime, &sleep).await })
        })
        .collect();
    for call in calls {
        call.await??;
    }
    let took = start.elapsed();
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| {
        line.strip_prefix("VmHWM:")?.trim().trim_end_matches(" kB").parse::<f64>().ok()
    });
    Ok((took, peak.unwrap_or_default() / 1024.0))
}

fn micros(times: &[Duration]) -> f64 {
    let mut times = times.to_vec();
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6
}
