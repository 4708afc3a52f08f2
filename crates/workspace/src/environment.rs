//! The process environment, captured once. The only module that reads environment variables.

use std::{collections::BTreeMap, path::PathBuf};

/// Variables that programs need to find their toolchain, user and locale. A child gets no other
/// variable unless the configuration names it, because tokens are often kept in variables.
const PASSED: [&str; 26] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TERM",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "JAVA_HOME",
    "GOPATH",
    "GOROOT",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "NVM_DIR",
    "R_HOME",
    "R_LIBS",
    "R_LIBS_SITE",
    "R_LIBS_USER",
    "NIX_PROFILES",
    "SYSTEMROOT",
    "SOURCE_DATE_EPOCH",
    "NO_COLOR",
];

/// Parts of toolchains that programs on the `PATH` read: the variable with the folder, its default
/// in the home folder, and the paths in it. Only these are readable in the sandbox, since the same
/// folders also hold credentials (such as `~/.cargo/credentials.toml`).
const TOOLCHAINS: [(&str, &str, &[&str]); 6] = [
    ("CARGO_HOME", ".cargo", &["bin", "registry", "git", "config.toml", "env"]),
    ("RUSTUP_HOME", ".rustup", &[""]),
    ("PYENV_ROOT", ".pyenv", &[""]),
    ("NVM_DIR", ".nvm", &["versions"]),
    ("GOPATH", "go", &["bin", "pkg"]),
    ("", ".local", &["bin", "lib"]),
];

/// The environment variables of this process when it started.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    variables: BTreeMap<String, String>,
    /// R packages named on the command line.
    r_packages: Vec<String>,
}

impl Environment {
    /// Captures the variables of this process. Variables that are not UTF-8 are skipped.
    pub fn capture() -> Self {
        std::env::vars_os()
            // Everything that goes to child processes or into plans is text.
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect()
    }

    /// Adds R packages from the command line to those of the crib.
    #[must_use]
    pub fn with_r_packages(&self, packages: &[String]) -> Self {
        Self { r_packages: packages.to_vec(), ..self.clone() }
    }

    /// The R packages named on the command line.
    pub(crate) fn r_packages(&self) -> &[String] {
        &self.r_packages
    }

    /// The value of a variable. An empty variable counts as set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// The variables with these names, or all variables if `names` is empty.
    pub fn variables(&self, names: &[&str]) -> Vec<(String, String)> {
        let is_wanted = |name: &str| names.is_empty() || names.contains(&name);
        let wanted = self.variables.iter().filter(|(name, _)| is_wanted(name));
        wanted.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// The variables for child processes: a fixed list, and those named in `pass`.
    pub fn child_variables(&self, pass: &[String]) -> Vec<(String, String)> {
        let is_passed = |name: &str| {
            PASSED.contains(&name)
                // There is one for each category, and all of them are harmless.
                || name.starts_with("LC_")
                || pass.iter().any(|passed| passed == name)
        };
        let passed = self.variables.iter().filter(|(name, _)| is_passed(name));
        passed.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// The folder that a variable names, or where programs look by default if it is not set. `None`
    /// for a variable that is neither set nor known.
    pub(crate) fn toolchain_folder(&self, variable: &str) -> Option<PathBuf> {
        let default = || {
            let (_, folder, _) = TOOLCHAINS.into_iter().find(|(name, ..)| *name == variable)?;
            Some(PathBuf::from(self.get("HOME")?).join(folder))
        };
        self.get(variable).map(PathBuf::from).or_else(default)
    }

    /// Variables with the default folders of toolchains: programs look for them in `HOME`, which is
    /// an empty folder in the sandbox.
    pub(crate) fn toolchain_variables(&self) -> Vec<(String, String)> {
        let missing = TOOLCHAINS.into_iter().map(|(variable, ..)| variable);
        let missing = missing.filter(|name| !name.is_empty() && self.get(name).is_none());
        let found = missing.filter_map(|name| Some((name, self.toolchain_folder(name)?)));
        // Links are resolved, because only the target is granted.
        let found = found.filter_map(|(name, folder)| Some((name, folder.canonicalize().ok()?)));
        found
            .map(|(name, folder)| (name.to_owned(), folder.to_string_lossy().into_owned()))
            .collect()
    }

    /// The existing files and folders of the user's toolchains that a sandboxed child may read.
    pub fn toolchain_paths(&self) -> Vec<PathBuf> {
        let home = self.get("HOME").map(PathBuf::from);
        let mut found = Vec::new();
        for (variable, folder, parts) in TOOLCHAINS {
            let base = self
                .get(variable)
                .map(PathBuf::from)
                .or_else(|| home.as_ref().map(|home| home.join(folder)));
            found.extend(
                base.into_iter()
                    .flat_map(|base| parts.iter().map(move |part| base.join(part)))
                    .filter(|path| path.exists()),
            );
        }
        found
    }

    /// The folder for temporary files: `$TMPDIR`, or `/tmp`.
    pub fn temp_folder(&self) -> PathBuf {
        let chosen = self.get("TMPDIR").map(PathBuf::from).filter(|path| path.is_absolute());
        chosen.unwrap_or_else(|| PathBuf::from("/tmp"))
    }

    /// The folder for persistent state: `$XDG_STATE_HOME/toolcrib`, or the XDG default in the home
    /// folder.
    pub fn state_folder(&self) -> PathBuf {
        // The XDG specification says to ignore relative paths.
        let absolute =
            |name: &str| self.get(name).map(PathBuf::from).filter(|path| path.is_absolute());
        match (absolute("XDG_STATE_HOME"), absolute("HOME")) {
            (Some(state), _) => state.join("toolcrib"),
            (None, Some(home)) => home.join(".local/state/toolcrib"),
            // Containers and cron jobs may have no home folder.
            (None, None) => self.temp_folder().join("toolcrib-state"),
        }
    }
}

impl FromIterator<(String, String)> for Environment {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(variables: I) -> Self {
        Self { variables: variables.into_iter().collect(), r_packages: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::Environment;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn passes_the_fixed_list_and_named_variables() {
        let all =
            environment(&[("PATH", "/bin"), ("LC_ALL", "C"), ("AWS_SECRET", "x"), ("MINE", "y")]);
        let names: Vec<_> =
            all.child_variables(&["MINE".to_owned()]).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["LC_ALL", "MINE", "PATH"]);
    }

    #[test]
    fn a_relative_state_folder_is_ignored() {
        let state =
            environment(&[("XDG_STATE_HOME", "relative"), ("HOME", "/home/a")]).state_folder();
        assert_eq!(state, std::path::Path::new("/home/a/.local/state/toolcrib"));
    }
}
