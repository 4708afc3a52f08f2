//! A server that is killed at any moment loses no finished result and leaves no process behind.
//!
//! The server is this test binary, run again with a folder in its environment.

use std::{
    env, fs,
    io::Write,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use runtime::{
    Until, Viewer,
    journal::Filter,
    operation::{Operation, OperationId, State},
};
use testing::wait_until_blocking;

use crate::servers::{background, call, start_server};

/// The variable that makes [`serve_until_killed`] a server, with its folder as value.
const SERVER_FOLDER: &str = "TOOLCRIB_TEST_SERVER_FOLDER";
const ROUNDS: u64 = 250;
/// How long the programs of a killed server may live on.
const DEATH_TIME: Duration = Duration::from_secs(1);
/// No further round starts after this time.
const TIME_LIMIT: Duration = Duration::from_secs(40);

/// The server that is killed: starts operations that never end, and records each result that it has
/// returned. Does nothing unless [`spawn_server`] runs it.
#[test]
fn serve_until_killed() {
    let Some(folder) = env::var_os(SERVER_FOLDER) else {
        return;
    };
    let driver =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    driver.block_on(async {
        let folder = Path::new(&folder);
        let runtime = start_server(folder, |settings| {
            settings.concurrency = 64;
            settings.answer_within = Duration::from_millis(20);
        });
        fs::write(folder.join("ready"), "").unwrap();
        for round in 0_u64.. {
            let long = endless_command(folder);
            let script = match round % 4 {
                0 => format!("{long} & setsid {long} & wait"),
                1 => format!("env -i {long} & sleep 0.03; echo slow; kill $!"),
                2 => format!("env -i {long} & {long}"),
                _ => "echo quick".to_owned(),
            };
            let (runtime, folder) = (runtime.clone(), folder.to_owned());
            let run = async move {
                let mut tool = background(&script);
                // A lost call that cannot be repeated safely would wait for approval.
                tool.annotations.idempotent = Some(true);
                let outcome = call(&runtime, tool).await;
                let id = match Operation::started_by(&outcome) {
                    Some(id) => id,
                    None => OperationId::random(),
                };
                let limit = Duration::from_millis(80);
                let all = runtime
                    .operations()
                    .wait(Viewer::Operator, std::slice::from_ref(&id), Until::All, limit)
                    .await;
                if all.is_ok_and(|all| all[0].state.is_final())
                    || Operation::started_by(&outcome).is_none()
                {
                    record_answer(&folder, &outcome_line(&outcome, &id));
                }
            };
            if round % 2 == 0 {
                tokio::spawn(run);
                tokio::time::sleep(Duration::from_millis(1)).await;
            } else {
                run.await;
            }
            if round > 200 {
                std::future::pending::<()>().await;
            }
        }
    });
}

/// A command that never ends, with an argument that is unique to this folder.
fn endless_command(folder: &Path) -> String {
    let number = folder
        .to_string_lossy()
        .bytes()
        .fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    format!("sleep 9{number:010}")
}

/// The line to record for a result: the id of its operation, or that it was returned inline.
fn outcome_line(outcome: &catalog::Outcome, id: &OperationId) -> String {
    match Operation::started_by(outcome) {
        Some(_) => format!("id {id}\n"),
        None => "inline\n".to_owned(),
    }
}

fn record_answer(folder: &Path, line: &str) {
    let mut file =
        fs::OpenOptions::new().append(true).create(true).open(folder.join("answered")).unwrap();
    file.write_all(line.as_bytes()).unwrap();
}

/// Starts a server, and waits until it is ready.
fn spawn_server(folder: &Path) -> Child {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "killing::serve_until_killed", "--nocapture", "--test-threads=1"])
        .env(SERVER_FOLDER, folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_until_blocking("the server is ready", || {
        assert!(child.try_wait().unwrap().is_none(), "the server exited");
        folder.join("ready").exists()
    });
    child
}

