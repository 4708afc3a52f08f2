//! The files exchanged with the render script, all below one folder.
//!
//! Input: `job.json`, `render.R` and the documents below `source`. Output: `out/result.json` and
//! the rendered document. Output is not trusted: sizes are bounded, and only these two files are
//! read.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    fs::{self, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Component, Path, PathBuf},
};

use catalog::{ErrorType, Failure};
use process::open_file_without_links;
use serde_json::json;

use super::{Format, RenderJob};

/// The render script.
pub(super) const SCRIPT: &str = include_str!("image/render.R");
/// The file name of the script.
pub(super) const SCRIPT_FILE: &str = "render.R";
/// The folder inside a container.
pub(super) const FOLDER: &str = "/job";
/// The unprivileged user and group id inside a container.
pub(super) const USER: u64 = 10001;
/// The environment inside a container.
pub(super) const VARIABLES: [&str; 3] = ["HOME=/tmp", "TMPDIR=/tmp", "LC_ALL=C.UTF-8"];
const JOB: &str = "job.json";
const SOURCE: &str = "source";
/// The output folder of the script.
pub(super) const OUT: &str = "out";
/// The report of the script.
pub(super) const RESULT: &str = "result.json";
/// The largest report that is read: it has at most a hundred warnings.
pub(super) const RESULT_BYTES: u64 = 4 * 1024 * 1024;

/// The files that the script wrote.
#[derive(Default)]
pub(super) struct ReturnedFiles {
    /// The report; absent if the script did not finish.
    pub(super) result: Option<Vec<u8>>,
    /// The rendered document.
    pub(super) document: Option<Vec<u8>>,
}

/// The name of the rendered document.
pub(super) fn document_name(format: Format) -> String {
    format!("document.{}", format.extension())
}

/// The job file.
fn job_json(job: &RenderJob, token: &str) -> String {
    json!({"file": job.document, "format": job.format, "params": job.params, "token": token})
        .to_string()
}

/// All input files, by path.
fn input_files<'a>(job: &'a RenderJob, token: &str) -> Vec<(String, Cow<'a, [u8]>)> {
    let own = [
        (JOB.to_owned(), job_json(job, token).into_bytes().into()),
        (SCRIPT_FILE.to_owned(), SCRIPT.as_bytes().into()),
    ];
    let sources = job
        .files
        .iter()
        .map(|file| (format!("{SOURCE}/{}", file.path), file.bytes.as_slice().into()));
    own.into_iter().chain(sources).collect()
}

/// Writes the input files into an empty local folder.
pub(super) fn write_files(folder: &Path, job: &RenderJob, token: &str) -> io::Result<()> {
    fs::create_dir(folder.join(SOURCE))?;
    fs::create_dir(folder.join(OUT))?;
    for (name, bytes) in input_files(job, token) {
        let name = Path::new(&name);
        // Callers validate names; this check keeps a mistake there from escaping the folder.
        if !name.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("`{}` is not a valid file name", name.display()),
            ));
        }
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)?
            .write_all(&bytes)?;
    }
    Ok(())
}

/// Packs the input files for a container.
pub(super) fn pack(job: &RenderJob, token: &str) -> io::Result<Vec<u8>> {
    archive(input_files(job, token))
}

/// Builds a tar archive whose entries belong to [`USER`].
pub(super) fn archive<'a>(
    files: impl IntoIterator<Item = (String, Cow<'a, [u8]>)>,
) -> io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    let mut folders = BTreeSet::new();
    append_entry(&mut archive, OUT, tar::EntryType::Directory, &[])?;
    for (name, bytes) in files {
        // Entries for the folders, too, so that they belong to the same user.
        let above =
            Path::new(&name).ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        for folder in
            above.map(|folder| folder.display().to_string()).collect::<Vec<_>>().into_iter().rev()
        {
            if folders.insert(folder.clone()) {
                append_entry(&mut archive, &folder, tar::EntryType::Directory, &[])?;
            }
        }
        append_entry(&mut archive, &name, tar::EntryType::Regular, &bytes)?;
    }
    archive.into_inner()
}

fn append_entry(
    archive: &mut tar::Builder<Vec<u8>>,
    name: &str,
    entry_type: tar::EntryType,
    bytes: &[u8],
) -> io::Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(entry_type);
    header.set_mode(if entry_type.is_dir() { 0o755 } else { 0o644 });
    header.set_uid(USER);
    header.set_gid(USER);
    header.set_size(bytes.len() as u64);
    archive.append_data(&mut header, name, bytes)
}

