//! `[documents]` in `toolcrib.toml`.

use workspace::{RULES, RenderBackend};

use crate::harness::Folder;

#[test]
fn documents_are_off_unless_switched_on() {
    assert_eq!(Folder::new("").open().expect("a crib").documents, None);
    assert_eq!(Folder::new("[documents]\ndir = \"x\"\n").open().expect("a crib").documents, None);
    let folder = Folder::new("[documents]\nenabled = true\n");
    let documents = folder.open().expect("a crib").documents.expect("documents");
    assert_eq!(documents.folder, folder.path().canonicalize().expect("the crib").join("rmd"));
    assert_eq!(
        (documents.backend, documents.allow_local, documents.max_bytes),
        (RenderBackend::Auto, false, 10_000_000)
    );
}

#[test]
fn every_key_is_read() {
    let config = "[documents]\nenabled = true\ndir = \"reports\"\nbackend = \"local\"\nallow_local = true\nmax_bytes = 5\n";
    let documents = Folder::new(config).open().expect("a crib").documents.expect("documents");
    assert!(documents.folder.ends_with("reports"));
    assert_eq!(
        (documents.backend, documents.allow_local, documents.max_bytes),
        (RenderBackend::Local, true, 5)
    );
}

#[test]
fn every_problem_is_said_with_its_line() {
    let found =
        Folder::new("[documents]\nenabled = true\ndir = \"tools/git.json\"\nbackend = \"local\"\nmax_bytes = 0\n").findings();
    insta::assert_snapshot!(found.join("\n"), @r"
    TC850 3 `tools/git.json` is not a folder
    TC850 5 `max_bytes` leaves no room for a document
    TC851 4 `backend` is `local`, which `allow_local` does not allow
    ");
}

#[test]
fn the_examples_of_rules_are_bad_and_good() {
    for rule in RULES.iter().filter(|rule| rule.code.starts_with("TC85")) {
        let codes = |text: &str| {
            Folder::new(text)
                .findings()
                .iter()
                .map(|found| found[..5].to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(codes(rule.bad), [rule.code], "{}", rule.bad);
        assert_eq!(codes(rule.good), Vec::<String>::new(), "{}", rule.good);
    }
}
