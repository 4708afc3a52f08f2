//! Real definitions: good ones stay free of warnings, and the rules do not cry wolf on the others.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use catalog::{Catalog, Diagnostic, Severity, SourceId};
use formats::Guidance;
use lint::{Context, Scope};

/// A folder of shared material, or nothing, said loudly.
#[expect(clippy::print_stderr, reason = "a skipped test must be heard")]
pub(crate) fn shared(folder: &str) -> Option<PathBuf> {
    let root = std::env::var_os("TOOLCRIB_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let folder = root.join(folder);
    if !folder.is_dir() {
        eprintln!("SKIPPED: {} is not there; set TOOLCRIB_SHARED", folder.display());
        return None;
    }
    Some(folder)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a readable folder");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files
}

/// What the rules find in one file, taken for a crib of its own.
fn lint_file(path: &Path, guidance: &Guidance) -> Vec<Diagnostic> {
    let bytes = std::fs::read(path).expect("a readable file");
    let name = path.file_name().and_then(|name| name.to_str()).expect("a name in UTF-8");
    let reading = formats::read(&SourceId::new(name), &bytes, guidance);
    let (catalog, _) = Catalog::merge(reading.tools);
    lint::check(
        &catalog,
        &Context { crib: "corpus".into(), scope: Scope::File, ..Context::default() },
    )
}

#[test]
fn good_definitions_stay_free_of_findings() {
    let Some(folder) = shared("checks/crib/tools") else {
        return;
    };
    for path in files(&folder) {
        assert_eq!(lint_file(&path, &Guidance::default()), [], "{}", path.display());
    }
}

/// What the rules find in real definitions, one line for each tool or parameter. Left out are annotations,
/// which almost no old definition has, and shells, which are no matter of judgement.
#[test]
fn finds_what_is_wrong_with_real_definitions_and_no_more() {
    let Some(folder) = shared("corpus/mtdf") else {
        return;
    };
    let guidance = std::fs::read(folder.join("guidance__tool_guidance__2025-11-17__1e1cd116.json"))
        .expect("a guidance file");
    let (guidance, _) = formats::read_guidance(&SourceId::new("tool_guidance.json"), &guidance);
    let mut found = BTreeSet::new();
    for diagnostic in files(&folder).iter().flat_map(|path| lint_file(path, &guidance)) {
        assert_ne!(diagnostic.severity, Severity::Error, "{diagnostic:?}");
        let subject = match diagnostic.code {
            "TC501" | "TC503" => continue,
            "TC301" => diagnostic.message.split('`').nth(1).map(str::to_owned),
            _ => diagnostic.tool,
        };
        found.insert(format!("{} {}", diagnostic.code, subject.unwrap_or_default()));
    }
    insta::assert_snapshot!(found.into_iter().collect::<Vec<_>>().join("\n"), @r##"
    TC205 ahma_quality_check
    TC205 cargo_quality-check
    TC205 rust_quality_check
    TC205 rust_quality_check_run
    TC209 kotlin_custom
    TC301 artifact-dir
    TC301 config-file
    TC301 db
    TC301 file
    TC301 lockfile-path
    TC301 manifest-path
    TC301 path
    TC301 paths
    TC301 pathspec
    TC301 target-dir
    TC301 tool-config-file
    TC404 cargo_check
    TC404 cargo_fmt
    TC404 cargo_nextest_nextest_show
    TC404 cargo_nextest_run
    TC404 python_script
    TC404 wait_run
    TC506 cargo_quality-check
    TC506 rust_quality_check
    TC506 sandboxed_shell
    "##);
}
