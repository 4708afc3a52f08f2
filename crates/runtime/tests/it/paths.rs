//! Paths in arguments, working directories and programs cannot leave the allowed folders.

use catalog::ErrorType;
use std::{fs, os::unix::fs::PermissionsExt, os::unix::fs::symlink};

use catalog::implementation::{Access, Binding, PassBy, Piece, ValueKind};
use serde_json::json;
use testing::{RuntimeFixture, field, process_tool, text};

use crate::pieces::{option, positional};

fn path() -> Vec<Piece> {
    vec![positional("file", |b| b.kind = ValueKind::Path)]
}

#[test]
fn a_relative_path_stays_relative_and_loses_its_detours() {
    let crib = RuntimeFixture::new();
    fs::create_dir(crib.path("crib/sub")).unwrap();
    fs::write(crib.path("crib/sub/a"), "").unwrap();
    let expected = crib.path("crib/sub/a");
    assert_eq!(crib.argv(path(), json!({"file": "sub/../sub/./a"})), ["sub/a"]);
    assert_eq!(crib.argv(path(), json!({"file": "."})), ["."]);
    assert_eq!(crib.argv(path(), json!({"file": expected})), [expected.to_str().unwrap()]);
}

#[test]
fn a_relative_path_counts_from_the_working_directory() {
    let crib = RuntimeFixture::new();
    fs::create_dir_all(crib.path("crib/sub/deep")).unwrap();
    let folder = option("working_directory", |b| b.pass_by = PassBy::Folder);
    let pieces = || vec![path().remove(0), folder.clone()];
    let given = |file: &str| json!({"file": file, "working_directory": "sub/deep"});
    assert_eq!(crib.argv(pieces(), given("a")), ["a"]);
    assert_eq!(crib.argv(pieces(), given("../../b/c")), ["../../b/c"]);
    assert_eq!(crib.argv(pieces(), given("../deep")), ["."]);
}

#[test]
fn a_name_with_a_meaning_for_programs_is_written_as_a_path() {
    let crib = RuntimeFixture::new();
    for name in ["-rf", "@list", "+x", "msl:script", "a=b", "~", "host:file", ":(top)x"] {
        let expected = format!("./{name}");
        assert_eq!(crib.argv(path(), json!({"file": name})), [expected.as_str()], "{name}");
    }
    for name in ["notes.txt", ".hidden", "_x", "ä", "sub/-x"] {
        assert_eq!(crib.argv(path(), json!({"file": name})), [name]);
    }
}

#[test]
fn a_program_that_runs_files_gets_absolute_paths() {
    let crib = RuntimeFixture::new();
    fs::write(crib.path("crib/ls"), "").unwrap();
    let mut tool = process_tool("timeout", path());
    tool.annotations.mutates = Some(false);
    let plan = crib.plan(&tool, json!({"file": "ls"})).unwrap();
    assert_eq!(plan["argv"][1], json!(crib.path("crib/ls")), "not the `ls` in PATH");
}

#[test]
fn accepts_paths_that_do_not_exist_yet() {
    let crib = RuntimeFixture::new();
    assert_eq!(crib.argv(path(), json!({"file": "new/deep/file"})), ["new/deep/file"]);
    assert!(
        crib.plan(&process_tool("echo", path()), json!({"file": "new/../../outside"})).is_err()
    );
}

#[test]
fn rejects_paths_outside_the_roots() {
    let crib = RuntimeFixture::new();
    fs::write(crib.path("outside/secret"), "").unwrap();
    symlink(crib.path("outside"), crib.path("crib/link")).unwrap();
    symlink(crib.path("outside/not-yet"), crib.path("crib/dangling")).unwrap();
    for way in ["../outside/secret", "/etc/passwd", "link/secret", "link/new", "dangling", ".."] {
        let refusal = crib.plan_failure(path(), json!({"file": way}));
        assert!(
            refusal.message.contains("'file'") && refusal.message.contains(way),
            "{way}: {}",
            refusal.message
        );
    }
    let refusal = crib.plan_failure(path(), json!({"file": "../outside/secret"}));
    assert_eq!(refusal.error_type, ErrorType::PathOutsideRoots);
    assert!(refusal.message.contains(crib.path("crib").to_str().unwrap()), "names the roots");
}

