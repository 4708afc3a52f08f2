//! Tests that need something that a machine may lack.

use std::env;

/// Ends the test, with a notice, unless these programs are installed. In CI the test fails instead.
#[macro_export]
macro_rules! skip_without {
    ($($program:expr),+ $(,)?) => {
        if !$crate::has_programs(&[$($program),+]) {
            return;
        }
    };
}

/// Prints why a test does not run here. Panics in CI, where a skipped test must not look like a
/// passing one.
#[expect(clippy::print_stderr, reason = "a skipped test must be visible")]
pub fn skip(reason: &str) {
    assert!(env::var_os("CI").is_none(), "{reason}, and CI must not skip a test");
    eprintln!("SKIPPED: {reason}");
}

/// Whether all of these programs are in `PATH`; [skips](skip) otherwise.
pub fn has_programs(programs: &[&str]) -> bool {
    let missing: Vec<_> = programs.iter().filter(|program| !is_installed(program)).collect();
    if !missing.is_empty() {
        skip(&format!(
            "{missing:?} is not installed; `scripts/test unit` installs what tests need"
        ));
    }
    missing.is_empty()
}

fn is_installed(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}
