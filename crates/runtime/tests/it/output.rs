//! Long outputs: truncated in memory, complete on disk, readable as resources.

use std::{fs, os::unix::fs::PermissionsExt};

use catalog::Content;
use serde_json::json;
use testing::{RuntimeFixture, field, process_tool, script_tool, skip, text, wait_until};
use tokio_util::sync::CancellationToken;
use toolkit::{Body, Context};

use crate::pieces::word;

async fn read(crib: &RuntimeFixture, uri: &str) -> Option<Body> {
    let context = Context::detached(CancellationToken::new());
    crib.runtime.outputs().read(uri, context).await.unwrap().map(|content| content.body)
}

fn uri(outcome: &catalog::Outcome) -> String {
    field(outcome, "output").as_str().expect("an address").to_owned()
}

#[tokio::test]
async fn truncates_the_middle_and_reports_the_omitted_bytes() {
    let crib = RuntimeFixture::with_settings(|settings| settings.output_bytes = 1000);
    let outcome = crib.call(process_tool("seq", vec![word("10000")]), json!({})).await;
    let shown = text(&outcome, 0);
    assert!(shown.starts_with("1\n2\n3\n") && shown.ends_with("\n9999\n10000\n"), "{shown}");
    assert!(shown.len() < 1300);
    let uri = uri(&outcome);
    assert!(shown.contains("of 48894 bytes left out") && shown.contains(&uri), "{shown}");
    assert_eq!(field(&outcome, "truncated"), true);
    assert_eq!(field(&outcome, "stdout"), shown);
    assert!(
        outcome
            .content
            .iter()
            .any(|content| matches!(content, Content::Link { uri: link, .. } if *link == uri))
    );
    let whole: String = (1..=10000).map(|number| format!("{number}\n")).collect();
    assert_eq!(read(&crib, &uri).await, Some(Body::Text(whole)));
}

#[tokio::test]
async fn output_of_exactly_the_limit_is_not_truncated() {
    let crib = RuntimeFixture::with_settings(|settings| settings.output_bytes = 1000);
    let outcome = crib.run_script("head -c 1000 /dev/zero | tr '\\0' x").await;
    assert_eq!(text(&outcome, 0), "x".repeat(1000));
    assert_eq!(field(&outcome, "truncated"), false);
    assert!(!crib.path("spill").exists(), "nothing is kept that is not needed");
}

#[tokio::test]
async fn outputs_of_other_servers_count_towards_the_limit() {
    let crib = RuntimeFixture::with_settings(|settings| settings.output_bytes = 1000);
    let folder = crib.path("spill");
    fs::create_dir(&folder).expect("a folder");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("permissions");
    for number in 0..300 {
        fs::write(folder.join(format!("{number:032x}-stdout")), "of another server")
            .expect("a file");
    }
    let newest = uri(&crib.call(process_tool("seq", vec![word("10000")]), json!({})).await);
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 256);
    assert!(read(&crib, &newest).await.is_some(), "the newest stays");
}

#[tokio::test]
async fn the_text_of_a_failure_does_not_displace_the_output_it_links_to() {
    let crib = RuntimeFixture::with_settings(|settings| {
        (settings.output_bytes, settings.keep_bytes) = (10_000, 30_000);
    });
    let script = "seq 5000; seq 1200 >&2; exit 1";
    let outcome = crib.run_script(script).await;
    let uri = uri(&outcome);
    assert!(uri.ends_with("/stdout"), "{uri}");
    assert!(text(&outcome, 1).contains("read_output"), "standard error is shortened, too");
    assert!(read(&crib, &uri).await.is_some(), "all files of a call are kept together");
}

#[tokio::test]
async fn pieces_add_up_to_the_full_output() {
    let crib = RuntimeFixture::new();
    let outcome = crib.run_script("yes 'zwölf Boxkämpfer' | head -n 200000").await;
    let uri = uri(&outcome);
    let Some(Body::Text(first)) = read(&crib, &uri).await else { panic!("text") };
    assert!(first.contains("[piece 0 of 4;"), "{}", &first[first.len() - 200..]);
    let mut whole = String::new();
    for piece in 0..4 {
        let Some(Body::Text(text)) = read(&crib, &format!("{uri}/{piece}")).await else {
            panic!("text")
        };
        assert!(text.len() <= 1024 * 1024 + 3);
        whole.push_str(&text);
    }
    assert_eq!(whole, "zwölf Boxkämpfer\n".repeat(200_000));
    assert_eq!(read(&crib, &format!("{uri}/4")).await, None);
}

#[tokio::test]
async fn resolves_only_uris_of_outputs() {
    let crib = RuntimeFixture::new();
    fs::write(crib.path("crib/secret"), "secret").unwrap();
    for wrong in [
        "toolcrib://output/../crib/secret",
        "toolcrib://output/x/stdout",
        "toolcrib://output/",
        "file:///etc/passwd",
    ] {
        assert_eq!(read(&crib, wrong).await, None, "{wrong}");
    }
    let context = crib.runtime.outputs();
    assert!(context.list().await.is_empty(), "a URI is not listed; only its recipient knows it");
    assert_eq!(context.templates().len(), 2);
}

