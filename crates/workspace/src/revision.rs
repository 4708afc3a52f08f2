//! Definitions as they were in a revision of a git repository, written to a temporary folder.
//!
//! Git is only asked: nothing is checked out, and neither the index nor the working tree is touched. Only files that can be
//! definitions, or that these link to, are written.

use catalog::ErrorType;
use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use runtime::{ProgramOutput, ProgramRequest, Settings};
use tempfile::TempDir;

use crate::{Environment, LARGEST_FILE};

/// The most bytes of definitions that are taken from a revision.
const MOST_BYTES: u64 = 256 << 20;
/// The longest list of files.
const LONGEST_LIST: u64 = 64 << 20;
/// Files that are definitions, configuration or schemas.
const WANTED: [&str; 5] = ["json", "yaml", "yml", "md", "toml"];
/// The file that says what R package a folder is.
const PACKAGE: &str = "DESCRIPTION";
/// Variables that say where the repository is, when a hook runs this.
const VARIABLES: [&str; 6] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "XDG_CONFIG_HOME",
];

/// A file or folder of a revision, as git writes it: `HEAD~1:tools`, or `HEAD~1:` for everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revision<'t> {
    /// The revision.
    pub revision: &'t str,
    /// The path in it, from the root of the repository; from the current folder if it begins with `./`.
    pub path: &'t str,
}

/// Definitions of a revision, as long as they are kept.
#[derive(Debug)]
pub struct Checkout {
    /// The file or folder that was asked for.
    pub path: PathBuf,
    _folder: TempDir,
}

/// A revision that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RevisionError {
    /// There is no git, or it does not answer.
    #[error("{0}")]
    Git(String),
    /// The folder is in no repository.
    #[error("`{}` is in no git repository", .0.display())]
    NoRepository(PathBuf),
    /// The repository does not know the revision.
    #[error("there is no revision `{0}`")]
    UnknownRevision(String),
    /// The revision does not have the path.
    #[error("there is no `{path}` in the revision `{revision}`")]
    UnknownPath {
        /// The revision.
        revision: String,
        /// The path.
        path: String,
    },
    /// There are too many or too large definitions.
    #[error("the definitions of the revision have more than {MOST_BYTES} bytes")]
    TooLarge,
    /// They cannot be written down.
    #[error("cannot write the definitions of the revision: {0}")]
    Write(#[from] io::Error),
}

impl<'t> Revision<'t> {
    /// Reads `REVISION:PATH`.
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
        let object = self.object(&git).await?;
        let (tree, file) = match git.say(&["cat-file", "-t", &object]).await?.as_str() {
            "blob" => self.beside(&git).await?,
            _ => (object, None),
        };
        let listed = git
            .ask(&["ls-tree", "-r", "-z", "-l", "--full-tree", &tree], None, LONGEST_LIST)
            .await?;
        let temporary = TempDir::with_prefix("toolcrib-")?;
        // A file that was named is taken whatever it is called, and beside it what it may link to.
        let is_wanted = |entry: &Entry| match file {
            Some(file) => {
                entry.path == Path::new(file) || entry.has_extension("json") && entry.is_wanted()
            }
            None => entry.is_wanted() || entry.has_extension("R"),
        };
        let entries: Vec<Entry> = entries(&listed.stdout).filter(is_wanted).collect();
        write(&git, &entries, temporary.path()).await?;
        let path =
            file.map_or_else(|| temporary.path().to_owned(), |file| temporary.path().join(file));
        Ok(Checkout { path, _folder: temporary })
    }

    /// The object that is meant: a tree or a file.
    async fn object(self, git: &Git) -> Result<String, RevisionError> {
        let name = |what: String| {
            ["rev-parse", "--verify", "--quiet", "--end-of-options"]
                .map(str::to_owned)
                .into_iter()
                .chain([what])
                .collect::<Vec<_>>()
        };
        let tree =
            git.ask_all(name(format!("{}^{{tree}}", self.revision)), None, LONGEST_LIST).await?;
        if tree.code != Some(0) {
            return Err(match tree.stderr.contains("not a git repository") {
                true => RevisionError::NoRepository(git.folder().to_owned()),
                false if tree.stderr.is_empty() => {
                    RevisionError::UnknownRevision(self.revision.to_owned())
                }
                false => RevisionError::Git(tree.stderr),
            });
        }
        let object = git
            .ask_all(name(format!("{}:{}", self.revision, self.path)), None, LONGEST_LIST)
            .await?;
        let unknown = || RevisionError::UnknownPath {
            revision: self.revision.to_owned(),
            path: self.path.to_owned(),
        };
        if object.code == Some(0) { Ok(text(&object.stdout)) } else { Err(unknown()) }
    }

    /// The folder of a file, for the schemas that it may link to, and its name there.
    async fn beside(self, git: &Git) -> Result<(String, Option<&'t str>), RevisionError> {
        let (folder, file) =
            self.path.rsplit_once('/').map_or(("", self.path), |(folder, file)| (folder, file));
        let folder = if folder == "." { "./" } else { folder };
        Ok((Self { path: folder, ..self }.object(git).await?, Some(file)))
    }
}

/// The git of this machine, asked about one repository.
struct Git {
    settings: Settings,
}

