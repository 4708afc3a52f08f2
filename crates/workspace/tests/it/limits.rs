//! `[limits]` and `[r]`.

use std::time::Duration;

use crate::crib_fixture::CribFixture;

fn settings(config: &str) -> runtime::Settings {
    CribFixture::with_config(config).open_valid().settings()
}

#[test]
fn results_are_kept_for_the_configured_days() {
    assert_eq!(settings("[limits]\nkeep_days = 2\n").keep, Duration::from_secs(2 * 86_400));
    assert_eq!(settings("").keep, Duration::from_secs(30 * 86_400));
}

#[test]
fn processes_and_temporary_files_of_a_call_are_limited() {
    let configured = settings("[limits]\nprocesses = 7\ntemp_bytes = 8\n");
    assert_eq!((configured.processes, configured.temp_bytes), (7, 8));
    let default = settings("");
    assert_eq!((default.processes, default.temp_bytes), (512, 4 << 30));
}

#[test]
fn r_workers_have_separate_limits() {
    let configured = settings(
        "[r]\nworkers = 3\nidle_seconds = 4\nhandle_seconds = 5\ntimeout_seconds = 6\nmemory_bytes = 7\n",
    );
    let seconds = Duration::from_secs;
    assert_eq!(
        (configured.workers, configured.worker_idle, configured.session_lifetime),
        (3, seconds(4), seconds(5))
    );
    assert_eq!((configured.r_timeout, configured.r_memory_bytes), (Some(seconds(6)), Some(7)));
    let default = settings("");
    assert_eq!((default.worker_idle, default.session_lifetime), (seconds(1800), seconds(3600)));
    assert_eq!((default.r_timeout, default.r_memory_bytes), (None, None));
}

#[test]
fn an_unknown_key_is_an_error() {
    let crib = CribFixture::with_config("[r]\nworker = 3\n");
    insta::assert_snapshot!(crib.check_config(), @"
    TC601 line 2: unknown field `worker` (did you mean `workers`?)
    ");
}
