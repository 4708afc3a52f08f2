//! An approval is given to a plan. If the plan changes, nothing runs until a person approves the new one.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    sync::Arc,
};

use catalog::{
    Tool,
    implementation::{Binding, Piece, ValueKind},
};
use runtime::{Runtime, Settings, journal::Journal};
use serde_json::{Value, json};
use testing::{RuntimeFixture, field, process_tool};
use tokio_util::sync::CancellationToken;
use toolkit::Context;

use crate::{
    approvals::{Person, approval, call, context_without_user, record_decision, run},
    pieces::word,
};

/// A dangerous tool that prints a file.
fn reader() -> Tool {
    let path = Binding { kind: ValueKind::Path, ..Binding::positional("file") };
    let mut reader = process_tool("cat", vec![Piece::Parameter(path)]);
    reader.annotations.dangerous = Some(true);
    reader
}

/// A dangerous tool that runs a program.
fn runner(program: &str, words: &[&str]) -> Tool {
    let mut runner = process_tool(program, words.iter().map(|text| word(text)).collect());
    runner.annotations.dangerous = Some(true);
    runner
}

fn write_program(path: &Path, text: &str) {
    fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Approves a call, changes something, and returns the reason for which the same call is refused.
async fn reason_after(
    crib: &RuntimeFixture,
    tool: &Tool,
    arguments: Value,
    change: impl FnOnce(),
) -> String {
    let id = approval(&run(crib, call(tool, arguments.clone(), context_without_user())).await);
    record_decision(crib, id.clone(), true).await;
    change();
    let refused = run(crib, call(tool, arguments, context_without_user())).await;
    assert_ne!(approval(&refused), id, "it must be approved again");
    field(&refused, "error_message").as_str().unwrap().to_owned()
}

fn create_releases(crib: &RuntimeFixture) {
    for name in ["old", "new"] {
        fs::create_dir(crib.path("crib").join(name)).unwrap();
        fs::write(crib.path("crib").join(name).join("data"), name).unwrap();
    }
    symlink("old", crib.path("crib/current")).unwrap();
}

fn retarget(crib: &Path) {
    fs::remove_file(crib.join("current")).unwrap();
    symlink("new", crib.join("current")).unwrap();
}

#[tokio::test]
async fn a_retargeted_link_needs_a_new_approval() {
    let crib = RuntimeFixture::new();
    create_releases(&crib);
    let arguments = json!({"file": "current/data"});
    let reason = reason_after(&crib, &reader(), arguments, || retarget(&crib.path("crib"))).await;
    assert!(reason.contains("its plan changed since it was approved: command line"), "{reason}");
}

#[tokio::test]
async fn a_changed_script_needs_a_new_approval() {
    let crib = RuntimeFixture::new();
    let script = crib.path("crib/run.sh");
    fs::write(&script, "echo one").unwrap();
    let reason = reason_after(&crib, &runner("sh", &["run.sh"]), json!({}), || {
        fs::write(&script, "echo two").unwrap();
    })
    .await;
    assert!(reason.contains("approved: content of the program or its scripts;"), "{reason}");
}

#[tokio::test]
async fn an_approval_is_used_up_when_the_plan_has_changed() {
    let crib = RuntimeFixture::new();
    let script = crib.path("crib/run.sh");
    fs::write(&script, "touch done").unwrap();
    let tool = runner("sh", &["run.sh"]);
    reason_after(&crib, &tool, json!({}), || fs::write(&script, "echo two").unwrap()).await;
    fs::write(&script, "touch done").unwrap();
    approval(&run(&crib, call(&tool, json!({}), context_without_user())).await);
    assert!(!crib.path("crib/done").exists());
}

/// A script that changes a file, waits for `go`, and then reads its last line: shells read in blocks.
fn slow_script(last: &str) -> String {
    let wait = "echo $1 >> data.txt; touch started; while [ ! -e go ]; do sleep 0.01; done";
    format!("#!/bin/sh\n{wait}\n{}echo {last}\n", "# padding\n".repeat(2000))
}

#[tokio::test]
async fn a_script_that_changes_after_the_comparison_does_not_run() {
    for (program, words) in [
        ("sh", &["sub/run.sh", "one"][..]),
        ("./sub/run.sh", &["one"]),
        ("sh", &["link.sh", "one"]),
    ] {
        let crib = RuntimeFixture::new();
        fs::create_dir(crib.path("crib/sub")).unwrap();
        let script = crib.path("crib/sub/run.sh");
        fs::write(&script, slow_script("honest")).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        symlink("sub/run.sh", crib.path("crib/link.sh")).unwrap();
        let tool = runner(program, words);
        let ask = || call(&tool, json!({}), context_without_user());
        record_decision(&crib, approval(&run(&crib, ask()).await), true).await;
        let change = async {
            let (started, go) = (crib.path("crib/started"), crib.path("crib/go"));
            testing::wait_until("the script has started", || started.exists()).await;
            // In place: it is the file that an interpreter has open.
            fs::write(&script, slow_script("EVIL  ")).unwrap();
            fs::write(go, "").unwrap();
        };
        let (outcome, ()) = tokio::join!(run(&crib, ask()), change);
        assert_eq!(testing::text(&outcome, 0), "honest\n", "{program} {words:?} {outcome:?}");
        let data = fs::read_to_string(crib.path("crib/data.txt")).unwrap();
        assert_eq!(data, "one\n", "it runs in its folder, with its arguments");
    }
}

#[tokio::test]
async fn a_changed_program_needs_a_new_approval() {
    let crib = RuntimeFixture::new();
    let program = crib.path("crib/run");
    write_program(&program, "echo one");
    let change = || write_program(&program, "echo two");
    let reason = reason_after(&crib, &runner("./run", &[]), json!({}), change).await;
    assert!(reason.contains("approved: content of the program or its scripts;"), "{reason}");
}

/// What another server with other settings says about a call that was approved.
async fn reason_with(change: impl FnOnce(&mut Settings)) -> String {
    let crib = RuntimeFixture::new();
    let mut settings = crib.settings();
    change(&mut settings);
    let journal: Arc<dyn Journal> = Arc::clone(crib.runtime.journal());
    let tool = runner("true", &[]);
    let id = approval(&run(&crib, call(&tool, json!({}), context_without_user())).await);
    record_decision(&crib, id, true).await;
    let crib = crib.with_runtime(Runtime::with_journal(settings, journal));
    let outcome = run(&crib, call(&tool, json!({}), context_without_user())).await;
    field(&outcome, "error_message").as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_changed_environment_needs_a_new_approval() {
    let reason =
        reason_with(|settings| settings.environment.push(("MODE".to_owned(), "x".to_owned())))
            .await;
    assert!(reason.contains("approved: environment;"), "{reason}");
}

#[tokio::test]
async fn a_changed_sandbox_needs_a_new_approval() {
    let reason = reason_with(|settings| settings.write.push("/var/tmp".into())).await;
    assert!(reason.contains("approved: sandbox;"), "{reason}");
    assert_eq!(reason_with(|_| {}).await, "", "the same plan runs");
}

#[tokio::test]
async fn a_plan_that_changes_during_approval_does_not_run() {
    let crib = RuntimeFixture::new();
    create_releases(&crib);
    let folder = crib.path("crib");
    let person = Person {
        answer: Some(json!({"action": "accept", "content": {"approve": true}})),
        meanwhile: Some(Box::new(move || retarget(&folder))),
        ..Person::default()
    };
    let context = Context::new(Arc::new(person), CancellationToken::new());
    let refused = run(&crib, call(&reader(), json!({"file": "current/data"}), context)).await;
    assert_eq!(field(&refused, "error_type"), "approval_required");
    let message = field(&refused, "error_message").as_str().unwrap();
    assert!(
        message.contains("was not started: its plan changed after it was approved (command line"),
        "{message}"
    );
}

#[tokio::test]
async fn an_operation_whose_plan_changes_during_approval_does_not_run() {
    let crib = RuntimeFixture::new();
    let program = crib.path("crib/run");
    write_program(&program, "touch done");
    let changed = program.clone();
    let person = Person {
        answer: Some(json!({"action": "accept", "content": {"approve": true}})),
        meanwhile: Some(Box::new(move || write_program(&changed, "touch done; touch more"))),
        ..Person::default()
    };
    let context = Context::new(Arc::new(person), CancellationToken::new());
    let tool = Tool { mode: catalog::Mode::Asynchronous, ..runner("./run", &[]) };
    let refused = run(&crib, call(&tool, json!({}), context)).await;
    assert_eq!(field(&refused, "error_type"), "approval_required", "{refused:?}");
    assert!(!crib.path("crib/done").exists());
}

#[tokio::test]
async fn a_changed_script_behind_a_wrapper_is_asked_about_again() {
    let crib = RuntimeFixture::new();
    let script = crib.path("crib/job.sh");
    write_program(&script, "echo one");
    let path = Binding { kind: ValueKind::Path, ..Binding::positional("file") };
    for words in [&["5", "sh"][..], &["5"]] {
        let pieces = words.iter().map(|text| word(text)).chain([Piece::Parameter(path.clone())]);
        let mut runner = process_tool("timeout", pieces.collect());
        runner.annotations.dangerous = Some(true);
        let change = || write_program(&script, &format!("echo {}", words.len()));
        let reason = reason_after(&crib, &runner, json!({"file": "job.sh"}), change).await;
        assert!(reason.contains("content of the program or its scripts"), "{reason}");
    }
}
