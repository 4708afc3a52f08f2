//! Timeouts, cancellation, and no processes left behind.

use std::{fs, time::Duration};

use serde_json::json;
use testing::{
    RuntimeFixture, field, is_process_running, process_tool, script_tool, text, wait_until,
};
use tokio_util::sync::CancellationToken;

use crate::pieces::word;

/// Starts a child and a grandchild that do not exit by themselves, and records their process ids.
const FAMILY: &str = "sh -c 'echo $$ > inner; sleep 600' & echo $$ > outer; echo partial; wait";

#[tokio::test]
async fn returns_text_and_structured_fields() {
    let outcome = RuntimeFixture::new().run_script("echo out; echo err >&2").await;
    assert!(!outcome.failed);
    assert_eq!([text(&outcome, 0), text(&outcome, 1)], ["out\n", "stderr:\nerr\n"]);
    assert_eq!(field(&outcome, "exit_code"), 0);
    assert_eq!(field(&outcome, "stdout"), "out\n");
    assert_eq!(field(&outcome, "stderr"), "err\n");
    assert_eq!(field(&outcome, "truncated"), false);
    assert!(field(&outcome, "duration_ms").is_u64());
}

#[tokio::test]
async fn one_small_output_schema_accepts_every_outcome() {
    let crib = RuntimeFixture::new();
    let schema = runtime::process_output_schema();
    let started = json!({"status": "started", "operation_id": "1"});
    let arms = [
        crib.run_script("true").await,
        crib.run_script("exit 1").await,
        crib.run_script("kill -9 $$").await,
        crib.call(process_tool("none", vec![]), json!({})).await,
    ];
    for arm in arms.into_iter().filter_map(|outcome| outcome.structured).chain([started]) {
        assert_eq!(catalog::arguments::validate(&schema, &arm).unwrap(), [], "{arm}");
    }
    assert!(serde_json::to_string(&**schema.object()).unwrap().len() < 256);
}

#[tokio::test]
async fn a_failed_program_is_a_failed_call_with_both_streams() {
    let outcome = RuntimeFixture::new().run_script("echo out; echo err >&2; exit 3").await;
    assert!(outcome.failed);
    assert_eq!(
        [text(&outcome, 0), text(&outcome, 1), text(&outcome, 2)],
        ["out\n", "stderr:\nerr\n", "`tool` failed with exit code 3"]
    );
    assert_eq!(field(&outcome, "status"), "failure");
    assert_eq!(field(&outcome, "error_type"), "nonzero_exit");
    assert_eq!(field(&outcome, "error_details")["tool"], "tool");
    assert_eq!(field(&outcome, "exit_code"), 3);
    assert_eq!(field(&outcome, "stderr"), "err\n");
}

#[tokio::test]
async fn a_declared_exit_code_is_a_success_that_names_it() {
    let crib = RuntimeFixture::new();
    let mut tool = script_tool("sh", "echo found; exit 1");
    tool.success_exit_codes = vec![1];
    let outcome = crib.call(tool.clone(), json!({})).await;
    assert!(!outcome.failed);
    assert_eq!([text(&outcome, 0), text(&outcome, 1)], ["found\n", "exit code 1"]);
    assert_eq!(field(&outcome, "exit_code"), 1);
    let mut silent = script_tool("sh", "exit 1");
    silent.success_exit_codes = vec![1];
    assert_eq!(text(&crib.call(silent, json!({})).await, 0), "(no output, exit code 1)");
    let mut other = script_tool("sh", "exit 2");
    other.success_exit_codes = vec![1];
    assert!(crib.call(other, json!({})).await.failed);
}

#[tokio::test]
async fn reports_the_signal() {
    let outcome = RuntimeFixture::new().run_script("kill -9 $$").await;
    assert_eq!(field(&outcome, "error_type"), "killed_by_signal");
    assert_eq!(field(&outcome, "signal"), 9);
    assert!(
        outcome
            .structured
            .as_ref()
            .unwrap()
            .get("exit_code")
            .is_some_and(serde_json::Value::is_null)
    );
}

#[tokio::test]
async fn a_timeout_kills_grandchildren_and_keeps_partial_output() {
    let crib = RuntimeFixture::new();
    let mut family = script_tool("sh", FAMILY);
    family.timeout = Some(Duration::from_millis(400));
    let outcome = crib.call(family, json!({})).await;
    assert_eq!(field(&outcome, "error_type"), "timed_out");
    assert!(field(&outcome, "error_message").as_str().unwrap().contains("0.4 seconds"));
    assert_eq!(field(&outcome, "stdout"), "partial\n");
    for name in ["inner", "outer"] {
        let pid = fs::read_to_string(crib.path("crib").join(name)).unwrap();
        wait_until("the process is gone", || !is_process_running(&pid)).await;
    }
}

