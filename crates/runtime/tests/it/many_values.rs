//! Arguments with very many values, and files that never end, take bounded time and are answered in few
//! words.

use std::time::{Duration, Instant};

use catalog::{
    Tool,
    implementation::{Items, PassBy, Piece, ValueKind},
};
use serde_json::{Value, json};
use testing::{RuntimeFixture, field, process_tool, schema};

use crate::{
    approvals::{approval, call, context_without_user, run},
    pieces::{option, positional, word},
};

/// A tool that gets its arguments as JSON.
fn json_tool() -> Tool {
    let mut tool = process_tool("cat", vec![Piece::Json]);
    let paths = json!({"type": "array", "items": {"type": "string", "format": "path"}});
    tool.input = schema(json!({"type": "object", "properties": {"paths": paths}}));
    tool
}

#[tokio::test]
async fn reports_the_first_paths_outside_the_roots_and_counts_the_others() {
    let crib = RuntimeFixture::new();
    let outcome = crib.call(json_tool(), json!({"paths": vec!["/a"; 1000]})).await;
    assert_eq!(field(&outcome, "error_type"), "path_outside_roots");
    let message = field(&outcome, "error_message").as_str().unwrap();
    assert_eq!(message.lines().count(), 52, "{message}");
    assert!(message.ends_with("\n- and 950 more errors"), "{message}");
    assert_eq!(field(&outcome, "error_details")["omitted_errors"], 950);
}

#[tokio::test]
async fn rejects_a_million_paths_without_resolving_them() {
    let crib = RuntimeFixture::new();
    let files = positional("paths", |b| (b.kind, b.items) = (ValueKind::Path, Items::Each));
    for tool in [json_tool(), process_tool("cat", vec![files])] {
        let begun = Instant::now();
        let outcome = crib.call(tool, json!({"paths": vec!["/a"; 1_000_000]})).await;
        assert_eq!(field(&outcome, "error_type"), "arguments_too_long");
        assert!(serde_json::to_string(&outcome.structured).unwrap().len() < 2000);
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }
}

#[tokio::test]
async fn reports_the_first_invalid_variables_and_counts_the_others() {
    let crib = RuntimeFixture::new();
    let tool = process_tool("env", vec![option("env_vars", |b| b.pass_by = PassBy::Variables)]);
    let variables: serde_json::Map<String, Value> =
        (0..1000).map(|number| (format!("a b{number}"), json!("x"))).collect();
    let failure = crib.plan(&tool, json!({"env_vars": variables})).unwrap_err();
    assert!(failure.message.ends_with("\n- and 950 more errors"), "{}", failure.message);
}

#[tokio::test]
async fn a_fifo_or_device_in_place_of_a_script_does_not_block_a_plan() {
    for kind in ["fifo", "device"] {
        let crib = RuntimeFixture::new();
        let script = crib.path("crib/run.sh");
        std::fs::write(&script, "echo hello").unwrap();
        let mut tool = process_tool("sh", vec![word("run.sh")]);
        tool.annotations.dangerous = Some(true);
        let ask = || run(&crib, call(&tool, json!({}), context_without_user()));
        approval(&ask().await);
        std::fs::remove_file(&script).unwrap();
        match kind {
            "fifo" => {
                let created = std::process::Command::new("mkfifo").arg(&script).status();
                assert!(created.unwrap().success());
            }
            _ => std::os::unix::fs::symlink("/dev/zero", &script).unwrap(),
        }
        let digest = tokio::task::spawn_blocking(move || runtime::file_digest(&script));
        let digest = tokio::time::timeout(Duration::from_secs(30), digest).await;
        let error = digest.expect("it ends").unwrap().unwrap_err();
        assert_eq!(error.to_string(), "it is not a regular file");
        approval(&ask().await);
    }
}

#[tokio::test]
async fn one_file_with_many_names_is_read_once() {
    let crib = RuntimeFixture::new();
    // Sparse: reading all of its names would take minutes.
    let file = std::fs::File::create(crib.path("crib/data")).unwrap();
    file.set_len(64 * 1024 * 1024).unwrap();
    let mut tool = process_tool("sh", vec![positional("files", |b| b.items = Items::Each)]);
    tool.annotations.dangerous = Some(true);
    let names: Vec<_> = (1..500).map(|times| format!("{}data", "./".repeat(times))).collect();
    let begun = Instant::now();
    let ask = || run(&crib, call(&tool, json!({"files": names}), context_without_user()));
    let outcome = ask().await;
    assert_eq!(field(&outcome, "error_type"), "approval_required", "{outcome:?}");
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}
