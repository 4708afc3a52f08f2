//! A failure that the sandbox caused names the cause and the setting to change.

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::json;
use testing::{CommandOutput, TempCrib, skip_without};

/// A crib with the tool `run`, which takes words for its command and changes nothing.
fn crib(command: &str) -> TempCrib {
    TempCrib::new().tool(
        "run",
        json!({
            "name": "run", "description": "Runs a program", "command": command, "mutates": false,
            "positional_args": [{"name": "words", "type": "array", "items": {"type": "string"}, "description": "Its arguments"}],
        }),
    )
}

/// Returns the last line that a call prints, which names the cause.
fn cause(crib: &TempCrib, word: &str) -> String {
    let output = crib.run(&["call", "run", &format!("words={word}")]);
    assert_eq!(output.code, 1, "{word}: {}{}", output.stdout, output.stderr);
    output.stderr.lines().last().expect("an error").to_owned()
}

const NETWORK: &str = "its sandbox has no network; declare `\"network\": true`";

#[test]
fn a_refused_connection_names_the_missing_network() {
    skip_without!("curl", "python3");
    let curl = crib("curl -sS");
    for url in ["http://127.0.0.1:9/", "http://example.invalid/"] {
        assert!(cause(&curl, url).contains(NETWORK), "{}", cause(&curl, url));
    }
    let python = crib("python3 get.py")
        .file("get.py", "import sys, urllib.request\nurllib.request.urlopen(sys.argv[1])\n");
    assert!(cause(&python, "http://127.0.0.1:9/").contains(NETWORK));
}

#[test]
fn a_refused_file_is_named_with_the_setting_to_change() {
    skip_without!("python3");
    let crib =
        crib("python3 open.py").file("open.py", "import sys\nopen(*sys.argv[1].split(','))\n");
    let outside = crib.root().join("../data.txt");
    fs::write(&outside, "data").expect("a file");
    let outside = outside.canonicalize().expect("it exists");
    let write = format!(
        "its sandbox may not write {}/out.txt, because the tool is declared `\"mutates\": false`",
        crib.root().display()
    );
    assert!(cause(&crib, "out.txt,w").ends_with(&write), "{}", cause(&crib, "out.txt,w"));
    let read = format!(
        "{} is outside of what its sandbox may read; add the folder to `[crib] roots` or `[confine] read`",
        outside.display()
    );
    assert!(cause(&crib, outside.to_str().expect("text")).ends_with(&read));
    let missing = cause(&crib, "missing.txt");
    assert!(missing.ends_with("exit code 1"), "a file that may be read is just missing: {missing}");
}

/// Programs in other languages report the same failures in other words.
#[test]
fn the_words_of_other_languages_are_understood() {
    let crib = crib("sh report.sh").file("report.sh", "echo \"$1\" >&2; exit 1\n");
    let root = crib.root();
    let write = format!("its sandbox may not write {}/out.txt, because", root.display());
    for (said, explained) in [
        ("Error: EROFS: read-only file system, open 'out.txt'", write.as_str()),
        ("`f` failed: OSError: [Errno 30] Read-only file system: 'out.txt' (at f.py:2)", &write),
        ("java.io.FileNotFoundException: out.txt (Read-only file system)", &write),
        ("x.rb:1:in 'open': Read-only file system @ rb_sysopen - out.txt (Errno::EROFS)", &write),
        ("Can't open 'out.txt': Read-only file system at -e line 1.", &write),
        ("open out.txt: read-only file system", &write),
        ("sh: 1: cannot create out.txt: Read-only file system", &write),
        ("    Read-only file system (os error 30)", "its sandbox may not write there, because"),
        ("Error: ENOENT: no such file or directory, open '/srv/x.txt'", "/srv/x.txt is outside"),
        ("open /srv/x.txt: no such file or directory", "/srv/x.txt is outside"),
        ("  [cause]: Error: connect EACCES 127.0.0.1:80 - Local", NETWORK),
        ("dial tcp: lookup a.example: socket: permission denied", NETWORK),
        ("Could not connect to server", NETWORK),
    ] {
        let cause = cause(&crib, said);
        assert!(cause.contains(explained), "{said}\n{cause}");
    }
}

#[test]
fn missing_credentials_are_named_with_the_setting_that_grants_them() {
    let home = tempfile::tempdir().expect("a folder");
    fs::create_dir(home.path().join(".kube")).expect("a folder");
    fs::write(home.path().join(".kube/config"), "current-context: dev\n").expect("a file");
    let crib = TempCrib::new()
        .file("bin/kubectl", "#!/bin/sh\ncat \"${KUBECONFIG:-$HOME/.kube/config}\"\n")
        .tool(
            "kubectl",
            json!({"name": "kubectl", "description": "Kubernetes", "command": "kubectl", "mutates": false,
                "subcommand": [
                    {"name": "get", "description": "Print the configuration"},
                    {"name": "trusted", "description": "Print the configuration", "credentials": true},
                ]}),
        );
    let program = crib.root().join("bin/kubectl");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("permissions");
    let call = |tool: &str| {
        let path = format!("{}:/usr/bin:/bin", crib.root().join("bin").display());
        let mut command = crib.command(&["call", tool]);
        command.env("HOME", home.path()).env("PATH", path).env_remove("KUBECONFIG");
        CommandOutput::from(&command.output().expect("the program starts"))
    };
    let output = call("kubectl_get");
    assert!(
        output.stderr.ends_with(
            "failed with exit code 1: it has none of your credentials for `kubectl`; if it may use them, declare \
             `\"credentials\": true` or add the tool to `credentials` of `[program.kubectl]`\n"
        ),
        "{}",
        output.stderr
    );
    assert_eq!(call("kubectl_trusted").stdout, "current-context: dev\n");
}
