//! Limits of all processes of a program together.

use std::{sync::Arc, time::Duration};

use process::{Sandbox, Violation};
use tokio::time::timeout;

use crate::bench::{Bench, Rights, is_running};

const MIB: u64 = 1 << 20;

/// Every process starts two, but only for six generations, 127 processes: a test that fails must not take
/// the machine down.
const BOMB: &str = "bomb() { if [ $1 -gt 0 ]; then bomb $(($1 - 1)) & bomb $(($1 - 1)) & fi; sleep 30; }; \
                    bomb 6 2>/dev/null";

/// Runs a script to its end; returns the limit for which it was killed.
async fn find_exceeded(
    bench: &Bench,
    script: &str,
    limit: impl Fn(&mut Sandbox),
) -> Option<Violation> {
    let mut command = bench.command(Rights::Write, script);
    limit(&mut command.sandbox);
    let mut child = bench.launcher.start(&Arc::new(command)).await.expect("a shell");
    let exit = timeout(Duration::from_secs(20), child.child.wait()).await;
    let exceeded = child.child.violation();
    child.kill().await;
    assert!(exit.is_ok(), "{:?}: still running: {script}", bench.level);
    exceeded
}

fn python(code: &str) -> String {
    format!("exec python3 -c '{code}'")
}

#[tokio::test]
async fn a_fork_bomb_is_killed() {
    for bench in Bench::all() {
        let exceeded = find_exceeded(&bench, BOMB, |sandbox| sandbox.processes = 60).await;
        assert_eq!(exceeded, Some(Violation::Processes), "{:?}", bench.level);
    }
}

#[tokio::test]
async fn too_many_processes_are_killed_and_none_is_left() {
    for bench in Bench::all() {
        let marker = format!("7{}{}.5", u8::from(bench.has_namespaces()), std::process::id());
        let script = format!("for i in $(seq 60); do sleep {marker} & done; wait");
        let exceeded = find_exceeded(&bench, &script, |sandbox| sandbox.processes = 40).await;
        assert_eq!(exceeded, Some(Violation::Processes), "{:?}", bench.level);
        assert!(!is_running(&marker));
    }
}

#[tokio::test]
async fn memory_counts_for_all_processes_and_of_every_kind() {
    let children = "import os, time\nfor i in range(3):\n  if os.fork() == 0: x = b\"x\" * (100 << 20); time.sleep(60)\ntime.sleep(60)";
    let mapped = "import mmap, time\nm = mmap.mmap(-1, 300 << 20)\nm.write(b\"x\" * (150 << 20))\nm.write(b\"x\" * (150 << 20))\ntime.sleep(60)";
    let file = "import os, time\nf = os.memfd_create(\"f\")\nfor i in range(300): os.write(f, b\"x\" * (1 << 20))\ntime.sleep(60)";
    for bench in Bench::all() {
        for code in [children, mapped, file] {
            let script = python(code);
            let exceeded =
                find_exceeded(&bench, &script, |sandbox| sandbox.memory_bytes = 250 * MIB).await;
            assert_eq!(exceeded, Some(Violation::Memory), "{:?}: {code}", bench.level);
        }
    }
}

