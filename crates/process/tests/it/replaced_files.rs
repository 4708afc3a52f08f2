//! Protected files that a person replaces while a program runs.

use std::{fs, path::Path, sync::Arc, time::Duration};

use process::{ChildProcess, Violation};
use tokio::{io::AsyncReadExt, time::timeout};

use crate::bench::{Bench, Rights};

/// Opens a protected file while it is being replaced, and writes to it later: a descriptor that was
/// opened in between bypasses the mount, even if a new mount is made.
const HOLDER: &str = r#"
import os, time
first = os.stat("toolcrib.toml").st_ino
# By then the supervisor watches the folder.
time.sleep(0.1)
print("ready", flush=True)
held = os.open("toolcrib.toml", {FLAGS})
while os.fstat(held).st_ino == first:
    try: new = os.open("toolcrib.toml", {FLAGS})
    except FileNotFoundError: continue
    os.close(held); held = new
# Longer than the supervisor may take.
time.sleep(3)
open(f"/proc/self/fd/{held}", "w").write("evil")
"#;

/// A program that runs in a folder with a protected file.
async fn start(bench: &Bench, rights: Rights, script: &str) -> ChildProcess {
    let inside = bench.path("inside");
    fs::write(inside.join("toolcrib.toml"), "first").expect("a file");
    let mut command = bench.command(rights, script);
    command.sandbox.protected = [inside.join("toolcrib.toml")].into();
    let mut child = bench.launcher.start(&Arc::new(command)).await.expect("a shell");
    let mut line = [0; 6];
    let stdout = child.child.stdout.as_mut().expect("its output");
    stdout.read_exact(&mut line).await.expect("a line");
    assert_eq!(&line, b"ready\n");
    child
}

/// Waits for the program. Returns the violation that it was killed for, if any, and its output.
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

/// Ways in which a person replaces or removes a file.
const CHANGES: [fn(&Path); 3] =
    [replace, remove_and_create, |file| fs::remove_file(file).expect("a file")];

#[tokio::test]
async fn a_program_that_could_write_to_a_replaced_file_is_killed() {
    for script in ["echo ready; sleep 20", "sleep 0.1; echo ready; while :; do touch x; done"] {
        for change in CHANGES {
            let bench = namespaces();
            let child = start(&bench, Rights::Write, script).await;
            change(&bench.path("inside/toolcrib.toml"));
            assert_eq!(wait(child).await.0, Some(Violation::ProtectedFile), "{script}");
        }
    }
}

#[tokio::test]
async fn a_program_that_ends_right_after_a_file_was_replaced_has_failed() {
    for change in CHANGES {
        let bench = namespaces();
        let child = start(&bench, Rights::Write, "echo ready; until [ -e stop ]; do :; done").await;
        change(&bench.path("inside/toolcrib.toml"));
        fs::write(bench.path("inside/stop"), "").expect("a file");
        assert_eq!(wait(child).await.0, Some(Violation::ProtectedFile));
    }
}

#[tokio::test]
async fn a_descriptor_that_was_opened_meanwhile_is_of_no_use() {
    for flags in ["os.O_PATH", "os.O_RDONLY"] {
        let bench = namespaces();
        let (file, code) = (bench.path("inside/toolcrib.toml"), bench.path("inside/code.py"));
        fs::write(code, HOLDER.replace("{FLAGS}", flags)).expect("a file");
        let child = start(&bench, Rights::Write, "exec python3 code.py").await;
        replace(&file);
        assert_eq!(wait(child).await.0, Some(Violation::ProtectedFile), "{flags}");
        assert_eq!(fs::read_to_string(&file).ok().as_deref(), Some("second"), "{flags}");
    }
}

#[tokio::test]
async fn a_program_that_only_reads_runs_on_when_a_file_is_replaced() {
    let bench = namespaces();
    let script = "echo ready; until grep -q second toolcrib.toml; do :; done; echo seen";
    let child = start(&bench, Rights::Read, script).await;
    replace(&bench.path("inside/toolcrib.toml"));
    assert_eq!(wait(child).await, (None, "seen".to_owned()));
}

#[tokio::test]
async fn a_file_that_a_person_changes_in_place_stays_protected() {
    let script = "echo ready; until grep -q second toolcrib.toml; do touch x; done
        for i in 1 2 3; do echo evil > toolcrib.toml; rm -f toolcrib.toml; mv toolcrib.toml old
        ln toolcrib.toml hard; echo x > y; mv -f y toolcrib.toml; done 2>/dev/null
        cat toolcrib.toml";
    let bench = namespaces();
    let child = start(&bench, Rights::Write, script).await;
    fs::write(bench.path("inside/toolcrib.toml"), "second").expect("a file");
    assert_eq!(wait(child).await, (None, "second".to_owned()));
}