#[tokio::test]
async fn a_call_can_only_shorten_its_timeout() {
    let crib = RuntimeFixture::new();
    let mut sleep = process_tool("sleep", vec![word("600")]);
    sleep.timeout = Some(Duration::from_millis(100));
    let longer = crib.call_with(
        sleep.clone(),
        json!({}),
        CancellationToken::new(),
        Some(Duration::from_secs(600)),
    );
    assert!(text(&longer.await, 0).contains("0.1 seconds"));
    sleep.timeout = Some(Duration::from_secs(600));
    let shorter =
        crib.call_with(sleep, json!({}), CancellationToken::new(), Some(Duration::from_millis(50)));
    assert!(text(&shorter.await, 0).contains("0.05 seconds"));
}

#[tokio::test]
async fn reports_a_killed_process_once() {
    let crib =
        RuntimeFixture::with_settings(|settings| settings.grace = Duration::from_millis(100));
    // One process leaves the group, so that it is found again after the group is gone.
    let mut leaver = script_tool("sh", "setsid sleep 600 & sleep 600");
    leaver.timeout = Some(Duration::from_millis(500));
    let outcome = crib.call(leaver, json!({})).await;
    let killed = field(&outcome, "killed").as_array().unwrap();
    let mut names: Vec<_> = killed.iter().filter_map(|killed| killed["name"].as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["sh", "sleep", "sleep"], "{killed:?}");
    let mut pids: Vec<_> = killed.iter().filter_map(|killed| killed["pid"].as_u64()).collect();
    pids.sort_unstable();
    pids.dedup();
    assert_eq!(pids.len(), killed.len(), "{killed:?}");
}

#[tokio::test]
async fn a_process_that_ignores_term_is_killed_after_the_grace_period() {
    let crib =
        RuntimeFixture::with_settings(|settings| settings.grace = Duration::from_millis(100));
    let mut stubborn = script_tool("sh", "trap '' TERM; echo $$ > pid; while :; do sleep 1; done");
    stubborn.timeout = Some(Duration::from_millis(300));
    assert_eq!(field(&crib.call(stubborn, json!({})).await, "error_type"), "timed_out");
    let pid = fs::read_to_string(crib.path("crib/pid")).unwrap();
    wait_until("the process is gone", || !is_process_running(&pid)).await;
}

