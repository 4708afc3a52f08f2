//! What goes to the render script and what comes back from it: files below one folder.
//!
//! In go `job.json`, `render.R` and the documents below `source`; out come `out/result.json` and the
//! rendered document. Nothing that comes back is trusted: it is bounded, and only these two are taken.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Component, Path, PathBuf},
};

use catalog::{ErrorType, Failure};
use serde_json::json;

use super::{Format, RenderJob};

/// The render script.
pub(super) const SCRIPT: &str = include_str!("image/render.R");
/// Its name in the folder.
pub(super) const SCRIPT_FILE: &str = "render.R";
/// The folder in a container.
pub(super) const FOLDER: &str = "/job";
/// Who renders in a container: nobody in particular.
pub(super) const USER: u64 = 10001;
/// The environment in a container.
pub(super) const VARIABLES: [&str; 3] = ["HOME=/tmp", "TMPDIR=/tmp", "LC_ALL=C.UTF-8"];
const JOB: &str = "job.json";
const SOURCE: &str = "source";
/// Where the script leaves what it makes.
pub(super) const OUT: &str = "out";
/// What the script says about it.
pub(super) const RESULT: &str = "result.json";
/// The longest result that is read: it has no more than a hundred warnings.
pub(super) const RESULT_BYTES: u64 = 4 * 1024 * 1024;

/// What came back.
#[derive(Default)]
pub(super) struct Returned {
    /// What the script says about it; absent if it did not come so far.
    pub(super) result: Option<Vec<u8>>,
    /// The rendered document.
    pub(super) document: Option<Vec<u8>>,
}

/// The name of the rendered document.
pub(super) fn document(format: Format) -> String {
    format!("document.{}", format.extension())
}

/// What the script is told.
fn order(job: &RenderJob, token: &str) -> String {
    json!({"file": job.document, "format": job.format, "params": job.params, "token": token})
        .to_string()
}

/// Every file that goes in, by its path in the folder.
fn files<'a>(job: &'a RenderJob, token: &str) -> Vec<(String, Cow<'a, [u8]>)> {
    let own = [
        (JOB.to_owned(), order(job, token).into_bytes().into()),
        (SCRIPT_FILE.to_owned(), SCRIPT.as_bytes().into()),
    ];
    let sources = job
        .files
        .iter()
        .map(|file| (format!("{SOURCE}/{}", file.path), file.bytes.as_slice().into()));
    own.into_iter().chain(sources).collect()
}

/// Writes the files into an empty folder of this machine.
pub(super) fn lay_out(folder: &Path, job: &RenderJob, token: &str) -> io::Result<()> {
    fs::create_dir(folder.join(SOURCE))?;
    fs::create_dir(folder.join(OUT))?;
    for (name, bytes) in files(job, token) {
        let name = Path::new(&name);
        // Whoever hands over names has checked them; this makes sure.
        if !name.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("`{}` is no name for a file", name.display()),
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

/// The files as an archive, for a container.
pub(super) fn pack(job: &RenderJob, token: &str) -> io::Result<Vec<u8>> {
    archive(files(job, token))
}

/// An archive of files, which belong to whoever renders in a container.
pub(super) fn archive<'a>(
    files: impl IntoIterator<Item = (String, Cow<'a, [u8]>)>,
) -> io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    let mut folders = BTreeSet::new();
    add(&mut archive, OUT, tar::EntryType::Directory, &[])?;
    for (name, bytes) in files {
        let above =
            Path::new(&name).ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        for folder in
            above.map(|folder| folder.display().to_string()).collect::<Vec<_>>().into_iter().rev()
        {
            if folders.insert(folder.clone()) {
                add(&mut archive, &folder, tar::EntryType::Directory, &[])?;
            }
        }
        add(&mut archive, &name, tar::EntryType::Regular, &bytes)?;
    }
    archive.into_inner()
}

fn add(
    archive: &mut tar::Builder<Vec<u8>>,
    name: &str,
    kind: tar::EntryType,
    bytes: &[u8],
) -> io::Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(if kind.is_dir() { 0o755 } else { 0o644 });
    header.set_uid(USER);
    header.set_gid(USER);
    header.set_size(bytes.len() as u64);
    archive.append_data(&mut header, name, bytes)
}

/// What an archive holds of what a render left.
pub(super) fn unpack(archive: &[u8], format: Format, longest: u64) -> Result<Returned, Failure> {
    let broken = |error: io::Error| {
        Failure::new(ErrorType::RenderFailed, format!("what was rendered cannot be read: {error}"))
    };
    let mut returned = Returned::default();
    let mut archive = tar::Archive::new(archive);
    for entry in archive.entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let Some(name) =
            name.strip_prefix(&format!("{OUT}/")).filter(|_| entry.header().entry_type().is_file())
        else {
            continue;
        };
        let (place, longest) = match name {
            RESULT => (&mut returned.result, RESULT_BYTES),
            name if name == document(format) => (&mut returned.document, longest),
            _ => continue,
        };
        if entry.size() > longest {
            return Err(too_long(entry.size(), longest));
        }
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).map_err(broken)?;
        *place = Some(bytes);
    }
    Ok(returned)
}

/// Takes back what a render left in a folder of this machine. A link is not followed: it may lead anywhere.
pub(super) fn take_back(folder: &Path, format: Format, longest: u64) -> Result<Returned, Failure> {
    let out = folder.join(OUT);
    if !fs::symlink_metadata(&out).is_ok_and(|found| found.is_dir()) {
        return Ok(Returned::default());
    }
    Ok(Returned {
        result: read(&out.join(RESULT), RESULT_BYTES)?,
        document: read(&out.join(document(format)), longest)?,
    })
}

fn read(path: &Path, longest: u64) -> Result<Option<Vec<u8>>, Failure> {
    let Some(found) = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file) else {
        return Ok(None);
    };
    if found.len() > longest {
        return Err(too_long(found.len(), longest));
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(longest).read_to_end(&mut bytes));
    read.map_err(|error| {
        Failure::new(ErrorType::RenderFailed, format!("what was rendered cannot be read: {error}"))
    })?;
    Ok(Some(bytes))
}

/// A document that is longer than it may be.
pub(super) fn too_long(length: u64, longest: u64) -> Failure {
    let message = format!(
        "the rendered document has {length} bytes, and {longest} are allowed; use smaller figures or less data"
    );
    Failure::new(ErrorType::OutputTooLarge, message)
}

/// The folder in which the script runs.
pub(super) fn source_folder(folder: &Path) -> PathBuf {
    folder.join(SOURCE)
}
