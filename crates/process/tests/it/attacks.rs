//! One test for each class of attack.

use std::{
    fs,
    os::unix::net::{UnixDatagram, UnixListener},
    time::Duration,
};

use process::{Command, OpenedPaths};
use rustix::{
    io::{FdFlags, fcntl_setfd},
    process::{Resource, getrlimit},
};

use crate::bench::{Bench, Rights, mode, text};

/// Loads the C library and reports the error of a call.
const CALL: &str = r#"
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    result = getattr(libc, name)(*arguments)
    return "done" if result != -1 else errno.errorcode[ctypes.get_errno()]
"#;

#[tokio::test]
async fn files_outside_cannot_be_read_or_written() {
    for bench in Bench::all() {
        fs::write(bench.path("outside/secret"), "secret").expect("a file");
        let output = bench
            .sh(
                Rights::Write,
                "cat ../outside/secret; echo x > ../outside/new; echo x > new; cat new",
            )
            .await;
        assert_eq!(text(&output), "x", "{:?}", bench.level);
        assert!(!bench.path("outside/new").exists());
        assert!(bench.path("inside/new").exists());
    }
}

#[tokio::test]
async fn metadata_outside_cannot_be_changed() {
    for bench in Bench::all() {
        let victim = bench.path("outside/victim");
        fs::write(&victim, "").expect("a file");
        let before = (mode(&victim), fs::metadata(&victim).and_then(|found| found.modified()).ok());
        let code = format!(
            "import os\nfor act in (lambda p: os.chmod(p, 0o777), lambda p: os.utime(p, (1, 1)),\n\
             lambda p: os.setxattr(p, 'user.x', b'1'), lambda p: os.chown(p, os.getuid(), os.getgid())):\n\
             \x20   try: act({:?}); print('done')\n    except OSError: print('denied')",
            victim.display()
        );
        let said = bench.python(Rights::Read, &code).await;
        assert_eq!(said, "denied\ndenied\ndenied\ndenied", "{:?}", bench.level);
        let after = (mode(&victim), fs::metadata(&victim).and_then(|found| found.modified()).ok());
        assert_eq!(before, after);
    }
}

#[tokio::test]
async fn limits_and_priorities_of_others_cannot_be_changed() {
    let server = std::process::id();
    for bench in Bench::all() {
        let before = getrlimit(Resource::Nofile);
        let script = format!(
            "prlimit --pid {server} --nofile=10:10 && echo limited; renice 5 -p {server} && echo reniced; true"
        );
        assert_eq!(text(&bench.sh(Rights::Read, &script).await), "", "{:?}", bench.level);
        assert_eq!(getrlimit(Resource::Nofile).current, before.current);
    }
}

#[tokio::test]
async fn the_supervisor_cannot_be_slowed_down() {
    let code = r#"
import os
supervisor = int(open(f"/proc/{os.getppid()}/stat").read().rsplit(")", 1)[1].split()[1])
for act in (lambda: os.setpriority(os.PRIO_PROCESS, supervisor, 19), lambda: os.setpriority(os.PRIO_USER, 0, 19),
            lambda: os.sched_setaffinity(supervisor, {0}),
            lambda: os.sched_setscheduler(supervisor, os.SCHED_IDLE, os.sched_param(0))):
    try: act(); print("done")
    except OSError: print("denied")
"#;
    for bench in Bench::all() {
        let said = bench.python(Rights::Read, code).await;
        assert_eq!(said, ["denied"; 4].join("\n"), "{:?}", bench.level);
    }
}

#[tokio::test]
async fn unix_sockets_of_the_machine_are_unreachable() {
    for bench in Bench::all() {
        let path = bench.path("inside/socket");
        let _listener = UnixListener::bind(&path).expect("a socket");
        let code = format!(
            "import socket\ntry:\n    s = socket.socket(socket.AF_UNIX); s.connect({:?}); print('connected')\n\
             except OSError: print('denied')\n\
             a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))\n\
             print(socket.socket(socket.AF_INET).fileno() > 0)",
            path.display()
        );
        let said = bench.python(Rights::Network, &code).await;
        assert_eq!(said, "denied\nb'x'\nTrue", "{:?}", bench.level);
    }
}

