//! Protected files that a person replaces while a program runs.

use std::{fs, path::Path, sync::Arc, time::Duration};

use process::{ChildProcess, Violation};
use tokio::{io::AsyncReadExt, time::timeout};

use crate::bench::{Bench, Rights, mode};

/// Prints a line, then repeats an attack on `toolcrib.toml` until it succeeds once or `stop` exists.
const ATTACKER: &str = r#"
import os, itertools
os.mkdir("sub")
for number in range(200): open(f"sub/{number}", "w").write("evil")
def rewrite(number):
    fd = os.open("toolcrib.toml", os.O_WRONLY); os.write(fd, b"evil"); os.close(fd)
def keep_open(number):
    global kept
    kept = os.open("toolcrib.toml", os.O_RDWR); os.pwrite(kept, b"evil", 0)
def truncate(number): os.truncate("toolcrib.toml", 0)
def change_mode(number): os.chmod("toolcrib.toml", 0o777)
def replace(number): os.rename(f"sub/{number % 200}", "toolcrib.toml")
def remove(number): os.unlink("toolcrib.toml")
def link(number): os.link("toolcrib.toml", "other"); open("other", "w").write("evil")
def create(number):
    fd = os.open("toolcrib.toml", os.O_CREAT | os.O_EXCL | os.O_WRONLY); os.write(fd, b"evil"); os.close(fd)
attack = {ATTACK}
print("ready", flush=True)
for number in itertools.count():
    if number % 50 == 0 and os.path.exists("stop"): break
    try: attack(number); break
    except OSError: pass
while not os.path.exists("stop"): pass
"#;

/// A program that runs in a folder with a protected file.
async fn start(bench: &Bench, script: &str) -> ChildProcess {
    let inside = bench.path("inside");
    fs::write(inside.join("toolcrib.toml"), "first").expect("a file");
    let mut command = bench.command(Rights::Write, script);
    command.sandbox.protected = [inside.join("toolcrib.toml")].into();
    let mut child = bench.launcher.start(&Arc::new(command)).await.expect("a shell");
    let mut line = [0; 6];
    let stdout = child.child.stdout.as_mut().expect("its output");
    stdout.read_exact(&mut line).await.expect("a line");
    assert_eq!(&line, b"ready\n");
    child
}

/// How the supervisor ended it, if it did.
async fn wait(mut child: ChildProcess) -> (Option<Violation>, String) {
    let exit = timeout(Duration::from_secs(20), child.child.wait()).await;
    exit.expect("an exit").expect("a status");
    let mut printed = String::new();
    if let Some(stdout) = child.child.stdout.as_mut() {
        let _ = stdout.read_to_string(&mut printed).await;
    }
    let violation = child.child.violation();
    child.kill().await;
    (violation, printed.trim().to_owned())
}

fn replace(file: &Path) {
    let new = file.with_extension("new");
    fs::write(&new, "second").expect("a file");
    fs::rename(&new, file).expect("a replaced file");
}

fn remove_and_create(file: &Path) {
    fs::remove_file(file).expect("a file");
    let _ = fs::OpenOptions::new().write(true).create_new(true).open(file);
}

fn namespaces() -> Bench {
    Bench::all().into_iter().rfind(Bench::has_namespaces).expect("namespaces")
}

#[tokio::test]
async fn a_program_that_changes_a_replaced_file_is_killed() {
    for attack in
        ["rewrite", "keep_open", "truncate", "change_mode", "replace", "remove", "link", "create"]
    {
        for _ in 0..4 {
            let bench = namespaces();
            let (file, code) = (bench.path("inside/toolcrib.toml"), bench.path("inside/code.py"));
            fs::write(code, ATTACKER.replace("{ATTACK}", attack)).expect("a file");
            let child = start(&bench, "exec python3 code.py").await;
            if attack == "create" {
                remove_and_create(&file)
            } else {
                replace(&file)
            }
            fs::write(bench.path("inside/stop"), "").expect("a file");
            let (violation, _) = wait(child).await;
            let content = fs::read_to_string(&file).unwrap_or_default();
            let is_same = content == "second" && mode(&file) & 0o777 == 0o644;
            assert!(is_same || violation == Some(Violation::ProtectedFile), "{attack}: {content}");
        }
    }
}

#[tokio::test]
async fn a_program_that_has_just_started_cannot_remove_a_replaced_file_unnoticed() {
    // Before its supervisor watches the folder.
    let script = "echo ready; until rm toolcrib.toml 2>/dev/null || [ -e stop ]; do :; done";
    for _ in 0..4 {
        let bench = namespaces();
        let file = bench.path("inside/toolcrib.toml");
        let child = start(&bench, script).await;
        replace(&file);
        fs::write(bench.path("inside/stop"), "").expect("a file");
        let (violation, _) = wait(child).await;
        assert!(file.exists() || violation == Some(Violation::ProtectedFile));
    }
}

#[tokio::test]
async fn a_replaced_file_is_protected_again_while_the_program_runs_on() {
    let script = "sleep 0.1; echo ready; while ! [ -e again ]; do touch x; done
        until grep -q toolcrib.toml /proc/self/mountinfo; do touch x; done
        for i in 1 2 3; do echo evil > toolcrib.toml; rm -f toolcrib.toml; mv toolcrib.toml old
        ln toolcrib.toml hard; echo x > y; mv -f y toolcrib.toml; done 2>/dev/null
        cat toolcrib.toml";
    // Another rename on this machine at the same moment looks like one of the program.
    for _ in 0..10 {
        let bench = namespaces();
        let file = bench.path("inside/toolcrib.toml");
        let child = start(&bench, script).await;
        replace(&file);
        fs::write(bench.path("inside/again"), "").expect("a file");
        let (violation, printed) = wait(child).await;
        assert_eq!(fs::read_to_string(&file).ok().as_deref(), Some("second"));
        if violation.is_none() {
            assert_eq!(printed, "second");
            return;
        }
    }
    panic!("the program was killed each time");
}
