//! `check --against`: definitions compared with the tools of a live server.

use std::{fs, path::PathBuf};

use serde_json::Value;
use testing::{HttpServer, TempCrib, repository, toolcrib_path};

fn whole_specification() -> String {
    fs::read_to_string(repository().join("crates/formats/tests/it/specs/whole.md"))
        .expect("the page")
}

/// A crib with a specification that something runs.
fn crib_with_specification(page: &str) -> TempCrib {
    let bind = "[[bind]]\ntools = \"count_*\"\ncommand = [\"cat\"]\nmutates = false\n\
        [[allow]]\ncode = \"TC301\"\nreason = \"the server is compared with a plain string\"\n";
    TempCrib::new().file("MCP_TOOL_SPECIFICATION.md", page).file("toolcrib.toml", bind)
}

/// The command that serves a crib.
fn serve_command(crib: &TempCrib) -> String {
    format!("'{}' -C '{}' serve", toolcrib_path().display(), crib.root().display())
}

fn findings(report: &Value) -> Vec<String> {
    let all = report["diagnostics"].as_array().expect("diagnostics").iter();
    all.map(|found| {
        format!(
            "{} {} {}",
            found["code"].as_str().unwrap_or_default(),
            found["severity"].as_str().unwrap_or_default(),
            found["message"].as_str().unwrap_or_default()
        )
    })
    .collect()
}

#[test]
fn a_crib_matches_its_own_server() {
    let crib = crib_with_specification(&whole_specification());
    let output = crib.run(&["check", "--against", &serve_command(&crib)]);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
}