#[test]
fn reports_all_errors_at_once() {
    let crib = RuntimeFixture::new();
    let mut pieces = path();
    pieces.push(positional("word", |_| {}));
    let refusal = crib.plan_failure(pieces, json!({"file": "/etc/passwd", "word": "-x"}));
    assert_eq!(refusal.error_type, ErrorType::InvalidArguments);
    for name in ["'file'", "'word'"] {
        assert!(refusal.message.contains(name), "{}", refusal.message);
    }
    assert_eq!(refusal.details["details"].as_array().map(Vec::len), Some(2), "{}", refusal.details);
}

#[test]
fn a_link_as_the_last_component_is_not_resolved() {
    let crib = RuntimeFixture::new();
    fs::create_dir(crib.path("crib/sub")).unwrap();
    fs::write(crib.path("crib/sub/kept"), "").unwrap();
    symlink("sub/kept", crib.path("crib/link")).unwrap();
    assert_eq!(crib.argv(path(), json!({"file": "sub/../link"})), ["link"]);
    symlink(crib.path("crib/sub/kept"), crib.path("outside/way-in")).unwrap();
    assert!(
        crib.plan(&process_tool("echo", path()), json!({"file": "../outside/way-in"})).is_err(),
        "the link itself is outside"
    );
}

#[test]
fn a_mutating_tool_cannot_access_protected_files() {
    let crib = RuntimeFixture::new();
    fs::create_dir_all(crib.path("crib/tools/sub")).unwrap();
    for name in ["toolcrib.toml", "tool_guidance.json", "tools/rm.json", "toolcrib.toml.bak"] {
        fs::write(crib.path("crib").join(name), "").unwrap();
    }
    symlink("toolcrib.toml", crib.path("crib/way")).unwrap();
    symlink("../toolcrib.toml.bak", crib.path("crib/tools/link")).unwrap();
    let maybe = vec![positional("file", |b| b.kind = ValueKind::PathOrValue)];
    for own in [
        "toolcrib.toml",
        "tool_guidance.json",
        "tools",
        "tools/rm.json",
        "tools/new.json",
        "./tools/sub/x",
        "way",
        "tools/link",
    ] {
        let refusal = crib.plan_failure(path(), json!({"file": own}));
        assert_eq!(refusal.error_type, ErrorType::PathProtected, "{own}");
        assert!(
            refusal.message.contains("only people may change definitions"),
            "{}",
            refusal.message
        );
        assert_eq!(
            crib.plan_failure(maybe.clone(), json!({"file": own})).error_type,
            ErrorType::PathProtected,
            "{own}"
        );
    }
    for other in ["toolcrib.toml.bak", "sub/toolcrib.toml", "toolset"] {
        assert!(
            crib.plan(&process_tool("echo", path()), json!({"file": other})).is_ok(),
            "{other}"
        );
    }
    let folder = vec![positional("working_directory", |b| b.pass_by = PassBy::Folder)];
    assert_eq!(
        crib.plan_failure(folder, json!({"working_directory": "tools/sub"})).error_type,
        ErrorType::PathProtected
    );
    let mut reader = process_tool("cat", path());
    reader.annotations.mutates = Some(false);
    assert!(crib.plan(&reader, json!({"file": "tools/rm.json"})).is_ok(), "who only reads may");
}

#[test]
fn protects_the_target_of_a_linked_tools_folder() {
    let crib = RuntimeFixture::new();
    fs::create_dir(crib.path("crib/shared")).unwrap();
    symlink("shared", crib.path("crib/tools")).unwrap();
    assert_eq!(
        crib.plan_failure(path(), json!({"file": "shared/new.json"})).error_type,
        ErrorType::PathProtected
    );
}

#[test]
fn a_read_only_parameter_accepts_protected_files() {
    let crib = RuntimeFixture::new();
    let reads = |access| {
        let change = move |b: &mut Binding| (b.kind, b.access) = (ValueKind::Path, Some(access));
        crib.plan(
            &process_tool("echo", vec![positional("file", change)]),
            json!({"file": "toolcrib.toml"}),
        )
    };
    fs::write(crib.path("crib/toolcrib.toml"), "").unwrap();
    assert!(reads(Access::Read).is_ok());
    assert_eq!(reads(Access::Write).unwrap_err().error_type, ErrorType::PathProtected);
}

