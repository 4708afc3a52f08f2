//! `export`: packages of a crib.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::Value;
use testing::{TempCrib, run_outside_crib};

const TOOL: &str = r#"{
  "name": "stock", "description": "Count what is in stock", "command": "sh count.sh", "synchronous": true,
  "mutates": false
}"#;

const DANGEROUS: &str = r#"{
  "name": "clear", "description": "Remove everything in stock. Cannot be undone", "command": "rm -r stock",
  "dangerous": true
}"#;

fn shop() -> TempCrib {
    TempCrib::new()
        .file(
            "toolcrib.toml",
            "[crib]\nname = \"The Shop\"\n[export]\nname = \"io.github.example/shop\"\nversion = \"1.2.0\"\n\
             description = \"Look after the stock of a shop\"\n",
        )
        .file("tools/stock.json", TOOL)
        .file("tools/clear.json", DANGEROUS)
        .file("count.sh", "echo 12\n")
        .file("prompts/greet.md", "---\ndescription: Greet\n---\nHello\n")
        .file(".env", "SECRET=1\n")
        .file("private.txt", "not for others\n")
}

/// The files below a folder, with their content.
fn read_folder(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).expect("inside").to_string_lossy().into_owned();
            files.insert(name, fs::read_to_string(&path).expect("a text"));
        }
    }
    files
}

#[test]
fn a_plugin_has_manifests_a_skill_and_the_crib_alone() {
    let crib = shop();
    insta::assert_snapshot!(crib.transcript(&["export", "plugin", "--out", "out"]));
    let files = read_folder(&crib.root().join("out"));
    let own =
        ["count.sh", "prompts/greet.md", "toolcrib.toml", "tools/clear.json", "tools/stock.json"];
    let mut pages = String::new();
    for (name, text) in &files {
        match own.contains(&name.as_str()) {
            true => assert_eq!(*text, crib.read(name)),
            false => pages.push_str(&format!("=== {name}\n{text}\n")),
        }
    }
    assert!(own.iter().all(|name| files.contains_key(*name)), "{:?}", files.keys());
    insta::assert_snapshot!(pages);
}

#[test]
fn a_plugin_is_a_crib_that_works() {
    let crib = shop();
    let out = crib.root().join("out").to_string_lossy().into_owned();
    assert_eq!(crib.run(&["export", "plugin", "--out", &out]).code, 0);
    let call = run_outside_crib(&["-C", &out, "call", "stock"]);
    assert_eq!((call.code, call.stdout.trim()), (0, "12"), "{}", call.stderr);
}

#[test]
fn never_replaces_a_file() {
    let crib = shop().file("out/skills/README", "").file("out/shop/SKILL.md", "mine\n");
    insta::assert_snapshot!(crib.transcript(&["export", "skill", "--out", "out"]), @r"
    exit code 2
    --- stderr
    error: `out/shop/SKILL.md` exists
     |
     = help: choose a new folder, or remove the old package first
    ");
    assert_eq!(crib.read("out/shop/SKILL.md"), "mine\n");
}

#[test]
fn a_bundle_and_its_registry_entry_match() {
    // A small fake program, because the one under test has hundreds of megabytes.
    let crib = shop().file("program", "\x7fELF");
    let export = |form| crib.run(&["export", form, "--out", "out", "--program", "program"]);
    insta::assert_snapshot!(crib.transcript(&["export", "server-json", "--out", "out"]), @r"
    exit code 2
    --- stderr
    error: the entry needs the address of the bundle
     |
     = help: set `download` in `[export]` of toolcrib.toml to where you publish the `.mcpb` file
    ");
    let configuration =
        crib.read("toolcrib.toml") + "download = \"https://example.org/shop.mcpb\"\n";
    crib.write("toolcrib.toml", &configuration);
    assert_eq!((export("mcpb").code, export("server-json").code), (0, 0));
    let entry: Value = serde_json::from_str(&crib.read("out/server.json")).expect("JSON");
    let package = &entry["packages"][0];
    let bundle = crib.root().join("out/shop.mcpb");
    let sum = std::process::Command::new("sha256sum").arg(&bundle).output().expect("sha256sum");
    let sum = String::from_utf8_lossy(&sum.stdout);
    assert_eq!(package["fileSha256"].as_str(), sum.split_whitespace().next());
    assert_eq!(entry["name"], "io.github.example/shop");
}

#[test]
fn rejects_a_bundle_without_a_program() {
    let crib = shop();
    let arguments = ["export", "mcpb", "--out", "out", "--program", "count.sh"];
    insta::assert_snapshot!(crib.transcript(&arguments), @r"
    exit code 2
    --- stderr
    error: `count.sh` is not a program for Linux or macOS
    ");
}

#[test]
fn names_folders_that_a_package_lacks() {
    let crib = shop();
    let configuration = crib.read("toolcrib.toml") + "[confine]\nread = [\"/usr/share/dict\"]\n";
    crib.write("toolcrib.toml", &configuration);
    let run = crib.run(&["export", "plugin", "--out", "out"]);
    assert!(run.stderr.contains("`/usr/share/dict` is not in the crib"), "{}", run.stderr);
}
