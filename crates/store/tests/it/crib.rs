//! A throw-away crib with a store, and short ways to make operations and calls.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use catalog::{
    Implementation, Mode, Origin, Outcome, Schema, SourceId, Tool,
    implementation::{Piece, Process},
    policy::{Clause, Effect, Policy},
};
use runtime::{
    Call, Runtime, Settings,
    operation::{Operation, OperationId, Owner, Progress, ServerId, State},
};
use store::Store;
use tokio_util::sync::CancellationToken;
use toolkit::{Arguments, Context};

/// The runtime of a server in `place`.
pub(crate) fn server(place: &Path, change: impl FnOnce(&mut Settings)) -> Arc<Runtime> {
    for folder in ["crib", "temp"] {
        std::fs::create_dir_all(place.join(folder)).unwrap();
    }
    let place = place.canonicalize().unwrap();
    let mut settings = Settings::new(place.join("crib"));
    settings.grace = Duration::from_millis(200);
    settings.output_folder = place.join("spill");
    settings.temp = place.join("temp");
    settings.answer_within = Duration::from_millis(50);
    change(&mut settings);
    Arc::new(Runtime::with_journal(settings, Arc::new(Store::open(&state(&place)).unwrap())))
}

pub(crate) fn state(place: &Path) -> PathBuf {
    place.join("state")
}

/// A shell script as a tool that becomes an operation.
pub(crate) fn background(script: &str) -> Tool {
    let pieces = ["-c", script].map(|word| Piece::Word(word.to_owned())).into();
    let implementation = Implementation::Process(Process { program: "sh".to_owned(), pieces });
    let mut tool = Tool::new(
        "script",
        "A script",
        Schema::empty(),
        implementation,
        Origin::whole(&SourceId::new("test")),
    );
    tool.mode = Mode::Asynchronous;
    tool
}

pub(crate) async fn call(runtime: &Arc<Runtime>, tool: Tool) -> Outcome {
    let clause = Clause {
        tools: "*".to_owned(),
        when: None,
        effect: Effect::Allow,
        until: None,
        reason: None,
    };
    let policy = Policy::compile([clause]).unwrap();
    let context = Context::detached(CancellationToken::new());
    runtime
        .call(Call { policy, ..Call::new(Arc::new(tool), Arguments::new(), context) })
        .await
        .unwrap()
}

pub(crate) fn owner() -> Owner {
    Owner("me".to_owned())
}

/// An operation that runs.
pub(crate) fn running(tool: &str) -> Operation {
    Operation {
        id: OperationId::random(),
        owner: owner(),
        tool: tool.to_owned(),
        arguments: Arguments::new(),
        state: State::Running,
        created: SystemTime::UNIX_EPOCH + Duration::from_micros(1_234_567),
        started: None,
        ended: None,
        elapsed: Duration::ZERO,
        server: ServerId::this(),
        folder: "/tmp/none".into(),
        leader: None,
        progress: Progress { fraction: Some(0.5), message: Some("half".to_owned()) },
        last_line: Some("line".to_owned()),
        hint: Some("hint".to_owned()),
        outcome: None,
        collected: false,
    }
}

/// The same, ended.
pub(crate) fn ended(operation: &Operation, ended: SystemTime, text: &str) -> Operation {
    Operation {
        state: State::Completed,
        ended: Some(ended),
        elapsed: Duration::from_micros(42),
        outcome: Some(Outcome::text(text)),
        ..operation.clone()
    }
}
