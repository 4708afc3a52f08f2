//! Measures calls of a trivial R function through the server, the same frames to a bare R
//! worker, and one `Rscript` for each call, all in one run. Prints JSON.
//!
//! usage: `r_cost TOOLCRIB`, the program that serves.

#![expect(clippy::print_stdout, reason = "the figures are what this is for")]

use std::{
    env,
    error::Error,
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

const ROUNDS: usize = 4;
const CALLS: usize = 1_000;
const USED_TO: usize = 1_000;
const SCRIPTS: usize = 5;

/// The minimum that a worker must do: read a frame, call the function, write a frame.
const BARE: &str = r#"
  requests <- file("requests", "rb", raw = TRUE)
  answers <- file("answers", "wb", raw = TRUE)
  f <- function(x) x + 1
  repeat {
    length <- readBin(requests, "integer", 1L, endian = "little")
    request <- unserialize(readBin(requests, "raw", length))
    bytes <- serialize(list("done", TRUE, NULL, NULL, do.call(f, request[[3L]])), NULL, xdr = FALSE)
    writeBin(length(bytes), answers, endian = "little")
    writeBin(bytes, answers)
    flush(answers)
  }
"#;

const TOOL: &str = "
description: Adds one
parameters: {type: object, properties: {x: {type: number, description: a number}}, required: [x]}
implementation_example: f(1)
";

fn main() -> Result<(), Box<dyn Error>> {
    let toolcrib = env::args().nth(1).ok_or("usage: r_cost TOOLCRIB")?;
    let folder = tempfile::tempdir()?;
    let crib = folder.path().join("crib");
    fs::create_dir(&crib)?;
    write_crib(&crib)?;
    let mut bare = Bare::start(&crib)?;
    let mut server = Server::start(&toolcrib, &crib)?;
    let [value, print] = ["bench-f", "bench-g"]
        .map(|name| request("tools/call", &json!({"name": name, "arguments": {"x": 41}})));
    let (mut direct, mut values, mut prints) = (Vec::new(), Vec::new(), Vec::new());
    // Interleaved, so that other load affects all of them equally; each round is long enough to warm
    // up the caches again.
    for _ in 0..ROUNDS {
        direct.extend(measure_repeatedly(|| bare.call())?);
        values.extend(measure_repeatedly(|| server.call(&value))?);
        prints.extend(measure_repeatedly(|| server.call(&print))?);
    }
    let scripts: Result<Vec<_>, _> = (0..SCRIPTS).map(|_| measure(script)).collect();
    let [direct, values, prints, scripts] =
        [direct, values, prints, scripts?].map(|times| median(times).as_secs_f64() * 1e6);
    println!(
        "{}",
        json!({"bare_us": direct, "value_us": values, "print_us": prints, "rscript_us": scripts})
    );
    Ok(())
}

/// The duration of many runs in a row, after a warm-up.
fn measure_repeatedly(
    mut work: impl FnMut() -> Result<(), Box<dyn Error>>,
) -> Result<Vec<Duration>, Box<dyn Error>> {
    for _ in 0..USED_TO {
        work()?;
    }
    (0..CALLS).map(|_| measure(&mut work)).collect()
}

fn measure<T>(
    work: impl FnOnce() -> Result<T, Box<dyn Error>>,
) -> Result<Duration, Box<dyn Error>> {
    let begun = Instant::now();
    work()?;
    Ok(begun.elapsed())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// A crib that is an R package with one function that declares its result, and one that does not.
fn write_crib(folder: &Path) -> std::io::Result<()> {
    let tools = folder.join("inst/mcp/tools");
    fs::create_dir_all(folder.join("R"))?;
    fs::create_dir_all(&tools)?;
    fs::write(folder.join("DESCRIPTION"), "Package: bench\nVersion: 1.0\n")?;
    fs::write(folder.join("R/f.R"), "f <- function(x) x + 1\ng <- f\n")?;
    fs::write(
        tools.join("bench-f.yaml"),
        format!("name: bench-f{TOOL}returns: {{type: number, description: the sum}}\n"),
    )?;
    fs::write(tools.join("bench-g.yaml"), format!("name: bench-g{TOOL}"))
}

fn script() -> Result<(), Box<dyn Error>> {
    let status = Command::new("Rscript")
        .args(["--vanilla", "-e", "f <- function(x) x + 1; f(41)"])
        .stdout(Stdio::null())
        .status()?;
    if status.success() { Ok(()) } else { Err("Rscript failed".into()) }
}

/// A bare worker, on the pipes of a folder.
struct Bare {
    child: Child,
    requests: fs::File,
    answers: fs::File,
    frame: Vec<u8>,
}

impl Bare {
    fn start(folder: &Path) -> Result<Self, Box<dyn Error>> {
        for name in ["requests", "answers"] {
            Command::new("mkfifo").arg(folder.join(name)).status()?;
        }
        fs::write(folder.join("bare.R"), BARE)?;
        let child =
            Command::new("Rscript").args(["--vanilla", "bare.R"]).current_dir(folder).spawn()?;
        let open =
            |name: &str| fs::OpenOptions::new().read(true).write(true).open(folder.join(name));
        let request = frame();
        let frame = [&(request.len() as u32).to_le_bytes()[..], &request].concat();
        let mut bare =
            Self { child, requests: open("requests")?, answers: open("answers")?, frame };
        bare.call()?;
        Ok(bare)
    }

    fn call(&mut self) -> Result<(), Box<dyn Error>> {
        self.requests.write_all(&self.frame)?;
        let mut length = [0; 4];
        self.answers.read_exact(&mut length)?;
        let mut answer = vec![0; u32::from_le_bytes(length) as usize];
        self.answers.read_exact(&mut answer)?;
        if answer.windows(8).any(|bytes| bytes == 42.0_f64.to_le_bytes()) {
            Ok(())
        } else {
            Err("not 42".into())
        }
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The frame that the server sends to its worker for the same call.
fn frame() -> Vec<u8> {
    const ASCII: u32 = 9 | 1 << 18;
    let word = |number: u32| number.to_le_bytes().to_vec();
    let letters =
        |text: &str| [word(ASCII), word(text.len() as u32), text.as_bytes().to_vec()].concat();
    let text = |text: &str| [word(16), word(1), letters(text)].concat();
    let null = word(254);
    let x = [word(14), word(1), 41.0_f64.to_le_bytes().to_vec()].concat();
    let names = [word(2 | 1 << 10), word(1), letters("names"), text("x"), null.clone()].concat();
    let arguments = [word(19 | 1 << 9), word(1), x, names].concat();
    let members = [text("call"), text("value\nbench\nf\n."), arguments, null];
    [
        b"B\n".to_vec(),
        word(2),
        word(0x0004_0202),
        word(0x0002_0300),
        word(19),
        word(4),
        members.concat(),
    ]
    .concat()
}

fn request(method: &str, params: &Value) -> String {
    format!("{}\n", json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
}

/// A server on standard input and output.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(toolcrib: &str, crib: &Path) -> Result<Self, Box<dyn Error>> {
        let mut child = Command::new(toolcrib)
            .args(["serve", "-C"])
            .arg(crib)
            .env("XDG_STATE_HOME", crib.with_file_name("state"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (input, output) =
            (child.stdin.take().ok_or("no input")?, child.stdout.take().ok_or("no output")?);
        let mut server = Self { child, input, output: BufReader::new(output) };
        let who = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "r_cost", "version": "1"}});
        server.ask(&request("initialize", &who))?;
        server
            .input
            .write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")?;
        Ok(server)
    }

    fn call(&mut self, request: &str) -> Result<(), Box<dyn Error>> {
        let answer = self.ask(request)?;
        if [r#""text":"42""#, r#""text":"[1] 42"#].iter().any(|text| answer.contains(text)) {
            Ok(())
        } else {
            Err(answer.into())
        }
    }

    fn ask(&mut self, request: &str) -> Result<String, Box<dyn Error>> {
        self.input.write_all(request.as_bytes())?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(line)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
