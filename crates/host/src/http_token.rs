//! The bearer token of a crib's HTTP clients.

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
};

use atomic_file::Access;
use catalog::Catalog;
use runtime::{Settings, can_tools_read, operation::ApprovalId};
use workspace::Crib;

/// The file with the token that clients of this crib send, and whether it was created just now.
///
/// It is in the state folder, which no sandboxed program can read.
pub fn open_token(crib: &Crib) -> io::Result<(PathBuf, bool)> {
    let path = crib.token_file();
    if path.exists() {
        return Ok((path, false));
    }
    // Private like the file: servers refuse to open a control socket in any other folder.
    DirBuilder::new().recursive(true).mode(0o700).create(crib.state_folder())?;
    let token = ApprovalId::random();
    // The first one counts: of two servers that start at the same time, both read the same file.
    match atomic_file::create(&path, token.random_part().as_bytes(), Access::OwnerOnly) {
        Ok(()) => Ok((path, true)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok((path, false)),
        Err(error) => Err(error),
    }
}

/// Whether a file can be read by its owner only.
pub(crate) fn is_private(metadata: &fs::Metadata) -> bool {
    metadata.is_file() && metadata.mode() & 0o077 == 0
}

/// Why a client with the token in this file may be something else than a person's client. `None` if
/// only the operator can read it.
pub(crate) fn find_exposure(settings: &Settings, tools: &Catalog, path: &Path) -> Option<String> {
    // A link may lead to a folder that tools can read.
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if !fs::metadata(&real).is_ok_and(|metadata| is_private(&metadata)) {
        return Some(format!("other users can read {}; run `chmod 600` on it", path.display()));
    }
    can_tools_read(settings, tools.tools(), &real).then(|| {
        format!(
            "tools can read {}; move it out of their folders, and do not turn the sandbox off",
            path.display()
        )
    })
}
