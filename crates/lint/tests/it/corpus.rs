//! Real definitions: good ones have no findings, and the others have no false ones.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use catalog::{Catalog, Diagnostic, Severity, SourceId};
use formats::Guidance;
use lint::{Context, Scope};
use testing::shared_corpus;

/// The JSON files of a folder, sorted.
fn json_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a readable folder");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files
}

/// The findings in one file, checked by itself.
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
fn good_definitions_have_no_findings() {
    let Some(folder) = shared_corpus("checks/crib/tools") else {
        return;
    };
    for path in json_files(&folder) {
        assert_eq!(lint_file(&path, &Guidance::default()), [], "{}", path.display());
    }
}

/// The findings in real definitions, one line for each tool or parameter. Missing annotations and
/// shells are left out: almost no old definition has annotations, and shells need no judgement.
#[test]
fn finds_exactly_the_known_problems_of_real_definitions() {
    let Some(folder) = shared_corpus("corpus/mtdf") else {
        return;
    };
    let guidance = std::fs::read(folder.join("guidance__tool_guidance__2025-11-17__1e1cd116.json"))
        .expect("a guidance file");
    let (guidance, _) = formats::read_guidance(&SourceId::new("tool_guidance.json"), &guidance);
    let mut found = BTreeSet::new();
    for diagnostic in json_files(&folder).iter().flat_map(|path| lint_file(path, &guidance)) {
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
    TC404 await
    TC404 cargo_audit
    TC404 cargo_audit_audit
    TC404 cargo_audit_llvm-cov_nextest
    TC404 cargo_audit_llvm-cov_report
    TC404 cargo_bench
    TC404 cargo_bench_bench
    TC404 cargo_build
    TC404 cargo_bump_version
    TC404 cargo_check
    TC404 cargo_clippy
    TC404 cargo_doc
    TC404 cargo_fmt
    TC404 cargo_install
    TC404 cargo_llvm_cov
    TC404 cargo_llvm_cov_nextest
    TC404 cargo_nextest
    TC404 cargo_nextest_nextest_run
    TC404 cargo_nextest_nextest_show
    TC404 cargo_nextest_run
    TC404 cargo_run
    TC404 cargo_test
    TC404 cargo_upgrade
    TC404 gh_cache_delete
    TC404 gh_cache_list
    TC404 gh_pr_close
    TC404 gh_run_cancel
    TC404 gh_run_download
    TC404 gh_run_list
    TC404 gh_run_view
    TC404 gh_run_watch
    TC404 gh_workflow_list
    TC404 gh_workflow_view
    TC404 git_fetch
    TC404 git_push
    TC404 gradlew_assemble
    TC404 kotlin_assemble
    TC404 long_running_async
    TC404 python3_interactive
    TC404 python3_module
    TC404 python3_script
    TC404 python_interactive
    TC404 python_module
    TC404 python_script
    TC404 sandboxed_shell
    TC404 shell_async
    TC404 test_audit
    TC404 test_coverage
    TC404 wait
    TC404 wait_run
    TC506 cargo_quality-check
    TC506 rust_quality_check
    TC506 sandboxed_shell
    "##);
}
