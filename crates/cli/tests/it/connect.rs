//! `connect`: entries in the configuration of clients.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use clients::{CLIENTS, Scope};
use testing::{CommandOutput, HttpServer, TempCrib, definition, toolcrib_path};

/// A crib with one tool, and a home folder beside it.
fn crib() -> TempCrib {
    TempCrib::new().tool("alpha", definition("alpha", "echo")).file("../home/.keep", "")
}

fn home(crib: &TempCrib) -> PathBuf {
    crib.root().with_file_name("home")
}

fn connect(crib: &TempCrib, arguments: &[&str]) -> CommandOutput {
    let mut command = crib.command(&[&["connect"], arguments].concat());
    // Variables that move the files of clients are unset, so that tests cannot reach the files of a
    // developer.
    for variable in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME"] {
        command.env_remove(variable);
    }
    for variable in ["CLINE_DIR", "OPENCODE_CONFIG", "XDG_CONFIG_HOME"] {
        command.env_remove(variable);
    }
    command.env("HOME", home(crib));
    CommandOutput::from(&command.output().expect("the program starts"))
}

fn transcript(crib: &TempCrib, arguments: &[&str]) -> String {
    let CommandOutput { code, stdout, stderr } = connect(crib, arguments);
    // The number of built-in tools does not matter here.
    let lines = stdout.lines().map(|line| line.split(" gets ").next().unwrap_or_default());
    let stdout: String = lines.map(|line| format!("{line}\n")).collect();
    let text = format!("exit code {code}\n{stdout}{stderr}");
    normalize(crib, &text)
}

fn normalize(crib: &TempCrib, text: &str) -> String {
    let text = text.replace(&toolcrib_path().display().to_string(), "TOOLCRIB");
    let text = text.replace(&crib.root().display().to_string(), "CRIB");
    let text =
        text.replace(&crib.root().parent().expect("a folder").display().to_string(), "FOLDER");
    // The name of the state folder contains a hash of the crib's path.
    let (begin, end) = ("FOLDER/state/toolcrib/cribs/", "/connections");
    match text.split_once(begin).and_then(|(head, rest)| Some((head, rest.split_once(end)?))) {
        Some((head, (_, rest))) => format!("{head}STATE{end}{rest}"),
        None => text,
    }
}

/// All files of the crib and of the home folder, except the state of servers.
fn files_of(crib: &TempCrib) -> Vec<(PathBuf, Vec<u8>)> {
    [files_in(&crib.root()), files_in(&home(crib))].concat()
}

/// All files below a folder, with their content.
fn files_in(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_in(&path));
        } else {
            found.push((path.clone(), fs::read(path).expect("a file")));
        }
    }
    found.sort();
    found
}

