//! Questions to programs of the machine.

use catalog::ErrorType;
use std::path::Path;

use runtime::{Question, Settings, ask};
use tempfile::TempDir;

fn question(program: &str, arguments: &[&str]) -> Question<'static> {
    let program = program.to_owned().leak();
    Question {
        program,
        arguments: arguments.iter().map(|word| (*word).to_owned()).collect(),
        stdin: None,
        most_bytes: 1000,
    }
}

fn settings(folder: &Path) -> Settings {
    Settings::new(folder.canonicalize().expect("a folder"))
}

#[tokio::test]
async fn what_a_program_prints_is_the_answer() {
    let folder = TempDir::new().expect("a folder");
    let asked = Question { stdin: Some("a\nb\n".to_owned()), ..question("sort", &["-r"]) };
    let answer = ask(&settings(folder.path()), asked).await.expect("an answer");
    assert_eq!((answer.code, answer.stdout.as_slice()), (Some(0), b"b\na\n".as_slice()));
    let answer =
        ask(&settings(folder.path()), question("ls", &["absent"])).await.expect("an answer");
    assert!(answer.code != Some(0) && answer.stderr.contains("absent"), "{answer:?}");
}

#[tokio::test]
async fn a_question_changes_nothing_and_a_long_answer_is_none() {
    let folder = TempDir::new().expect("a folder");
    let settings = settings(folder.path());
    if runtime::confinement().files {
        let path = folder.path().join("made").to_string_lossy().into_owned();
        let answer = ask(&settings, question("touch", &[&path])).await.expect("an answer");
        assert!(answer.code != Some(0) && !folder.path().join("made").exists(), "{answer:?}");
    }
    let failure = ask(&settings, question("seq", &["1", "100000"])).await.expect_err("too long");
    assert_eq!(failure.error_type, ErrorType::TooLong);
    let failure = ask(&settings, question("no-such-program", &[])).await.expect_err("no program");
    assert_eq!(failure.error_type, ErrorType::ProgramNotFound);
}
