//! `network` as a list: what real programs reach, and what not.

use std::{
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpListener},
    sync::Arc,
    thread,
    time::Duration,
};

use egress::NetworkAccess;
use process::{Launcher, LauncherOptions, ProgramLimits, SandboxLevel, run_program};

use crate::bench::{Bench, Rights, text};

/// An HTTP server of the machine that answers every request with its path and its `Host`.
fn serve(address: &str) -> SocketAddr {
    let listener = TcpListener::bind(address).expect("a listener");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.expect("a client");
            let mut head = [0; 4096];
            let length = client.read(&mut head).unwrap_or(0);
            let head = String::from_utf8_lossy(&head[..length]).into_owned();
            let path = head.split(' ').nth(1).unwrap_or_default();
            let host =
                head.lines().find_map(|line| line.strip_prefix("Host: ")).unwrap_or_default();
            let body = format!("{path} of {host}\n");
            let _ = write!(
                client,
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    address
}

fn only(list: &[String]) -> NetworkAccess {
    let list = list.iter().map(|text| text.parse().expect("a destination")).collect();
    NetworkAccess::from_destinations(list).expect("a list")
}

/// What a script prints whose network is restricted to a list.
async fn run(bench: &Bench, list: &[String], script: &str) -> String {
    let mut command = bench.command(Rights::Read, script);
    command.sandbox.network = only(list);
    let limits = ProgramLimits { timeout: Duration::from_secs(20), max_bytes: 1 << 20 };
    text(&run_program(&bench.launcher, command, limits).await.expect("a shell"))
}

fn benches(level: SandboxLevel) -> impl Iterator<Item = Bench> {
    Bench::all().into_iter().filter(move |bench| bench.level == level)
}

#[tokio::test]
async fn the_proxy_reaches_listed_destinations_only() {
    for bench in benches(SandboxLevel::Namespaces) {
        let (listed, other) = (serve("127.0.0.1:0"), serve("127.0.0.1:0"));
        let script = format!(
            "curl -sS http://{listed}/forwarded; curl -sS --proxytunnel http://{listed}/tunnelled\n\
             curl -sS http://{other}/; curl -s -o /dev/null -w '%{{http_code}}\\n' http://{other}/\n\
             curl -s -o /dev/null -w '%{{http_connect}}\\n' --proxytunnel http://{other}/\n\
             curl -s -o /dev/null -w '%{{http_code}}\\n' http://127.0.0.2:{}/\n\
             curl -s -o /dev/null -w '%{{http_code}}\\n' http://other.invalid/",
            listed.port()
        );
        assert_eq!(
            run(&bench, &[listed.to_string()], &script).await,
            format!(
                "/forwarded of {listed}\n/tunnelled of {listed}\n\
                 toolcrib: `{other}` is not in the list `network` of this tool, which allows {listed}\n\
                 403\n403\n403\n403"
            )
        );
    }
}

#[tokio::test]
async fn loopback_destinations_are_reached_directly_and_nothing_else_is() {
    for bench in benches(SandboxLevel::Namespaces) {
        let (listed, other) = (serve("127.0.0.1:0"), serve("127.0.0.1:0"));
        let code = format!(
            "import socket\n\
             def connect(*address):\n    try:\n        s = socket.create_connection(address, 2)\n\
             \x20       s.send(b'GET /direct HTTP/1.0\\r\\nHost: h\\r\\n\\r\\n')\n\
             \x20       return s.makefile().read().splitlines()[-1]\n\
             \x20   except OSError as error: return type(error).__name__\n\
             print(connect('127.0.0.1', {}))\nprint(connect('127.0.0.1', {}))\n\
             print(connect('192.0.2.1', 80))\n\
             s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n\
             try: s.sendto(b'x', ('192.0.2.1', 53)); print('sent')\n\
             except OSError as error: print('unreachable')",
            listed.port(),
            other.port()
        );
        fs::write(bench.path("inside/code.py"), code).expect("a file");
        let said = run(&bench, &[listed.to_string()], "python3 code.py 2>&1").await;
        assert_eq!(said, "/direct of h\nConnectionRefusedError\nOSError\nunreachable");
    }
}

#[tokio::test]
async fn ipv6_and_localhost_are_destinations() {
    for bench in benches(SandboxLevel::Namespaces) {
        let listed = serve("[::1]:0");
        let script = format!(
            "curl -sS 'http://{listed}/six'; curl -sS --noproxy '*' 'http://{listed}/direct'\n\
             curl -sS http://localhost:{}/name",
            listed.port()
        );
        let name = format!("localhost:{}", listed.port());
        let expected = format!("/six of {listed}\n/direct of {listed}\n/name of {name}");
        assert_eq!(run(&bench, &[listed.to_string()], &script).await, expected);
        assert_eq!(run(&bench, &[name], &script).await, expected);
    }
}

#[tokio::test]
async fn only_a_list_gives_a_network_namespace_and_a_proxy() {
    for bench in benches(SandboxLevel::Namespaces) {
        let own = fs::read_link("/proc/self/ns/net").expect("a namespace").display().to_string();
        let script = "readlink /proc/self/ns/net; env | grep -i _proxy= | sort";
        assert_eq!(text(&bench.sh(Rights::Network, script).await), own);
        let said = run(&bench, &["example.org:443".to_owned()], script).await;
        let (namespace, variables) = said.split_once('\n').expect("variables");
        assert_ne!(namespace, own);
        let proxy = "http://127.0.0.1:3128";
        assert_eq!(
            variables,
            format!(
                "ALL_PROXY={proxy}\nHTTPS_PROXY={proxy}\nHTTP_PROXY={proxy}\nNO_PROXY=\n\
                 all_proxy={proxy}\nhttp_proxy={proxy}\nhttps_proxy={proxy}\nno_proxy="
            )
        );
    }
}

#[tokio::test]
async fn without_namespaces_landlock_restricts_ports() {
    for bench in benches(SandboxLevel::Landlock) {
        let (listed, other) = (serve("127.0.0.1:0"), serve("127.0.0.1:0"));
        // TCP fast open and MPTCP connect in ways that Landlock does not see.
        let code = format!(
            "import socket\n\
             def attempt(act):\n    try: act(); print('connected')\n    except OSError as error: print(type(error).__name__)\n\
             tcp = lambda protocol=0: socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)\n\
             attempt(lambda: tcp().connect(('127.0.0.1', {0})))\n\
             attempt(lambda: tcp().connect(('127.0.0.1', {1})))\n\
             attempt(lambda: tcp(262).connect(('127.0.0.1', {1})))\n\
             attempt(lambda: tcp().sendto(b'x', 0x20000000, ('127.0.0.1', {1})))\n\
             attempt(lambda: tcp().bind(('127.0.0.1', 0)))",
            listed.port(),
            other.port()
        );
        fs::write(bench.path("inside/code.py"), code).expect("a file");
        let said = run(&bench, &[listed.to_string()], "python3 code.py 2>&1").await;
        assert_eq!(
            said,
            "connected\nPermissionError\nPermissionError\nPermissionError\nPermissionError"
        );
    }
}

#[tokio::test]
async fn a_list_that_cannot_be_enforced_is_refused() {
    let bench = Bench::new(SandboxLevel::None);
    let mut command = bench.command(Rights::Read, "echo started");
    command.sandbox.network = only(&["example.org:443".to_owned()]);
    let limits = ProgramLimits { timeout: Duration::from_secs(20), max_bytes: 1 << 20 };
    let error = run_program(&bench.launcher, command.clone(), limits).await.expect_err("a refusal");
    let error = error.to_string();
    assert!(error.contains("cannot restrict its network to example.org:443"), "{error}");
    // The operator has decided otherwise.
    let options = LauncherOptions { is_sandboxed: false, ..LauncherOptions::new("/tmp".into()) };
    let launcher = Arc::new(Launcher::new(options));
    let output = run_program(&launcher, command, limits).await.expect("a shell");
    assert_eq!(text(&output), "started");
}
