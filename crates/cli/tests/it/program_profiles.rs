//! Ordinary programs find their configuration although their home folder is an empty one.

use std::{
    env, fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::PathBuf,
    process::Command,
};

use serde_json::json;
use tempfile::TempDir;
use testing::{CommandOutput, TempCrib, skip, skip_without};

/// A home folder with these files.
fn home(files: &[(&str, &str)]) -> TempDir {
    let home = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(home.path().join(name), text).expect("a file");
    }
    home
}

/// A crib with one tool that runs `command`.
fn crib(command: &str) -> TempCrib {
    TempCrib::new().tool(
        "run",
        json!({
            "name": "run", "description": "Runs a program", "command": command, "mutates": true,
            "subcommand": [{"name": "default", "description": "Runs it"}],
        }),
    )
}

fn call(crib: &TempCrib, home: &TempDir) -> CommandOutput {
    let mut command = crib.command(&["call", "run"]);
    for variable in ["RUSTUP_HOME", "CARGO_HOME", "GIT_CONFIG_GLOBAL"] {
        command.env_remove(variable);
    }
    let output = command.env("HOME", home.path()).output().expect("the program starts");
    CommandOutput::from(&output)
}

#[test]
fn git_commits_with_the_identity_of_the_user() {
    skip_without!("git");
    let crib = crib("git commit --allow-empty -m first");
    let init = Command::new("git").args(["init", "-q"]).current_dir(crib.root()).status();
    assert!(init.expect("git runs").success());
    let output = call(&crib, &home(&[]));
    assert!(output.code != 0 && output.stderr.contains("identity"), "{}", output.stderr);
    let home = home(&[(".gitconfig", "[user]\nname = Ada\nemail = ada@example.com\n")]);
    let output = call(&crib, &home);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    crib.write("toolcrib.toml", "[program.git]\nenabled = false\n");
    assert_ne!(call(&crib, &home).code, 0, "the profile is switched off");
}

#[test]
fn cargo_behind_rustup_finds_its_toolchain() {
    let usual = |variable: &str, folder: &str| {
        let usual = || Some(PathBuf::from(env::var_os("HOME")?).join(folder));
        env::var_os(variable).map(PathBuf::from).or_else(usual).filter(|path| path.is_dir())
    };
    let Some((rustup, cargo)) = usual("RUSTUP_HOME", ".rustup").zip(usual("CARGO_HOME", ".cargo"))
    else {
        return skip("rustup is not installed");
    };
    let home = home(&[]);
    symlink(rustup, home.path().join(".rustup")).expect("a link");
    symlink(cargo, home.path().join(".cargo")).expect("a link");
    let output = call(&crib("cargo --version"), &home);
    assert!(
        output.code == 0 && output.stdout.contains("cargo "),
        "{}{}",
        output.stdout,
        output.stderr
    );
}

#[test]
fn credentials_are_readable_only_to_trusted_tools() {
    let home = home(&[(".git-credentials", "https://token@example.com\n")]);
    let secret = home.path().join(".git-credentials");
    let crib = crib(&format!("cat {}", secret.display()));
    for (config, is_readable) in [
        ("", false),
        ("profiles = [\"git\"]", false),
        ("profiles = [\"git\"]\ncredentials = [\"other\"]", false),
        ("profiles = [\"git\"]\ncredentials = [\"run\"]", true),
        ("profiles = [\"git\"]\ncredentials = true", true),
    ] {
        crib.write("toolcrib.toml", &format!("[program.cat]\n{config}\n"));
        let output = call(&crib, &home);
        assert_eq!(output.stdout.contains("token"), is_readable, "{config}: {}", output.stdout);
        assert_eq!(output.code == 0, is_readable, "{config}: {}", output.stderr);
    }
}

#[test]
fn a_definition_asks_for_credentials_and_everything_granted_is_shown() {
    let home = home(&[(".gitconfig", "[user]\nname = Ada\n"), (".git-credentials", "secret")]);
    let leaf = |name: &str, credentials: bool| json!({"name": name, "description": "Publish commits", "credentials": credentials});
    let crib = TempCrib::new().tool(
        "git",
        json!({"name": "git", "description": "Version control", "command": "git", "mutates": true,
            "subcommand": [leaf("push", true), leaf("log", false)]}),
    );
    let run = |arguments: &[&str]| {
        let mut command = crib.command(arguments);
        let output = command.env("HOME", home.path()).env_remove("GIT_CONFIG_GLOBAL").output();
        CommandOutput::from(&output.expect("the program starts")).stdout
    };
    for (tool, has_credentials) in [("git_push", true), ("git_log", false)] {
        for arguments in [["call", tool, "--dry-run"].as_slice(), &["show", tool]] {
            let text = run(arguments);
            let profile = text.lines().find(|line| line.trim().starts_with("profile"));
            let profile = profile.unwrap_or_else(|| panic!("no profile: {text}"));
            assert!(profile.contains(".gitconfig") && profile.contains("GIT_CONFIG_GLOBAL"));
            assert_eq!(profile.contains(".git-credentials"), has_credentials, "{profile}");
        }
    }
    let doctor = run(&["doctor"]);
    assert!(doctor.contains("\nProfiles of programs\n  git       reads "), "{doctor}");
}

