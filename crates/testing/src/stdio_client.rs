//! A raw client on the standard input and output of a server process.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{TIMEOUT, TempCrib, initialize_params, notification, request};

/// A client on the standard input and output of a server process, which is killed on drop.
pub struct StdioClient {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    last_id: u64,
    /// The response to `initialize`; null before the handshake.
    pub initialized: Value,
}

impl StdioClient {
    /// Starts `toolcrib serve` with these arguments, and does the handshake of a legacy client.
    pub fn start(crib: &TempCrib, arguments: &[&str]) -> Self {
        Self::start_with(crib, arguments, &[])
    }

    /// Like [`StdioClient::start`], with these variables in the environment of the server.
    pub fn start_with(crib: &TempCrib, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = crib.command(&["serve"]);
        command.args(arguments).envs(variables.iter().copied()).stderr(Stdio::null());
        let mut client = Self::spawn(command);
        client.initialized = client.request("initialize", initialize_params(json!({})));
        client.send(&notification("notifications/initialized"));
        client
    }

    /// Starts a server, and sends nothing.
    pub fn spawn(mut command: Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let output = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let (sender, lines) = channel();
        thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let input = child.stdin.take();
        Self { child, input, lines, last_id: 0, initialized: Value::Null }
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    /// Sends a line, whether it is a message or not.
    pub fn send_line(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the input is open");
        writeln!(input, "{line}").expect("the server reads");
    }

    /// Waits for the next message that matches, and drops those before it.
    pub fn wait(&self, matches: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).expect("a message before the deadline");
            let message: Value =
                serde_json::from_str(&line).unwrap_or_else(|_| panic!("not a message: {line}"));
            if matches(&message) {
                return message;
            }
        }
    }

    /// Sends a request and waits for its response.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&request(id, method, params));
        self.wait(|message| message["id"] == id)
    }

    /// Calls a tool and returns its result. Panics on a protocol error.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        let mut response = self.request("tools/call", params);
        assert!(response["result"].is_object(), "{response}");
        response["result"].take()
    }

    /// The names of the listed tools, without the built-in tools for operations and long outputs.
    pub fn names(&mut self) -> Vec<String> {
        let listed = self.request("tools/list", json!({}));
        let tools = listed["result"]["tools"].as_array().expect("a list of tools").iter();
        let names = tools.map(|tool| tool["name"].as_str().expect("a name").to_owned());
        let is_built_in = |name: &String| {
            ["await", "cancel", "read_output", "status"]
                .iter()
                .any(|built_in| name.ends_with(built_in))
        };
        names.filter(|name| !is_built_in(name)).collect()
    }

    /// Waits for the notification that the list of tools has changed.
    pub fn wait_for_change(&self) {
        self.wait(|message| message["method"] == "notifications/tools/list_changed");
    }

    /// The process id of the server.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Closes the input, waits until the server exits, and returns how long that took. Panics
    /// unless it exits with 0.
    pub fn close(mut self) -> Duration {
        let start = Instant::now();
        drop(self.input.take());
        assert!(self.child.wait().expect("the server exits").success());
        start.elapsed()
    }
}

impl Drop for StdioClient {
    fn drop(&mut self) {
        // Both fail if the server has exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
