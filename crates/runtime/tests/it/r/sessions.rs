//! Whose state it is.

use std::{fs, sync::Arc, time::Duration};

use catalog::Tool;
use runtime::{Runtime, Session, with_session_argument};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{
    state::{COUNTER, ToolStorage},
    workshop::{Workshop, function, need_r},
};
use crate::crib::{eventually, is_running, text};

#[tokio::test]
async fn sessions_do_not_see_each_other() {
    need_r!();
    let bench = Workshop::new(COUNTER);
    let other = Session::default();
    let count = |session: &Session| {
        bench.call_in(session, function("count", &[]), json!({}), CancellationToken::new(), None)
    };
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
        bench.call_in(
            session,
            function("meet", &[]),
            json!({}),
            CancellationToken::new(),
            Some(Duration::from_secs(30)),
        )
    };
    let (one, two) = tokio::join!(meet(&bench.session), meet(&other));
    assert_eq!((text(&one, 0), text(&two, 0)), ("[1] \"met\"\n", "[1] \"met\"\n"));
}

#[tokio::test]
async fn a_session_ends_with_its_state_and_its_worker() {
    need_r!();
    let bench = Workshop::new(COUNTER);
    let storage = Arc::new(ToolStorage::default());
    let runtime = Runtime::new(bench.crib.settings()).with_storage(Arc::clone(&storage) as _);
    let bench = Workshop { crib: bench.crib.with_runtime(runtime), session: Session::default() };
    bench.run("count").await;
    let pid = bench.pid().await;
    assert_eq!(storage.0.lock().unwrap().len(), 2, "the state, and whose it is");
    let Workshop { session, crib: _crib } = bench;
    drop(session);
    eventually("R is gone", || !is_running(&pid)).await;
    eventually("the state is gone", || storage.0.lock().unwrap().is_empty()).await;
}