#[test]
fn a_missing_program_is_reported() {
    let output = crib_with_specification(&whole_specification()).run(&[
        "check",
        "--against",
        "no-such-server --stdio",
    ]);
    assert_eq!(output.code, 2);
    insta::assert_snapshot!(output.stderr, @r"
    error: cannot find the program `no-such-server`
     |
     = help: pass a command line whose program is in PATH or named by its path, or a URL that begins with `http://`
    ");
}

#[test]
fn reports_missing_undocumented_and_drifted_tools_with_their_line() {
    let page = whole_specification();
    let server = crib_with_specification(&page);
    let other = page.replace("| `path` | `string` | Yes |", "| `file` | `string` | Yes |");
    assert_ne!(other, page, "the page has the row");
    let drifted = crib_with_specification(&other);
    let output = drifted.run(&["check", "--format", "json", "--against", &serve_command(&server)]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let report = output.json();
    let all = findings(&report);
    assert!(
        all.iter().any(|line| line.starts_with("TC828 error `count_lines` differs on the server")),
        "{all:#?}"
    );
    let first = &report["diagnostics"]
        .as_array()
        .expect("diagnostics")
        .iter()
        .find(|found| found["code"] == "TC828")
        .expect("it");
    assert_eq!(first["file"], "MCP_TOOL_SPECIFICATION.md");
    assert!(first["line"].is_u64(), "{first}");
    let renamed = crib_with_specification(&page.replace("count_lines", "count_rows"));
    let output = renamed.run(&["check", "--format", "json", "--against", &serve_command(&server)]);
    assert_eq!(
        findings(&output.json()),
        [
            "TC827 error the server does not list `count_rows`",
            "TC826 error the server lists `count_lines`, which no definition describes",
        ]
    );
    let sarif =
        renamed.run(&["check", "--format", "sarif", "--against", &serve_command(&server)]).json();
    assert_eq!(sarif["runs"][0]["results"].as_array().expect("results").len(), 2);
}

#[test]
fn a_different_description_is_a_warning_and_fails_the_check() {
    let page = whole_specification();
    let server = crib_with_specification(&page);
    let other = crib_with_specification(&page.replace("Count the lines", "Count all the lines"));
    let output = other.run(&["check", "--format", "json", "--against", &serve_command(&server)]);
    assert_eq!(output.code, 1);
    assert_eq!(
        findings(&output.json()),
        [
            "TC828 warning `count_lines` is described differently on the server: the description changed"
        ]
    );
}

#[test]
fn connects_to_an_http_server_with_its_token() {
    let crib = crib_with_specification(&whole_specification()).file("token", "sesame\n");
    let token = crib.root().join("token");
    let token = token.to_str().expect("a path");
    let server = HttpServer::start(&crib, &["--token-file", token]);
    let url = server.url();
    let good = crib.run(&["check", "--against", &url, "--token-file", token]);
    assert_eq!(good.code, 0, "{}{}", good.stdout, good.stderr);
    insta::assert_snapshot!(crib.transcript(&["check", "--against", &url]), @r"
    exit code 2
    --- stderr
    error: the server requires a token
     |
     = help: pass the file that contains it with `--token-file`; `toolcrib serve` logs the path of its token file
    ");
    crib.write("other", "open\n");
    let arguments = ["check", "--against", &url, "--token-file", "other"];
    insta::assert_snapshot!(crib.transcript(&arguments), @r"
    exit code 2
    --- stderr
    error: the server rejected the token
     |
     = help: check that `other` contains the token of this server
    ");
}

#[test]
fn an_unreachable_server_is_an_error_with_the_reason() {
    let crib = crib_with_specification(&whole_specification());
    for (server, why) in [
        ("no-such-program-here", "no-such-program-here"),
        ("sh -c 'echo out of order >&2'", "out of order"),
        ("sh -c 'oops", "is not a valid command line"),
        ("https://example.org/mcp", "is not on this machine"),
        ("http://example.org/mcp", "is not on this machine"),
        ("http://127.0.0.1:9/mcp", "Connection refused"),
    ] {
        let output = crib.run(&["check", "--against", server]);
        assert!(
            !output.stderr.contains("rmcp::"),
            "names of types explain nothing: {}",
            output.stderr
        );
        assert!(
            output.code == 2 && output.stderr.contains(why),
            "{server}: {} {}",
            output.code,
            output.stderr
        );
    }
}

/// A server that supports only the old handshake.
const OLD: &str = r#"
import json, sys
tools = [{"name": "count_lines", "description": "Count the lines of a file below the project folder.",
          "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}, "deep": {"type": "boolean"}}, "required": ["path"]}}]
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message: continue
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    if message["method"] == "initialize":
        answer["result"] = {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}, "serverInfo": {"name": "old", "version": "1"}}
    elif message["method"] == "tools/list":
        answer["result"] = {"tools": tools}
    else:
        answer["error"] = {"code": -32601, "message": "what?"}
    print(json.dumps(answer), flush=True)
"#;

#[test]
fn compares_a_legacy_server_and_warns_about_compatible_differences() {
    let crib = crib_with_specification(&whole_specification()).file("old.py", OLD);
    let output = crib.run(&["check", "--format", "json", "--against", "python3 old.py"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let all = findings(&output.json());
    assert!(
        all.iter().any(|line| line.starts_with("TC828 warning") && line.contains("`deep`")),
        "{all:#?}"
    );
    assert!(
        all.iter().any(|line| line.starts_with("TC828 error") && line.contains("output")),
        "{all:#?}"
    );
}

/// The interpreter with the official library, which `scripts/test unit` creates.
fn python_with_library() -> Option<PathBuf> {
    let target = toolcrib_path().ancestors().nth(2).expect("the target folder").to_owned();
    let python = target.join("test/venv/bin/python");
    let import = std::process::Command::new(&python).args(["-c", "import mcp.server"]).output();
    let has_library = import.is_ok_and(|output| output.status.success());
    if !has_library {
        testing::skip("the official Python library is not in test/venv of the target folder");
    }
    has_library.then_some(python)
}

#[test]
fn compares_a_server_of_the_official_python_library() {
    let Some(python) = python_with_library() else { return };
    let code = "from mcp.server import MCPServer\nserver = MCPServer('other')\n@server.tool()\ndef count_lines(path: str) -> dict:\n    'Count the lines of a file below the project folder.'\n    return {}\n@server.tool()\ndef extra() -> str:\n    'More'\n    return ''\nserver.run()\n";
    let crib = crib_with_specification(&whole_specification()).file("server.py", code);
    let server = format!("'{}' server.py", python.display());
    let output = crib.run(&["check", "--format", "json", "--against", &server]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let all = findings(&output.json());
    assert!(
        all.contains(
            &"TC826 error the server lists `extra`, which no definition describes".to_owned()
        ),
        "{all:#?}"
    );
    assert!(!all.iter().any(|line| line.starts_with("TC827")), "{all:#?}");
}
