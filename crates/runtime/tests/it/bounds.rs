//! Resource limits of child processes.

use testing::{RuntimeFixture, text};

#[tokio::test]
async fn limits_are_set_on_the_child_only() {
    let crib = RuntimeFixture::with_settings(|settings| settings.memory_bytes = 512 * 1024 * 1024);
    // Limits arrive just after the start.
    let outcome = crib.run_script("sleep 0.2; cat /proc/self/limits").await;
    let limit = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
        line[name.len()..].split_whitespace().next().unwrap().to_owned()
    };
    assert_eq!(limit(text(&outcome, 0), "Max core file size"), "0");
    assert_eq!(limit(text(&outcome, 0), "Max data size"), (512 * 1024 * 1024).to_string());
    let own = std::fs::read_to_string("/proc/self/limits").unwrap();
    assert_ne!(limit(&own, "Max data size"), (512 * 1024 * 1024).to_string());
}