#[tokio::test]
async fn datagrams_to_unix_sockets_of_the_machine_are_denied() {
    for bench in Bench::all() {
        let path = bench.path("inside/datagrams");
        let listener = UnixDatagram::bind(&path).expect("a socket");
        listener.set_nonblocking(true).expect("a socket");
        // Half of a pair of datagram sockets could send to any path.
        let code = format!(
            "import socket\nfor kind in (socket.SOCK_DGRAM, socket.SOCK_RAW):\n    try:\n\
             \x20       a, b = socket.socketpair(type=kind); a.sendto(b'x', {:?}); print('sent')\n\
             \x20   except OSError: print('denied')\n\
             a, b = socket.socketpair(type=socket.SOCK_SEQPACKET); a.send(b'x'); print(b.recv(1))",
            path.display()
        );
        for rights in [Rights::Read, Rights::Network] {
            let said = bench.python(rights, &code).await;
            assert_eq!(said, "denied\ndenied\nb'x'", "{:?} {rights:?}", bench.level);
        }
        assert!(listener.recv(&mut [0]).is_err(), "nothing arrived");
    }
}

#[tokio::test]
async fn names_are_resolved_without_netlink_rights() {
    for bench in Bench::all() {
        let code =
            "import socket\nprint(bool(socket.getaddrinfo('localhost', 80, socket.AF_UNSPEC)))";
        assert_eq!(bench.python(Rights::Network, code).await, "True", "{:?}", bench.level);
    }
}

#[tokio::test]
async fn network_access_excludes_vsock_packet_and_audit_sockets() {
    for bench in Bench::all() {
        let code = "import socket\nfor family, protocol in ((40, 0), (17, 0), (16, 9), (16, 0)):\n\
                    \x20   try: socket.socket(family, socket.SOCK_RAW if family == 16 else socket.SOCK_STREAM, protocol); print('open')\n\
                    \x20   except OSError: print('denied')";
        let said = bench.python(Rights::Network, code).await;
        assert_eq!(said, "denied\ndenied\ndenied\nopen", "{:?}", bench.level);
        let said = bench.python(Rights::Read, "import socket; socket.socket()").await;
        assert!(said.ends_with("Permission denied"), "{said}");
    }
}

#[tokio::test]
async fn keyrings_are_inaccessible() {
    for bench in Bench::all() {
        let code = format!(
            "{CALL}print(call('syscall', 250, 0, -4, 0), call('syscall', 248, b'user', b'k', b'v', 1, -4))"
        );
        assert_eq!(bench.python(Rights::Write, &code).await, "EPERM EPERM", "{:?}", bench.level);
    }
}

#[tokio::test]
async fn shared_memory_does_not_outlive_the_call() {
    const KEY: u32 = 0x7001_c51b;
    for bench in Bench::all() {
        let code = format!("{CALL}print(call('shmget', {KEY}, 4096, 0o1666))");
        let expected = if bench.has_namespaces() { "done" } else { "EPERM" };
        assert_eq!(bench.python(Rights::Write, &code).await, expected);
        let left = fs::read_to_string("/proc/sysvipc/shm").unwrap_or_default();
        assert!(!left.contains(&KEY.to_string()), "{left}");
    }
}

#[tokio::test]
async fn namespaces_and_kernel_interfaces_are_inaccessible() {
    for bench in Bench::all() {
        let code = format!(
            "{CALL}print(call('unshare', 0x10000000), call('syscall', 425, 1, 0), call('syscall', 323, 0),\n\
             call('syscall', 321, 0, 0, 0), call('ptrace', 16, 1, 0, 0), call('mount', b'x', b'/mnt', b'tmpfs', 0, None),\n\
             call('syscall', 56, 0x10000011, 0, 0, 0, 0), call('syscall', 447, 0))"
        );
        let said = bench.python(Rights::Write, &code).await;
        assert_eq!(said, ["EPERM"; 8].join(" "), "{:?}", bench.level);
    }
}

#[tokio::test]
async fn descriptors_of_the_server_are_not_inherited() {
    let file = fs::File::open("/etc/passwd").expect("a file");
    fcntl_setfd(&file, FdFlags::empty()).expect("an inheritable descriptor");
    for bench in Bench::all() {
        let said =
            bench.python(Rights::Read, "import os; print(len(os.listdir('/proc/self/fd')))").await;
        // The three standard streams and the listed folder itself.
        assert_eq!(said, "4", "{:?}", bench.level);
    }
}

