//! Looking up programs in a `PATH`.

use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

/// The absolute folders of the `PATH` variable in `environment`. Relative ones are skipped: they
/// would depend on the working directory of a call.
pub fn search_path(environment: &[(String, String)]) -> impl Iterator<Item = PathBuf> {
    let path = environment.iter().find(|(name, _)| name == "PATH").map_or("", |(_, value)| value);
    path.split(':').filter(|folder| folder.starts_with('/')).map(PathBuf::from)
}

/// The first executable called `name` in the `PATH` of `environment`.
pub fn find_program(environment: &[(String, String)], name: &str) -> Option<PathBuf> {
    search_path(environment).map(|folder| folder.join(name)).find(|path| is_program(path))
}

/// Whether the path is a file that this user may execute.
pub fn is_program(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}
