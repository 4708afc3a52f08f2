//! A sandbox for each call: tools that declare how they access each path argument.

use std::{fs, os::unix::fs::PermissionsExt};

use catalog::{
    Tool,
    implementation::{Access, Piece, ValueKind},
};
use serde_json::{Value, json};
use testing::{RuntimeFixture, field, process_tool, script_tool, text};

use crate::{
    confinement::has_sandbox,
    pieces::{positional, word},
};

fn path(name: &str, access: impl Into<Option<Access>>) -> Piece {
    positional(name, |binding| {
        binding.kind = ValueKind::Path;
        binding.access = access.into();
    })
}

/// A shell script that gets paths as `$1`, `$2` and so on.
fn script(text: &str, paths: impl IntoIterator<Item = Piece>) -> Tool {
    process_tool("sh", [word("-c"), word(text), word("sh")].into_iter().chain(paths).collect())
}

fn crib() -> RuntimeFixture {
    let crib = RuntimeFixture::new();
    fs::create_dir(crib.path("crib/inner")).unwrap();
    for name in ["given", "neighbour", "inner/deep"] {
        fs::write(crib.path("crib").join(name), name).unwrap();
    }
    crib
}

fn paths(plan: &Value, list: &str) -> Vec<String> {
    plan["confinement"][list]
        .as_array()
        .unwrap()
        .iter()
        .map(|path| path.as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn reads_only_the_given_file() {
    if !has_sandbox() {
        return;
    }
    let crib = crib();
    let cat = process_tool("cat", vec![path("file", Access::Read)]);
    assert_eq!(text(&crib.call(cat.clone(), json!({"file": "given"})).await, 0), "given");
    let both = script(r#"cat "$1"; cat neighbour; ls"#, [path("file", Access::Read)]);
    let outcome = crib.call(both, json!({"file": "given"})).await;
    assert!(outcome.failed);
    assert_eq!(field(&outcome, "stdout"), "given");
    let folder = script(r#"cat "$1/deep"; cat neighbour"#, [path("folder", Access::Read)]);
    assert_eq!(field(&crib.call(folder, json!({"folder": "inner"})).await, "stdout"), "inner/deep");
}

#[tokio::test]
async fn a_given_input_cannot_be_changed() {
    if !has_sandbox() {
        return;
    }
    let crib = crib();
    let spoil = script(r#"echo spoilt > "$1"; rm -f "$1""#, [path("file", Access::Read)]);
    crib.call(spoil, json!({"file": "given"})).await;
    assert_eq!(fs::read_to_string(crib.path("crib/given")).unwrap(), "given");
}

#[tokio::test]
async fn writes_only_the_given_output() {
    if !has_sandbox() {
        return;
    }
    let crib = crib();
    let copy = process_tool("cp", vec![path("from", Access::Read), path("to", Access::Write)]);
    assert!(!crib.call(copy.clone(), json!({"from": "given", "to": "inner/copy"})).await.failed);
    assert_eq!(fs::read_to_string(crib.path("crib/inner/copy")).unwrap(), "given");
    let greedy = script(
        r#"cp "$1" "$2"; echo x > neighbour; echo x > new; echo x > inner/deep; true"#,
        [path("from", Access::Read), path("to", Access::Write)],
    );
    assert!(!crib.call(greedy, json!({"from": "given", "to": "inner/copy"})).await.failed);
    assert_eq!(fs::read_to_string(crib.path("crib/neighbour")).unwrap(), "neighbour");
    assert_eq!(fs::read_to_string(crib.path("crib/inner/deep")).unwrap(), "inner/deep");
    assert!(!crib.path("crib/new").exists());
}

#[tokio::test]
async fn every_item_of_a_path_array_is_accessible() {
    if !has_sandbox() {
        return;
    }
    let crib = crib();
    let cat = process_tool("cat", vec![path("files", Access::Read)]);
    let outcome = crib.call(cat, json!({"files": ["given", "inner/deep"]})).await;
    assert_eq!(text(&outcome, 0), "giveninner/deep");
}

#[tokio::test]
async fn the_working_directory_grants_no_access() {
    if !has_sandbox() {
        return;
    }
    let crib = crib();
    let folder = positional("working_directory", |binding| {
        binding.kind = ValueKind::Path;
        binding.pass_by = catalog::implementation::PassBy::Folder;
    });
    let both = script(r#"cat "$1"; cat deep"#, [path("file", Access::Read), folder]);
    let outcome = crib.call(both, json!({"file": "../given", "working_directory": "inner"})).await;
    assert_eq!(field(&outcome, "stdout"), "given");
}

#[tokio::test]
async fn a_script_of_the_crib_cannot_read_other_files() {
    if !has_sandbox() {
        return;
    }
    let crib = crib();
    let place = crib.path("crib/show.sh");
    fs::write(&place, "#!/bin/sh\ncat \"$1\"; cat neighbour\n").unwrap();
    fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).unwrap();
    let outcome = crib
        .call(process_tool("./show.sh", vec![path("file", Access::Read)]), json!({"file": "given"}))
        .await;
    assert_eq!(field(&outcome, "stdout"), "given", "{outcome:?}");
}

#[tokio::test]
async fn follows_links_inside_the_roots() {
    if !has_sandbox() {
        return;
    }
    let crib = crib();
    std::os::unix::fs::symlink("inner/deep", crib.path("crib/link")).unwrap();
    let cat = process_tool("cat", vec![path("file", Access::Read)]);
    assert_eq!(text(&crib.call(cat, json!({"file": "link"})).await, 0), "inner/deep");
}

#[test]
fn the_plan_lists_the_accessible_paths() {
    let crib = crib();
    let copy = process_tool("cp", vec![path("from", Access::Read), path("to", Access::Write)]);
    let inside = |list: Vec<String>| -> Vec<String> {
        let root = crib.path("crib");
        let names = list.iter().filter_map(|path| path.strip_prefix(root.to_str().unwrap()));
        names.map(|name| name.trim_start_matches('/').to_owned()).collect()
    };
    let plan = |tool: &Tool, to: &str| {
        let plan = crib.plan(tool, json!({"from": "given", "to": to})).unwrap();
        (inside(paths(&plan, "read")), inside(paths(&plan, "write")))
    };
    let names = |read: &[&str], write: &[&str]| {
        let owned = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        (owned(read), owned(write))
    };
    assert_eq!(plan(&copy, "inner/deep"), names(&["given"], &["inner/deep"]));
    assert_eq!(
        plan(&copy, "inner/new"),
        names(&["given"], &["inner"]),
        "a file to come is made in its folder"
    );
    assert_eq!(plan(&copy, "inner/new/newer"), names(&["given"], &["inner"]));
    let half = process_tool("cp", vec![path("from", Access::Read), path("to", None)]);
    assert_eq!(
        plan(&half, "inner/deep"),
        names(&[], &[""]),
        "one path without `access` changes nothing"
    );
    let mut reader = copy;
    reader.annotations.mutates = Some(false);
    assert_eq!(plan(&reader, "inner/deep"), names(&["given", "inner/deep"], &[]));
}

#[test]
fn a_tool_without_paths_can_write_the_whole_crib() {
    let crib = crib();
    let plan = crib.plan(&script_tool("sh", "true"), json!({})).unwrap();
    assert_eq!(paths(&plan, "write"), [crib.path("crib").to_str().unwrap()]);
}
