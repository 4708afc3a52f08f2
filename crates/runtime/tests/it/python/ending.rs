//! Calls that do not return a value: exceptions, crashes, cancellation, timeouts. The next
//! call works, always.

use std::time::Duration;

use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::python_fixture::{PythonFixture, function};
use testing::{field, is_process_running, skip_without, text, wait_until};

const CODE: &str = r#"
import asyncio, os, pathlib, signal, subprocess, sys, time

class OutOfPaper(Exception): pass
def fails(tray): 
    try: {}["tray"]
    except KeyError as error: raise OutOfPaper(f"tray {tray} is empty, café") from error
def silent(): raise ValueError
def standard(): return {"status": "failure", "error_type": "Jam", "error_message": "paper jam", "error_details": {"tray": 2}}
def loose(): return {"status": "error", "message": "it is off"}
def fine_status(): return {"status": "error", "count": 3}
def leaves(): sys.exit(3)
def quits(): print("bye"); os._exit(3)
def crashes(): os.kill(os.getpid(), signal.SIGSEGV)
def sleeps(): pathlib.Path("begun").touch(); time.sleep(9401)
async def dozes():
    pathlib.Path("begun").touch()
    try: await asyncio.sleep(9402)
    finally: pathlib.Path("tidied").touch()
def deaf():
    while True:
        try: pathlib.Path("begun").touch(); time.sleep(9403)
        except KeyboardInterrupt: pass
def programs():
    child = subprocess.Popen(["sleep", "9404"]); pathlib.Path("begun").write_text(str(child.pid)); child.wait()
def interrupts(): raise KeyboardInterrupt
KEPT = []
def keep(): KEPT.append(1); return len(KEPT)
def pid(): return os.getpid()
def hoards():
    for child in range(3):
        if os.fork() == 0: x = b"x" * (150 << 20); time.sleep(9405)
    time.sleep(9405)
"#;

async fn cancelled(fixture: &PythonFixture, name: &str) -> catalog::Outcome {
    let cancel = CancellationToken::new();
    let call = tokio::spawn(fixture.call_in(
        &fixture.session,
        function(name),
        json!({}),
        cancel.clone(),
        None,
    ));
    let begun = fixture.crib.path("crib").join("begun");
    wait_until("the call has begun", || begun.exists()).await;
    cancel.cancel();
    let outcome = call.await.unwrap();
    std::fs::remove_file(begun).unwrap();
    outcome
}

#[tokio::test]
async fn an_exception_becomes_a_standard_error_object() {
    skip_without!("python3");
    let fixture = PythonFixture::new(CODE);
    let outcome = fixture.call(function("fails"), json!({"tray": 2})).await;
    assert!(outcome.failed);
    assert_eq!(field(&outcome, "status"), "failure");
    assert_eq!(field(&outcome, "error_type"), "OutOfPaper");
    assert_eq!(field(&outcome, "error_message"), "tray 2 is empty, café");
    let details = field(&outcome, "error_details");
    assert_eq!(
        (&details["class"], &details["cause"]),
        (&json!("bench.OutOfPaper"), &json!("KeyError: 'tray'"))
    );
    let trace = details["traceback"].as_array().unwrap();
    assert!(
        trace.len() == 1 && trace[0].as_str().unwrap().contains("bench.py:7 in fails"),
        "{trace:?}"
    );
    let message = text(&outcome, 0);
    assert!(
        message.starts_with("`fails` failed: OutOfPaper: tray 2 is empty, café (at ")
            && message.ends_with("bench.py:7 in fails)"),
        "{message}"
    );
    assert_eq!(field(&fixture.run("silent").await, "error_message"), "ValueError");
    assert_eq!(field(&fixture.run("interrupts").await, "error_type"), "KeyboardInterrupt");
}

#[tokio::test]
async fn a_returned_error_object_is_a_failure() {
    skip_without!("python3");
    let fixture = PythonFixture::new(CODE);
    let outcome = fixture.run("standard").await;
    assert!(outcome.failed);
    assert_eq!(
        (field(&outcome, "error_type"), &field(&outcome, "error_details")["tray"]),
        (&json!("Jam"), &json!(2))
    );
    let outcome = fixture.run("loose").await;
    assert_eq!(
        (outcome.failed, field(&outcome, "error_message"), field(&outcome, "status")),
        (true, &json!("it is off"), &json!("failure"))
    );
    assert!(!fixture.run("fine_status").await.failed, "a status alone does not explain why");
}

