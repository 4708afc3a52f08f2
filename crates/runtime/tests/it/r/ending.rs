//! Calls that do not return a value: errors, crashes, cancellation, timeouts. The next
//! call works, always.

use std::time::Duration;

use catalog::{Mode, Tool};
use runtime::{
    Viewer,
    operation::{Operation, State},
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::r_fixture::{RFixture, function, returning};
use testing::{field, is_process_running, skip_without, text, wait_until};

const CODE: &str = "
  fails <- function() inner('x')
  inner <- function(text) stop('it broke: ', text)
  quits <- function() { cat('bye'); quit(status = 3) }
  crashes <- function() tools::pskill(Sys.getpid(), 11)
  loops <- function() repeat {}
  sleeps <- function() { file.create('begun'); Sys.sleep(60) }
  deaf <- function() repeat tryCatch({ file.create('begun'); repeat Sys.sleep(0.01) }, interrupt = function(e) NULL)
  deep <- function() deep()
  cleans <- function() { on.exit(stop('nothing to close')); stop('first') }
  shadows <- function() for (name in c('list', 'c', 'is.null', 'lapply')) assign(name, function(...) stop('not R'), envir = globalenv())
  own <- function() tryCatch(stop('mine'), error = function(e) { warning('after'); 'handled' }, finally = cat('finally\\n'))
  programs <- function() { file.create('begun'); system('sleep 60 & echo $! > child; wait') }
  large <- function() { x <- seq_len(2e7) + 0; file.create('begun'); x }
  fine <- function() 'fine'
  pid <- function() Sys.getpid()
";

async fn assert_usable(fixture: &RFixture) {
    assert_eq!(text(&fixture.run("fine").await, 0), "[1] \"fine\"\n");
}

#[tokio::test]
async fn an_error_has_message_call_class_and_traceback() {
    skip_without!("R");
    let fixture = RFixture::new(CODE);
    let outcome = fixture.run("fails").await;
    assert!(outcome.failed);
    assert_eq!(field(&outcome, "error_type"), "r_error");
    assert_eq!(
        field(&outcome, "error_message"),
        "`bench-fails` failed in `inner(\"x\")`: it broke: x"
    );
    let details = field(&outcome, "error_details");
    assert_eq!(details["call"], "inner(\"x\")");
    assert_eq!(details["class"], json!(["simpleError", "error"]));
    assert_eq!(
        details["traceback"],
        json!(["fails()", "inner(\"x\")", "stop(\"it broke: \", text)"])
    );
    assert_usable(&fixture).await;
}

#[tokio::test]
async fn errors_do_not_expose_the_calls_of_the_worker() {
    skip_without!("R");
    let fixture = RFixture::new(
        "f <- function() stop(simpleError('refused', sys.call(-1)))\ng <- function() { warning(simpleWarning('w', sys.call(-1))); 1 }",
    );
    assert_eq!(field(&fixture.run("f").await, "error_message"), "`bench-f` failed: refused");
    assert_eq!(field(&fixture.run("g").await, "warnings"), &json!(["w"]));
}

#[tokio::test]
async fn functions_can_handle_errors_and_deep_recursion_is_an_error() {
    skip_without!("R");
    let fixture = RFixture::new(CODE);
    let outcome = fixture.run("own").await;
    assert_eq!(text(&outcome, 0), "finally\n[1] \"handled\"\n");
    assert!(field(&outcome, "warnings")[0].as_str().unwrap().starts_with("after"), "{outcome:?}");
    for _ in 0..2 {
        let outcome = fixture.run("deep").await;
        assert_eq!(field(&outcome, "error_type"), "r_error", "{outcome:?}");
        assert_usable(&fixture).await;
    }
}

#[tokio::test]
async fn an_error_during_cleanup_does_not_hide_the_first_or_kill_r() {
    skip_without!("R");
    let fixture = RFixture::new(CODE);
    let pid = fixture.pid().await;
    let outcome = fixture.run("cleans").await;
    assert_eq!(
        field(&outcome, "error_message"),
        "`bench-cleans` failed in `cleans()`: first",
        "{outcome:?}"
    );
    assert_eq!(fixture.pid().await, pid);
}

#[tokio::test]
async fn shadowing_base_functions_does_not_affect_the_worker() {
    skip_without!("R");
    let fixture = RFixture::new(CODE);
    let pid = fixture.pid().await;
    assert!(!fixture.run("shadows").await.failed);
    assert_eq!(fixture.pid().await, pid);
}

#[tokio::test]
async fn a_function_that_quits_is_an_error_and_the_next_call_works() {
    skip_without!("R");
    let fixture = RFixture::new(CODE);
    let outcome = fixture.run("quits").await;
    assert_eq!(field(&outcome, "error_type"), "r_ended");
    assert!(text(&outcome, 0).contains("exit code 3, as `quit()` does"), "{outcome:?}");
    assert_eq!(field(&outcome, "printed"), "bye");
    assert_usable(&fixture).await;
}

#[tokio::test]
async fn a_crash_is_an_error_and_the_next_call_works() {
    skip_without!("R");
    let fixture = RFixture::new(CODE);
    let outcome = fixture.run("crashes").await;
    assert_eq!(field(&outcome, "error_type"), "r_ended");
    assert!(text(&outcome, 0).contains("segmentation fault"), "{outcome:?}");
    let said = field(&outcome, "messages").to_string();
    assert!(
        said.contains("tools::pskill") && said.len() < 4000,
        "R shows how it came to it, not the worker itself: {said}"
    );
    assert_usable(&fixture).await;
}

#[tokio::test]
async fn a_worker_that_dies_between_calls_is_replaced() {
    skip_without!("R");
    let fixture = RFixture::new(CODE);
    let pid = fixture.pid().await;
    let killed = std::process::Command::new("kill").args(["-9", &pid]).status().unwrap();
    assert!(killed.success());
    wait_until("R is gone", || !is_process_running(&pid)).await;
    assert_usable(&fixture).await;
}

#[tokio::test]
async fn a_timeout_interrupts_r_and_keeps_the_worker() {
    skip_without!("R");
    let fixture = RFixture::new(CODE);
    let pid = fixture.pid().await;
    for name in ["loops", "sleeps"] {
        let limit = Some(Duration::from_millis(300));
        let outcome = fixture
            .call_with(function(name, &[]), json!({}), CancellationToken::new(), limit)
            .await;
        assert_eq!(field(&outcome, "error_type"), "timed_out", "{outcome:?}");
    }
    assert_eq!(fixture.pid().await, pid, "the same R process continues");
}

#[tokio::test]
async fn cancelling_interrupts_only_the_running_call() {
    skip_without!("R");
    let fixture = RFixture::new(CODE);
    let pid = fixture.pid().await;
    let cancel = CancellationToken::new();
    let sleeping =
        tokio::spawn(fixture.call_with(function("sleeps", &[]), json!({}), cancel.clone(), None));
    let begun = fixture.crib.path("crib/begun");
    wait_until("it sleeps", || begun.exists()).await;
    let next = tokio::spawn(fixture.call_with(
        returning("pid", json!({"type": "integer"})),
        json!({}),
        CancellationToken::new(),
        None,
    ));
    cancel.cancel();
    assert_eq!(field(&sleeping.await.unwrap(), "error_type"), "cancelled");
    let next = next.await.unwrap();
    assert_eq!(next.structured.unwrap().to_string(), pid, "the call behind it was not touched");
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_an_operation_interrupts_r_and_keeps_the_worker() {
    skip_without!("R");
    let fixture =
        RFixture::with(CODE, |settings| settings.answer_within = Duration::from_millis(50));
    let pid = fixture.pid().await;
    let started =
        fixture.call(Tool { mode: Mode::Asynchronous, ..function("sleeps", &[]) }, json!({})).await;
    let id = Operation::started_by(&started).expect("an operation");
    let begun = fixture.crib.path("crib/begun");
    wait_until("it sleeps", || begun.exists()).await;
    let operation = fixture.crib.runtime.operations().cancel(Viewer::Operator, &id).await.unwrap();
    assert_eq!(operation.state, State::Cancelled);
    assert_eq!(fixture.pid().await, pid, "the same R process continues with its state");
    assert_usable(&fixture).await;
}

/// The race: the call returns just when it is interrupted.
#[tokio::test]
async fn a_late_interrupt_does_not_affect_the_next_call() {
    skip_without!("R");
    let fixture = RFixture::new(CODE);
    assert_usable(&fixture).await;
    for delay in 0..60 {
        let cancel = CancellationToken::new();
        let call =
            tokio::spawn(fixture.call_with(function("fine", &[]), json!({}), cancel.clone(), None));
        tokio::time::sleep(Duration::from_micros(delay * 10)).await;
        cancel.cancel();
        call.await.unwrap();
        assert_usable(&fixture).await;
    }
}

#[tokio::test]
async fn a_call_can_be_interrupted_while_its_value_is_sent() {
    skip_without!("R");
    let fixture = RFixture::new(CODE);
    let pid = fixture.pid().await;
    let cancel = CancellationToken::new();
    let large = tokio::spawn(fixture.call_with(
        returning("large", json!({"type": "array"})),
        json!({}),
        cancel.clone(),
        None,
    ));
    let begun = fixture.crib.path("crib/begun");
    wait_until("it is about to return", || begun.exists()).await;
    cancel.cancel();
    assert_eq!(field(&large.await.unwrap(), "error_type"), "cancelled");
    assert_eq!(fixture.pid().await, pid, "the same R process continues");
}

#[tokio::test]
async fn uninterruptible_code_is_killed_and_r_restarted() {
    skip_without!("R");
    let fixture = RFixture::new(CODE);
    let pid = fixture.pid().await;
    let cancel = CancellationToken::new();
    let deaf =
        tokio::spawn(fixture.call_with(function("deaf", &[]), json!({}), cancel.clone(), None));
    let begun = fixture.crib.path("crib/begun");
    wait_until("it runs", || begun.exists()).await;
    cancel.cancel();
    assert_eq!(field(&deaf.await.unwrap(), "error_type"), "cancelled");
    assert!(!is_process_running(&pid));
    assert_ne!(fixture.pid().await, pid);
}

#[tokio::test]
async fn cancelling_kills_programs_that_r_started() {
    skip_without!("R");
    let fixture = RFixture::new(CODE);
    let cancel = CancellationToken::new();
    let call =
        tokio::spawn(fixture.call_with(function("programs", &[]), json!({}), cancel.clone(), None));
    let child = fixture.crib.path("crib/child");
    wait_until("the program runs", || {
        std::fs::read_to_string(&child).is_ok_and(|pid| pid.ends_with('\n'))
    })
    .await;
    let pid = std::fs::read_to_string(&child).unwrap();
    assert!(is_process_running(&pid));
    cancel.cancel();
    assert_eq!(field(&call.await.unwrap(), "error_type"), "cancelled");
    drop(fixture);
    wait_until("the program is gone", || !is_process_running(&pid)).await;
}

/// Code that writes messages of its own to the pipe of its worker.
const FORGED: &str = "
  pipe_to_server <- function() {
    ends <- list.files('/proc/self/fd', full.names = TRUE)
    is_pipe <- grepl('/replies', vapply(ends, Sys.readlink, ''), fixed = TRUE)
    file(ends[is_pipe][[1L]], 'wb', raw = TRUE)
  }
  forge <- function(message, times) {
    bytes <- serialize(message, NULL, xdr = FALSE, version = 2L)
    frame <- c(writeBin(length(bytes), raw()), bytes)
    to <- pipe_to_server()
    many <- rep(frame, 1000L)
    for (turn in seq_len(times / 1000L)) writeBin(many, to)
    close(to)
  }
  nested <- function() forge(list('open', 'array'), 300000L)
  siblings <- function() forge(list('close'), 2000000L)
  plots <- function() forge(list('plot', raw(1000L)), 100000L)
  unknown <- function() forge(list('gossip'), 1000L)
  fine <- function() 'fine'
";

#[tokio::test]
async fn forged_replies_fail_only_their_own_call() {
    skip_without!("R");
    let fixture = RFixture::new(FORGED);
    for (name, reason) in [
        ("nested", "nested too deeply"),
        ("siblings", "too many replies"),
        ("plots", "too many plots"),
        ("unknown", "an unknown reply `gossip`"),
    ] {
        let outcome = fixture.run(name).await;
        assert_eq!(field(&outcome, "error_type"), "r_ended", "{name}: {outcome:?}");
        assert!(text(&outcome, 0).contains(reason), "{name}: {outcome:?}");
        assert_usable(&fixture).await;
    }
}