#[test]
fn r_finds_the_packages_of_the_user_in_scripts_and_examples() {
    skip_without!("Rscript");
    let home = home(&[]);
    let version = "cat(R.version$platform, paste(R.version$major, sub('[.].*', '', R.version$minor), sep = '.'))";
    let output = Command::new("Rscript").args(["--vanilla", "-e", version]).output().expect("R");
    let output = String::from_utf8(output.stdout).expect("text");
    let (platform, version) = output.split_once(' ').expect("two words");
    let library = home.path().join(format!("R/{platform}-library/{version}"));
    let sources = tempfile::tempdir().expect("a folder");
    for (name, text) in [
        (
            "DESCRIPTION",
            "Package: answers\nVersion: 1.0\nTitle: T\nDescription: D.\nLicense: MIT\n",
        ),
        ("NAMESPACE", "export(answer)\n"),
        ("R/answer.R", "answer <- function() 42\n"),
    ] {
        let path = sources.path().join("answers").join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    fs::create_dir_all(&library).expect("a folder");
    let mut install = Command::new("R");
    install.args(["CMD", "INSTALL", "-l"]).arg(&library).arg(sources.path().join("answers"));
    assert!(install.output().expect("R").status.success());

    let crib = crib("Rscript script.R").file("script.R", "cat(answers::answer())\n");
    let output = call(&crib, &home);
    assert_eq!((output.code, output.stdout.as_str()), (0, "42"), "{}", output.stderr);

    let crib = TempCrib::new().file("DESCRIPTION", "Package: questions\nVersion: 1.0\n").file(
        "R/ask.R",
        "#' Ask\n#'\n#' @description Asks a question.\n#' @return Numeric, the answer\n\
         #' @examples\n#' ask()\n#' @keywords mcp-tool mcp-read-only\nask <- function() answers::answer()\n",
    );
    let mut build = crib.command(&["build", "."]);
    let output =
        build.env("HOME", home.path()).env_remove("R_LIBS_USER").output().expect("it runs");
    let output = CommandOutput::from(&output);
    let written = fs::read_to_string(crib.root().join("inst/mcp/tools/questions-ask.yaml"));
    assert!(written.expect("a file").contains("#> [1] 42"), "{}{}", output.stdout, output.stderr);
}

#[test]
fn a_program_that_may_not_write_its_cache_names_the_setting() {
    let home = home(&[]);
    let registry = home.path().join(".cargo/registry");
    let crib = TempCrib::new()
        .file(
            "bin/cargo",
            "#!/bin/sh\ntouch \"$CARGO_HOME/registry/index\" 2>/dev/null && echo written && exit 0\n\
             printf 'error: failed to open `%s/registry/index`\\n\\nCaused by:\\n  Read-only file system (os error 30)\\n' \"$CARGO_HOME\" >&2\n\
             exit 101\n",
        )
        .tool("fetch", json!({
            "name": "fetch", "description": "Downloads the dependencies", "command": "cargo", "mutates": true,
            "options": [],
        }));
    let program = crib.root().join("bin/cargo");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("permissions");
    let fetch = || {
        let path = format!("{}:/usr/bin:/bin", crib.root().join("bin").display());
        let mut command = crib.command(&["call", "fetch"]);
        command.env("HOME", home.path()).env("PATH", path);
        command.env_remove("CARGO_HOME").env_remove("RUSTUP_HOME");
        CommandOutput::from(&command.output().expect("the program starts"))
    };
    fs::create_dir_all(&registry).expect("a folder");
    let output = fetch();
    let setting = format!(
        "its sandbox may not write {}, where `cargo` keeps what it downloads; set `caches = true` in \
         `[program.cargo]` of toolcrib.toml\n",
        registry.canonicalize().expect("a folder").display()
    );
    assert!(output.stderr.ends_with(&setting), "{}", output.stderr);
    crib.write("toolcrib.toml", "[program.cargo]\ncaches = true\n");
    let output = fetch();
    assert_eq!((output.code, output.stdout.as_str()), (0, "written\n"), "{}", output.stderr);
}
