//! Invariants of the repository itself.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use regex::Regex;
use serde_json::Value;

use testing::{repository, run_outside_crib};

use crate::modules::product_code;

/// Libraries with side effects, and the only crates that may use them.
const DOORS: &[(&str, &[&str])] = &[
    ("rmcp", &["toolcrib-server"]),
    ("landlock", &["toolcrib-process"]),
    ("seccompiler", &["toolcrib-process"]),
    ("bollard", &["toolcrib-render"]),
    ("notify", &["toolcrib-workspace"]),
    ("clap", &["toolcrib"]),
    ("axum", &["toolcrib-server"]),
    ("hyper", &["toolcrib-server"]),
    ("rusqlite", &["toolcrib-store"]),
    ("cel", &["toolcrib-catalog"]),
    ("cap-std", &["toolcrib-builtin"]),
    ("granit-parser", &["toolcrib-formats"]),
    ("comrak", &["toolcrib-formats", "toolcrib-docs"]),
    ("tree-sitter", &["toolcrib-formats", "toolcrib-roxygen"]),
    ("tree-sitter-r", &["toolcrib-formats", "toolcrib-roxygen"]),
];

fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(repository())
        .output()
        .expect("cargo metadata runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let normal = |package: &Value| {
        let all = package["dependencies"].as_array().expect("dependencies").iter();
        all.filter(|dependency| dependency["kind"].is_null())
            .map(|dependency| dependency["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    packages
        .iter()
        .map(|package| (package["name"].as_str().expect("a name").to_owned(), normal(package)))
        .collect()
}

/// The crate map of ARCHITECTURE.md: each crate with the crates it uses, by their folder names.
fn documented_crates() -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("the architecture");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `crates/"));
    rows.map(|row| {
        let (name, rest) = row.split_once("` |").expect("a crate in backticks");
        let uses = rest.split('|').next().expect("a column of crates");
        let uses = uses.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        (name.to_owned(), uses)
    })
    .collect()
}

#[test]
fn the_crate_map_matches_the_manifests() {
    // The command line is the package `toolcrib`; every other crate has a prefix.
    let folder = |package: &str| match package.strip_prefix("toolcrib") {
        Some("") => Some("cli".to_owned()),
        Some(rest) => rest.strip_prefix('-').map(str::to_owned),
        None => None,
    };
    let found: BTreeMap<String, BTreeSet<String>> = dependencies()
        .iter()
        .filter_map(|(name, uses)| {
            Some((folder(name)?, uses.iter().filter_map(|name| folder(name)).collect()))
        })
        .collect();
    assert_eq!(documented_crates(), found, "left: ARCHITECTURE.md, right: the manifests");
}

#[test]
fn libraries_for_an_effect_are_used_by_one_crate() {
    let found = dependencies();
    for (library, allowed) in DOORS {
        for (name, _) in found
            .iter()
            .filter(|(name, uses)| name.starts_with("toolcrib") && uses.contains(*library))
        {
            assert!(allowed.contains(&name.as_str()), "{name} must not use {library}");
        }
    }
}

