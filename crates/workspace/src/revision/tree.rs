//! The files of a git tree.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

use super::{RevisionError, git::Git};
use crate::LARGEST_FILE;

/// The maximum total size of the definitions of a revision, in bytes.
pub(super) const MAX_BYTES: u64 = 256 << 20;
/// Extensions of definitions, configuration and schemas.
const EXTENSIONS: [&str; 5] = ["json", "yaml", "yml", "md", "toml"];
/// The file that names an R package.
const PACKAGE: &str = "DESCRIPTION";

/// One file of a tree.
pub(super) struct TreeEntry {
    object: String,
    size: u64,
    pub(super) path: PathBuf,
}

impl TreeEntry {
    /// Parses `MODE TYPE OBJECT SIZE<tab>PATH`; `None` for links and submodules.
    fn parse(line: &[u8]) -> Option<Self> {
        let (fields, path) = std::str::from_utf8(line).ok()?.split_once('\t')?;
        let mut fields = fields.split_whitespace();
        let (mode, _, object, size) =
            (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        let path = PathBuf::from(path);
        // A crafted tree can contain `..`, which would write outside the temporary folder.
        let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
        let entry = Self { object: object.to_owned(), size: size.parse().ok()?, path };
        // Regular files have the modes 100644 and 100755; 120000 is a link, 160000 a submodule.
        (mode.starts_with("100") && is_inside).then_some(entry)
    }

    pub(super) fn has_extension(&self, wanted: &str) -> bool {
        self.path.extension().is_some_and(|extension| extension == wanted)
    }

    /// Whether the file can be a definition, configuration or a schema.
    pub(super) fn is_definition(&self) -> bool {
        let has_name = EXTENSIONS.iter().any(|extension| self.has_extension(extension))
            || self.path.ends_with(PACKAGE);
        has_name && self.size <= LARGEST_FILE
    }
}

/// Parses the output of `git ls-tree -z -l`.
pub(super) fn parse_list(listed: &[u8]) -> impl Iterator<Item = TreeEntry> {
    listed.split(|byte| *byte == 0).filter_map(TreeEntry::parse)
}

/// Writes files below a folder.
pub(super) async fn write_entries(
    git: &Git,
    entries: &[TreeEntry],
    folder: &Path,
) -> Result<(), RevisionError> {
    // Only the existence of the folder `R` matters, so the code itself is not read.
    let (code, files): (Vec<&TreeEntry>, Vec<&TreeEntry>) =
        entries.iter().partition(|entry| entry.has_extension("R"));
    for entry in code {
        fs::create_dir_all(folder.join(&entry.path).parent().unwrap_or(folder))?;
    }
    let bytes: u64 = files.iter().map(|entry| entry.size).sum();
    if bytes > MAX_BYTES {
        return Err(RevisionError::TooLarge);
    }
    if files.is_empty() {
        return Ok(());
    }
    // One process for all files: a process for each would take minutes for a large repository.
    let objects: String = files.iter().map(|entry| format!("{}\n", entry.object)).collect();
    // Enough for the id, the type and the size of each object.
    let header_bytes = files.len() as u64 * 256;
    let output =
        git.run_checked(&["cat-file", "--batch"], Some(objects), bytes + header_bytes).await?;
    let mut rest = output.stdout.as_slice();
    for entry in files {
        let (content, after) = split_content(rest, entry.size)
            .ok_or_else(|| RevisionError::Git("unexpected output of `git cat-file`".to_owned()))?;
        let path = folder.join(&entry.path);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, content)?;
        rest = after;
    }
    Ok(())
}

/// Splits the output of `git cat-file --batch` into the content of the first object and the rest: a
/// header line, `size` bytes, and a newline.
fn split_content(bytes: &[u8], size: u64) -> Option<(&[u8], &[u8])> {
    let start = bytes.iter().position(|byte| *byte == b'\n')? + 1;
    let end = start.checked_add(usize::try_from(size).ok()?)?;
    Some((bytes.get(start..end)?, bytes.get(end + 1..)?))
}