#[tokio::test]
async fn keeps_stdout_and_stderr_separate() {
    let crib = RuntimeFixture::with_settings(|settings| settings.output_bytes = 100);
    let outcome = crib.run_script("seq 1000; seq 2000 3000 >&2; exit 1").await;
    let out = uri(&outcome);
    let err = out.replace("stdout", "stderr");
    assert!(
        matches!(read(&crib, &out).await, Some(Body::Text(text)) if text.starts_with("1\n") && text.ends_with("1000\n"))
    );
    assert!(
        matches!(read(&crib, &err).await, Some(Body::Text(text)) if text.starts_with("2000\n") && text.ends_with("3000\n"))
    );
    assert_eq!(
        outcome.content.iter().filter(|content| matches!(content, Content::Link { .. })).count(),
        2
    );
}

#[tokio::test]
async fn stores_binary_output_as_bytes() {
    let crib = RuntimeFixture::with_settings(|settings| settings.output_bytes = 100);
    let outcome = crib.run_script("head -c 5000 /dev/zero | tr '\\0' '\\377'").await;
    assert_eq!(
        read(&crib, &format!("{}/0", uri(&outcome))).await,
        Some(Body::Bytes(vec![0xff; 5000]))
    );
}

#[tokio::test]
async fn thirty_megabytes_of_output_use_little_memory() {
    if std::env::var_os("NEXTEST").is_none() {
        skip("memory can only be measured in a process of its own, which nextest starts");
        return;
    }
    let crib = RuntimeFixture::new();
    let script = "head -c 30000000 /dev/zero | tr '\\0' x";
    crib.run_script(script).await;
    let before = resident_kib();
    let outcome = crib.run_script(script).await;
    let grown = peak_kib().saturating_sub(before);
    assert!(text(&outcome, 0).len() < 70_000);
    assert!(grown < 8 * 1024, "{grown} KiB");
    let path = fs::read_dir(crib.path("spill"))
        .unwrap()
        .flatten()
        .find(|entry| entry.metadata().unwrap().len() == 30_000_000);
    assert_eq!(
        path.expect("the whole output").metadata().unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert_eq!(fs::metadata(crib.path("spill")).unwrap().permissions().mode() & 0o777, 0o700);
}

fn resident_kib() -> u64 {
    status("VmRSS:")
}

fn peak_kib() -> u64 {
    status("VmHWM:")
}

fn status(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn limits_the_stored_output() {
    let crib = RuntimeFixture::with_settings(|settings| {
        (settings.output_bytes, settings.output_file_bytes) = (1000, 5000)
    });
    let outcome = crib.call(process_tool("seq", vec![word("100000")]), json!({})).await;
    let Some(Body::Text(kept)) = read(&crib, &uri(&outcome)).await else { panic!("text") };
    assert_eq!(kept.len(), 5000);
    assert!(text(&outcome, 0).contains("first 5000 bytes"), "{}", text(&outcome, 0));
    assert!(text(&outcome, 0).ends_with("100000\n"));
}

#[tokio::test]
async fn deletes_old_outputs_for_new_ones() {
    let crib = RuntimeFixture::with_settings(|settings| {
        (settings.output_bytes, settings.concurrency) = (100, 8)
    });
    fs::create_dir(crib.path("spill")).unwrap();
    fs::set_permissions(crib.path("spill"), fs::Permissions::from_mode(0o700)).unwrap();
    let stale = crib.path("spill").join(format!("{}-stdout", "a".repeat(32)));
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(2 * 24 * 60 * 60);
    fs::File::create(&stale).unwrap().set_modified(old).unwrap();
    let first = crib.call(process_tool("seq", vec![word("1000")]), json!({})).await;
    assert!(!stale.exists(), "left by a server that is gone");
    for _ in 0..256 {
        crib.call(process_tool("seq", vec![word("1000")]), json!({})).await;
    }
    assert_eq!(read(&crib, &uri(&first)).await, None);
    assert_eq!(fs::read_dir(crib.path("spill")).unwrap().count(), 256);
}

#[tokio::test(flavor = "multi_thread")]
async fn deletes_the_output_of_a_dropped_call_in_turn() {
    let crib = RuntimeFixture::with_settings(|settings| settings.output_bytes = 100);
    let endless = script_tool("sh", "seq 1000; sleep 600");
    let call = tokio::spawn(crib.call_with(endless, json!({}), CancellationToken::new(), None));
    let left = || fs::read_dir(crib.path("spill")).into_iter().flatten().count();
    wait_until("something is kept", || left() == 1).await;
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    for _ in 0..256 {
        crib.call(process_tool("seq", vec![word("1000")]), json!({})).await;
    }
    assert_eq!(left(), 256);
}

#[tokio::test]
async fn a_folder_that_others_can_write_is_not_used() {
    let crib = RuntimeFixture::with_settings(|settings| settings.output_bytes = 100);
    fs::create_dir(crib.path("spill")).unwrap();
    fs::set_permissions(crib.path("spill"), fs::Permissions::from_mode(0o777)).unwrap();
    let outcome = crib.call(process_tool("seq", vec![word("1000")]), json!({})).await;
    assert!(text(&outcome, 0).contains("could not be stored"));
    assert_eq!(field(&outcome, "truncated"), true);
}
