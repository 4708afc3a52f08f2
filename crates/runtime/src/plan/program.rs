//! Which file a program's name means.

use std::path::{Path, PathBuf};

use catalog::{ErrorType, Failure, Tool};
pub(crate) use process::is_program;

use crate::{Settings, failures::with_instructions};

/// The file of a tool's program. If it is not installed, fails with the tool's instructions.
pub(crate) fn locate(settings: &Settings, tool: &Tool, program: &str) -> Result<PathBuf, Failure> {
    resolve(settings, &tool.name, program)?.ok_or_else(|| {
        let message = format!("the program `{program}` of `{}` was not found", tool.name);
        let message = match tool.description.install {
            Some(_) => with_instructions(tool, message),
            None => format!("{message}; install it, or correct its name in the definition"),
        };
        Failure::new(ErrorType::ProgramNotFound, message)
    })
}

/// The file of `program`, if there is one: a name is looked up in the children's `PATH`, a relative
/// path in the crib. `owner` is named if the path leads outside.
pub(crate) fn resolve(
    settings: &Settings,
    owner: &str,
    program: &str,
) -> Result<Option<PathBuf>, Failure> {
    if !program.contains('/') {
        Ok(find(settings, program))
    } else if Path::new(program).is_absolute() {
        Ok(Some(PathBuf::from(program)).filter(|path| is_program(path)))
    } else {
        find_in_crib(settings, owner, program)
    }
}

/// The first program of this name in the children's `PATH`.
pub(crate) fn find(settings: &Settings, name: &str) -> Option<PathBuf> {
    process::find_program(&settings.environment, name)
}

/// The absolute folders of the children's `PATH`.
pub(crate) fn folders(settings: &Settings) -> impl Iterator<Item = PathBuf> {
    process::search_path(&settings.environment)
}

fn find_in_crib(
    settings: &Settings,
    owner: &str,
    program: &str,
) -> Result<Option<PathBuf>, Failure> {
    // Links are resolved first: a link in the crib could otherwise lead to any program.
    let Ok(path) = settings.crib.join(program).canonicalize() else {
        return Ok(None);
    };
    if !path.starts_with(&settings.crib) {
        let message = format!(
            "the program `{program}` of `{owner}` is outside the crib; use an absolute path if that is intended"
        );
        return Err(Failure::new(ErrorType::ProgramOutsideCrib, message));
    }
    Ok(is_program(&path).then_some(path))
}
