//! `import`: definitions from the help of programs.

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::{Value, json};
use testing::TempCrib;

/// A program of the clap family. Each run tries to write to its folder, to read its input and to connect.
const SHELF: &str = r#"#!/bin/sh
echo ran >> "$(dirname "$0")/trace" 2>/dev/null
read -r line && exit 9
case "$*" in
--help) cat <<'END'
Keeps a shelf of books

Usage: shelf [OPTIONS] <COMMAND>

Commands:
  add     Put a book on the shelf
  remove  Take a book away
  slow    Think for a long time
  help    Print this message or the help of the given subcommand(s)

Options:
      --shelf-file <PATH>  Where the shelf is [default: books]
  -v, --verbose            Say more
  -h, --help               Print help
END
;;
"add --help") cat <<'END'
Put a book on the shelf

Usage: shelf add [OPTIONS] <TITLE> [AUTHOR]...

Arguments:
  <TITLE>      Title of the book
  [AUTHOR]...  Who wrote it

Options:
      --kind <KIND>        Kind of book [possible values: paper, ebook]
      --tag <TAG>          A tag; may be repeated
      --shelf-file <PATH>  Where the shelf is [default: books]
  -h, --help               Print help
END
;;
"remove --help") echo 'Usage: shelf remove [OPTIONS] <TITLE>

Options:
      --force  Also if it is lent
  -h, --help   Print help' >&2; exit 2;;
"slow --help") sleep 60;;
"lend --help") echo 'Usage: shelf lend [OPTIONS] <TITLE>

Options:
      --days <N>  For how many days';;
*) echo "unexpected: $*" >&2; exit 1;;
esac
"#;

fn crib_with(program: &str) -> TempCrib {
    let crib = TempCrib::new().file("bin/shelf", program);
    let path = crib.root().join("bin/shelf");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
    crib
}

fn tool<'v>(definition: &'v Value, name: &str) -> &'v Value {
    let tools = definition["subcommand"].as_array().expect("subcommands");
    tools.iter().find(|tool| tool["name"] == name).expect("the subcommand")
}

#[test]
fn a_program_becomes_a_definition_without_errors_and_without_marks() {
    let crib = crib_with(SHELF);
    let run = || {
        crib.command(&["import", "cli", "bin/shelf", "--out", "tools/shelf.json"])
            .current_dir(crib.root())
            .output()
            .expect("a run")
    };
    let output = run();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{stderr}");
    assert!(stderr.contains("slow --help`: "), "{stderr}");
    assert!(stderr.contains("looks dangerous: `shelf_remove`: its name is `remove`"), "{stderr}");
    assert!(!crib.root().join("bin/trace").exists(), "the program could write");
    let text = crib.read("tools/shelf.json");
    let definition: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(
        *tool(&definition, "add"),
        json!({
            "name": "add",
            "description": "Put a book on the shelf",
            "options": [
                { "name": "kind", "description": "Kind of book [possible values: paper, ebook]", "type": "string", "enum": ["paper", "ebook"] },
                { "name": "tag", "description": "A tag; may be repeated", "type": "array", "items": { "type": "string" } }
            ],
            "positional_args": [
                { "name": "title", "description": "Title of the book", "type": "string", "required": true },
                { "name": "author", "description": "Who wrote it", "type": "array", "items": { "type": "string" } }
            ]
        })
    );
    assert_eq!(tool(&definition, "remove")["options"][0]["name"], "force");
    assert_eq!(tool(&definition, "slow")["description"], "Think for a long time");
    for mark in ["mutates", "dangerous", "network", "requires_approval"] {
        assert!(!text.contains(mark), "{mark} is declared");
    }
    let check = crib.run(&["check", "--format", "json"]);
    let report: Value = serde_json::from_str(&check.stdout).expect("JSON");
    assert_eq!(report["summary"]["errors"], 0, "{}", check.stdout);
    assert_eq!(crib.run(&["fmt", "--check"]).code, 0);
    let again = run();
    assert_eq!(again.status.code(), Some(2), "{}", String::from_utf8_lossy(&again.stderr));
}

#[test]
fn only_selected_subcommands_are_read() {
    let crib = crib_with(SHELF);
    let path = crib.root().join("bin/shelf");
    let path = path.to_str().expect("a path");
    let output = crib.run(&["import", "cli", path, "--only", "re*", "--mark-dangerous"]);
    let definition: Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!(definition["subcommand"].as_array().map(Vec::len), Some(1), "{}", output.stdout);
    assert_eq!(tool(&definition, "remove")["dangerous"], true);
    assert_eq!(output.stderr, "");
}

