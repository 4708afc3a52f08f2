//! Resolving a path to its project.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;
use testing::skip_without;
use workspace::resolve_project;

/// A temporary folder and its canonical path.
fn temporary_folder() -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().canonicalize().expect("a folder");
    (folder, path)
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
        .args(arguments);
    let ran = command.output().expect("git runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

/// A repository with a commit, in a folder `main`.
fn create_repository(base: &Path) -> PathBuf {
    let main = base.join("main");
    fs::create_dir_all(main.join("part")).expect("a folder");
    fs::write(main.join("part/file"), "").expect("a file");
    git(&main, &["init", "-q"]);
    git(&main, &["add", "."]);
    git(&main, &["commit", "-q", "-m", "first"]);
    main
}

#[test]
fn links_and_dots_are_resolved() {
    let (_folder, base) = temporary_folder();
    let real = base.join("my app.v2");
    fs::create_dir(&real).expect("a folder");
    symlink(&real, base.join("link")).expect("a link");
    symlink(base.join("link"), base.join("again")).expect("a link");
    for way in ["my app.v2", "link", "again", "./link/.", "link/../my app.v2", "my app.v2/"] {
        assert_eq!(resolve_project(&base.join(way)), real, "{way}");
    }
}

#[test]
fn a_missing_path_is_its_own_project() {
    let (_folder, base) = temporary_folder();
    symlink(&base, base.join("link")).expect("a link");
    assert_eq!(resolve_project(&base.join("link/gone/../away/x")), base.join("away/x"));
    assert_eq!(resolve_project(Path::new("/nowhere/./a/../b")), Path::new("/nowhere/b"));
    symlink(base.join("round"), base.join("round")).expect("a link to itself");
    assert_eq!(resolve_project(&base.join("round/x")), base.join("round/x"));
}

#[test]
fn worktrees_belong_to_the_main_working_tree() {
    skip_without!("git");
    let (_folder, base) = temporary_folder();
    let main = create_repository(&base);
    git(&main, &["worktree", "add", "-q", "../linked"]);
    assert_eq!(resolve_project(&base.join("linked")), main);
    assert_eq!(
        resolve_project(&base.join("linked/part")),
        main.join("part"),
        "a subfolder resolves to the same subfolder"
    );
    symlink(base.join("linked"), base.join("way")).expect("a link");
    assert_eq!(resolve_project(&base.join("way/part")), main.join("part"));
    assert_eq!(resolve_project(&main), main);
}

#[test]
fn worktrees_of_a_bare_repository_are_one_project() {
    skip_without!("git");
    let (_folder, base) = temporary_folder();
    let main = create_repository(&base);
    git(&base, &["clone", "-q", "--bare", "main", "bare.git"]);
    for name in ["one", "two"] {
        git(&base.join("bare.git"), &["worktree", "add", "-q", "-b", name, &format!("../{name}")]);
        assert_eq!(resolve_project(&base.join(name)), base.join("bare.git"));
    }
    assert_ne!(resolve_project(&base.join("one")), main);
}

#[test]
fn a_submodule_is_a_separate_project() {
    skip_without!("git");
    let (_folder, base) = temporary_folder();
    let main = create_repository(&base);
    git(&base, &["clone", "-q", "main", "outer"]);
    let outer = base.join("outer");
    let from = main.to_string_lossy().into_owned();
    git(&outer, &["-c", "protocol.file.allow=always", "submodule", "add", "-q", &from, "inner"]);
    assert!(outer.join("inner/.git").is_file());
    assert_eq!(resolve_project(&outer.join("inner")), outer.join("inner"));
}

/// A downloaded folder must not get the flags of another project.
#[test]
fn a_folder_cannot_claim_to_be_a_worktree_of_another_repository() {
    let (_folder, base) = temporary_folder();
    let (victim, fake) = (base.join("victim"), base.join("fake"));
    fs::create_dir_all(victim.join(".git/worktrees/real")).expect("a folder");
    fs::write(victim.join(".git/worktrees/real/commondir"), "../..\n").expect("a file");
    fs::write(victim.join(".git/worktrees/real/gitdir"), format!("{}/real/.git\n", base.display()))
        .expect("a file");
    fs::create_dir_all(fake.join("own")).expect("a folder");
    fs::write(fake.join("own/commondir"), victim.join(".git").to_string_lossy().as_bytes())
        .expect("a file");
    fs::write(fake.join("own/gitdir"), fake.join(".git").to_string_lossy().as_bytes())
        .expect("a file");
    for claim in ["../victim/.git/worktrees/real", "own", "../victim/.git", "/dev/zero", "", "gone"]
    {
        fs::write(fake.join(".git"), format!("gitdir: {claim}\n")).expect("a file");
        assert_eq!(resolve_project(&fake), fake, "{claim}");
    }
    for text in ["no pointer".to_owned(), "gitdir: x".repeat(100_000), "\u{0}".to_owned()] {
        fs::write(fake.join(".git"), text).expect("a file");
        assert_eq!(resolve_project(&fake), fake);
    }
}