/// The processes of operations in this folder, found by their environment or by their command line.
fn leftover_processes(folder: &Path) -> Vec<String> {
    let mark = format!("TMPDIR={}", folder.join("temp").display());
    let endless_argv = endless_command(folder).replace(' ', "\0");
    let pids = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let has = |pid: u32, file: &str, text: &str| {
        let content = fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        content.windows(text.len()).any(|window| window == text.as_bytes())
    };
    let is_leftover =
        |pid: &u32| has(*pid, "environ", &mark) || has(*pid, "cmdline", &endless_argv);
    let describe = |pid: u32| {
        format!("{pid} {}", fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default())
    };
    pids.filter(is_leftover).map(describe).collect()
}

/// Starts the next server, checks what it finds, and returns how many operations were lost in the
/// last round and completed in all rounds.
async fn check_recovery(folder: &Path) -> (usize, usize) {
    let runtime = start_server(folder, |_| {});
    let lost = runtime.recover().await.unwrap();
    assert!(lost.iter().all(|operation| operation.state == State::Lost));
    // The launcher process of the killed server kills its programs and removes their folders. A
    // program of which the start had begun may still appear for a moment.
    let count_folders = || fs::read_dir(folder.join("temp")).unwrap().count();
    let start = Instant::now();
    let mut left = leftover_processes(folder);
    while start.elapsed() < DEATH_TIME && !(left.is_empty() && count_folders() == 0) {
        tokio::time::sleep(Duration::from_millis(5)).await;
        left = leftover_processes(folder);
    }
    assert_eq!(left, [""; 0], "processes are left");
    let open = State::ALL.into_iter().filter(|state| !state.is_final()).collect();
    let unfinished = runtime
        .operations()
        .list(Filter { states: open, ..Filter::default() }, None, 1000)
        .await
        .unwrap();
    assert!(unfinished.operations.is_empty(), "operations are open: {:?}", unfinished.operations);
    assert_eq!(count_folders(), 0, "folders are left");
    let answered = fs::read_to_string(folder.join("answered")).unwrap_or_default();
    for id in answered.lines().filter_map(|line| line.strip_prefix("id ")) {
        let operation =
            runtime.operations().get(Viewer::Operator, &id.parse().unwrap()).await.unwrap();
        assert!(
            operation.outcome.is_some() && operation.state != State::Lost,
            "a result was lost: {operation:?}"
        );
    }
    let inline = answered.lines().filter(|line| *line == "inline").count();
    let done = Filter { states: vec![State::Completed], ..Filter::default() };
    let completed = runtime.operations().list(done, None, 10_000).await.unwrap().operations;
    let collected = completed.iter().filter(|operation| operation.collected).count();
    assert!(collected >= inline, "inline results are kept, too: {collected} of {inline}");
    let store = rusqlite::Connection::open(folder.join("state/store.db")).unwrap();
    let verdict: String =
        store.pragma_query_value(None, "integrity_check", |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
    (lost.len(), completed.len())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_loses_no_result_and_leaves_no_process() {
    let start = Instant::now();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    // A fixed sequence of delays (xorshift), so that a failure can be repeated.
    let (mut seed, mut rounds, mut lost, mut completed) = (0x2545_f491_4f6c_dd1d_u64, 0, 0, 0);
    while rounds < ROUNDS && start.elapsed() < TIME_LIMIT {
        let mut server = spawn_server(&folder);
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        std::thread::sleep(Duration::from_micros(seed % 120_000));
        server.kill().unwrap();
        server.wait().unwrap();
        fs::remove_file(folder.join("ready")).unwrap();
        let (more_lost, all_completed) = check_recovery(&folder).await;
        lost += more_lost;
        completed = all_completed;
        rounds += 1;
    }
    eprintln!(
        "{rounds} kills in {:?}: {lost} operations lost, {completed} results kept",
        start.elapsed()
    );
    assert!(
        rounds >= 50 && lost > rounds as usize && completed > 0,
        "{rounds} rounds, {lost} lost, {completed} kept"
    );
}
