//! The user's files and variables that certain programs get, beyond those that every program gets.

use std::{collections::BTreeMap, path::PathBuf};

use catalog::Tool;

/// Files and variables of the user.
#[derive(Clone, Debug, Default)]
pub struct Grant {
    /// Variables, with their values.
    pub variables: Vec<(String, String)>,
    /// Files and folders to read.
    pub read: Vec<PathBuf>,
    /// Files and folders to write, by tools that are not declared read-only.
    pub write: Vec<PathBuf>,
    /// Whether a Unix socket among the files may be connected to.
    pub unix_sockets: bool,
}

impl Grant {
    /// Describes the grant for people; `None` if it is empty.
    pub fn describe(&self) -> Option<String> {
        let list = |paths: &[PathBuf]| {
            paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ")
        };
        let names = self.variables.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>();
        let parts =
            [("reads", list(&self.read)), ("writes", list(&self.write)), ("sets", names.join(" "))];
        let parts = parts.iter().filter(|(_, text)| !text.is_empty());
        let text =
            parts.map(|(verb, text)| format!("{verb} {text}")).collect::<Vec<_>>().join("; ");
        Some(text).filter(|text| !text.is_empty())
    }

    /// Adds another grant; variables that are set already keep their value.
    pub fn extend(&mut self, other: Self) {
        let known: Vec<_> = self.variables.iter().map(|(name, _)| name.clone()).collect();
        self.variables
            .extend(other.variables.into_iter().filter(|(name, _)| !known.contains(name)));
        self.read.extend(other.read);
        self.write.extend(other.write);
        self.unix_sockets |= other.unix_sockets;
    }
}

/// The grants of one program, which depend on the tool that runs it.
#[derive(Clone, Debug, Default)]
pub struct ProgramGrants {
    /// The grant for every tool that runs the program.
    pub always: Grant,
    /// Additional grant for tools that the operator or their definition trusts with credentials.
    pub credentials: Grant,
    /// The trusted tools.
    pub trusted: TrustedTools,
    /// Folders in which the program keeps downloads and that it may not write. Some may not exist.
    pub caches: Vec<PathBuf>,
}

impl ProgramGrants {
    fn is_trusted(&self, tool: &Tool) -> bool {
        tool.credentials || self.trusted.contains(&tool.name)
    }
}

/// Which tools of a program get credentials.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TrustedTools {
    /// No tool.
    #[default]
    None,
    /// All that run the program.
    All,
    /// The tools with these names.
    Named(Vec<String>),
}

impl TrustedTools {
    fn contains(&self, tool: &str) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Named(names) => names.iter().any(|name| name == tool),
        }
    }
}

/// The grants of programs by the name or path that definitions have for them.
#[derive(Clone, Debug, Default)]
pub struct GrantsByProgram(pub BTreeMap<String, ProgramGrants>);

impl GrantsByProgram {
    /// The grant of this tool for this program.
    pub fn grant_of(&self, program: &str, tool: &Tool) -> Grant {
        let Some(grants) = self.0.get(program) else {
            return Grant::default();
        };
        let mut grant = Grant::default();
        // Credentials come first, because only they may set HOME, and the first value of a variable
        // counts.
        if grants.is_trusted(tool) {
            grant.extend(grants.credentials.clone());
        }
        grant.extend(grants.always.clone());
        grant
    }

    /// Whether the user has credentials for this program that this tool does not get.
    pub(crate) fn withholds_credentials(&self, program: &str, tool: &Tool) -> bool {
        self.0.get(program).is_some_and(|grants| {
            !grants.is_trusted(tool) && grants.credentials.describe().is_some()
        })
    }

    /// The folders in which the program keeps downloads and that it may not write.
    pub(crate) fn withheld_caches(&self, program: &str) -> &[PathBuf] {
        self.0.get(program).map_or(&[], |grants| &grants.caches)
    }

    /// All paths that some program is granted, and those of them that it may write.
    pub(crate) fn paths(&self) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let grants = || self.0.values().flat_map(|grants| [&grants.always, &grants.credentials]);
        let collect = |paths: fn(&Grant) -> &Vec<PathBuf>| {
            grants().flat_map(paths).cloned().collect::<Vec<_>>()
        };
        (collect(|grant| &grant.read), collect(|grant| &grant.write))
    }
}
