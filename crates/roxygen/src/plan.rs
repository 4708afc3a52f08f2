//! Decides which files of a package's tools a build writes, replaces, removes or leaves alone.

use std::collections::BTreeMap;

use super::{
    definition::{Definition, FileAuthor},
    record::ExampleRecord,
};

/// A change to the folder of a package's tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileChange {
    /// Create a file or replace its text.
    Write {
        /// The name of the file.
        name: String,
        /// Its new text.
        text: String,
    },
    /// Remove the file of a tool that no longer exists.
    Remove {
        /// The name of the file.
        name: String,
    },
}

/// A file with the name of a tool that `toolcrib build` did not write.
#[derive(Clone, Debug)]
pub struct ForeignFile<'a> {
    /// The tool.
    pub definition: &'a Definition,
    /// The author: another builder or a person.
    pub author: FileAuthor,
}

/// What happens to files of another builder of this format. Files written by people are always
/// kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherBuilderFiles {
    /// The files are kept and reported.
    Keep,
    /// The files are replaced (`--replace`).
    Replace,
}

/// The outcome of [`plan_changes`].
#[derive(Clone, Debug, Default)]
pub struct ChangePlan<'a> {
    /// The changes that bring the folder up to date. Files that are up to date have none.
    pub changes: Vec<FileChange>,
    /// Files of other authors, which are kept.
    pub foreign: Vec<ForeignFile<'a>>,
}

/// Compares the definitions with `existing`, the texts of the package's definition files by name.
/// `records` has the example run of each definition.
pub fn plan_changes<'a>(
    definitions: &'a [Definition],
    records: &[ExampleRecord],
    existing: &BTreeMap<String, String>,
    others: OtherBuilderFiles,
) -> ChangePlan<'a> {
    let mut plan = ChangePlan::default();
    for (definition, record) in definitions.iter().zip(records) {
        let (name, text) = (definition.file_name(), definition.to_yaml(record));
        let old = existing.get(&name);
        if old == Some(&text) {
            continue;
        }
        // A file that does not exist may be written like one of our own.
        let author = old.map_or(FileAuthor::Toolcrib, |old| FileAuthor::detect(old));
        let is_replaced = match author {
            FileAuthor::Toolcrib => true,
            FileAuthor::OtherBuilder => others == OtherBuilderFiles::Replace,
            FileAuthor::Person => false,
        };
        if is_replaced {
            plan.changes.push(FileChange::Write { name, text });
        } else {
            plan.foreign.push(ForeignFile { definition, author });
        }
    }
    let is_stale = |name: &String, text: &str| {
        // Never a file of another author: it may describe a tool that is not built from comments.
        FileAuthor::detect(text) == FileAuthor::Toolcrib
            && definitions.iter().all(|definition| definition.file_name() != *name)
    };
    let stale = existing.iter().filter(|(name, text)| is_stale(name, text));
    plan.changes.extend(stale.map(|(name, _)| FileChange::Remove { name: name.clone() }));
    plan
}
