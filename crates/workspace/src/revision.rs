//! Reads definitions from a revision of a git repository, into a temporary folder.
//!
//! Git objects are read directly: nothing is checked out, and neither the index nor the working
//! tree is touched, so this is safe while someone edits. Only files that can be definitions, or
//! that definitions can link to, are written.

mod git;
mod tree;

use std::{
    io,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use crate::Environment;
use git::{Git, MAX_LIST_BYTES};
use tree::{MAX_BYTES, TreeEntry};

/// A file or folder of a revision, in git's syntax: `HEAD~1:tools`, or `HEAD~1:` for everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revision<'t> {
    /// The revision, as git resolves it.
    pub revision: &'t str,
    /// The path in it: from the root of the repository, or from the current folder if it starts
    /// with `./`.
    pub path: &'t str,
}

/// The definitions of a revision in a temporary folder, which is deleted on drop.
#[derive(Debug)]
pub struct Checkout {
    /// The requested file or folder.
    pub path: PathBuf,
    _folder: TempDir,
}

/// Why a revision cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RevisionError {
    /// Git is missing, or failed with this message.
    #[error("{0}")]
    Git(String),
    /// The folder is in no repository.
    #[error("`{}` is not in a git repository", .0.display())]
    NoRepository(PathBuf),
    /// The repository has no such revision.
    #[error("there is no revision `{0}`")]
    UnknownRevision(String),
    /// The revision has no such path.
    #[error("there is no `{path}` in the revision `{revision}`")]
    UnknownPath {
        /// The revision as it was given.
        revision: String,
        /// The path as it was given.
        path: String,
    },
    /// The definitions are too large in total.
    #[error("the definitions of the revision have more than {MAX_BYTES} bytes")]
    TooLarge,
    /// The temporary files cannot be written.
    #[error("cannot write the definitions of the revision: {0}")]
    Write(#[from] io::Error),
}

impl<'t> Revision<'t> {
    /// Parses `REVISION:PATH`.
    pub fn parse(text: &'t str) -> Option<Self> {
        let (revision, path) = text.split_once(':')?;
        (!revision.is_empty()).then_some(Self { revision, path })
    }

    /// Writes the definitions of the revision to a temporary folder. `folder` is in the repository.
    pub async fn check_out(
        self,
        folder: &Path,
        environment: &Environment,
    ) -> Result<Checkout, RevisionError> {
        let git = Git::new(folder, environment);
        let object = self.resolve_object(&git).await?;
        let (tree, file) = match git.run_for_line(&["cat-file", "-t", &object]).await?.as_str() {
            // A file may link to schemas next to it, so its folder is listed as well.
            "blob" => self.resolve_parent(&git).await?,
            _ => (object, None),
        };
        // `-z` leaves unusual file names unquoted, `-l` adds sizes for the limit.
        let list = ["ls-tree", "-r", "-z", "-l", "--full-tree", &tree];
        let listed = git.run_checked(&list, None, MAX_LIST_BYTES).await?;
        let temporary = TempDir::with_prefix("toolcrib-")?;
        // A named file is read whatever its extension is, with the schemas next to it. R code is
        // listed because its folder shows that a package has sources.
        let is_needed = |entry: &TreeEntry| match file {
            Some(file) => {
                entry.path == Path::new(file)
                    || entry.has_extension("json") && entry.is_definition()
            }
            None => entry.is_definition() || entry.has_extension("R"),
        };
        let entries: Vec<_> = tree::parse_list(&listed.stdout).filter(is_needed).collect();
        tree::write_entries(&git, &entries, temporary.path()).await?;
        let path =
            file.map_or_else(|| temporary.path().to_owned(), |file| temporary.path().join(file));
        Ok(Checkout { path, _folder: temporary })
    }

    /// The id of the tree or file that the path refers to.
    async fn resolve_object(self, git: &Git) -> Result<String, RevisionError> {
        // The revision is resolved on its own first, to distinguish an unknown revision from an
        // unknown path: git reports both alike.
        let tree = git.resolve(format!("{}^{{tree}}", self.revision)).await?;
        if tree.code != Some(0) {
            return Err(if tree.stderr.contains("not a git repository") {
                RevisionError::NoRepository(git.folder().to_owned())
            // `--quiet` suppresses only the message about an unknown name.
            } else if tree.stderr.is_empty() {
                RevisionError::UnknownRevision(self.revision.to_owned())
            } else {
                RevisionError::Git(tree.stderr)
            });
        }
        let object = git.resolve(format!("{}:{}", self.revision, self.path)).await?;
        if object.code == Some(0) {
            Ok(git::first_line(&object.stdout))
        } else {
            Err(RevisionError::UnknownPath {
                revision: self.revision.to_owned(),
                path: self.path.to_owned(),
            })
        }
    }

    /// The folder of a file, for the schemas that it may link to, and the name of the file in it.
    async fn resolve_parent(self, git: &Git) -> Result<(String, Option<&'t str>), RevisionError> {
        let (folder, file) =
            self.path.rsplit_once('/').map_or(("", self.path), |(folder, file)| (folder, file));
        // Git resolves `./` from the current folder, but `.` alone is not a path in a tree.
        let folder = if folder == "." { "./" } else { folder };
        Ok((Self { path: folder, ..self }.resolve_object(git).await?, Some(file)))
    }
}
