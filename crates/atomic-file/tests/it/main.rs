//! Files that are replaced while writers are killed, on a full disk, and through links.

use std::{
    env, fs, io,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use atomic_file::{Access, create, replace, replace_all};
use tempfile::tempdir;
use testing::{SmallDisk, wait_until_blocking};

/// Set for the process that [`writes_in_a_loop`] and is killed.
const TARGET: &str = "TOOLCRIB_TEST_TARGET";
const BYTES: usize = 4 << 20;

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn writes_in_a_loop() {
    let Some(target) = env::var_os(TARGET) else { return };
    for letter in (b'a'..=b'z').cycle() {
        replace(target.as_ref(), &vec![letter; BYTES], Access::Usual).expect("written");
    }
}

#[test]
fn a_killed_writer_leaves_a_complete_file_and_its_draft_is_removed() {
    let folder = tempdir().expect("a folder");
    let target = folder.path().join("big");
    let mut drafts = 0;
    for round in 0..40 {
        let mut writer = Command::new(env::current_exe().expect("this test"));
        writer.args(["--exact", "writes_in_a_loop"]).env(TARGET, &target).stdout(Stdio::null());
        let mut writer = writer.spawn().expect("a writer");
        let inode = || fs::metadata(&target).map(|found| found.ino()).ok();
        let before = inode();
        wait_until_blocking("the file is replaced", || inode() != before);
        thread::sleep(Duration::from_micros(700 * round));
        writer.kill().expect("killed");
        writer.wait().expect("dead");
        let bytes = fs::read(&target).expect("a file");
        assert_eq!(bytes.len(), BYTES, "round {round}");
        assert!(bytes.iter().all(|byte| *byte == bytes[0]), "round {round}");
        drafts += usize::from(names(folder.path()).len() > 1);
    }
    assert!(drafts > 0, "no writer was killed while it was writing");
    replace(&target, b"last", Access::Usual).expect("written");
    assert_eq!(names(folder.path()), ["big"]);
}

#[test]
fn a_full_disk_keeps_the_old_file() {
    let folder = tempdir().expect("a folder");
    let Some(_disk) = SmallDisk::mount(folder.path(), 64) else { return };
    let old = folder.path().join("old");
    replace(&old, &[b'o'; 20_000], Access::Usual).expect("there is room");
    let big = vec![b'n'; 100_000];
    let full = replace(&old, &big, Access::Usual).expect_err("no room");
    assert_eq!(full.kind(), io::ErrorKind::StorageFull);
    create(&folder.path().join("new"), &big, Access::Usual).expect_err("no room");
    assert!(fs::read(&old).expect("the old file") == [b'o'; 20_000], "it changed");
    assert_eq!(names(folder.path()), ["old"], "nothing is left over");
}

#[test]
fn many_files_replace_links_that_others_have_put_in_their_place() {
    let folder = tempdir().expect("a folder");
    let at = |name| folder.path().join(name);
    fs::write(at("outside"), "theirs").expect("written");
    symlink("outside", at("page")).expect("a link");
    symlink("missing", at("broken")).expect("a link");
    let files = [(at("page"), "ours"), (at("broken"), "ours")];
    replace_all(&files, Access::Usual).expect("written");
    assert_eq!(fs::read_to_string(at("outside")).expect("a file"), "theirs");
    for (path, _) in files {
        assert!(!path.is_symlink());
        assert_eq!(fs::read_to_string(path).expect("a file"), "ours");
    }
}

#[test]
fn keeps_permissions_and_links() {
    let folder = tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("target"), "old").expect("a file");
    fs::set_permissions(at("target"), fs::Permissions::from_mode(0o751)).expect("permissions");
    symlink("target", at("link")).expect("a link");
    replace(&at("link"), b"new", Access::Usual).expect("written");
    assert!(at("link").is_symlink());
    assert_eq!(fs::read_to_string(at("target")).expect("a file"), "new");
    assert_eq!(fs::metadata(at("target")).expect("a file").mode() & 0o777, 0o751);
    replace(&at("link"), b"secret", Access::OwnerOnly).expect("written");
    assert!(!at("link").is_symlink(), "a secret goes nowhere else");
    assert_eq!(fs::metadata(at("link")).expect("a file").mode() & 0o777, 0o600);
    symlink("missing", at("broken")).expect("a link");
    let broken = replace(&at("broken"), b"new", Access::Usual).expect_err("a broken link");
    assert_eq!(broken.to_string(), "it is a broken link");
    replace(folder.path(), b"new", Access::Usual).expect_err("a folder");
    replace(Path::new("/dev/null"), b"new", Access::Usual).expect("a device");
    assert!(!fs::metadata("/dev/null").expect("a device").is_file());
}

#[test]
fn creates_only_new_files_and_waits_for_another_writer() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("a/b/new");
    create(&path, b"first", Access::Usual).expect("created");
    let taken = create(&path, b"second", Access::Usual).expect_err("it exists");
    assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
    let draft = fs::File::create(path.with_file_name(".new.toolcrib")).expect("a draft");
    draft.lock().expect("a lock");
    thread::scope(|scope| {
        let second = scope.spawn(|| replace(&path, b"second", Access::Usual));
        thread::sleep(Duration::from_millis(50));
        assert!(!second.is_finished(), "the draft is locked");
        drop(draft);
        second.join().expect("no panic").expect("written");
    });
    assert_eq!(fs::read_to_string(&path).expect("a file"), "second");
    assert_eq!(names(&folder.path().join("a/b")), ["new"]);
    let long = folder.path().join("n".repeat(255));
    replace(&long, b"long", Access::Usual).expect("a long name");
}