#[tokio::test]
async fn exits_and_crashes_are_errors_and_the_next_call_works() {
    skip_without!("python3");
    let fixture = PythonFixture::new(CODE);
    let left = fixture.run("leaves").await;
    assert_eq!(
        (field(&left, "error_type"), field(&left, "error_message")),
        (&json!("SystemExit"), &json!("it called sys.exit(3)"))
    );
    let before = fixture.pid().await;
    let quit = fixture.run("quits").await;
    assert_eq!(field(&quit, "error_type"), "python_ended");
    assert!(text(&quit, 0).contains("exit code 3") && text(&quit, 1).contains("bye"), "{quit:?}");
    assert_ne!(fixture.pid().await, before);
    let crashed = fixture.run("crashes").await;
    assert!(text(&crashed, 0).contains("segmentation fault"), "{crashed:?}");
    assert_eq!(fixture.run("keep").await.structured, Some(json!(1)));
}

#[tokio::test]
async fn a_worker_that_uses_too_much_memory_is_killed_with_its_children() {
    skip_without!("python3");
    let fixture = PythonFixture::with(CODE, |settings| settings.memory_bytes = 300 << 20);
    let outcome = fixture.run("hoards").await;
    assert_eq!(field(&outcome, "error_type"), "out_of_memory");
    assert!(text(&outcome, 0).contains("`memory_bytes` in `[limits]`"), "{outcome:?}");
    assert_eq!(fixture.run("keep").await.structured, Some(json!(1)));
}

#[tokio::test]
async fn cancelling_stops_the_call_but_keeps_the_process() {
    skip_without!("python3");
    let fixture = PythonFixture::new(CODE);
    fixture.run("keep").await;
    let pid = fixture.pid().await;
    for name in ["sleeps", "dozes"] {
        let outcome = cancelled(&fixture, name).await;
        assert_eq!(field(&outcome, "error_type"), "cancelled", "{outcome:?}");
        assert_eq!(fixture.pid().await, pid, "the process waits for the next call");
    }
    assert!(fixture.crib.path("crib/tidied").exists(), "what tidies up is let");
    assert_eq!(fixture.run("keep").await.structured, Some(json!(2)), "and so does what it keeps");
}

#[tokio::test]
async fn kills_an_uninterruptible_call_and_its_child_processes() {
    skip_without!("python3");
    let fixture = PythonFixture::new(CODE);
    let pid = fixture.pid().await;
    let outcome = cancelled(&fixture, "deaf").await;
    assert_eq!(field(&outcome, "error_type"), "cancelled", "{outcome:?}");
    wait_until("it is gone", || !is_process_running(&pid)).await;
    assert_ne!(fixture.pid().await, pid);
    let cancel = CancellationToken::new();
    let call = tokio::spawn(fixture.call_in(
        &fixture.session,
        function("programs"),
        json!({}),
        cancel.clone(),
        None,
    ));
    let begun = fixture.crib.path("crib").join("begun");
    let child = || std::fs::read_to_string(&begun).unwrap_or_default();
    wait_until("its program runs", || !child().is_empty() && is_process_running(&child())).await;
    cancel.cancel();
    call.await.unwrap();
    wait_until("its program is gone", || !is_process_running(&child())).await;
}

#[tokio::test]
async fn a_timeout_stops_the_call_but_keeps_the_process() {
    skip_without!("python3");
    let fixture = PythonFixture::new(CODE);
    let pid = fixture.pid().await;
    let mut tool = function("sleeps");
    tool.timeout = Some(Duration::from_millis(200));
    let outcome = fixture.call(tool, json!({})).await;
    assert_eq!(field(&outcome, "error_type"), "timed_out");
    assert!(text(&outcome, 0).contains("after 0.2 seconds"), "{outcome:?}");
    assert_eq!(fixture.pid().await, pid);
}
