//! Programs that are run for their output, outside of any tool.

use catalog::ErrorType;
use std::path::Path;

use runtime::{ProgramRequest, Settings, run_program};
use tempfile::TempDir;

fn request(program: &str, arguments: &[&str]) -> ProgramRequest<'static> {
    let program = program.to_owned().leak();
    ProgramRequest {
        program,
        arguments: arguments.iter().map(|word| (*word).to_owned()).collect(),
        stdin: None,
        max_bytes: 1000,
    }
}

fn settings(folder: &Path) -> Settings {
    Settings::new(folder.canonicalize().expect("a folder"))
}

#[tokio::test]
async fn returns_the_output_of_a_program() {
    let folder = TempDir::new().expect("a folder");
    let sorted = ProgramRequest { stdin: Some("a\nb\n".to_owned()), ..request("sort", &["-r"]) };
    let output = run_program(&settings(folder.path()), sorted).await.expect("output");
    assert_eq!((output.code, output.stdout.as_slice()), (Some(0), b"b\na\n".as_slice()));
    let output =
        run_program(&settings(folder.path()), request("ls", &["absent"])).await.expect("output");
    assert!(output.code != Some(0) && output.stderr.contains("absent"), "{output:?}");
}

#[tokio::test]
async fn denies_changes_and_rejects_long_output() {
    let folder = TempDir::new().expect("a folder");
    let settings = settings(folder.path());
    if runtime::sandbox_support().files {
        let path = folder.path().join("made").to_string_lossy().into_owned();
        let output = run_program(&settings, request("touch", &[&path])).await.expect("output");
        assert!(output.code != Some(0) && !folder.path().join("made").exists(), "{output:?}");
    }
    let failure =
        run_program(&settings, request("seq", &["1", "100000"])).await.expect_err("too long");
    assert_eq!(failure.error_type, ErrorType::TooLong);
    let failure =
        run_program(&settings, request("no-such-program", &[])).await.expect_err("no program");
    assert_eq!(failure.error_type, ErrorType::ProgramNotFound);
}
