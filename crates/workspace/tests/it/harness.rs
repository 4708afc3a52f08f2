//! A crib in a temporary folder.

use std::fs;

use catalog::{Diagnostic, Location};
use tempfile::TempDir;
use workspace::{Crib, Environment, Loaded, Loader, OpenError};

/// A definition with three tools: `git_push` (dangerous), `git_log` (changes nothing) and `git_tag`.
const GIT: &str = r#"{
  "name": "git", "description": "Version control", "command": "git", "synchronous": true,
  "subcommand": [
    {"name": "push", "description": "Publish", "mutates": true, "dangerous": true, "network": true,
     "options": [{"name": "force", "type": "boolean", "description": "Overwrite"},
                 {"name": "remote", "type": "string", "description": "Where", "default": "origin"}],
     "positional_args": [{"name": "branch", "type": "string", "description": "What", "required": true}]},
    {"name": "log", "description": "Show commits", "mutates": false},
    {"name": "tag", "description": "Make a tag", "mutates": true}
  ]
}"#;

/// A crib with [`GIT`] and this configuration; the folder lives as long as it.
pub(crate) struct Folder {
    folder: TempDir,
    config: String,
}

impl Folder {
    pub(crate) fn new(config: &str) -> Self {
        let folder = TempDir::new().expect("a folder");
        fs::create_dir(folder.path().join("tools")).expect("a folder");
        fs::write(folder.path().join("tools/git.json"), GIT).expect("a file");
        fs::write(folder.path().join("toolcrib.toml"), config).expect("a file");
        Self { folder, config: config.to_owned() }
    }

    pub(crate) fn path(&self) -> &std::path::Path {
        self.folder.path()
    }

    pub(crate) fn open(&self) -> Result<Crib, OpenError> {
        Crib::open(Some(self.folder.path()), &Environment::default())
    }

    /// The crib and its tools; the configuration must be good.
    pub(crate) fn load(&self) -> (Crib, Loaded) {
        let crib = self.open().expect("a good configuration");
        let loaded = Loader::default().load(&crib);
        (crib, loaded)
    }

    /// Everything that is wrong with the configuration: `TC604 3 message` with the line it points at.
    pub(crate) fn findings(&self) -> Vec<String> {
        let found = match self.open() {
            Ok(crib) => Loader::default().load(&crib).diagnostics,
            Err(OpenError::Config { diagnostics }) => diagnostics,
            Err(error) => panic!("{error}"),
        };
        found
            .iter()
            .filter(|found| found.origin.source.as_str() == "toolcrib.toml")
            .map(|found| self.line(found))
            .collect()
    }

    fn line(&self, found: &Diagnostic) -> String {
        let Location::Offset(offset) = found.origin.place else { panic!("no place: {found:?}") };
        let line = self.config[..offset].matches('\n').count() + 1;
        format!("{} {line} {}", found.code, found.message)
    }
}
