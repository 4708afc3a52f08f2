//! The exact log lines of every call.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
};

use catalog::{Mode, Outcome, Schema, Tool};
use runtime::{Call, Runtime, Settings};
use serde_json::{Value, json};
use testing::{RuntimeFixture, allow_all, object, script_tool};
use tokio_util::sync::CancellationToken;
use toolkit::{Arguments, Context, Interrupt, Native, Reply};
use tracing_subscriber::fmt::MakeWriter;

/// Lines that were logged, as JSON.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    /// The log lines about calls: level and text.
    fn logged_messages(&self) -> Vec<(String, String)> {
        let of = |line: &Value| {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            (text(&line["level"]), text(&line["fields"]["message"]))
        };
        self.entries().iter().map(of).collect()
    }

    fn entries(&self) -> Vec<Value> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["target"] == runtime::CALLS || line["target"] == "test").collect()
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// Calls on one thread and captures the log.
fn logged(call: impl AsyncFnOnce()) -> Lines {
    let lines = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(lines.clone())
        .finish();
    let driver = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    tracing::subscriber::with_default(subscriber, || driver.block_on(call()));
    lines
}

async fn call_native(native: Native, arguments: Value) -> Result<Outcome, Interrupt> {
    let tool = Arc::new(native.tool.clone());
    let runtime = Arc::new(Runtime::new(Settings::new("/".into())).with_natives([native]));
    let context = Context::detached(CancellationToken::new());
    let call =
        Call { request: Some("7".to_owned()), ..Call::new(tool, object(arguments), context) };
    runtime.call(call).await
}

fn native(name: &str, outcome: impl Fn() -> Outcome + Send + Sync + 'static) -> Native {
    Native::new(name, "A tool", Schema::empty(), move |_: Arguments, _: Context| {
        tracing::debug!(target: "test", "inside");
        let outcome = outcome();
        async move { Ok(outcome) }
    })
}

#[test]
fn tool_invocation_logging_comes_before_the_tool_executes() {
    let lines = logged(async || {
        drop(call_native(native("greet", || Outcome::text("hello")), json!({})).await)
    });
    let said = lines.logged_messages();
    assert_eq!(said[0], ("TRACE".to_owned(), "Tool called: greet".to_owned()));
    assert_eq!(said[1].1, "inside");
}

#[test]
fn tool_success_logging_sync_is_debug_with_fields() {
    let lines = logged(async || {
        drop(call_native(native("greet", || Outcome::text("hello")), json!({})).await)
    });
    assert_eq!(
        lines.logged_messages()[2],
        ("DEBUG".to_owned(), "Tool greet completed successfully".to_owned())
    );
    let fields = &lines.entries()[2]["fields"];
    assert_eq!(
        (&fields["tool"], &fields["request"], &fields["outcome"]),
        (&json!("greet"), &json!("7"), &json!("ok"))
    );
    assert!(fields["duration_ms"].is_u64(), "whole milliseconds: {fields}");
}

#[test]
fn tool_success_logging_async_is_trace() {
    let crib = RuntimeFixture::new();
    let tool = Tool { mode: Mode::Asynchronous, ..script_tool("sh", "echo done") };
    let lines = logged(async || drop(crib.call(tool, json!({})).await));
    let said = lines.logged_messages();
    assert_eq!(said[0].1, "Tool called: tool");
    assert_eq!(said[1..], [("TRACE".to_owned(), "Tool tool completed successfully".to_owned())]);
}

#[test]
fn tool_failure_logging_is_an_error_once_and_the_failure_is_passed_on() {
    for mode in [Mode::Synchronous, Mode::Asynchronous] {
        let crib = RuntimeFixture::new();
        let tool = Tool { mode, ..script_tool("sh", "exit 3") };
        let lines = logged(async || assert!(crib.call(tool, json!({})).await.failed));
        let said = lines.logged_messages();
        assert_eq!(said.len(), 2, "{said:?}");
        assert_eq!(said[1].0, "ERROR");
        assert!(said[1].1.starts_with("Tool tool failed: "), "{said:?}");
    }
}

#[test]
fn a_failed_reply_is_logged_as_failed() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}
    let sad = Native::typed("sad", |_: Nothing, _| async {
        Reply::<()>::failure("it is\nraining", "weather")
    });
    let lines = logged(async || assert!(call_native(sad, json!({})).await.unwrap().failed));
    assert_eq!(
        lines.logged_messages()[1],
        ("ERROR".to_owned(), "Tool sad failed: it is raining".to_owned())
    );
    assert_eq!(lines.entries()[1]["fields"]["outcome"], "weather");
}

#[test]
fn a_refused_call_is_logged_as_failed() {
    let lines = logged(async || {
        drop(call_native(native("greet", || Outcome::text("hello")), json!({"x": 1})).await)
    });
    let said = lines.logged_messages();
    assert_eq!(said.len(), 2, "the tool itself was not called: {said:?}");
    assert_eq!(said[1].0, "ERROR");
}

#[test]
fn a_call_that_needs_approval_is_no_error_and_the_hint_is_logged_once() {
    let crib = RuntimeFixture::new();
    let mut tool = script_tool("sh", "true");
    tool.annotations.requires_approval = Some(true);
    let lines = logged(async || {
        let context = Context::detached(CancellationToken::new());
        let call = Call::new(Arc::new(tool), Arguments::new(), context);
        assert!(crib.runtime.call(call).await.unwrap().failed);
    });
    assert_eq!(
        lines.logged_messages()[1..],
        [("INFO".to_owned(), "Tool tool was not run: it needs approval".to_owned())]
    );
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert_eq!(text.matches("toolcrib approve").count(), 1, "{text}");
    assert!(!text.contains("Ask your user"), "{text}");
}

#[test]
fn a_cancelled_call_is_no_error() {
    for mode in [Mode::Synchronous, Mode::Asynchronous] {
        let crib = RuntimeFixture::new();
        let tool = Tool { mode, ..script_tool("sh", "sleep 60") };
        let lines = logged(async || {
            let cancel = CancellationToken::new();
            cancel.cancel();
            assert!(crib.call_with(tool, json!({}), cancel, None).await.failed);
        });
        assert_eq!(
            lines.logged_messages()[1..],
            [("INFO".to_owned(), "Tool tool was cancelled".to_owned())]
        );
    }
}

#[test]
fn secrets_are_never_logged() {
    let mut tool = script_tool("sh", "exit 1");
    let input = json!({"type": "object", "properties": {"token": {"type": "string", "maxLength": 3, "writeOnly": true}}});
    tool.input = Schema::new(object(input));
    let lines = logged(async || {
        let runtime = Arc::new(Runtime::new(Settings::new("/".into())));
        for secret in ["hush-4711", "hsh"] {
            let context = Context::detached(CancellationToken::new());
            let arguments = object(json!({"token": secret}));
            let call = Call {
                policy: allow_all(),
                ..Call::new(Arc::new(tool.clone()), arguments, context)
            };
            assert!(runtime.call(call).await.unwrap().failed);
        }
    });
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert!(
        text.contains("Tool tool failed") && !text.contains("hush") && !text.contains("hsh"),
        "{text}"
    );
}
