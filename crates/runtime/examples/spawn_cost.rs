//! Measures a sandboxed call of `true` and starting `true` directly, in the same run. Prints JSON.

#![expect(clippy::print_stdout, reason = "the figures are what this is for")]

use std::{
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use catalog::{Implementation, Origin, Schema, SourceId, Tool, implementation::Process};
use runtime::{Call, Runtime, Settings};
use tokio_util::sync::CancellationToken;
use toolkit::{Arguments, Context};

const ROUNDS: usize = 1000;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    // In a task, as a server runs its calls.
    tokio::spawn(measure()).await?
}

async fn measure() -> std::io::Result<()> {
    let runtime = Arc::new(Runtime::new(Settings::new(std::env::current_dir()?.canonicalize()?)));
    let process = Process { program: "true".to_owned(), pieces: Vec::new() };
    let origin = Origin::whole_file(&SourceId::new("example"));
    let tool = Arc::new(Tool::new(
        "true",
        "Does nothing",
        Schema::empty(),
        Implementation::Process(process),
        origin,
    ));
    let (mut direct, mut confined) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let start = Instant::now();
        Command::new("true").status()?;
        direct.push(start.elapsed());

        let context = Context::detached(CancellationToken::new());
        let call = Call::new(Arc::clone(&tool), Arguments::new(), context);
        let start = Instant::now();
        let outcome = runtime.call(call).await;
        confined.push(start.elapsed());
        assert!(outcome.is_ok_and(|outcome| !outcome.failed));
    }
    let micros = |times| median(times).as_secs_f64() * 1e6;
    println!("{}", serde_json::json!({"direct_us": micros(direct), "call_us": micros(confined)}));
    Ok(())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