#[tokio::test]
async fn temporary_files_and_processes_of_others_are_invisible() {
    let shared = tempfile::NamedTempFile::new_in("/tmp").expect("a file");
    for bench in Bench::all().into_iter().filter(Bench::has_namespaces) {
        let script = format!(
            "ls {} 2>/dev/null; echo x > /tmp/own && cat /tmp/own; echo y > /dev/shm/own && cat /dev/shm/own; \
             ls -d /proc/{} 2>/dev/null; true",
            shared.path().display(),
            std::process::id()
        );
        let said = text(&bench.sh(Rights::Read, &script).await);
        assert_eq!(said, "x\ny");
        assert!(
            !fs::exists("/tmp/own").expect("a folder")
                && !fs::exists("/dev/shm/own").expect("a folder")
        );
    }
}

#[tokio::test]
async fn limits_apply_from_the_first_instruction() {
    for bench in Bench::all() {
        let said = bench.sh(Rights::Read, "ulimit -c; ulimit -d; ulimit -H -n; ulimit -H -l").await;
        let locked = getrlimit(Resource::Memlock).maximum.unwrap_or(u64::MAX).min(8 << 20);
        let expected = format!("0\n{}\n4096\n{}", (1 << 30) / 1024, locked / 1024);
        assert_eq!(text(&said), expected, "{:?}", bench.level);
    }
}

/// A command that may also write the folder `inside/target`, as it was when the crib was loaded.
fn with_target(bench: &Bench, rights: Rights, opened: &OpenedPaths, script: &str) -> Command {
    let mut command = bench.command(rights, script);
    command.sandbox.write.push(bench.path("inside/target"));
    command.sandbox.opened = opened.clone();
    command
}

fn open_target(bench: &Bench) -> OpenedPaths {
    let inside = bench.path("inside");
    OpenedPaths::open([inside.clone(), inside.join("target")], &[inside])
}

#[tokio::test]
async fn a_granted_folder_that_became_a_link_grants_nothing_else() {
    for bench in Bench::all() {
        fs::create_dir(bench.path("inside/target")).expect("a folder");
        fs::write(bench.path("outside/secret"), "secret").expect("a file");
        let opened = open_target(&bench);
        bench.sh(Rights::Write, "mv target old && ln -s ../outside target").await;
        assert!(bench.path("inside/target").is_symlink());
        let script = "cat target/secret; echo x > target/new; echo y > old/new && cat old/new";
        // Without a descriptor, the path leads nowhere.
        let by_path = with_target(&bench, Rights::Read, &OpenedPaths::default(), script);
        assert_eq!(bench.run(by_path).await, "", "{:?}", bench.level);
        let said = bench.run(with_target(&bench, Rights::Read, &opened, script)).await;
        assert_eq!(said, "y", "the folder itself stays granted, {:?}", bench.level);
        assert!(!bench.path("outside/new").exists());
    }
}

#[tokio::test]
async fn a_granted_folder_that_is_created_later_is_no_link() {
    for bench in Bench::all() {
        fs::write(bench.path("outside/secret"), "secret").expect("a file");
        let opened = open_target(&bench);
        bench.sh(Rights::Write, "ln -s ../outside target").await;
        let script = "cat target/secret; echo x > target/new && cat target/new";
        let said = bench.run(with_target(&bench, Rights::Read, &opened, script)).await;
        assert_eq!(said, "", "{:?}", bench.level);
        bench.sh(Rights::Write, "rm target && mkdir target").await;
        let said = bench.run(with_target(&bench, Rights::Read, &opened, script)).await;
        assert_eq!(said, "x", "a build tool may create its folder, {:?}", bench.level);
        // Build tools also remove and create it again.
        let opened = open_target(&bench);
        bench.sh(Rights::Write, "rm -r target && mkdir target").await;
        let said = bench.run(with_target(&bench, Rights::Read, &opened, script)).await;
        assert_eq!(said, "x", "{:?}", bench.level);
        bench.sh(Rights::Write, "rm -r target && ln -s ../outside target").await;
        let said = bench.run(with_target(&bench, Rights::Read, &opened, script)).await;
        assert_eq!(said, "", "{:?}", bench.level);
        assert!(!bench.path("outside/new").exists());
    }
}

#[tokio::test]
async fn a_working_directory_that_became_a_link_is_not_entered() {
    for bench in Bench::all() {
        bench.sh(Rights::Write, "ln -s ../outside sub").await;
        let mut command = bench.command(Rights::Write, "pwd");
        command.cwd = bench.path("inside/sub").display().to_string();
        let error = bench.try_run(command).await.expect_err("a link");
        let message = error.to_string();
        assert!(message.contains("the working directory could not be entered"), "{message}");
    }
}

