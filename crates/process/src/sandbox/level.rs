//! How strongly a program is isolated.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How strongly a program is isolated. Later levels are stronger.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum SandboxLevel {
    /// It may access every file that the user can.
    #[default]
    None,
    /// Landlock restricts files, seccomp restricts system calls.
    Landlock,
    /// Additionally, the program has user, pid, ipc and mount namespaces of its own.
    Namespaces,
}

impl SandboxLevel {
    /// The name in configuration and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Landlock => "landlock",
            Self::Namespaces => "namespaces",
        }
    }
}

impl fmt::Display for SandboxLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
