//! One test for each class of attack.

use std::{fs, os::unix::net::UnixListener};

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
async fn only_internet_sockets_come_with_the_network() {
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
async fn keyrings_are_closed() {
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
async fn namespaces_and_kernel_interfaces_are_closed() {
    for bench in Bench::all() {
        let code = format!(
            "{CALL}print(call('unshare', 0x10000000), call('syscall', 425, 1, 0), call('syscall', 323, 0),\n\
             call('syscall', 321, 0, 0, 0), call('ptrace', 16, 1, 0, 0), call('mount', b'x', b'/mnt', b'tmpfs', 0, None),\n\
             call('syscall', 56, 0x10000011, 0, 0, 0, 0))"
        );
        let said = bench.python(Rights::Write, &code).await;
        assert_eq!(said, ["EPERM"; 7].join(" "), "{:?}", bench.level);
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
async fn temporary_files_and_processes_of_others_have_no_name() {
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
        let said = text(&bench.sh(Rights::Read, "ulimit -c; ulimit -d; ulimit -H -n").await);
        assert_eq!(said, format!("0\n{}\n4096", (1 << 30) / 1024), "{:?}", bench.level);
    }
}