#[test]
fn writes_verifies_and_undoes_an_entry() {
    let crib = crib();
    insta::assert_snapshot!(transcript(&crib, &["codex"]));
    insta::assert_snapshot!(transcript(&crib, &["codex"]), @r"
    exit code 0
    FOLDER/home/.codex/config.toml is up to date
    Codex
    next: start a new session
    ");
    insta::assert_snapshot!(transcript(&crib, &["codex", "--undo"]));
    assert!(!home(&crib).join(".codex").exists());
}

#[test]
fn every_client_file_is_the_same_after_a_round_trip() {
    let crib = crib();
    crib.write("../home/.claude.json", "{\"numStartups\":3,\n   \"mcpServers\":{ \"a\":{} }}");
    crib.write("../home/.codex/config.toml", "# mine\nmodel = \"x\"");
    crib.write(
        "../home/.config/goose/config.yaml",
        "GOOSE_MODEL: x\nextensions:\n  a:\n    cmd: b",
    );
    crib.write("../home/.config/zed/settings.json", "// mine\n{\"theme\": \"One\",}\r\n");
    crib.write("../home/.cursor/mcp.json", "");
    crib.write("../home/.copilot/mcp-config.json", "// mine\r\n{\r\n\t\"a\": [1,],\r\n}\r\n");
    crib.write("../home/.kiro/settings/mcp.json", "\u{feff}{\"a\": 1}");
    crib.write("../home/.gemini/settings.json", "{\n\t/* mine */ \"a\": 1\n}");
    crib.write(".codex/config.toml", "a = 1 # mine\r\n");
    crib.write(".vscode/mcp.json", "{\"servers\": {\"b\": {}, // theirs\n}}");
    let before = files_of(&crib);
    for scope in [Scope::User, Scope::Project] {
        let able = CLIENTS.iter().filter(|client| client.location(scope).is_some());
        let names: Vec<_> = able.map(|client| client.name).collect();
        let flag = format!("--{}", scope.name());
        let output = connect(&crib, &[&names[..], &[&flag]].concat());
        assert_eq!(output.code, 0, "{}", output.stderr);
        let verified = output.stdout.lines().filter(|line| line.contains(": alpha"));
        assert_eq!(verified.count(), names.len());
        assert!(files_of(&crib).len() > before.len());
        // Undone in the opposite order, because two clients may share a file.
        let names: Vec<_> = names.into_iter().rev().collect();
        assert_eq!(connect(&crib, &[&names[..], &[&flag, "--undo"]].concat()).code, 0);
        assert_eq!(files_of(&crib), before, "{flag}");
    }
}

#[test]
fn only_the_entry_is_removed_from_a_file_that_changed_since() {
    let crib = crib();
    connect(&crib, &["claude-code"]);
    let text = crib.read("../home/.claude.json");
    crib.write("../home/.claude.json", &text.replacen('{', "{ \"numStartups\": 4,", 1));
    connect(&crib, &["claude-code", "--undo"]);
    insta::assert_snapshot!(crib.read("../home/.claude.json"), @r#"
    { "numStartups": 4,
      "mcpServers": {}
    }
    "#);
}

#[test]
fn entries_of_one_file_are_undone_in_any_order() {
    for order in [["one", "two"], ["two", "one"]] {
        for original in [Some("# mine\na = 1\r\n[mcp_servers]\nz = {}"), None] {
            let crib = crib();
            if let Some(text) = original {
                crib.write("../home/.codex/config.toml", text);
            }
            let before = files_in(&home(&crib));
            connect(&crib, &["codex", "--name", "one"]);
            connect(&crib, &["codex", "--name", "two"]);
            // Replaces the entry below the other one.
            connect(&crib, &["codex", "--name", "one", "--http", "http://127.0.0.1:9/mcp"]);
            connect(&crib, &["codex", "--name", order[0], "--undo"]);
            let text = crib.read("../home/.codex/config.toml");
            assert!(!text.contains(order[0]) && text.contains(order[1]), "{order:?}: {text}");
            connect(&crib, &["codex", "--name", order[1], "--undo"]);
            assert_eq!(files_in(&home(&crib)), before, "{order:?}");
            assert_eq!(home(&crib).join(".codex").exists(), original.is_some(), "{order:?}");
        }
    }
}

#[test]
fn links_to_files_stay_links() {
    let crib = crib().file("dotfiles/claude.json", "{}");
    std::os::unix::fs::symlink("../crib/dotfiles/claude.json", home(&crib).join(".claude.json"))
        .expect("a link");
    assert_eq!(connect(&crib, &["claude-code"]).code, 0);
    assert!(home(&crib).join(".claude.json").is_symlink());
    assert!(crib.read("dotfiles/claude.json").contains("mcpServers"));
}

#[test]
fn a_broken_file_and_a_missing_scope_change_nothing() {
    let crib = crib().file("../home/.cursor/mcp.json", "{ // no\n}");
    let before = files_of(&crib);
    insta::assert_snapshot!(transcript(&crib, &["cursor"]), @r"
    exit code 2
    error: `FOLDER/home/.cursor/mcp.json` is left as it is: it is broken: key must be a string at line 1 column 3
     |
     = help: fix the file, or add the entry by hand
    ");
    insta::assert_snapshot!(transcript(&crib, &["codex", "windsurf", "--project"]), @r"
    exit code 2
    error: Windsurf has no configuration file of a project
     |
     = help: use `--user`
    ");
    assert_eq!(connect(&crib, &["zed", "--dry-run"]).code, 0);
    assert_eq!(files_of(&crib), before);
}

#[test]
fn broken_yaml_is_left_alone() {
    let broken = [
        "a: [\n",
        "a: \"x\n",
        "extensions:\n  x: {\n",
        "extensions:\n  x:\n    cmd: \"un\n",
        "a: 1\n  b: 2\n",
    ];
    let errors = broken.map(|text| {
        let crib = crib().file("../home/.config/goose/config.yaml", text);
        let before = files_of(&crib);
        let output = transcript(&crib, &["goose"]);
        assert!(files_of(&crib) == before, "{text} was changed");
        output.lines().take(2).map(|line| format!("{line}\n")).collect::<String>()
    });
    insta::assert_snapshot!(errors.concat());
}

#[test]
fn a_file_that_cannot_be_written_is_not_reported_as_written() {
    let crib = crib();
    // No file can be created there, not even by root.
    std::os::unix::fs::symlink("/proc", home(&crib).join(".cursor")).expect("a link");
    insta::assert_snapshot!(transcript(&crib, &["cursor"]));
}

#[test]
fn a_path_that_a_client_would_expand_is_refused() {
    let crib =
        TempCrib::new().file("../{env:X}/tools/a.json", &definition("a", "echo").to_string());
    let mut command = std::process::Command::new(toolcrib_path());
    command.args(["connect", "opencode"]).current_dir(crib.root().with_file_name("{env:X}"));
    command.env("HOME", crib.root()).env("XDG_STATE_HOME", crib.root().join("state"));
    let output = CommandOutput::from(&command.output().expect("the program starts"));
    assert_eq!(output.code, 2);
    let expected = "opencode would read `FOLDER/{env:X}` as a reference to a variable";
    assert!(normalize(&crib, &output.stderr).contains(expected), "{}", output.stderr);
}

#[test]
fn lists_clients_and_their_state() {
    let crib = crib().file("../home/.cursor/mcp.json", "{}");
    connect(&crib, &["gemini"]);
    connect(&crib, &["claude-code", "--project"]);
    crib.write("../home/.codex/config.toml", "[mcp_servers.crib]\ncommand = \"old\"\n");
    crib.write("../home/.kiro/settings/mcp.json", "[]");
    let mut command = crib.command(&["connect"]);
    command.env("HOME", home(&crib)).env("PATH", "/nonexistent");
    let output = CommandOutput::from(&command.output().expect("the program starts"));
    insta::assert_snapshot!(normalize(&crib, &output.stdout));
}

#[test]
fn lists_installed_clients_outside_of_a_crib() {
    let crib = crib().file("../home/.cursor/mcp.json", "{}");
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(toolcrib_path());
        command.args(arguments).current_dir(home(&crib)).env_clear();
        command.env("HOME", home(&crib)).env("PATH", "/nonexistent");
        CommandOutput::from(&command.output().expect("the program starts"))
    };
    let CommandOutput { code, stdout, stderr } = run(&["connect"]);
    assert_eq!(code, 0, "{stderr}");
    insta::assert_snapshot!(stdout);
    assert_eq!(run(&["connect", "cursor"]).code, 2);
}

#[test]
fn the_token_is_not_written_where_others_can_read_it() {
    let crib = crib();
    let server = HttpServer::start(&crib, &[]);
    let url = server.url();
    let secret = server.authorization().trim_start_matches("Bearer ").to_owned();
    let has_secret = |files: Vec<(PathBuf, Vec<u8>)>| {
        files.iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains(&secret))
    };
    insta::assert_snapshot!(transcript(&crib, &["zed", "--project", "--http", &url]), @r"
    exit code 2
    error: Zed reads no variables, so CRIB/.zed/settings.json would contain the token
     |
     = help: a project's file is readable by others: use `--user`
    ");
    // The user's file, but a folder of the crib.
    std::os::unix::fs::symlink(crib.root().join("zed"), home(&crib).join(".config"))
        .expect("a link");
    fs::create_dir(crib.root().join("zed")).expect("a folder");
    insta::assert_snapshot!(transcript(&crib, &["zed", "--http", &url]), @r"
    exit code 2
    error: Zed reads no variables, so FOLDER/home/.config/zed/settings.json would contain the token, and tools can read this file
     |
     = help: move the file out of the folders that tools can read, or leave out `--http`
    ");
    assert!(!has_secret(files_of(&crib)));
    fs::remove_file(home(&crib).join(".config")).expect("a link");
    let CommandOutput { code, stdout, stderr } = connect(&crib, &["zed", "--http", &url]);
    assert_eq!(code, 0, "{stderr}");
    assert!(!stdout.contains(&secret) && has_secret(files_in(&home(&crib))), "{stdout}");
    let settings = home(&crib).join(".config/zed/settings.json");
    let mode = fs::metadata(settings).expect("a file").permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");
}

#[test]
fn a_running_server_is_reached_without_its_token_in_the_file() {
    let crib = crib();
    let server = HttpServer::start(&crib, &[]);
    let url = server.url();
    let output = connect(&crib, &["claude-code", "--http", &url]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(output.stdout.contains(": alpha"), "{}", output.stdout);
    assert!(crib.read("../home/.claude.json").contains("Bearer ${TOOLCRIB_TOKEN}"));
    let secret = server.authorization().trim_start_matches("Bearer ");
    assert!(
        files_of(&crib)
            .iter()
            .all(|(_, bytes)| { !String::from_utf8_lossy(bytes).contains(secret) })
    );
    drop(server);
    assert_eq!(connect(&crib, &["claude-code", "--http", &url]).code, 1);
}
