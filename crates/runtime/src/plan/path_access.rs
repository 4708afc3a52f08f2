//! The files of a call whose tool declares for each path parameter whether it reads or writes.
//!
//! Such a call may access the paths of its arguments and nothing else of the crib and the roots. If one
//! path parameter declares nothing, the sandbox cannot be narrowed.

use std::path::{Path, PathBuf};

use catalog::{
    Failure,
    implementation::{Access, Binding, Process},
};
use serde_json::Value;
use toolkit::Arguments;

use super::paths::PathResolver;

/// The files and folders that the arguments of a call name.
#[derive(Debug, Default)]
pub(crate) struct PathAccess {
    /// Paths to read.
    pub(crate) read: Vec<PathBuf>,
    /// Paths to create or change. For a path that does not exist yet, the nearest existing folder.
    pub(crate) write: Vec<PathBuf>,
}

impl PathAccess {
    /// The access of a call; `None` if the tool does not declare it for all of its paths.
    pub(crate) fn resolve_declared(
        process: &Process,
        arguments: &Arguments,
        resolver: &PathResolver<'_>,
    ) -> Result<Option<Self>, Failure> {
        let paths = || process.bindings().filter(|binding| binding.is_path());
        // A tool without path parameters may well read files that it finds by itself.
        if paths().next().is_none() || paths().any(|binding| binding.access.is_none()) {
            return Ok(None);
        }
        let mut declared = Self::default();
        for (binding, access) in paths().filter_map(|binding| Some((binding, binding.access?))) {
            if let Some(value) = arguments.get(&binding.parameter) {
                declared.add(binding, access, value, resolver)?;
            }
        }
        Ok(Some(declared))
    }

    fn add(
        &mut self,
        binding: &Binding,
        access: Access,
        value: &Value,
        resolver: &PathResolver<'_>,
    ) -> Result<(), Failure> {
        match value {
            Value::Array(items) => {
                items.iter().try_for_each(|item| self.add(binding, access, item, resolver))
            }
            Value::String(text) if !text.is_empty() => {
                let resolver = resolver.for_access(Some(access));
                let path = resolver.resolve_target(&binding.parameter, text)?;
                match access {
                    Access::Read => self.read.push(path),
                    Access::Write | Access::ReadWrite => {
                        self.write.push(nearest_existing(&path).to_owned())
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// The path, or its nearest existing ancestor: Landlock rules need an open file, so a file that does not
/// exist yet is allowed by its folder.
fn nearest_existing(path: &Path) -> &Path {
    path.ancestors().find(|place| place.exists()).unwrap_or(path)
}