#[test]
fn subcommands_that_only_the_user_names_are_read() {
    let crib = crib_with(SHELF);
    let path = crib.root().join("bin/shelf");
    let path = path.to_str().expect("a path");
    let output = crib.run(&["import", "cli", path, "--only", "lend", "--only", "gone"]);
    let definition: Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!(definition["subcommand"].as_array().map(Vec::len), Some(1), "{}", output.stdout);
    assert_eq!(tool(&definition, "lend")["options"][0]["name"], "days");
}

#[test]
fn a_program_without_help_is_an_error() {
    let crib = crib_with("#!/bin/sh\nprintf '\\033[31mnothing\\377\\n'\nexit 3\n");
    let path = crib.root().join("bin/shelf");
    let output = crib.run(&["import", "cli", path.to_str().expect("a path")]);
    assert_eq!(output.code, 2, "{}", output.stderr);
    assert!(output.stderr.contains("printed no help that could be read"), "{}", output.stderr);
}

#[test]
fn endless_output_is_an_error_of_one_run() {
    let crib = crib_with("#!/bin/sh\nexec yes -- --option\n");
    let path = crib.root().join("bin/shelf");
    let output = crib.run(&["import", "cli", path.to_str().expect("a path")]);
    assert_eq!(output.code, 2, "{}", output.stderr);
    assert!(output.stderr.contains("printed more than"), "{}", output.stderr);
}

#[test]
fn origins_are_shown_confirmed_and_kept_over_an_update() {
    let crib = crib_with(SHELF);
    let path = crib.root().join("bin/shelf");
    let file = crib.root().join("tools/shelf.json");
    let file = file.to_str().expect("a path");
    let import = ["import", "cli", path.to_str().expect("a path"), "--only", "add", "--out", file];
    assert_eq!(crib.run(&import).code, 0);
    let origins = || crib.run(&["show", "shelf_add", "--origins"]).stdout;
    assert!(origins().contains("add --kind"), "{}", origins());
    assert!(origins().contains("add --help, line 10"), "{}", origins());
    assert!(!origins().contains(" confirmed"), "{}", origins());
    let accept = crib.run(&["import", "--accept", file, "shelf_add"]);
    assert_eq!(accept.code, 0, "{}", accept.stderr);
    assert!(!origins().contains("unconfirmed"), "{}", origins());
    assert_eq!(crib.run(&["import", "--update", file]).code, 0, "nothing changed");

    let edited = crib.read("tools/shelf.json").replace("A tag; may be repeated", "Tags");
    crib.write("tools/shelf.json", &edited);
    crib.write(
        "bin/shelf",
        &SHELF.replace("paper, ebook]", "paper]").replace("[default: books]", "now"),
    );
    let update = crib.run(&["import", "--update", file]);
    assert_eq!(update.code, 1, "{}", update.stderr);
    assert!(update.stdout.contains("shelf_add"), "{}", update.stdout);
    assert_eq!(crib.read("tools/shelf.json"), edited, "nothing is written without --write");
    assert_eq!(crib.run(&["import", "--update", file, "--write"]).code, 0);
    let updated = crib.read("tools/shelf.json");
    assert!(updated.contains("Tags") && !updated.contains("ebook"), "{updated}");
    assert!(origins().contains("unconfirmed"), "{}", origins());
}

#[test]
fn completion_files_become_definitions() {
    let fish = "set -l commands add lend\n\
        complete -c shelf -n __fish_use_subcommand -xa \"$commands\" -d 'Work'\n\
        for c in $commands\n  complete -c shelf -n \"__fish_seen_subcommand_from $c\" -l kind -xa 'paper ebook' -d Kind\nend\n\
        complete -c shelf -s v -l verbose -d 'Say more'\n\
        complete -c shelf -l reader -r -a '(touch ran)'\n";
    let carapace = "name: shelf\nflags: {-v: Say more, '--shelf=': Where it is}\ncommands:\n- name: add\n  flags: {'--kind=!': Kind}\n  completion: {flag: {kind: [paper, ebook]}}\n";
    let crib = TempCrib::new().file("shelf.fish", fish).file("shelf.yaml", carapace);
    for (kind, file) in [("fish", "shelf.fish"), ("carapace", "shelf.yaml")] {
        let path = crib.root().join(file);
        let output = crib.run(&["import", kind, path.to_str().expect("a path")]);
        let definition: Value = serde_json::from_str(&output.stdout).expect("JSON");
        let add = &tool(&definition, "add")["options"][0];
        assert_eq!(
            (&add["name"], &add["enum"]),
            (&json!("kind"), &json!(["paper", "ebook"])),
            "{kind}"
        );
        assert!(!crib.root().join("ran").exists());
    }
}
