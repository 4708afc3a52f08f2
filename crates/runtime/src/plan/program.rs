//! Which file a program's name means.

use std::path::{Path, PathBuf};

use catalog::{ErrorType, Failure, Tool};
use rustix::fs::{Access, access};

use crate::{Settings, availability::with_instructions};

/// The file of `program`: a name is looked up in the children's `PATH`, a relative path in the crib.
pub(crate) fn locate(settings: &Settings, tool: &Tool, program: &str) -> Result<PathBuf, Failure> {
    let found = if !program.contains('/') {
        find(settings, program)
    } else if Path::new(program).is_absolute() {
        Some(PathBuf::from(program)).filter(|path| is_program(path))
    } else {
        in_crib(settings, tool, program)?
    };
    found.ok_or_else(|| {
        let message = format!("the program `{program}` of `{}` was not found", tool.name);
        Failure::new(ErrorType::ProgramNotFound, with_instructions(tool, message))
    })
}

/// The file of a program's name in the children's `PATH`.
pub(crate) fn find(settings: &Settings, name: &str) -> Option<PathBuf> {
    folders(settings).map(|folder| folder.join(name)).find(|path| is_program(path))
}

/// The absolute folders of the children's `PATH`.
pub(crate) fn folders(settings: &Settings) -> impl Iterator<Item = PathBuf> {
    let path =
        settings.environment.iter().find(|(name, _)| name == "PATH").map_or("", |(_, value)| value);
    path.split(':').filter(|folder| folder.starts_with('/')).map(PathBuf::from)
}

fn in_crib(settings: &Settings, tool: &Tool, program: &str) -> Result<Option<PathBuf>, Failure> {
    let Ok(path) = settings.crib.join(program).canonicalize() else {
        return Ok(None);
    };
    if !path.starts_with(&settings.crib) {
        let message = format!(
            "the program `{program}` of `{}` lies outside the crib; name it by an absolute path if it is meant",
            tool.name
        );
        return Err(Failure::new(ErrorType::ProgramOutsideCrib, message));
    }
    Ok(is_program(&path).then_some(path))
}

/// Whether there is a file that can be run.
pub(crate) fn is_program(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}
