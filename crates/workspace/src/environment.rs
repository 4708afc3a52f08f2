//! The process environment, read once: the one place where variables are looked at.

use std::{collections::BTreeMap, path::PathBuf};

/// Variables that programs need to find themselves, their user and their language. Nothing else
/// reaches a child unless the crib's configuration names it.
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

/// Folders and files of toolchains that programs on the `PATH` read. Each is `(variable, folder in the home, parts)`.
const TOOLCHAINS: [(&str, &str, &[&str]); 7] = [
    ("CARGO_HOME", ".cargo", &["bin", "registry", "git", "config.toml", "env"]),
    ("RUSTUP_HOME", ".rustup", &[""]),
    ("PYENV_ROOT", ".pyenv", &[""]),
    ("NVM_DIR", ".nvm", &["versions"]),
    ("GOPATH", "go", &["bin", "pkg"]),
    ("", ".local", &["bin", "lib"]),
    ("", ".config/git", &["config", "ignore", "attributes"]),
];

/// The variables of this process, as they were when it started.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    variables: BTreeMap<String, String>,
}

impl Environment {
    /// Reads the variables of this process.
    pub fn capture() -> Self {
        std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect()
    }

    /// The value of a variable; set-but-empty counts as set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// The variables that children get: a short list, and those that `pass` names.
    pub fn child_variables(&self, pass: &[String]) -> Vec<(String, String)> {
        let chosen = |name: &str| {
            PASSED.contains(&name)
                || name.starts_with("LC_")
                || pass.iter().any(|passed| passed == name)
        };
        let chosen = self.variables.iter().filter(|(name, _)| chosen(name));
        chosen.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// What of the user's toolchains a confined child may read.
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
        found.extend(home.map(|home| home.join(".gitconfig")).filter(|path| path.exists()));
        found
    }

    /// The folder for what must survive: `$XDG_STATE_HOME/toolcrib`, else below the home folder.
    pub fn state_folder(&self) -> PathBuf {
        let absolute =
            |name: &str| self.get(name).map(PathBuf::from).filter(|path| path.is_absolute());
        match (absolute("XDG_STATE_HOME"), absolute("HOME")) {
            (Some(state), _) => state.join("toolcrib"),
            (None, Some(home)) => home.join(".local/state/toolcrib"),
            (None, None) => std::env::temp_dir().join("toolcrib-state"),
        }
    }
}

impl FromIterator<(String, String)> for Environment {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(variables: I) -> Self {
        Self { variables: variables.into_iter().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::Environment;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn passes_a_short_list_and_what_is_named() {
        let all =
            environment(&[("PATH", "/bin"), ("LC_ALL", "C"), ("AWS_SECRET", "x"), ("MINE", "y")]);
        let names: Vec<_> =
            all.child_variables(&["MINE".to_owned()]).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["LC_ALL", "MINE", "PATH"]);
    }

    #[test]
    fn a_relative_state_folder_is_not_taken() {
        let state =
            environment(&[("XDG_STATE_HOME", "relative"), ("HOME", "/home/a")]).state_folder();
        assert_eq!(state, std::path::Path::new("/home/a/.local/state/toolcrib"));
    }
}
