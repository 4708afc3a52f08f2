//! Whose state it is.

use std::{sync::Arc, time::Duration};

use runtime::{Runtime, Session, with_handle};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{
    state::{COUNTER, Shelf},
    workshop::{Workshop, function, need_r},
};
use crate::crib::{eventually, is_running, text};

#[tokio::test]
async fn sessions_do_not_see_each_other() {
    need_r!();
    let bench = Workshop::new(COUNTER);
    let other = Session::default();
    let count = |session: &Session| bench.call_in(session, function("count", &[]), json!({}), CancellationToken::new(), None);
    let (one, two) = tokio::join!(count(&bench.session), count(&other));
    assert_eq!((text(&one, 0), text(&two, 0)), ("[1] 1\n", "[1] 1\n"));
    assert_eq!(text(&count(&bench.session).await, 0), "[1] 2\n");
    assert_eq!(text(&count(&other).await, 0), "[1] 2\n");
}

#[tokio::test]
async fn sessions_run_beside_each_other_and_calls_of_one_in_turn() {
    need_r!();
    let bench = Workshop::new(
        "meet <- function() { file.create(as.character(Sys.getpid())); while (length(dir(pattern = '^[0-9]+$')) < 2) Sys.sleep(0.01); 'met' }",
    );
    let other = Session::default();
    let meet = |session: &Session| {
        bench.call_in(session, function("meet", &[]), json!({}), CancellationToken::new(), Some(Duration::from_secs(30)))
    };
    let (one, two) = tokio::join!(meet(&bench.session), meet(&other));
    assert_eq!((text(&one, 0), text(&two, 0)), ("[1] \"met\"\n", "[1] \"met\"\n"));
}

#[tokio::test]
async fn a_session_ends_with_its_state_and_its_worker() {
    need_r!();
    let bench = Workshop::new(COUNTER);
    let shelf = Arc::new(Shelf::default());
    let runtime = Runtime::new(bench.crib.settings()).with_keep(Arc::clone(&shelf) as _);
    let bench = Workshop { crib: bench.crib.with_runtime(runtime), session: Session::default() };
    bench.run("count").await;
    let pid = bench.pid().await;
    assert_eq!(shelf.0.lock().unwrap().len(), 2, "the state, and whose it is");
    let Workshop { session, crib: _crib } = bench;
    drop(session);
    eventually("R is gone", || !is_running(&pid)).await;
    eventually("the state is gone", || shelf.0.lock().unwrap().is_empty()).await;
}

#[tokio::test]
async fn a_handle_names_a_session_across_connections_and_servers() {
    need_r!();
    let bench = Workshop::new(COUNTER);
    let shelf = Arc::new(Shelf::default());
    let runtime = || Runtime::new(bench.crib.settings()).with_keep(Arc::clone(&shelf) as _);
    let (first, second) = (runtime(), runtime());
    let bench = Workshop { crib: bench.crib.with_runtime(first), session: Session::default() };
    let count = async |bench: &Workshop, handle: &str| {
        let tool = with_handle(&function("count", &[])).expect("an argument for it");
        let outcome = bench.call_in(&Session::default(), tool, json!({"session": handle}), CancellationToken::new(), None).await;
        text(&outcome, 0).to_owned()
    };
    assert_eq!(count(&bench, "mine").await, "[1] 1\n");
    assert_eq!(count(&bench, "mine").await, "[1] 2\n");
    assert_eq!(count(&bench, "other").await, "[1] 1\n");
    let later = Workshop { crib: bench.crib.with_runtime(second), ..bench };
    assert_eq!(count(&later, "mine").await, "[1] 3\n", "another server finds it");
}

#[tokio::test]
async fn a_worker_that_nobody_uses_ends_and_its_state_stays() {
    need_r!();
    let bench = Workshop::with(COUNTER, |settings| settings.worker_idle = Duration::from_millis(200));
    bench.run("count").await;
    let pid = bench.pid().await;
    eventually("the worker has gone", || !is_running(&pid)).await;
    assert_eq!(text(&bench.run("count").await, 0), "[1] 2\n");
}

#[tokio::test]
async fn there_are_no_more_workers_than_allowed() {
    need_r!();
    let bench = Workshop::with(COUNTER, |settings| settings.workers = 1);
    bench.run("count").await;
    let pid = bench.pid().await;
    let other = Session::default();
    let count = bench.call_in(&other, function("count", &[]), json!({}), CancellationToken::new(), None).await;
    assert_eq!(text(&count, 0), "[1] 1\n");
    eventually("the first worker made room", || !is_running(&pid)).await;
    assert_eq!(text(&bench.run("count").await, 0), "[1] 2\n", "and its state is still there");
}
