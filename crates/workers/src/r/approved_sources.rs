//! The sources of an approved R function, copied to where no other tool can change them.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::Path,
};

use sha2::{Digest, Sha256};

use crate::call_options::ApprovedFiles;

/// Copies the approved files of a package to a new folder. Fails if one of them has changed since
/// they were compared with the plan: what is compared here is what R loads.
pub(super) fn copy_sources(sources: &Path, files: &ApprovedFiles, copy: &Path) -> io::Result<()> {
    // An earlier attempt may have failed halfway.
    match fs::remove_dir_all(copy) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => fs::create_dir(copy)?,
    }
    for (file, digest) in files {
        let Ok(inside) = file.strip_prefix(sources) else {
            continue;
        };
        let content = fs::read(file)?;
        let now: String =
            Sha256::digest(&content).iter().map(|byte| format!("{byte:02x}")).collect();
        if now != *digest {
            return Err(io::Error::other(format!("`{}` has changed", file.display())));
        }
        let target = copy.join(inside);
        target.parent().map_or(Ok(()), fs::create_dir_all)?;
        OpenOptions::new().write(true).create_new(true).open(target)?.write_all(&content)?;
    }
    Ok(())
}
