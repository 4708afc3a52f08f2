//! The environment that R needs: a UTF-8 locale and the folders with the user's packages.

use std::path::{Path, PathBuf};

/// Variables that list folders with packages.
const LIBRARY_VARIABLES: [&str; 3] = ["R_LIBS", "R_LIBS_USER", "R_LIBS_SITE"];
/// Tells R where the home of its user is. `HOME` itself is often hidden by the sandbox, but R expands
/// `~` in `.libPaths()` by it.
const R_HOME_VARIABLE: &str = "TOOLCRIB_R_HOME";

/// Variables to add for R: a UTF-8 locale, unless there is one, so that all text can be printed, and
/// the home of the user.
pub fn r_variables(environment: &[(String, String)]) -> Vec<(String, String)> {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| variable(environment, name));
    let is_utf8 =
        locale.is_some_and(|locale| locale.to_ascii_lowercase().replace('-', "").ends_with("utf8"));
    let locale = (!is_utf8).then(|| ("LC_ALL".to_owned(), "C.UTF-8".to_owned()));
    let home =
        variable(environment, "HOME").map(|home| (R_HOME_VARIABLE.to_owned(), home.to_owned()));
    locale.into_iter().chain(home).collect()
}

/// The existing folders with packages of the user.
pub fn r_libraries(environment: &[(String, String)]) -> Vec<PathBuf> {
    let listed = LIBRARY_VARIABLES
        .iter()
        .filter_map(|name| variable(environment, name))
        .flat_map(|folders| folders.split(':'));
    let default = variable(environment, "HOME").map(|home| Path::new(home).join("R"));
    listed
        .map(PathBuf::from)
        .chain(default)
        .filter(|folder| folder.is_absolute() && folder.is_dir())
        .collect()
}

fn variable<'a>(environment: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = environment.iter().find(|(own, value)| own == name && !value.is_empty());
    found.map(|(_, value)| value.as_str())
}
