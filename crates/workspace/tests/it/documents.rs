//! `[documents]` in `toolcrib.toml`.

use workspace::RenderBackend;

use crate::crib_fixture::{CribFixture, check_rule_examples};

#[test]
fn documents_are_disabled_by_default() {
    assert_eq!(CribFixture::with_config("").open_valid().documents, None);
    let configured = CribFixture::with_config("[documents]\ndir = \"x\"\n");
    assert_eq!(configured.open_valid().documents, None);
    let crib = CribFixture::with_config("[documents]\nenabled = true\n");
    let documents = crib.open_valid().documents.expect("documents");
    assert_eq!(documents.folder, crib.root().join("rmd"));
    assert_eq!(
        (documents.backend, documents.allow_local, documents.max_bytes),
        (RenderBackend::Auto, false, 10_000_000)
    );
}

#[test]
fn every_key_is_read() {
    let config = "[documents]\nenabled = true\ndir = \"reports\"\nbackend = \"local\"\nallow_local = true\nmax_bytes = 5\n";
    let documents = CribFixture::with_config(config).open_valid().documents.expect("documents");
    assert!(documents.folder.ends_with("reports"));
    assert_eq!(
        (documents.backend, documents.allow_local, documents.max_bytes),
        (RenderBackend::Local, true, 5)
    );
}

#[test]
fn every_problem_is_reported_with_its_line() {
    let config = "[documents]\nenabled = true\ndir = \"tools/git.json\"\nbackend = \"local\"\nmax_bytes = 0\ncpus = nan\n";
    insta::assert_snapshot!(CribFixture::with_config(config).check_config(), @"
    TC850 line 3: `tools/git.json` is not a folder (name a folder; a missing one is created)
    TC850 line 5: `max_bytes` must be greater than 0 (remove it to use the default)
    TC850 line 6: `cpus` must be greater than 0 (remove it to use the default)
    TC851 line 4: `backend` is `local`, which `allow_local` does not allow (set `allow_local = true` if documents may run R with your permissions, or choose `docker`)
    ");
}

#[test]
fn the_examples_of_rules_are_bad_and_good() {
    check_rule_examples("TC85", 2, CribFixture::with_config);
}
