//! `[limits]`: how much, and for how long.

use std::time::Duration;

use crate::harness::Folder;

#[test]
fn results_are_kept_for_the_days_that_are_configured() {
    let kept = |config: &str| Folder::new(config).open().expect("a good configuration").settings().keep;
    assert_eq!(kept("[limits]\nkeep_days = 2\n"), Duration::from_secs(2 * 86_400));
    assert_eq!(kept(""), Duration::from_secs(30 * 86_400));
}
