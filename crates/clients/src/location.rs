//! Locations of clients' files.

use std::path::{Path, PathBuf};

/// The location of a client's file, relative to a folder of the user or of the project.
#[derive(Debug)]
pub struct Location {
    pub(crate) base: Base,
    /// Alternatives: the first that exists is used, or the first if none exists.
    pub(crate) files: &'static [&'static str],
    /// An environment variable that overrides the folder, and the path below that folder. An empty
    /// path means that the variable is the path of the file itself.
    pub(crate) variable: Option<(&'static str, &'static str)>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Base {
    Home,
    /// `$XDG_CONFIG_HOME`, or `~/.config`.
    Config,
    /// The folder for settings of desktop programs: [`Base::Config`], except on macOS.
    Application,
    Project,
}

/// The folders and variables of a user, from which locations are resolved.
pub struct Folders<'a> {
    /// The home folder of the user, below which most clients keep their files.
    pub home: &'a Path,
    /// The folder of the project.
    pub project: &'a Path,
    /// Returns the value of an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

impl Location {
    /// The path of the file. `exists` decides between alternatives.
    pub fn resolve(&self, folders: &Folders<'_>, exists: &dyn Fn(&Path) -> bool) -> PathBuf {
        let moved = self.variable.and_then(|(name, file)| {
            let folder = (folders.variable)(name).filter(|value| !value.is_empty())?;
            Some(if file.is_empty() { folder.into() } else { Path::new(&folder).join(file) })
        });
        let base = self.base.resolve(folders);
        let paths = || self.files.iter().map(|file| base.join(file));
        moved
            .or_else(|| paths().find(|path| exists(path)))
            .or_else(|| paths().next())
            .unwrap_or(base)
    }
}

impl Base {
    fn resolve(self, folders: &Folders<'_>) -> PathBuf {
        match self {
            Self::Home => folders.home.to_owned(),
            Self::Project => folders.project.to_owned(),
            Self::Application if cfg!(target_os = "macos") => {
                folders.home.join("Library/Application Support")
            }
            Self::Config | Self::Application => (folders.variable)("XDG_CONFIG_HOME")
                .map(PathBuf::from)
                // The XDG specification says to ignore relative paths.
                .filter(|path| path.is_absolute())
                .unwrap_or_else(|| folders.home.join(".config")),
        }
    }
}
