//! Nothing outlives its call, and nothing outlives its server.

use std::{
    io::{BufRead, BufReader},
    process::Stdio,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use process::SandboxLevel;

use crate::bench::{Bench, Rights, is_running};

/// A daemon: own session, own group, no environment, no open descriptors.
fn daemon(marker: &str) -> String {
    format!(
        "setsid sh -c 'trap \"\" TERM HUP INT; exec env -i sleep {marker}' </dev/null >/dev/null 2>&1 &"
    )
}

fn marker(kind: &str, bench: &Bench) -> String {
    let number = u32::from(bench.has_namespaces()) + 2 * u32::try_from(kind.len()).expect("short");
    format!("8{number}{}.5", std::process::id())
}

#[tokio::test]
async fn a_daemon_dies_with_its_call() {
    for bench in Bench::all() {
        let marker = marker("end", &bench);
        let script = format!(
            "{} sleep 0.2; pgrep -f 'sleep {marker}' >/dev/null && echo up",
            daemon(&marker)
        );
        let output = bench.sh(Rights::Read, &script).await;
        assert_eq!(crate::bench::text(&output), "up", "it was started");
        assert!(!is_running(&marker), "{:?}", bench.level);
    }
}

#[tokio::test]
async fn a_daemon_dies_when_its_call_is_dropped() {
    for bench in Bench::all() {
        let marker = marker("dropped", &bench);
        let command =
            Arc::new(bench.command(Rights::Read, &format!("{} sleep 60", daemon(&marker))));
        let child = bench.launcher.start(&command).await.expect("a shell");
        wait_for(&marker, true);
        drop(child);
        wait_for(&marker, false);
    }
}

#[tokio::test]
async fn kill_returns_the_killed_processes() {
    for bench in Bench::all() {
        let marker = marker("listed", &bench);
        let command =
            Arc::new(bench.command(Rights::Read, &format!("{} sleep 60", daemon(&marker))));
        let child = bench.launcher.start(&command).await.expect("a shell");
        wait_for(&marker, true);
        let killed = child.kill().await;
        assert!(!is_running(&marker), "{:?}", bench.level);
        assert!(killed.iter().filter(|killed| killed.name == "sleep").count() >= 1, "{killed:?}");
    }
}

/// Everything that a server started dies within a second when it is killed.
#[test]
fn a_killed_server_leaves_no_processes() {
    for level in ["landlock", "namespaces"] {
        let executable = std::env::current_exe().expect("this program");
        let mut server = std::process::Command::new(executable)
            .args(["--ignored", "--exact", &format!("lifetime::server_{level}"), "--nocapture"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("a server");
        let lines = BufReader::new(server.stdout.take().expect("a pipe")).lines();
        let marker = lines
            .map_while(Result::ok)
            .find_map(|line| Some(line.split_once("started ")?.1.to_owned()));
        let marker = marker.expect("the server starts a daemon");
        assert!(is_running(&marker));
        server.kill().expect("a running server");
        server.wait().expect("a killed server");
        wait_for(&marker, false);
    }
}

#[tokio::test]
#[ignore = "run by another test, which kills it"]
async fn server_landlock() {
    serve(SandboxLevel::Landlock).await;
}

#[tokio::test]
#[ignore = "run by another test, which kills it"]
async fn server_namespaces() {
    serve(process::sandbox_level()).await;
}

#[expect(clippy::print_stdout, reason = "the other test reads it")]
async fn serve(level: SandboxLevel) {
    let bench = Bench::new(level);
    let marker = marker("server", &bench);
    let command = Arc::new(bench.command(Rights::Read, &format!("{} sleep 60", daemon(&marker))));
    let child = bench.launcher.start(&command).await.expect("a shell");
    wait_for(&marker, true);
    println!("started {marker}");
    tokio::time::sleep(Duration::from_secs(30)).await;
    drop(child);
}

/// Waits, at most a second, until a process runs or is gone.
fn wait_for(marker: &str, expected: bool) {
    let start = Instant::now();
    while is_running(marker) != expected {
        assert!(start.elapsed() < Duration::from_secs(1), "not so after a second: {expected}");
        thread::sleep(Duration::from_millis(10));
    }
}