#[tokio::test]
async fn a_handle_names_a_session_across_connections_and_servers() {
    need_r!();
    let bench = Workshop::new(COUNTER);
    let storage = Arc::new(ToolStorage::default());
    let runtime = || Runtime::new(bench.crib.settings()).with_storage(Arc::clone(&storage) as _);
    let (first, second) = (runtime(), runtime());
    let bench = Workshop { crib: bench.crib.with_runtime(first), session: Session::default() };
    let count = async |bench: &Workshop, handle: &str| {
        let tool = with_session_argument(&function("count", &[])).expect("an argument for it");
        let outcome = bench
            .call_in(
                &Session::default(),
                tool,
                json!({"session": handle}),
                CancellationToken::new(),
                None,
            )
            .await;
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
    let bench =
        Workshop::with(COUNTER, |settings| settings.worker_idle = Duration::from_millis(200));
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
    let count = bench
        .call_in(&other, function("count", &[]), json!({}), CancellationToken::new(), None)
        .await;
    assert_eq!(text(&count, 0), "[1] 1\n");
    eventually("the first worker made room", || !is_running(&pid)).await;
    assert_eq!(text(&bench.run("count").await, 0), "[1] 2\n", "and its state is still there");
}

#[tokio::test]
async fn a_session_whose_tools_need_two_workers_does_with_one() {
    need_r!();
    let bench = Workshop::with(COUNTER, |settings| settings.workers = 1);
    let mut reads = function("count", &[]);
    reads.annotations.mutates = Some(false);
    for before in [0, 2] {
        assert_eq!(text(&bench.run("count").await, 0), format!("[1] {}\n", before + 1));
        assert_eq!(
            text(&bench.call(reads.clone(), json!({})).await, 0),
            format!("[1] {}\n", before + 2)
        );
    }
}

#[tokio::test]
async fn who_finds_all_workers_busy_has_the_first_that_is_done() {
    need_r!();
    let code = format!(
        "{COUNTER}\nlasts <- function() {{ file.create('begun'); while (!file.exists('go')) Sys.sleep(0.01); 'done' }}"
    );
    let bench = Workshop::with(&code, |settings| (settings.workers, settings.concurrency) = (1, 8));
    let call = |session: &Session, name: &str| {
        bench.call_in(session, function(name, &[]), json!({}), CancellationToken::new(), None)
    };
    let long = tokio::spawn(call(&bench.session, "lasts"));
    let begun = bench.crib.path("crib/begun");
    eventually("it runs", || begun.exists()).await;
    let others = [Session::default(), Session::default()]
        .map(|session| tokio::spawn(call(&session, "count")));
    // They find no worker that is free, and wait.
    tokio::task::yield_now().await;
    fs::write(bench.crib.path("crib/go"), "").unwrap();
    assert_eq!(text(&long.await.unwrap(), 0), "[1] \"done\"\n");
    for other in others {
        assert_eq!(text(&other.await.unwrap(), 0), "[1] 1\n");
    }
}

/// A tool as callers see it who may name a session, or come without one.
fn open_to_all(name: &str) -> Tool {
    runtime::with_session_argument(&function(name, &[])).expect("a function of R")
}

#[tokio::test]
async fn a_state_that_nobody_asked_for_in_time_is_gone() {
    need_r!();
    let bench =
        Workshop::with(COUNTER, |settings| settings.session_lifetime = Duration::from_secs(1));
    let storage = Arc::new(ToolStorage::default());
    let mut settings = bench.crib.settings();
    settings.session_lifetime = Duration::from_secs(1);
    let runtime = Runtime::new(settings).with_storage(Arc::clone(&storage) as _);
    let bench = Workshop { crib: bench.crib.with_runtime(runtime), session: Session::default() };
    let count = async || {
        let session = Session::default();
        let call = bench.call_in(
            &session,
            open_to_all("count"),
            json!({"session": "mine"}),
            CancellationToken::new(),
            None,
        );
        text(&call.await, 0).to_owned()
    };
    assert_eq!(count().await, "[1] 1\n");
    eventually("nothing is kept for it", || storage.0.lock().unwrap().is_empty()).await;
    assert_eq!(count().await, "[1] 1\n", "the same handle is a new session");
}

#[tokio::test]
async fn callers_without_a_session_get_an_r_that_waits_and_nothing_of_each_other() {
    need_r!();
    let code = "who <- function(.state_env) {
        seen <- c(exists('mark', globalenv()), .state_env$has('mark'), 'stats4' %in% loadedNamespaces())
        assign('mark', 1, globalenv()); .state_env$set('mark', 1); loadNamespace('stats4')
        cat(Sys.getpid(), any(seen)) }";
    let bench = Workshop::new(code);
    let who = async || {
        let call = bench
            .call_in(
                &Session::default(),
                open_to_all("who"),
                json!({}),
                CancellationToken::new(),
                None,
            )
            .await;
        let said = text(&call, 0).to_owned();
        let (pid, has_seen) = said.split_once(' ').expect("two words");
        assert_eq!(has_seen, "FALSE", "another session has used it");
        pid.parse::<u32>().expect("a process")
    };
    let first = who().await;
    let waiting =
        |but: u32| workers(&bench).into_iter().filter(|pid| *pid != but).collect::<Vec<_>>();
    eventually("one waits for the next", || waiting(first).len() == 1).await;
    let spare = waiting(first)[0];
    assert_eq!(who().await, spare, "it was there already");
    eventually("another one waits", || waiting(spare).len() == 1).await;
}

#[tokio::test]
async fn an_r_that_waits_gives_way() {
    need_r!();
    let bench =
        Workshop::with("pid <- function() cat(Sys.getpid())", |settings| settings.workers = 2);
    let (one, two) = (Session::default(), Session::default());
    let mut reader = open_to_all("pid");
    reader.annotations.mutates = Some(false);
    let call = async |session: &Session, tool: Tool| {
        let outcome = bench.call_in(session, tool, json!({}), CancellationToken::new(), None).await;
        text(&outcome, 0).to_owned()
    };
    let first = call(&one, open_to_all("pid")).await;
    assert_ne!(call(&two, reader).await, first, "another kind needs the seat");
    assert_eq!(call(&one, open_to_all("pid")).await, first, "the process of the spare worker");
}

#[tokio::test]
async fn an_r_that_waits_goes_when_nobody_wants_it() {
    need_r!();
    let bench = Workshop::with("fine <- function() 1", |settings| {
        settings.worker_idle = Duration::from_millis(200)
    });
    let call = bench.call_in(
        &Session::default(),
        open_to_all("fine"),
        json!({}),
        CancellationToken::new(),
        None,
    );
    assert_eq!(text(&call.await, 0), "[1] 1\n");
    eventually("all of them are gone", || workers(&bench).is_empty()).await;
}

/// The processes whose working folder is the crib.
fn workers(bench: &Workshop) -> Vec<u32> {
    let crib = bench.crib.path("crib").canonicalize().expect("a folder");
    let is_there =
        |pid: &u32| fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|folder| folder == crib);
    let all = fs::read_dir("/proc").expect("processes").flatten();
    all.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(is_there).collect()
}