#[tokio::test]
async fn a_process_may_clean_up_within_the_grace_period() {
    let crib = RuntimeFixture::with_settings(|settings| settings.grace = Duration::from_secs(20));
    let mut tidy = script_tool("sh", "trap 'echo tidied; exit 0' TERM; sleep 600 & wait");
    tidy.timeout = Some(Duration::from_millis(300));
    let outcome = crib.call(tidy, json!({})).await;
    assert_eq!(field(&outcome, "stdout"), "tidied\n");
    assert_eq!(field(&outcome, "error_type"), "timed_out");
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_kills_only_the_processes_of_its_call() {
    let crib = RuntimeFixture::new();
    let (cancel, other) = (CancellationToken::new(), CancellationToken::new());
    let pid = |name: &str| fs::read_to_string(crib.path("crib").join(name)).unwrap_or_default();
    // One after the other, so that no process id of one is used in the namespace of the other.
    let neighbour = tokio::spawn(crib.call_with(
        script_tool("sh", "echo $$ > neighbour; sleep 600"),
        json!({}),
        other.clone(),
        None,
    ));
    wait_until("the neighbour runs", || pid("neighbour").ends_with('\n')).await;
    let family =
        tokio::spawn(crib.call_with(script_tool("sh", FAMILY), json!({}), cancel.clone(), None));
    wait_until("all run", || ["inner", "outer"].iter().all(|name| pid(name).ends_with('\n'))).await;
    cancel.cancel();
    assert_eq!(field(&family.await.unwrap(), "error_type"), "cancelled");
    wait_until("the family is gone", || {
        !is_process_running(&pid("inner")) && !is_process_running(&pid("outer"))
    })
    .await;
    assert!(is_process_running(&pid("neighbour")));
    other.cancel();
    neighbour.await.unwrap();
}

#[tokio::test]
async fn kills_a_process_that_left_the_group() {
    let crib = RuntimeFixture::new();
    let mut daemon = script_tool("sh", "setsid sh -c 'echo $$ > pid; sleep 600' & sleep 600");
    daemon.timeout = Some(Duration::from_millis(400));
    crib.call(daemon, json!({})).await;
    let pid = fs::read_to_string(crib.path("crib/pid")).unwrap();
    wait_until("the daemon is gone", || !is_process_running(&pid)).await;
}

#[tokio::test]
async fn an_open_pipe_does_not_delay_the_response() {
    let crib = RuntimeFixture::new();
    let outcome = tokio::time::timeout(
        Duration::from_secs(10),
        crib.run_script("sleep 600 & echo $! > pid; echo done"),
    )
    .await
    .unwrap();
    assert_eq!(text(&outcome, 0), "done\n");
    assert!(!outcome.failed);
    let pid = fs::read_to_string(crib.path("crib/pid")).unwrap();
    wait_until("it is gone", || !is_process_running(&pid)).await;
}

#[tokio::test]
async fn background_processes_are_killed_after_the_call() {
    let crib = RuntimeFixture::new();
    crib.run_script("sleep 600 >/dev/null 2>&1 & echo $! > pid").await;
    let pid = fs::read_to_string(crib.path("crib/pid")).unwrap();
    wait_until("it is gone", || !is_process_running(&pid)).await;
}

#[tokio::test]
async fn a_temporary_folder_contains_no_files_of_earlier_calls() {
    let crib = RuntimeFixture::new();
    let first = crib.run_script("ls -A $TMPDIR; touch $TMPDIR/left; echo $TMPDIR").await;
    let second = crib.run_script("ls -A $TMPDIR; chmod 755 $TMPDIR; echo $TMPDIR").await;
    let third = crib.run_script("ls -A $TMPDIR; stat -c %a $TMPDIR").await;
    assert_ne!(text(&first, 0), text(&second, 0), "a used folder is not used again");
    assert_eq!(text(&third, 0), "700\n");
}

#[tokio::test]
async fn a_runtime_leaves_no_folders_behind() {
    let crib = RuntimeFixture::new();
    assert!(!crib.run_script("true").await.failed);
    let temp = crib.path("temp");
    let RuntimeFixture { folder: _folder, runtime, .. } = crib;
    drop(runtime);
    assert_eq!(fs::read_dir(temp).unwrap().count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_a_call_kills_its_processes() {
    let crib = RuntimeFixture::new();
    let call = tokio::spawn(crib.call_with(
        script_tool("sh", FAMILY),
        json!({}),
        CancellationToken::new(),
        None,
    ));
    let pid = |name: &str| fs::read_to_string(crib.path("crib").join(name)).unwrap_or_default();
    wait_until("both run", || ["inner", "outer"].iter().all(|name| pid(name).ends_with('\n')))
        .await;
    call.abort();
    wait_until("both are gone", || {
        !is_process_running(&pid("inner")) && !is_process_running(&pid("outer"))
    })
    .await;
    wait_until("the folder is gone", || fs::read_dir(crib.path("temp")).unwrap().count() == 0)
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_the_concurrency_of_two_hundred_calls() {
    let crib = RuntimeFixture::with_settings(|settings| settings.concurrency = 4);
    // Each call records how many run at the same time.
    let script = "mkdir -p at; : > at/$$; ls at | wc -l; rm at/$$";
    let calls: Vec<_> = (0..200)
        .map(|_| {
            tokio::spawn(crib.call_with(
                script_tool("sh", script),
                json!({}),
                CancellationToken::new(),
                None,
            ))
        })
        .collect();
    for call in calls {
        let outcome = call.await.unwrap();
        assert!(!outcome.failed, "{:?}", outcome.content);
        assert!(text(&outcome, 0).trim().parse::<u32>().unwrap() <= 4);
    }
}

#[tokio::test]
async fn a_waiting_call_can_be_cancelled() {
    let crib = RuntimeFixture::with_settings(|settings| settings.concurrency = 1);
    let (first, second) = (CancellationToken::new(), CancellationToken::new());
    let running = tokio::spawn(crib.call_with(
        script_tool("sh", "echo > started; sleep 600"),
        json!({}),
        first.clone(),
        None,
    ));
    wait_until("it runs", || crib.path("crib/started").exists()).await;
    let waiting = crib.call_with(process_tool("true", vec![]), json!({}), second.clone(), None);
    second.cancel();
    assert_eq!(field(&waiting.await, "error_type"), "cancelled");
    first.cancel();
    running.await.unwrap();
}

#[tokio::test]
async fn the_availability_check_comes_before_the_first_call() {
    let crib = RuntimeFixture::new();
    let mut checked = script_tool("sh", "echo ran");
    checked.description.install = Some("make it so".into());
    checked.availability = Some(catalog::Availability {
        command: ["test", "-e", "ready"].map(String::from).to_vec(),
        folder: None,
        success: vec![],
    });
    let outcome = crib.call(checked.clone(), json!({})).await;
    assert_eq!(field(&outcome, "error_type"), "not_available");
    assert!(text(&outcome, 0).contains("make it so"));
    fs::write(crib.path("crib/ready"), "").unwrap();
    assert_eq!(text(&crib.call(checked.clone(), json!({})).await, 0), "ran\n");
    fs::remove_file(crib.path("crib/ready")).unwrap();
    assert!(crib.runtime.available(&checked).await.is_ok(), "a yes is remembered");
}
