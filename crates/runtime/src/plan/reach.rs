//! What a call may touch, where its tool says what it does with each path it is given.
//!
//! Such a call reaches the files and folders of its values and nothing else of the crib and the
//! roots. Where one path parameter says nothing, nothing can be cut.

use std::path::{Path, PathBuf};

use catalog::{
    Failure,
    implementation::{Access, Binding, Process},
};
use serde_json::Value;
use toolkit::Arguments;

use super::paths::Places;

/// Files and folders that a call names.
#[derive(Debug, Default)]
pub(crate) struct Reach {
    /// What it reads.
    pub(crate) read: Vec<PathBuf>,
    /// What it creates or changes. For what does not exist yet, the nearest folder above it.
    pub(crate) write: Vec<PathBuf>,
}

impl Reach {
    /// What a call with these arguments reaches; none if the tool does not say it of all its paths.
    pub(crate) fn of_call(
        process: &Process,
        arguments: &Arguments,
        places: &Places<'_>,
    ) -> Result<Option<Self>, Failure> {
        let paths = || process.bindings().filter(|binding| binding.is_path());
        if paths().next().is_none() || paths().any(|binding| binding.access.is_none()) {
            return Ok(None);
        }
        let mut reach = Self::default();
        for (binding, access) in paths().filter_map(|binding| Some((binding, binding.access?))) {
            if let Some(value) = arguments.get(&binding.parameter) {
                reach.add(binding, access, value, places)?;
            }
        }
        Ok(Some(reach))
    }

    fn add(
        &mut self,
        binding: &Binding,
        access: Access,
        value: &Value,
        places: &Places<'_>,
    ) -> Result<(), Failure> {
        match value {
            Value::Array(items) => {
                items.iter().try_for_each(|item| self.add(binding, access, item, places))
            }
            Value::String(text) if !text.is_empty() => {
                let path = places.target(&binding.parameter, text)?;
                match access {
                    Access::Read => self.read.push(path),
                    Access::Write | Access::ReadWrite => {
                        self.write.push(existing(&path).to_owned())
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// The path, or the nearest folder above it that exists: nothing smaller can be opened for a file to come.
fn existing(path: &Path) -> &Path {
    path.ancestors().find(|place| place.exists()).unwrap_or(path)
}
