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

use crate::crib::{background, call, server};

const FOLDER: &str = "TOOLCRIB_TEST_VICTIM";
const ROUNDS: u64 = 250;
/// No more rounds are begun after this.
const LONGEST: Duration = Duration::from_secs(40);

/// The server that is killed: starts things without end, and notes each result that it has answered.
#[test]
fn victim() {
    let Some(place) = env::var_os(FOLDER) else {
        return;
    };
    let driver =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    driver.block_on(async {
        let place = Path::new(&place);
        let runtime = server(place, |settings| {
            settings.concurrency = 64;
            settings.answer_within = Duration::from_millis(20);
        });
        fs::write(place.join("ready"), "").unwrap();
        for round in 0_u64.. {
            let long = endless(place);
            let script = match round % 4 {
                0 => format!("{long} & setsid {long} & wait"),
                1 => format!("env -i {long} & sleep 0.03; echo slow; kill $!"),
                2 => format!("env -i {long} & {long}"),
                _ => "echo quick".to_owned(),
            };
            let (runtime, place) = (runtime.clone(), place.to_owned());
            let run = async move {
                let outcome = call(&runtime, background(&script)).await;
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
                    note(&place, &outcome_line(&outcome, &id));
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

/// A command that does not end, and that no other test runs.
fn endless(place: &Path) -> String {
    let number = place
        .to_string_lossy()
        .bytes()
        .fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    format!("sleep 9{number:010}")
}

/// What was answered: the id of what had been started, or the text of an inline result.
fn outcome_line(outcome: &catalog::Outcome, id: &OperationId) -> String {
    match Operation::started_by(outcome) {
        Some(_) => format!("id {id}\n"),
        None => "inline\n".to_owned(),
    }
}

fn note(place: &Path, line: &str) {
    let mut file =
        fs::OpenOptions::new().append(true).create(true).open(place.join("answered")).unwrap();
    file.write_all(line.as_bytes()).unwrap();
}

fn start(place: &Path) -> Child {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "killing::victim", "--nocapture", "--test-threads=1"])
        .env(FOLDER, place)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while !place.join("ready").exists() {
        assert!(begun.elapsed() < Duration::from_secs(20), "the server does not start");
        assert!(child.try_wait().unwrap().is_none(), "the server ended");
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

/// Processes that were started for operations in `place`: by their folder, or by what only they do.
fn left_over(place: &Path) -> Vec<String> {
    let mark = format!("TMPDIR={}", place.join("temp").display());
    let endless = endless(place).replace(' ', "\0");
    let pids = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let has = |pid: u32, file: &str, text: &str| {
        let content = fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        content.windows(text.len()).any(|window| window == text.as_bytes())
    };
    let is_left = |pid: &u32| has(*pid, "environ", &mark) || has(*pid, "cmdline", &endless);
    let says = |pid: u32| {
        format!("{pid} {}", fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default())
    };
    pids.filter(is_left).map(says).collect()
}

async fn check(place: &Path) -> (usize, usize) {
    let runtime = server(place, |_| {});
    let lost = runtime.recover().await.unwrap();
    assert!(lost.iter().all(|operation| operation.state == State::Lost));
    assert_eq!(left_over(place), [""; 0], "processes are left");
    let open = State::ALL.into_iter().filter(|state| !state.is_final()).collect();
    let unfinished = runtime
        .operations()
        .list(Filter { states: open, ..Filter::default() }, None, 1000)
        .await
        .unwrap();
    assert!(unfinished.operations.is_empty(), "operations are open: {:?}", unfinished.operations);
    assert_eq!(fs::read_dir(place.join("temp")).unwrap().count(), 0, "folders are left");
    let answered = fs::read_to_string(place.join("answered")).unwrap_or_default();
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
    let store = rusqlite::Connection::open(place.join("state/store.db")).unwrap();
    let verdict: String =
        store.pragma_query_value(None, "integrity_check", |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
    (lost.len(), completed.len())
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_random_points_it_loses_no_result_and_leaves_no_process() {
    let begun = Instant::now();
    let place = tempfile::tempdir().unwrap();
    let place = place.path().canonicalize().unwrap();
    // A fixed walk through the moments of a start and the first work.
    let (mut seed, mut rounds, mut lost, mut completed) = (0x2545_f491_4f6c_dd1d_u64, 0, 0, 0);
    while rounds < ROUNDS && begun.elapsed() < LONGEST {
        let mut child = start(&place);
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        std::thread::sleep(Duration::from_micros(seed % 120_000));
        child.kill().unwrap();
        child.wait().unwrap();
        fs::remove_file(place.join("ready")).unwrap();
        let (more_lost, all_completed) = check(&place).await;
        lost += more_lost;
        completed = all_completed;
        rounds += 1;
    }
    eprintln!(
        "{rounds} kills in {:?}: {lost} operations lost, {completed} results kept",
        begun.elapsed()
    );
    assert!(
        rounds >= 50 && lost > rounds as usize && completed > 0,
        "{rounds} rounds, {lost} lost, {completed} kept"
    );
}
