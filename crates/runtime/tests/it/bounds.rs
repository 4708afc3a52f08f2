//! Resource limits of child processes.

use testing::{RuntimeFixture, field, text};

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

#[tokio::test]
async fn a_fork_bomb_is_reported_with_the_key_of_its_limit() {
    let crib = RuntimeFixture::with_settings(|settings| settings.processes = 60);
    // Only six generations: a test that fails must not take the machine down.
    let bomb = "bomb() { if [ $1 -gt 0 ]; then bomb $(($1 - 1)) & bomb $(($1 - 1)) & fi; sleep 30; }; \
                bomb 6 2>/dev/null";
    let outcome = crib.run_script(bomb).await;
    assert_eq!(field(&outcome, "error_type"), "too_many_processes");
    let message = field(&outcome, "error_message");
    assert!(message.as_str().unwrap().contains("`processes` in `[limits]`"), "{message}");
}