#[tokio::test]
async fn memory_of_the_kernel_counts() {
    // One page table for every 2 MiB that are read.
    let page_tables = "import mmap, time\nm = mmap.mmap(-1, 200 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, \
                       prot=mmap.PROT_READ)\nm.madvise(15)\nfor i in range(0, 200 << 30, 2 << 20): m[i]\ntime.sleep(60)";
    let sockets = "import socket, time\nkept = []\nfor i in range(1200):\n  pair = socket.socketpair()\n  for end in pair:\n    \
                   end.setblocking(False)\n    try:\n      while True: end.send(b\"x\" * 4096)\n    except BlockingIOError: pass\n  \
                   kept.append(pair[0] if i % 2 else pair)\ntime.sleep(60)";
    let semaphores = "import ctypes, time\nlibc = ctypes.CDLL(None)\nfor i in range(150): libc.semget(0, 32000, 0o1600)\ntime.sleep(60)";
    let messages = "import ctypes, time\nlibc = ctypes.CDLL(None)\nfor i in range(20000):\n  queue = libc.msgget(0, 0o1600)\n  \
                    while libc.msgsnd(queue, b\"\\1\" * 8 + b\"x\" * 8000, 8000, 0o4000) == 0: pass\ntime.sleep(60)";
    for bench in Bench::all() {
        let mut codes = vec![page_tables, sockets];
        // Without namespaces these are denied.
        codes
            .extend(bench.has_namespaces().then_some([semaphores, messages]).into_iter().flatten());
        for code in codes {
            let limit = |sandbox: &mut Sandbox| sandbox.memory_bytes = 250 * MIB;
            let exceeded = find_exceeded(&bench, &python(code), limit).await;
            assert_eq!(exceeded, Some(Violation::Memory), "{:?}: {code}", bench.level);
        }
    }
}

#[tokio::test]
async fn full_sockets_and_pipes_are_allowed_in_small_numbers() {
    let code = "import os, socket, time\nkept = [socket.socketpair() for i in range(100)]\npipes = [os.pipe() for i in range(100)]\n\
                for pair in kept: pair[0].send(b\"x\" * 1000)\nfor pipe in pipes: os.write(pipe[1], b\"x\")\ntime.sleep(1)";
    for bench in Bench::all() {
        let limit = |sandbox: &mut Sandbox| sandbox.memory_bytes = 250 * MIB;
        let exceeded = find_exceeded(&bench, &python(code), limit).await;
        assert_eq!(exceeded, None, "{:?}", bench.level);
    }
}

#[tokio::test]
async fn memory_that_processes_share_counts_once() {
    let code = "import os, time\nx = b\"x\" * (150 << 20)\nfor i in range(4):\n  if os.fork() == 0: time.sleep(1.5); os._exit(0)\ntime.sleep(1.5)";
    for bench in Bench::all() {
        let script = python(code);
        let exceeded =
            find_exceeded(&bench, &script, |sandbox| sandbox.memory_bytes = 250 * MIB).await;
        assert_eq!(exceeded, None, "{:?}", bench.level);
    }
}

#[tokio::test]
async fn private_folders_have_a_limit() {
    let in_folder = "mkdir $TMPDIR/a; head -c 80000000 /dev/zero > $TMPDIR/a/big; sleep 60";
    let deleted = "exec 3> $TMPDIR/big; rm $TMPDIR/big; head -c 80000000 /dev/zero >&3; sleep 60";
    let together =
        "for f in $TMPDIR /tmp /dev/shm; do head -c 20000000 /dev/zero > $f/part; done; sleep 60";
    for bench in Bench::all() {
        let mut scripts = vec![in_folder, deleted];
        // Without namespaces nothing can be written to the shared folders.
        scripts.extend(bench.has_namespaces().then_some(together));
        for script in scripts {
            let limit = |sandbox: &mut Sandbox| sandbox.temp_bytes = 50 * MIB;
            let exceeded = find_exceeded(&bench, script, limit).await;
            assert_eq!(exceeded, Some(Violation::TempFiles), "{:?}: {script}", bench.level);
        }
        let few = "head -c 8000000 /dev/zero > $TMPDIR/small; sleep 1";
        let exceeded = find_exceeded(&bench, few, |sandbox| sandbox.temp_bytes = 50 * MIB).await;
        assert_eq!(exceeded, None, "{:?}", bench.level);
    }
}

#[tokio::test]
async fn shared_memory_folders_have_a_fixed_size() {
    for bench in Bench::all().iter().filter(|bench| bench.has_namespaces()) {
        for place in ["/tmp", "/dev/shm"] {
            let script = format!("head -c 80000000 /dev/zero 2>&1 > {place}/big | tail -1");
            let mut command = bench.command(Rights::Write, &script);
            command.sandbox.temp_bytes = 50 * MIB;
            let printed = bench.run(command).await;
            assert!(printed.contains("No space left"), "{place}: {printed}");
        }
    }
}