impl Git {
    fn new(folder: &Path, environment: &Environment) -> Self {
        let mut settings = Settings::new(folder.to_owned());
        settings.environment = environment.child_variables(&VARIABLES.map(str::to_owned));
        let fixed =
            [("GIT_TERMINAL_PROMPT", "0"), ("GIT_NO_LAZY_FETCH", "1"), ("GIT_OPTIONAL_LOCKS", "0")];
        settings.environment.extend(fixed.map(|(name, value)| (name.to_owned(), value.to_owned())));
        // The objects of a repository may lie anywhere, and large ones are mapped as a whole.
        settings.read = vec![PathBuf::from("/")];
        settings.memory_bytes = 1 << 40;
        Self { settings }
    }

    fn folder(&self) -> &Path {
        &self.settings.crib
    }

    /// What git answers, whether it agrees or not.
    async fn ask_all(
        &self,
        words: Vec<String>,
        stdin: Option<String>,
        max_bytes: u64,
    ) -> Result<ProgramOutput, RevisionError> {
        let always = ["--no-pager", "-c", "core.fsmonitor=false"].map(str::to_owned);
        let request = ProgramRequest {
            program: "git",
            arguments: always.into_iter().chain(words).collect(),
            stdin,
            max_bytes,
        };
        runtime::run_program(&self.settings, request).await.map_err(|failure| {
            match failure.error_type {
                ErrorType::ProgramNotFound => {
                    RevisionError::Git("`git` was not found, which knows the revisions".to_owned())
                }
                ErrorType::TooLong => RevisionError::TooLarge,
                _ => RevisionError::Git(failure.message),
            }
        })
    }

    /// What git answers, if it agrees.
    async fn ask(
        &self,
        words: &[&str],
        stdin: Option<String>,
        max_bytes: u64,
    ) -> Result<ProgramOutput, RevisionError> {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        let answer = self.ask_all(words, stdin, max_bytes).await?;
        if answer.code == Some(0) {
            Ok(answer)
        } else {
            Err(RevisionError::Git(format!("git: {}", answer.stderr)))
        }
    }

    async fn say(&self, words: &[&str]) -> Result<String, RevisionError> {
        Ok(text(&self.ask(words, None, LONGEST_LIST).await?.stdout))
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

/// One file of a tree.
struct Entry {
    object: String,
    size: u64,
    path: PathBuf,
}

impl Entry {
    /// Reads `MODE TYPE OBJECT SIZE<tab>PATH`. Links and submodules are no definitions.
    fn read(line: &[u8]) -> Option<Self> {
        let (about, path) = std::str::from_utf8(line).ok()?.split_once('\t')?;
        let mut about = about.split_whitespace();
        let (mode, _, object, size) = (about.next()?, about.next()?, about.next()?, about.next()?);
        let path = PathBuf::from(path);
        // Whoever made the tree is not trusted to have stayed inside it.
        let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
        let entry = Self { object: object.to_owned(), size: size.parse().ok()?, path };
        (mode.starts_with("100") && is_inside).then_some(entry)
    }

    fn has_extension(&self, wanted: &str) -> bool {
        self.path.extension().is_some_and(|extension| extension == wanted)
    }

    fn is_wanted(&self) -> bool {
        let is_definition =
            WANTED.iter().any(|wanted| self.has_extension(wanted)) || self.path.ends_with(PACKAGE);
        is_definition && self.size <= LARGEST_FILE
    }
}

fn entries(listed: &[u8]) -> impl Iterator<Item = Entry> {
    listed.split(|byte| *byte == 0).filter_map(Entry::read)
}

/// Writes entries below a folder.
async fn write(git: &Git, entries: &[Entry], folder: &Path) -> Result<(), RevisionError> {
    // That a package has code is known by its folder; the code itself is not needed.
    let (code, wanted): (Vec<&Entry>, Vec<&Entry>) =
        entries.iter().partition(|entry| entry.has_extension("R"));
    for entry in code {
        fs::create_dir_all(folder.join(&entry.path).parent().unwrap_or(folder))?;
    }
    let bytes: u64 = wanted.iter().map(|entry| entry.size).sum();
    if bytes > MOST_BYTES {
        return Err(RevisionError::TooLarge);
    }
    if wanted.is_empty() {
        return Ok(());
    }
    let objects: String = wanted.iter().map(|entry| format!("{}\n", entry.object)).collect();
    let headers = wanted.len() as u64 * 256;
    let answer = git.ask(&["cat-file", "--batch"], Some(objects), bytes + headers).await?;
    let mut rest = answer.stdout.as_slice();
    for entry in wanted {
        let (content, after) = content(rest, entry.size)
            .ok_or_else(|| RevisionError::Git("git answered something else".to_owned()))?;
        let path = folder.join(&entry.path);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, content)?;
        rest = after;
    }
    Ok(())
}

/// The content after a header line, of a known size, and what follows its newline.
fn content(bytes: &[u8], size: u64) -> Option<(&[u8], &[u8])> {
    let start = bytes.iter().position(|byte| *byte == b'\n')? + 1;
    let end = start.checked_add(usize::try_from(size).ok()?)?;
    Some((bytes.get(start..end)?, bytes.get(end + 1..)?))
}