/// Unpacks the output files from an archive.
pub(super) fn unpack(
    archive: &[u8],
    format: Format,
    max_bytes: u64,
) -> Result<ReturnedFiles, Failure> {
    let broken = |error: io::Error| io_failure("cannot read the rendered document", &error);
    let mut returned = ReturnedFiles::default();
    let mut archive = tar::Archive::new(archive);
    for entry in archive.entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let Some(name) =
            name.strip_prefix(&format!("{OUT}/")).filter(|_| entry.header().entry_type().is_file())
        else {
            continue;
        };
        let (target, max_bytes) = match name {
            RESULT => (&mut returned.result, RESULT_BYTES),
            name if name == document_name(format) => (&mut returned.document, max_bytes),
            _ => continue,
        };
        if entry.size() > max_bytes {
            return Err(output_too_large(entry.size(), max_bytes));
        }
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).map_err(broken)?;
        *target = Some(bytes);
    }
    Ok(returned)
}

/// Reads the output files from a local folder. No link is followed, in no part of the path: a
/// document could point them anywhere, even while they are read.
pub(super) fn read_results(
    folder: &Path,
    format: Format,
    max_bytes: u64,
) -> Result<ReturnedFiles, Failure> {
    let out = folder.join(OUT);
    Ok(ReturnedFiles {
        result: read(&out.join(RESULT), RESULT_BYTES)?,
        document: read(&out.join(document_name(format)), max_bytes)?,
    })
}

/// Reads a file; `None` if it does not exist or is not a regular file.
fn read(path: &Path, max_bytes: u64) -> Result<Option<Vec<u8>>, Failure> {
    let Ok(file) = open_file_without_links(path) else {
        return Ok(None);
    };
    let Ok(found) = file.metadata() else {
        return Ok(None);
    };
    if found.len() > max_bytes {
        return Err(output_too_large(found.len(), max_bytes));
    }
    let mut bytes = Vec::new();
    // The limit is enforced again, because the file may grow while it is read.
    let read = file.take(max_bytes).read_to_end(&mut bytes);
    read.map_err(|error| io_failure("cannot read the rendered document", &error))?;
    Ok(Some(bytes))
}

/// The failure for a document over the size limit.
pub(super) fn output_too_large(length: u64, max_bytes: u64) -> Failure {
    let message = format!(
        "the rendered document has {length} bytes, and {max_bytes} are allowed; use smaller figures or less data"
    );
    Failure::new(ErrorType::OutputTooLarge, message)
}

/// The failure for an I/O error.
pub(super) fn io_failure(context: &str, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Failure::new(
            ErrorType::DiskFull,
            format!("{context}: the disk is full; free some space and try again"),
        ),
        _ => Failure::new(ErrorType::RenderFailed, format!("{context}: {error}")),
    }
}

/// The working directory of the script.
pub(super) fn source_folder(folder: &Path) -> PathBuf {
    folder.join(SOURCE)
}

#[cfg(test)]
mod tests {
    use std::{
        error::Error,
        fs,
        os::unix::fs::symlink,
        path::Path,
        sync::atomic::{AtomicBool, Ordering},
        thread,
    };

    use rustix::fs::{CWD, RenameFlags, renameat_with};

    use super::{OUT, read_results};
    use crate::Format;

    const LIMIT: u64 = 1 << 20;

    /// Reads results while another thread exchanges two paths.
    fn read_during_exchange(folder: &Path, one: &str, other: &str) -> Vec<Vec<u8>> {
        const ATTEMPTS: usize = 20_000;
        let is_done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    let (one, other) = (folder.join(one), folder.join(other));
                    let _ = renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE);
                }
            });
            let read = |_| read_results(folder, Format::Html, LIMIT).ok()?.document;
            let found = (0..ATTEMPTS).filter_map(read).collect();
            is_done.store(true, Ordering::Relaxed);
            found
        })
    }

    #[test]
    fn a_link_that_is_swapped_in_is_not_followed() -> Result<(), Box<dyn Error>> {
        let temporary = tempfile::tempdir()?;
        let root = temporary.path().canonicalize()?;
        let folder = root.join("job");
        fs::create_dir_all(folder.join(OUT))?;
        fs::create_dir(root.join("outside"))?;
        fs::write(root.join("outside/document.html"), "secret")?;
        fs::write(folder.join("out/document.html"), "page")?;
        symlink(root.join("outside/document.html"), folder.join("link"))?;
        symlink(root.join("outside"), folder.join("link-to-folder"))?;
        for (one, other) in [("out/document.html", "link"), (OUT, "link-to-folder")] {
            let found = read_during_exchange(&folder, one, other);
            assert!(found.iter().all(|bytes| bytes == b"page"), "{one}");
        }
        Ok(())
    }
}
