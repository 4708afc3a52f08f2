//! Runtimes that share a store, and operations to record.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use catalog::{Mode, Outcome, Tool};
use runtime::{
    Call, Runtime, Settings,
    operation::{Operation, OperationId, Owner, Progress, ServerId, State},
};
use store::Store;
use testing::{allow_all, script_tool, settings_in};
use tokio_util::sync::CancellationToken;
use toolkit::{Arguments, Context};

/// The runtime of a server whose crib and state are in `folder`.
pub(crate) fn start_server(folder: &Path, change: impl FnOnce(&mut Settings)) -> Arc<Runtime> {
    let mut settings = settings_in(folder);
    settings.grace = Duration::from_millis(200);
    settings.answer_within = Duration::from_millis(50);
    change(&mut settings);
    let store = Store::open(&state_folder(folder)).unwrap();
    Arc::new(Runtime::with_journal(settings, Arc::new(store)))
}

/// The folder of the store of [`start_server`].
pub(crate) fn state_folder(folder: &Path) -> PathBuf {
    folder.join("state")
}

/// A shell script as a tool that becomes an operation.
pub(crate) fn background(script: &str) -> Tool {
    Tool { name: "script".to_owned(), mode: Mode::Asynchronous, ..script_tool("sh", script) }
}

/// A shell script as a tool whose call waits for its result.
pub(crate) fn foreground(script: &str) -> Tool {
    Tool { mode: Mode::Synchronous, ..background(script) }
}

/// Calls a tool under a policy that allows it.
pub(crate) async fn call(runtime: &Arc<Runtime>, tool: Tool) -> Outcome {
    let context = Context::detached(CancellationToken::new());
    let call = Call::new(Arc::new(tool), Arguments::new(), context);
    runtime.call(Call { policy: allow_all(), ..call }).await.unwrap()
}

pub(crate) fn owner() -> Owner {
    Owner("me".to_owned())
}

/// A running operation.
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
        server: ServerId::current(),
        folder: "/tmp/none".into(),
        leader: None,
        progress: Progress { fraction: Some(0.5), message: Some("half".to_owned()) },
        last_line: Some("line".to_owned()),
        hint: Some("hint".to_owned()),
        outcome: None,
        collected: false,
        output_bytes: 0,
    }
}

/// The operation after its end.
pub(crate) fn ended(operation: &Operation, ended: SystemTime, text: &str) -> Operation {
    Operation {
        state: State::Completed,
        ended: Some(ended),
        elapsed: Duration::from_micros(42),
        outcome: Some(Outcome::text(text)),
        ..operation.clone()
    }
}
