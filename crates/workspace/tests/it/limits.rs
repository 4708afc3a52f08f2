//! `[limits]` and `[r]`: how much, and for how long.

use std::time::Duration;

use crate::harness::Folder;

#[test]
fn results_are_kept_for_the_days_that_are_configured() {
    let kept =
        |config: &str| Folder::new(config).open().expect("a good configuration").settings().keep;
    assert_eq!(kept("[limits]\nkeep_days = 2\n"), Duration::from_secs(2 * 86_400));
    assert_eq!(kept(""), Duration::from_secs(30 * 86_400));
}

#[test]
fn r_processes_are_kept_as_configured_and_bounded_as_programs_unless_said() {
    let settings =
        |config: &str| Folder::new(config).open().expect("a good configuration").settings();
    let all = settings(
        "[r]\nworkers = 3\nidle_seconds = 4\nhandle_seconds = 5\ntimeout_seconds = 6\nmemory_bytes = 7\n",
    );
    let seconds = Duration::from_secs;
    assert_eq!((all.workers, all.worker_idle, all.handle_life), (3, seconds(4), seconds(5)));
    assert_eq!((all.r_timeout, all.r_memory_bytes), (Some(seconds(6)), Some(7)));
    let none = settings("");
    assert_eq!((none.worker_idle, none.handle_life), (seconds(1800), seconds(3600)));
    assert_eq!((none.r_timeout, none.r_memory_bytes), (None, None));
    assert!(Folder::new("[r]\nworker = 3\n").open().is_err(), "an unknown key is an error");
}
