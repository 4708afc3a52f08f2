//! Progress of operations: what the owner and a waiting request receive.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use catalog::{Mode, Outcome};
use runtime::{Call, EventKind, Until, Viewer, operation::State};
use serde_json::{Value, json};
use testing::{RuntimeFixture, allow_all, field, object, text};
use tokio_util::sync::CancellationToken;
use toolkit::{
    Answer, BoxFuture, Capability, Change, Client, Context, Interrupt, Level, Native, Progress,
    Question,
};

use crate::operations::{LONG, background, ended, fixture_with_short_wait, get, id};

/// A client that records the notifications it gets.
#[derive(Default)]
struct Listener {
    progress: Mutex<Vec<f64>>,
}

impl Client for Listener {
    fn report_progress(&self, progress: Progress) -> BoxFuture<'_, ()> {
        self.progress.lock().unwrap().push(progress.done);
        Box::pin(std::future::ready(()))
    }

    fn log(&self, _: Level, _: Value) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn ask(
        &self,
        questions: Vec<(String, Question)>,
        state: Option<Vec<u8>>,
    ) -> BoxFuture<'_, Result<Vec<Answer>, Interrupt>> {
        Box::pin(std::future::ready(Err(Interrupt::Ask { questions, state })))
    }

    fn saved_state(&self) -> Option<Vec<u8>> {
        None
    }

    fn supports(&self, _: Capability) -> bool {
        true
    }

    fn notify_changed(&self, _: Change) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_progress_that_matches_the_pattern_of_the_tool() {
    let crib = fixture_with_short_wait();
    let mut events = crib.runtime.operations().subscribe();
    let mut tool =
        background("echo '1/4 one'; sleep 0.3; printf '2/4 two\\r'; echo '3/4 three'; sleep 600");
    tool.progress = Some(r"(\d+)/(\d+)".to_owned());
    let id = id(&crib.call(tool, json!({})).await);
    let operation = loop {
        let event = tokio::time::timeout(LONG, events.recv()).await.unwrap().unwrap();
        if event.kind == EventKind::Progress && event.operation.progress.fraction == Some(0.75) {
            break event.operation;
        }
    };
    assert_eq!(operation.id, id);
    assert_eq!(operation.progress.message.as_deref(), Some("3/4 three"));
    crib.runtime.operations().drain().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_is_rounded_and_complete_on_success() {
    let crib = fixture_with_short_wait();
    let of = |end: &str| {
        let mut tool = background(&format!("echo 1/3; sleep 0.3; {end}"));
        tool.progress = Some(r"(\d+)/(\d+)".to_owned());
        tool
    };
    let failed = ended(&crib, &id(&crib.call(of("exit 3"), json!({})).await)).await;
    assert_eq!((failed.state, failed.progress.fraction), (State::Failed, Some(0.333)));
    let completed = ended(&crib, &id(&crib.call(of("true"), json!({})).await)).await;
    assert_eq!((completed.state, completed.progress.fraction), (State::Completed, Some(1.0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_the_queue_position() {
    let crib = RuntimeFixture::with_settings(|settings| {
        settings.concurrency = 1;
        settings.answer_within = Duration::from_millis(50);
    });
    let first = id(&crib.call(background("sleep 600"), json!({})).await);
    let second = id(&crib.call(background("true"), json!({})).await);
    let third = id(&crib.call(background("true"), json!({})).await);
    let place = async |id| get(&crib, id).await.progress.message.unwrap_or_default();
    assert_eq!(get(&crib, &third).await.state, State::Pending);
    assert!(place(&second).await.contains("place 1") && place(&third).await.contains("place 2"));
    crib.runtime.operations().cancel(Viewer::Operator, &second).await.unwrap();
    assert!(place(&third).await.contains("place 1"));
    crib.runtime.operations().cancel(Viewer::Operator, &first).await.unwrap();
    assert_eq!(ended(&crib, &third).await.state, State::Completed);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_request_receives_increasing_progress() {
    let crib = RuntimeFixture::new();
    let listener = Arc::new(Listener::default());
    let context = Context::new(Arc::clone(&listener) as Arc<dyn Client>, CancellationToken::new());
    let tool = Arc::new(background("echo one; sleep 0.9; echo two"));
    let call = Call { policy: allow_all(), ..Call::new(tool, object(json!({})), context) };
    crib.runtime.call(call).await.unwrap();
    let reported = listener.progress.lock().unwrap().clone();
    assert!(
        reported.len() >= 2 && reported.windows(2).all(|pair| pair[0] < pair[1]),
        "{reported:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_native_operation_reports_asks_and_continues_after_the_answer() {
    let input = catalog::Schema::empty();
    let mut native =
        Native::new("ask", "Asks", input, async |_: toolkit::Arguments, context: Context| {
            context.report_progress(1.0, Some(4.0), Some("a quarter")).await;
            let question = Question::Form { message: "Who?".to_owned(), schema: json!({}) };
            let answer = context.ask("who", question).await?;
            Ok(Outcome::text(answer.field("name").and_then(Value::as_str).unwrap_or_default()))
        });
    native.tool.mode = Mode::Asynchronous;
    let tool = Arc::new(native.tool.clone());
    let mut settings = runtime::Settings::new("/".into());
    settings.answer_within = Duration::from_millis(50);
    let runtime = Arc::new(runtime::Runtime::new(settings).with_natives([native]));
    let context = Context::new(Arc::new(Listener::default()), CancellationToken::new());
    let outcome = runtime.call(Call::new(tool, object(json!({})), context)).await.unwrap();
    let (id, operations) = (id(&outcome), runtime.operations());
    let operation = operations.get(Viewer::Operator, &id).await.unwrap();
    assert_eq!(
        (operation.state, operation.progress.fraction),
        (State::WaitingForInput, Some(0.25))
    );
    assert_eq!(operations.questions(Viewer::Operator, &id)[0].0, "who");
    let answer = Answer(json!({"action": "accept", "content": {"name": "me"}}));
    operations.answer(Viewer::Operator, &id, [("who".to_owned(), answer)].into()).unwrap();
    let all = operations.wait(Viewer::Operator, &[id], Until::All, LONG).await.unwrap();
    assert_eq!(text(all[0].outcome.as_ref().unwrap(), 0), "me");
}

#[tokio::test]
async fn a_native_operation_that_panics_fails() {
    let mut native = Native::new(
        "boom",
        "Panics",
        catalog::Schema::empty(),
        async |_: toolkit::Arguments, _: Context| {
            if true {
                panic!("boom");
            }
            Ok(Outcome::default())
        },
    );
    native.tool.mode = Mode::Asynchronous;
    let tool = Arc::new(native.tool.clone());
    let runtime =
        Arc::new(runtime::Runtime::new(runtime::Settings::new("/".into())).with_natives([native]));
    let context = Context::detached(CancellationToken::new());
    let outcome = runtime.call(Call::new(tool, object(json!({})), context)).await.unwrap();
    assert_eq!(field(&outcome, "error_type"), "internal_error");
}
