//! `init`: a crib to start from.

use std::fs;

use testing::{CommandOutput, TempCrib};

use crate::pseudo_terminal::answer_on_terminal;

/// A git repository with a Makefile.
fn project() -> TempCrib {
    let crib = TempCrib::new()
        .file("Makefile", "greet: ## Print a greeting\n\t@echo hello\nclean:\n\trm -f *.o\n");
    let status = std::process::Command::new("git").arg("init").arg("-q").arg(crib.root()).status();
    assert!(status.expect("git is installed").success());
    crib
}

fn files(crib: &TempCrib) -> Vec<(String, String)> {
    let read = |name: &str| (name.to_owned(), crib.read(name));
    ["toolcrib.toml", "tools/git.json", "tools/make.json"].map(read).to_vec()
}

#[test]
fn makes_working_tools_of_what_a_project_has() {
    let crib = project();
    insta::assert_snapshot!(crib.transcript(&["init"]));
    insta::assert_snapshot!(crib.read("toolcrib.toml"));
    let check = crib.run(&["check"]);
    assert_eq!(check.code, 0, "{}{}", check.stdout, check.stderr);
    let greeting = crib.run(&["call", "make_greet"]);
    assert_eq!((greeting.code, greeting.stdout.trim()), (0, "hello"), "{}", greeting.stderr);
    assert_eq!(crib.run(&["call", "git_status"]).code, 0);
    // A target with a dangerous name waits for a person.
    assert_eq!(crib.run(&["call", "make_clean"]).code, 5);
}

#[test]
fn running_it_twice_changes_nothing() {
    let crib = project();
    crib.run(&["init"]);
    crib.write("toolcrib.toml", "# mine\n");
    let before = files(&crib);
    let CommandOutput { code, stdout, .. } = crib.run(&["init", "--name", "other"]);
    assert_eq!((code, stdout.matches("kept").count()), (0, 3), "{stdout}");
    assert_eq!(files(&crib), before);
}

#[test]
fn options_choose_what_is_written() {
    let crib = project().file(".vscode/extensions.json", "{}");
    insta::assert_snapshot!(
        crib.transcript(&["init", "--name", "my shop", "--with", "make", "--ci"])
    );
    assert!(crib.read("toolcrib.toml").contains("name = \"my-shop\""));
    assert!(crib.read(".vscode/settings.json").contains("toolcrib-tools.schema.json"));
    insta::assert_snapshot!(crib.transcript(&["init", "--with", "npm"]), @r"
    exit code 2
    --- stderr
    error: there is no `npm` in this folder
     |
     = help: found: git, make
    ");
}

#[test]
fn at_a_terminal_it_asks_three_questions() {
    let crib = project();
    insta::assert_snapshot!(answer_on_terminal(&crib, &["init"], "my shop\nmake\ny\n"));
    assert!(crib.read("toolcrib.toml").contains("name = \"my-shop\""));
    assert!(!crib.root().join("tools/git.json").exists());
    // What exists is not asked for again.
    insta::assert_snapshot!(answer_on_terminal(&crib, &["init"], "none\n"));
}

#[test]
fn editor_settings_are_kept_and_completed() {
    let settings = "{\n    // mine\n    \"editor.tabSize\": 4,\n}\n";
    let crib = project().file(".vscode/settings.json", settings);
    insta::assert_snapshot!(crib.transcript(&["init", "--with", "none"]));
    insta::assert_snapshot!(crib.read(".vscode/settings.json"));
    let config = crib.read("toolcrib.toml");
    let schema = config.lines().next().and_then(|line| line.strip_prefix("#:schema ./"));
    assert!(crib.read(schema.expect("a schema")).contains("urn:toolcrib:config"));
    assert!(crib.run(&["init", "--with", "none"]).stdout.contains("kept  .vscode/settings.json\n"));
    crib.write(".vscode/settings.json", "{ broken");
    let output = crib.run(&["init", "--with", "none"]);
    assert_eq!((output.code, crib.read(".vscode/settings.json").as_str()), (0, "{ broken"));
}

#[test]
fn an_empty_folder_gets_a_first_tool() {
    let crib = TempCrib::new().file("notes.txt", "one\ntwo\n");
    crib.run(&["init"]);
    assert_eq!(crib.run(&["check", "--strict"]).code, 0);
    let counted =
        crib.run(&["call", "count", "--args", r#"{"files": ["notes.txt"], "lines": true}"#]);
    assert!(counted.stdout.starts_with('2'), "{}{}", counted.stdout, counted.stderr);
}

#[test]
fn an_r_package_is_pointed_to_build() {
    let crib = TempCrib::new().file("DESCRIPTION", "Package: tally\nVersion: 0.1\n");
    let output = crib.run(&["init"]);
    assert!(output.stdout.contains("toolcrib build "), "{}", output.stdout);
    assert!(fs::read_dir(crib.root().join("tools")).is_err());
}

#[test]
fn an_r_package_gets_a_first_tool() {
    let crib = TempCrib::new()
        .file("DESCRIPTION", "Package: tally\nVersion: 0.1\n")
        .file("NAMESPACE", "export(count_words)\nexportPattern(\"^x\")\nimport(stats)\n");
    crib.run(&["init"]);
    assert_eq!(crib.run(&["check", "--strict"]).code, 0);
    let exports = crib.run(&["call", "exports"]).stdout;
    assert_eq!(exports, "export(count_words)\nexportPattern(\"^x\")\n");
}

#[test]
fn programs_of_a_python_package_are_tools_before_it_is_installed() {
    let project = "[project]\nname = \"tally\"\nversion = \"0.1\"\n[project.scripts]\n\
        tally = \"tally.cli:main\"\ntally-reset = \"other:main\"\n";
    let crib = TempCrib::new()
        .file("pyproject.toml", project)
        .file("src/tally/__init__.py", "")
        .file(
            "src/tally/cli.py",
            "import sys\ndef main():\n    print(sys.argv[1:])\n\n\
             if __name__ == '__main__':\n    sys.exit(main() or 3)\n",
        )
        .file("other.py", "def main(): ...");
    insta::assert_snapshot!(crib.transcript(&["init"]));
    insta::assert_snapshot!(crib.read("tools/tally.json"));
    assert_eq!(crib.run(&["check"]).code, 0);
    let call = crib.run(&["call", "tally", "args=--by", "args=two words"]);
    assert_eq!(call.stdout.trim(), "['--by', 'two words']", "{}", call.stderr);
    assert!(call.stderr.contains("exit code 3"), "{}", call.stderr);
    // A program with a dangerous name waits for a person.
    assert!(crib.read("tools/tally-reset.json").contains("\"dangerous\": true"));
}