#[test]
fn a_sibling_folder_with_the_same_prefix_is_outside() {
    let crib = RuntimeFixture::new();
    fs::create_dir(crib.path("crib-two")).unwrap();
    assert!(crib.plan(&process_tool("echo", path()), json!({"file": "../crib-two"})).is_err());
}

#[test]
fn checks_options_and_every_array_item() {
    let crib = RuntimeFixture::new();
    let pieces = || vec![option("files", |b| b.kind = ValueKind::Path)];
    assert!(crib.plan(&process_tool("echo", pieces()), json!({"files": ["a", "b"]})).is_ok());
    assert!(
        crib.plan(&process_tool("echo", pieces()), json!({"files": ["a", "/etc/passwd"]})).is_err()
    );
}

#[test]
fn a_tilde_is_not_expanded() {
    let crib = RuntimeFixture::new();
    assert_eq!(crib.argv(path(), json!({"file": "~/x"})), ["./~/x"]);
}

#[test]
fn path_or_value_is_a_path_only_if_it_looks_like_one() {
    let crib = RuntimeFixture::new();
    fs::create_dir(crib.path("crib/src")).unwrap();
    let pieces = || vec![positional("what", |b| b.kind = ValueKind::PathOrValue)];
    assert_eq!(crib.argv(pieces(), json!({"what": "main"})), ["main"]);
    assert_eq!(crib.argv(pieces(), json!({"what": "origin/main"})), ["origin/main"]);
    assert_eq!(crib.argv(pieces(), json!({"what": "./src"})), ["src"]);
    assert!(crib.plan(&process_tool("echo", pieces()), json!({"what": "../outside"})).is_err());
}

#[tokio::test]
async fn runs_and_resolves_paths_in_the_working_directory() {
    let crib = RuntimeFixture::new();
    fs::create_dir(crib.path("crib/sub")).unwrap();
    fs::write(crib.path("crib/sub/a"), "found").unwrap();
    let folder = option("working_directory", |b| b.pass_by = PassBy::Folder);
    let cat = process_tool("cat", vec![path().remove(0), folder.clone()]);
    assert_eq!(
        text(&crib.call(cat.clone(), json!({"file": "a", "working_directory": "sub"})).await, 0),
        "found"
    );
    let pwd = process_tool("pwd", vec![folder]);
    assert_eq!(
        text(&crib.call(pwd.clone(), json!({})).await, 0).trim(),
        crib.path("crib").to_str().unwrap()
    );
    for wrong in ["../outside", "missing", "sub/a"] {
        let outcome = crib.call(pwd.clone(), json!({"working_directory": wrong})).await;
        assert!(outcome.failed && text(&outcome, 0).contains("working_directory"), "{wrong}");
    }
}

#[tokio::test]
async fn finds_programs_in_the_path_and_inside_the_crib_only() {
    let crib = RuntimeFixture::new();
    fs::create_dir(crib.path("crib/bin")).unwrap();
    fs::write(crib.path("crib/bin/hello"), "#!/bin/sh\necho hello from $0\n").unwrap();
    fs::set_permissions(crib.path("crib/bin/hello"), fs::Permissions::from_mode(0o755)).unwrap();
    let outcome = crib.call(process_tool("bin/hello", vec![]), json!({})).await;
    assert_eq!(
        text(&outcome, 0),
        format!("hello from {}\n", crib.path("crib/bin/hello").display())
    );

    symlink("/bin/sh", crib.path("crib/bin/sh")).unwrap();
    assert_eq!(
        crib.plan(&process_tool("bin/sh", vec![]), json!({})).unwrap_err().error_type,
        ErrorType::ProgramOutsideCrib
    );
}

#[tokio::test]
async fn reports_how_to_install_a_missing_program() {
    let mut missing = process_tool("no-such-program", vec![]);
    missing.description.install = Some("apt install it".into());
    let outcome = RuntimeFixture::new().call(missing, json!({})).await;
    assert_eq!(field(&outcome, "error_type"), "program_not_found");
    assert!(text(&outcome, 0).contains("apt install it"));
}
