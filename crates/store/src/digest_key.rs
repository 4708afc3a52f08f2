//! The key for digests of arguments in the audit and in approvals.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

use atomic_file::Access;

const NAME: &str = "digest.key";
const BYTES: usize = 32;

/// Reads the key of a state folder. Creates it on first use, readable only by its owner: as
/// `known`, or else random.
pub(crate) fn open(folder: &Path, known: Option<&[u8]>) -> io::Result<Vec<u8>> {
    let path = folder.join(NAME);
    match fs::read(&path) {
        Ok(key) if key.len() == BYTES => return Ok(key),
        Ok(_) => fs::remove_file(&path)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let key = known.map_or_else(random_key, |key| Ok(key.to_vec()))?;
    // The first key counts: another server may start now.
    match atomic_file::create(&path, &key, Access::OwnerOnly) {
        Ok(()) => Ok(key),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => fs::read(&path),
        Err(error) => Err(error),
    }
}

fn random_key() -> io::Result<Vec<u8>> {
    let mut key = vec![0; BYTES];
    File::open("/dev/urandom")?.read_exact(&mut key)?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    #[test]
    fn the_key_is_stable_and_private() {
        let folder = tempfile::tempdir().expect("a folder");
        let key = super::open(folder.path(), None).expect("a key");
        assert_eq!(super::open(folder.path(), None).expect("the key"), key);
        assert!(key.len() == 32 && key.iter().any(|byte| *byte != 0));
        let names: Vec<_> = fs::read_dir(folder.path()).expect("entries").flatten().collect();
        assert_eq!(names.len(), 1, "nothing is left over");
        let mode = names[0].metadata().expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