#[test]
fn dependencies_that_affect_the_wire_format_are_pinned() {
    let manifest = fs::read_to_string(repository().join("Cargo.toml")).expect("the manifest");
    let line = |name: &str| {
        manifest.lines().find(|line| line.starts_with(&format!("{name} = "))).expect("a dependency")
    };
    assert!(line("rmcp").contains(r#"version = "=3.8.0""#));
    assert!(
        line("serde_json").contains("preserve_order"),
        "the order of properties is read by models"
    );
    assert!(
        line("jsonschema").contains("default-features = false"),
        "no reference is fetched from the network"
    );
}

#[test]
fn no_source_file_is_over_800_lines() {
    for path in tracked(&["rs"]) {
        let lines = fs::read_to_string(&path).expect("a source file").lines().count();
        assert!(lines <= 800, "{} has {lines} lines", path.display());
    }
}

/// The files that start processes: the launcher process, this program again, and programs on systems
/// without a launcher process.
const STARTERS: &[&str] = &[
    "crates/process/src/launcher/supervised/connection.rs",
    "crates/process/src/launcher/background.rs",
    "crates/process/src/launcher/direct.rs",
];

/// The only file with unsafe code: it clones and executes in the launcher process.
const UNSAFE: &str = "crates/process/src/launcher_process/raw.rs";

#[test]
fn unsafe_code_and_each_effect_are_in_one_file() {
    let doors: [(&str, &[&str]); 5] = [
        ("Command::new(", STARTERS),
        ("env::var", &["crates/workspace/src/environment.rs"]),
        ("stdout()", &["crates/cli/src/terminal.rs"]),
        ("ambient_authority()", &["crates/builtin/src/open_dir.rs"]),
        ("Dir::from_std_file(", &["crates/builtin/src/open_dir.rs"]),
    ];
    for path in tracked(&["rs"]).into_iter().filter(|path| is_product(path)) {
        let text = fs::read_to_string(&path).expect("a source file");
        let name =
            path.strip_prefix(repository()).expect("a path inside").to_string_lossy().into_owned();
        let code = product_code(&text);
        let is_unsafe = code.contains("unsafe {");
        assert!(!is_unsafe || name == UNSAFE, "{name} has unsafe code");
        for (effect, door) in doors {
            assert!(
                !code.contains(effect)
                    || door.contains(&&*name)
                    || is_terminal_query(&name, effect),
                "{name} uses {effect}, whose door is {door:?}"
            );
        }
    }
}

/// Interfaces that only Linux has.
const LINUX_ONLY: &[&str] = &[
    "landlock::",
    "seccompiler::",
    "os::linux",
    "openat2(",
    "mknodat(",
    "memfd_create(",
    "pidfd_",
    "OFlags::PATH",
    "libc::O_PATH",
    "SEQPACKET",
    "libc::SYS_",
    "libc::CLONE",
    "set_child_subreaper",
];

/// Where they are: modules that are compiled for Linux only, and files with another way for other
/// systems.
const LINUX_PARTS: &[&str] = &[
    "crates/process/src/launcher/supervised",
    "crates/process/src/launcher_process",
    "crates/process/src/protocol.rs",
    "crates/process/src/opened_path/kernel.rs",
    "crates/process/src/sandbox/",
    "crates/process/src/private_folder.rs",
    "crates/atomic-file/src/lib.rs",
    "crates/cli/src/systemd.rs",
];

/// `scripts/targets` compiles everything for macOS, but not on every machine.
#[test]
fn interfaces_of_linux_stay_in_their_modules() {
    for path in tracked(&["rs"]).into_iter().filter(|path| is_product(path)) {
        let text = fs::read_to_string(&path).expect("a source file");
        let name = path.strip_prefix(repository()).expect("a path inside").to_string_lossy();
        if LINUX_PARTS.iter().any(|part| name.starts_with(part)) {
            continue;
        }
        let code = product_code(&text);
        let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        for line in code {
            let found = LINUX_ONLY.iter().find(|interface| line.contains(**interface));
            assert!(found.is_none(), "{name} uses {found:?}, which only Linux has: {line}");
        }
    }
}

/// Files that only the product itself reads, in private folders, logs that it rotates, and files of
/// the kernel.
const INTERNAL_FILES: &[&str] = &[
    "crates/process/src/launcher_process/cgroups.rs",
    "crates/process/src/launcher_process/guard.rs",
    "crates/process/src/launcher_process/mounts.rs",
    "crates/render/src/compose.rs",
    "crates/store/src/audit.rs",
    "crates/store/src/connection.rs",
    "crates/workspace/src/revision/tree.rs",
];

#[test]
fn a_users_file_is_never_written_in_place() {
    for path in tracked(&["rs"]).into_iter().filter(|path| is_product(path)) {
        let text = fs::read_to_string(&path).expect("a source file");
        let name = path.strip_prefix(repository()).expect("a path inside").to_string_lossy();
        let code = product_code(&text);
        for call in ["fs::write(", "File::create(", "File::create_new(", "fs::rename(", "fs::copy("]
        {
            let mut uses = code.match_indices(call).map(|(start, _)| &code[..start]);
            // `TraceFile::create` does not match.
            assert!(
                uses.all(|before| before.ends_with(char::is_alphanumeric))
                    || INTERNAL_FILES.contains(&&*name),
                "{name} uses {call}: write a user's file with `atomic_file`"
            );
        }
    }
}

/// The renderer asks whether standard output is a terminal; it does not write to it.
fn is_terminal_query(name: &str, effect: &str) -> bool {
    effect == "stdout()" && name == "crates/cli/src/report/human.rs"
}

fn is_product(path: &Path) -> bool {
    let text = path.to_string_lossy();
    text.contains("/crates/") && text.contains("/src/") && !text.contains("/crates/testing/")
}

#[test]
fn paths_named_in_markdown_exist() {
    for path in tracked(&["md"]) {
        let text = fs::read_to_string(&path).expect("a page");
        let folder = path.parent().expect("a folder");
        for named in named_paths(&text) {
            let exists = folder.join(&named).exists() || repository().join(&named).exists();
            assert!(exists, "{} names {named}, which is not there", path.display());
        }
    }
}

/// Targets of links and code that looks like a path of the repository.
fn named_paths(text: &str) -> Vec<String> {
    let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let links = links
        .filter(|link| !link.contains("://") && !link.starts_with('#'))
        .map(|link| link.split('#').next().unwrap_or_default());
    let code = text.split('`').skip(1).step_by(2);
    let roots = ["crates/", "scripts/", "docs/", "examples/", "fuzz/", ".ci/"];
    let code = code.filter(|code| {
        roots.iter().any(|root| code.starts_with(root))
            && !code.contains(['*', '{', '<', ' ', '\n'])
            && !code.contains("NAME")
    });
    links.chain(code).filter(|path| !path.is_empty()).map(str::to_owned).collect()
}

#[test]
fn reference_pages_are_fresh() {
    for page in run_outside_crib(&["reference"]).stdout.lines() {
        let path = repository().join(format!("docs/reference/{page}.md"));
        let written = fs::read_to_string(&path).unwrap_or_default();
        let made = run_outside_crib(&["reference", page]).stdout;
        assert!(written == made, "docs/reference/{page}.md is stale: run scripts/reference");
    }
}

/// The files with one of these extensions that belong to the repository.
pub(crate) fn tracked(extensions: &[&str]) -> Vec<PathBuf> {
    let output = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"])
        .current_dir(repository())
        .output()
        .expect("git lists the files");
    let names = String::from_utf8(output.stdout).expect("names are UTF-8");
    let files = names
        .split('\0')
        .filter(|name| !name.is_empty())
        .map(|name| repository().join(name))
        .filter(|path| path.is_file());
    let found: Vec<_> = files
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extensions.iter().any(|wanted| extension == *wanted))
        })
        .collect();
    assert!(!found.is_empty(), "no files with {extensions:?}");
    found
}

/// Every promise in the threat model names the tests that show it.
#[test]
fn tests_named_in_the_security_page_exist() {
    let page = fs::read_to_string(repository().join("docs/security.md")).expect("the page");
    let named = Regex::new(r"`([a-z_]+)::([a-z_0-9]+)`").expect("a pattern");
    let named: Vec<_> = named.captures_iter(&page).map(|found| found.extract().1).collect();
    assert!(named.len() > 40, "{}", named.len());
    let sources: Vec<_> = tracked(&["rs"])
        .into_iter()
        .filter(|path| path.components().any(|part| part.as_os_str() == "tests"))
        .map(|path| (path.clone(), fs::read_to_string(path).expect("a source file")))
        .collect();
    let exists = |[module, name]: &[&str; 2]| {
        sources.iter().any(|(path, text)| {
            path.file_stem().is_some_and(|stem| stem == *module)
                && text.contains(&format!("fn {name}("))
        })
    };
    let missing: Vec<_> = named.iter().filter(|test| !exists(test)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
