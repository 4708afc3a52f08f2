//! `serve --http systemd`, started in the same way as systemd starts a service.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    os::{
        fd::OwnedFd,
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixDatagram},
    },
    process::{Child, Command, Stdio},
};

use testing::{HttpResponse, TIMEOUT, TempCrib, definition, request_head};

/// A service that was started with a socket, killed on drop.
struct Service(Child);

impl Service {
    /// Starts `toolcrib` with `listener` as descriptor 3.
    fn start(crib: &TempCrib, arguments: &[&str], listener: TcpListener, notify: &str) -> Self {
        let toolcrib = crib.command(arguments);
        let mut shell = Command::new("sh");
        shell.args(["-c", r#"LISTEN_FDS=1 LISTEN_PID=$$ exec "$0" "$@" 3<&0 </dev/null"#]);
        shell.arg(toolcrib.get_program()).args(toolcrib.get_args());
        for (name, value) in toolcrib.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        shell.env("NOTIFY_SOCKET", notify).stderr(Stdio::null());
        Self(shell.stdin(OwnedFd::from(listener)).spawn().expect("the service starts"))
    }

    fn signal(&self, name: &str) {
        let pid = self.0.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().expect("kill runs").success());
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn receive(socket: &UnixDatagram) -> String {
    let mut message = [0; 64];
    socket.set_read_timeout(Some(TIMEOUT)).expect("a timeout");
    let length = socket.recv(&mut message).expect("a message before the deadline");
    String::from_utf8_lossy(&message[..length]).into_owned()
}

fn get_health(address: &str) -> u16 {
    let mut stream = TcpStream::connect(address).expect("the service accepts");
    stream.set_read_timeout(Some(TIMEOUT)).expect("a timeout");
    let head = request_head(address, "GET", "/healthz", &[], "");
    stream.write_all(head.as_bytes()).expect("the service reads");
    let mut raw = Vec::new();
    stream.read_to_end(&mut raw).expect("a response before the deadline");
    HttpResponse::parse(&raw).status
}

#[test]
fn a_service_uses_the_passed_socket_and_reports_its_state() {
    let crib = TempCrib::new().tool("a", definition("a", "true"));
    let notified = crib.root().join("notify");
    let socket = UnixDatagram::bind(&notified).expect("a socket");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let arguments = ["serve", "--http", "systemd", "--no-token"];
    let mut service = Service::start(&crib, &arguments, listener, &notified.display().to_string());
    assert_eq!(receive(&socket), "READY=1");
    assert_eq!(get_health(&address), 200);
    service.signal("-TERM");
    assert_eq!(receive(&socket), "STOPPING=1");
    assert!(service.0.wait().expect("the service ends").success());
}

#[test]
fn a_service_is_notified_in_the_abstract_namespace() {
    let crib = TempCrib::new();
    let name = format!("toolcrib-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).expect("a name");
    let socket = UnixDatagram::bind_addr(&address).expect("a socket");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let arguments = ["serve", "--http", "systemd", "--no-token"];
    let _service = Service::start(&crib, &arguments, listener, &format!("@{name}"));
    assert_eq!(receive(&socket), "READY=1");
}

#[test]
fn a_passed_socket_beyond_this_machine_needs_a_token() {
    let crib = TempCrib::new();
    let listener = TcpListener::bind("0.0.0.0:0").expect("a port");
    let arguments = ["serve", "--http", "systemd", "--no-token"];
    let mut service = Service::start(&crib, &arguments, listener, "");
    assert_eq!(service.0.wait().expect("the service ends").code(), Some(2));
}

#[test]
fn without_a_passed_socket_the_server_does_not_start() {
    insta::assert_snapshot!(TempCrib::new().transcript(&["serve", "--http", "systemd"]), @r"
    exit code 2
    --- stderr
    error: systemd has passed no socket to this process
     |
     = help: start the `.socket` unit of this service, or pass an address to `--http`
    ");
}
