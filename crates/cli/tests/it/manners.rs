//! Output for people: of commands, and of mistyped ones.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    process::Command,
};

use serde_json::json;
use testing::{HttpServer, TempCrib, definition, run_outside_crib};

use crate::pseudo_terminal::on_terminal;

fn crib() -> TempCrib {
    let mut tool = definition("git_log", "git log");
    tool["description"] = json!(
        "Show the latest commits of the current branch, one per line, with author, date and subject, newest first"
    );
    TempCrib::new().tool("git_log", tool).tool("count", definition("count", "wc"))
}

#[test]
fn the_help_groups_commands() {
    insta::assert_snapshot!(run_outside_crib(&["--help"]).stdout, @r"
    Read tool definitions into one catalog, check them, and serve them to AI agents over MCP

    Usage: toolcrib [OPTIONS] [COMMAND]

    Start:
      init        Start a crib
      connect     Connect MCP clients to this crib
      new         Write a definition or document to start from
      doctor      Report what this machine can run, how well it can sandbox it, and what to install

    Serve and use tools:
      serve       Serve the tools of the crib over MCP
      up          Start a background server for the crib
      down        Stop the background server of the crib
      list        List the tools of the crib
      show        Show one tool
      call        Call a tool from the terminal, as a client would
      reload      Ask the running servers of the crib to reload its definitions
      flags       Set and show flags

    See and decide:
      log         Show who called which tools, with which arguments and outcome
      approve     Approve or deny a call
      operations  Inspect and cancel the operations of the crib's servers

    Write definitions:
      import      Draft a definition from what a program says about itself
      check       Check definitions and report every problem in them
      fmt         Format JSON definitions of command-line tools
      explain     Explain a rule or an error type
      schema      Print a JSON Schema, with which editors check and complete files
      build       Compile the roxygen2 comments of an R package to tools, one YAML file each
      convert     Convert a definition to another format, and report what that format cannot express
      docs        Write an index of all tools and a page for each, built-in tools included

    Versions and packages:
      diff        Compare two versions of tools
      lock        Pin all tools in `toolcrib.lock`, or check that they match it
      export      Pack the crib for others

    More:
      completions Print a script that completes commands, options, the names of tools and their parameters
      man         Print the manual page of the program, or of a command, for `man -l -`
      help        Print the help of a command
      version     Print the version

    Global options:
      -C, --crib DIR              Use the crib in this folder
          --package NAME          Add the tools of an installed R package to the crib. Repeatable
      -v, --verbose               Log more on standard error
      -q, --quiet                 Log only errors, and show no progress
          --color WHEN            When to use colours
          --log-level LEVEL       Log on standard error at this level
          --log-json              Log as JSON, one object per line

    Flags of the MTDF guide, for compatibility:
          --validate-tools        Check all definitions of the crib, like `check`
          --validate-schema FILE  Check one definition and print the result as one JSON document
          --debug-validation      Check all definitions and show each tool as it was read
          --generate-docs         Write a page for each tool, like `docs`

    Run `toolcrib help COMMAND` for the options and examples of a command.
    ");
    assert!(run_outside_crib(&["help", "log"]).stdout.contains("Examples:\n  toolcrib log "));
    assert!(run_outside_crib(&["version"]).stdout.starts_with("toolcrib "));
}

#[test]
fn lists_fit_the_terminal() {
    let crib = crib();
    for columns in [60, 80, 120] {
        let shown = on_terminal(&crib, &["list"], columns);
        let own = shown.split("\n\n").next().expect("the tools of the crib");
        let widest = own.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(widest <= usize::from(columns), "{shown}");
    }
    let own = |shown: &str| shown.split("\n\n").next().unwrap_or_default().to_owned();
    insta::assert_snapshot!(own(&on_terminal(&crib, &["list"], 60)), @r"
    count        Runs it
    git_log      Runs it
    ");
    assert!(on_terminal(&crib, &["list"], 80).contains("\nESC[1mBuilt inESC[0m\n"));
    assert!(!on_terminal(&crib, &["--color", "never", "list"], 80).contains("ESC"));
    let shown = on_terminal(&crib, &["show", "git_log"], 60);
    assert!(
        shown.lines().all(|line| line.replace("ESC[1m", "").replace("ESC[0m", "").len() <= 60),
        "{shown}"
    );
}

#[test]
fn reports_and_explanations_fit_the_terminal() {
    let crib = crib();
    for arguments in [["doctor"].as_slice(), &["explain", "timed_out"], &["explain"]] {
        let shown = on_terminal(&crib, arguments, 60).replace("ESC[1m", "").replace("ESC[0m", "");
        let shown = shown.replace("ESC[2m", "").replace("ESC[31m", "");
        // A path is never broken.
        let is_long = |line: &&str| line.chars().count() > 60 && !line.contains('/');
        let long: Vec<_> = shown.lines().filter(is_long).collect();
        assert!(long.is_empty() && shown.lines().count() > 5, "{long:#?}\n{shown}");
    }
    assert!(crib.run(&["explain"]).stdout.contains("\nTC022  "));
}

#[test]
fn mistakes_are_explained() {
    let crib = crib();
    let crib = crib.file("tools/broken.json", r#"{"name": "broken", "command": "true", "description": "Is broken", "timeout_seconds": "x"}"#);
    let mistakes: [&[&str]; 10] = [
        &["call", "git"],
        &["call", "log"],
        &["call", "broken"],
        &["call", "create_rmd"],
        &["history"],
        &["start"],
        &["show", "cuont"],
        &["list", "--category", "nothing"],
        &["serve", "shop"],
        &["serve", "--http", "localhost"],
    ];
    let all: Vec<_> = mistakes.iter().map(|arguments| crib.transcript(arguments)).collect();
    insta::assert_snapshot!(all.join("\n"), @r"
    exit code 3
    --- stderr
    error: there is no tool `git` in CRIB
     |
     = help: did you mean `git_log`?

    exit code 3
    --- stderr
    error: there is no tool `log` in CRIB
     |
     = help: did you mean `git_log`?

    exit code 3
    --- stderr
    error: `broken` is not served, because of an error in tools/broken.json: expected integer, received string
     |
     = help: run `toolcrib check tools/broken.json` to see where

    exit code 3
    --- stderr
    error: there is no tool `create_rmd` in CRIB
     |
     = help: set `enabled = true` under `[documents]` in toolcrib.toml

    exit code 2
    --- stderr
    error: unrecognized subcommand 'history'

      tip: the command is `toolcrib log`

    Usage: toolcrib [OPTIONS] [COMMAND]

    For more information, try '--help'.

    exit code 2
    --- stderr
    error: unrecognized subcommand 'start'

      tip: the command is `toolcrib up` or `toolcrib down`

    Usage: toolcrib [OPTIONS] [COMMAND]

    For more information, try '--help'.

    exit code 3
    --- stderr
    error: there is no tool `cuont` in CRIB
     |
     = help: did you mean `count`?

    exit code 0
    --- stderr
    no tool has the category `nothing`
    1 error in definitions; run `toolcrib check` to see them

    exit code 2
    --- stderr
    error: `serve` takes no folder, received `shop`
     |
     = help: run `toolcrib -C shop serve`

    exit code 2
    --- stderr
    error: invalid value 'localhost' for '--http <ADDR>': use a port, such as 7337, an address with a port, such as 127.0.0.1:7337, or `systemd`

    For more information, try '--help'.
    ");
}

#[test]
fn a_port_in_use_is_reported_with_a_hint() {
    let crib = crib();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    for address in [format!("{port}"), format!(":{port}"), format!("localhost:{port}")] {
        let output = crib.run(&["serve", "--http", &address, "--no-token"]);
        assert_eq!(output.code, 2);
        assert!(output.stderr.contains("choose another port"), "{}", output.stderr);
    }
}

#[test]
fn the_home_folder_is_expanded_without_a_shell() {
    let crib = crib();
    let home = crib.root().parent().expect("a folder").to_owned();
    let mut command = Command::new(testing::toolcrib_path());
    command.args(["-C", "~/crib", "list"]).env("HOME", home).env("NO_COLOR", "1");
    let output = command.output().expect("it runs");
    assert!(String::from_utf8_lossy(&output.stdout).contains("git_log"), "{output:?}");
}

#[test]
fn diff_compares_the_last_commit_with_the_files() {
    let crib = crib();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b.c"]).args(arguments);
        assert!(command.current_dir(crib.root()).output().expect("git").status.success());
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "first"]);
    crib.write("tools/new.json", &definition("new", "true").to_string());
    let output = crib.run(&["diff"]);
    assert!(output.stdout.contains("new"), "{}{}", output.stdout, output.stderr);
}

#[test]
fn serve_at_a_terminal_explains_that_it_waits() {
    let crib = crib();
    let (code, seen) = crate::approve::run_at_terminal(&crib, &["serve"], &["\u{4}"]);
    assert_eq!(code, 0, "{seen}");
    assert!(seen.contains("waits for an MCP client on standard input"), "{seen}");
}

#[test]
fn a_browser_gets_a_page() {
    let server = HttpServer::start(&crib(), &[]);
    let mut stream = TcpStream::connect(&server.address).expect("it listens");
    let request = "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).expect("sent");
    let mut page = String::new();
    stream.read_to_string(&mut page).expect("a page");
    assert!(page.contains("content-type: text/html") && page.contains("/mcp"), "{page}");
    assert!(!page.contains("<script"), "{page}");
}

#[test]
fn quoted_files_do_not_control_the_terminal_or_a_workflow() {
    let text = "\u{1b}[2J\u{9b}2J\r\n ::error::x";
    let mut tool = definition("count", "wc");
    tool[format!("key{text}")] = json!(1);
    let name = "tools/a\u{1b}[2J\n::error::b.json";
    let crib = TempCrib::new()
        .tool("count", tool.clone())
        .file(name, &tool.to_string())
        .file("toolcrib.toml", "\"key\\u001b[2J\\n::error::c\" = 1\n");
    let absent = format!("tools/absent{text}");
    for arguments in [
        &["check"][..],
        &["check", "--all"],
        &["check", name],
        &["check", &absent],
        &["fmt", "--check"],
        &["convert", "tools/count.json", "--to", "mtdf"],
        &["doctor"],
    ] {
        let (shown, piped) = (on_terminal(&crib, arguments, 80), crib.run(arguments));
        assert!(!shown.contains("ESC[2J") && !shown.contains(['\u{9b}', '\r']), "{shown}");
        for output in [shown, piped.stdout, piped.stderr] {
            let is_command = |line: &str| line.trim_start().starts_with("::");
            assert!(!output.lines().any(is_command), "{arguments:?}: {output}");
        }
    }
}