#[tokio::test]
async fn protected_files_in_a_writable_folder_cannot_be_changed() {
    const PROTECTED: [&str; 4] = ["toolcrib.toml", "tools", "inst/mcp/tools", ".venv/bin"];
    for bench in Bench::all().into_iter().filter(Bench::has_namespaces) {
        let inside = bench.path("inside");
        for folder in ["tools/data", "inst/mcp/tools", ".venv/bin", ".venv/lib"] {
            fs::create_dir_all(inside.join(folder)).expect("a folder");
        }
        for file in ["toolcrib.toml", "tools/a.json", "inst/mcp/tools/a.yaml", ".venv/bin/python"] {
            fs::write(inside.join(file), "own").expect("a file");
        }
        let script = "
            attempt() { \"$@\" 2>/dev/null && echo \"done: $*\"; }
            attempt sh -c 'echo x > toolcrib.toml'
            attempt rm -f toolcrib.toml
            attempt mv toolcrib.toml old
            attempt sh -c 'echo x > new; mv -f new toolcrib.toml'
            attempt chmod 777 toolcrib.toml
            attempt touch toolcrib.toml tools/a.json
            attempt ln toolcrib.toml hard
            attempt touch tools/new.json
            attempt mv tools old
            attempt mv inst old
            attempt mv inst/mcp old
            attempt mv inst/mcp/tools old
            attempt touch inst/mcp/tools/b.yaml
            attempt mv .venv old
            attempt sh -c 'echo x > .venv/bin/python'
            attempt rm -rf tools inst .venv
            true";
        let run = |script: &str| {
            let mut command = bench.command(Rights::Write, script);
            command.sandbox.protected = PROTECTED.map(|name| inside.join(name)).into();
            command.sandbox.write.push(inside.join("tools/data"));
            bench.run(command)
        };
        assert_eq!(run(script).await, "");
        for file in ["toolcrib.toml", "tools/a.json", "inst/mcp/tools/a.yaml", ".venv/bin/python"] {
            assert_eq!(fs::read_to_string(inside.join(file)).ok().as_deref(), Some("own"));
        }
        // Everything else can be changed as before.
        let script = "mkdir sub && echo a > sub/a && mv sub/a b && mv sub other && echo x > inst/mcp/free &&
            echo x > .venv/free && echo x > tools/data/x && tar cf x.tar b && tar xf x.tar && cp -p b c && echo done";
        assert_eq!(run(script).await, "done");
    }
}

#[tokio::test]
async fn programs_cannot_be_given_the_rights_of_their_owner() {
    // The flags are those of `O_CREAT`, `O_TMPFILE | O_RDWR` and `O_CREAT` with `struct open_how`.
    let code = format!(
        r#"{CALL}
import os
open("f", "w").close(); fd = os.open("f", os.O_RDWR)
AT = ctypes.c_long(-100)
for bits in (0o4755, 0o2755, 0o6755):
    print(call("chmod", b"f", bits), call("fchmod", fd, bits), call("fchmodat", AT, b"f", bits, 0),
          call("syscall", 452, AT, b"f", bits, 0), call("mkdir", b"d", bits), call("mkdirat", AT, b"d", bits),
          call("mknod", b"n", bits | 0o100000, 0), call("mknodat", AT, b"n", bits | 0o100000, 0),
          call("creat", b"n", bits), call("open", b"n", os.O_CREAT | os.O_WRONLY, bits),
          call("openat", AT, b"n", os.O_CREAT | os.O_WRONLY, bits), call("open", b".", os.O_TMPFILE | os.O_RDWR, bits))
how = (ctypes.c_uint64 * 3)(os.O_CREAT | os.O_WRONLY, 0o4755, 0)
print(call("syscall", 437, AT, b"n", how, 24))
print(call("open", b"f", os.O_RDONLY, 0o6000), call("chmod", b"f", 0o1755), call("mkdir", b"e", 0o755))
print(sorted(os.listdir(".")), oct(os.stat("f").st_mode))
"#
    );
    for bench in Bench::all() {
        let said = bench.python(Rights::Write, &code).await;
        let denied = ["EPERM"; 12].join(" ");
        let expected = format!(
            "{denied}\n{denied}\n{denied}\nENOSYS\ndone done done\n['code.py', 'e', 'f'] 0o101755"
        );
        assert_eq!(said, expected, "{:?}", bench.level);
        let script = "cp /bin/true t; chmod u+s t; install -m 4755 t u; mkdir -m 2755 g; ls -d u g";
        bench.sh(Rights::Write, script).await;
        for name in ["t", "u", "g"] {
            let path = bench.path("inside").join(name);
            assert!(!path.exists() || mode(&path) & 0o6000 == 0, "{name} {:?}", bench.level);
        }
    }
}

#[tokio::test]
async fn private_files_of_the_system_cannot_be_read_by_root() {
    let find = "find /etc /opt -type f ! -perm -004";
    let private = std::process::Command::new("sh").args(["-c", find]).output().expect("a shell");
    let private = String::from_utf8_lossy(&private.stdout).into_owned();
    for bench in Bench::all() {
        let files = private.split_whitespace().collect::<Vec<_>>().join(" ");
        let read = format!(
            "for f in {files} /etc/shadow /etc/gshadow; do cat $f > x && echo $f; done; true"
        );
        assert_eq!(text(&bench.sh(Rights::Write, &read).await), "", "{:?}", bench.level);
        let script = "cat /etc/passwd > x && ls /etc > x && cat /etc/hosts > x && echo public";
        assert_eq!(text(&bench.sh(Rights::Write, script).await), "public", "{:?}", bench.level);
        // The operator can grant them.
        if rustix::process::geteuid().is_root() {
            let mut command = bench.command(Rights::Read, "head -c 1 /etc/shadow | wc -c");
            command.sandbox.read.push("/etc/shadow".into());
            assert_eq!(bench.run(command).await, "1", "{:?}", bench.level);
        }
    }
}

#[tokio::test]
async fn leases_and_file_flags_are_denied() {
    // F_SETLEASE; FS_IOC_SETFLAGS in both sizes, FS_IOC_FSSETXATTR, FS_IOC_ENABLE_VERITY and FS_IOC_SETVERSION,
    // on a file that is only open for reading; the last two are harmless.
    let code = format!(
        r#"{CALL}
import fcntl, os
fd = os.open("victim", os.O_RDONLY)
space = ctypes.create_string_buffer(256)
print(call("fcntl", fd, 1024, 0), call("fcntl", fd, 1024, 1),
      *[call("ioctl", fd, ctypes.c_ulong(request), space)
        for request in (0x40086602, 0x40046602, 0x401c5820, 0x40806685, 0x40087602)])
# The kernel ignores the upper half of the number of a request.
print(call("ioctl", fd, ctypes.c_ulong(0x140086602), space), call("syscall", 72, fd, ctypes.c_long(1 << 32 | 1024), 0))
print(call("fcntl", fd, 3), call("flock", fd, 1))
"#
    );
    for bench in Bench::all() {
        fs::write(bench.path("inside/victim"), "").expect("a file");
        for rights in [Rights::Read, Rights::Write] {
            let said = bench.python(rights, &code).await;
            let expected = format!("{}\nEPERM EPERM\ndone done", ["EPERM"; 7].join(" "));
            assert_eq!(said, expected, "{:?} {rights:?}", bench.level);
        }
    }
}

#[tokio::test]
async fn folders_that_their_owner_cannot_enter_are_removed() {
    for bench in Bench::all() {
        let script = "mkdir -p $TMPDIR/a/b/c && echo x > $TMPDIR/a/b/c/d && chmod 0 $TMPDIR/a/b/c &&
            chmod 0 $TMPDIR/a/b && ln -s /etc $TMPDIR/a/link && chmod 500 $TMPDIR/a && echo $TMPDIR";
        // A read-only program cannot change modes, but choose one.
        let read_only = "mkdir -p $TMPDIR/a && mkdir -m 0 $TMPDIR/a/b && echo $TMPDIR";
        for (rights, script) in [(Rights::Write, script), (Rights::Read, read_only)] {
            let folder = text(&bench.sh(rights, script).await);
            assert!(folder.starts_with("/tmp/toolcrib-"), "{folder} {:?}", bench.level);
            // Removed in the background.
            let removed = async {
                while fs::exists(&folder).expect("a folder") {
                    tokio::task::yield_now().await;
                }
            };
            let removed = tokio::time::timeout(Duration::from_secs(20), removed).await;
            assert!(removed.is_ok(), "{folder} {:?}", bench.level);
        }
    }
}
