//! Copies the document folder for a render: the document and everything that it may read.

use std::{
    collections::{BTreeMap, VecDeque},
    path::Path,
};

use formats::rmd;
use render::SourceFile;
use toolkit::{ErrorType, Failure};

use super::{
    DocumentStore,
    document_dir::DocumentDir,
    name::{self, DocumentName, MAX_FOLDERS},
};
use crate::open_dir::Folder;

impl DocumentStore {
    /// Reads the document and all other files of the folder, except outputs and hidden files. Links
    /// are followed only inside the folder.
    pub(super) fn snapshot(&self, name: &DocumentName) -> Result<Vec<SourceFile>, Failure> {
        let folder = self.open_folder().map_err(|error| {
            Failure::new(
                ErrorType::Unreadable,
                format!("could not read the document folder: {error}"),
            )
        })?;
        // Reports problems with the document itself first, such as its size.
        self.read(name)?;
        let mut left = self.settings().largest_folder;
        let mut files = self.copy_folder(
            &folder,
            "",
            &|path| !path.eq_ignore_ascii_case("output/"),
            &mut left,
        )?;
        for data in &self.settings().data {
            files.extend(self.copy_data(data, &mut left)?);
        }
        mark_readable(&mut files, name);
        Ok(files)
    }

    /// Copies a data folder next to the documents, under its own name.
    fn copy_data(&self, path: &Path, left: &mut u64) -> Result<Vec<SourceFile>, Failure> {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let folder = DocumentDir::open(&Folder::new(path.to_owned())).map_err(|error| {
            let message = format!("could not read the data folder `{}`: {error}", path.display());
            Failure::new(ErrorType::Unreadable, message)
        })?;
        self.copy_folder(&folder, &format!("{}/", name.unwrap_or_default()), &|_| true, left)
    }

    /// Reads the selected files of a folder, at most `left` bytes in all. `prefix` is prepended to
    /// their paths.
    fn copy_folder(
        &self,
        folder: &DocumentDir,
        prefix: &str,
        is_wanted: &dyn Fn(&str) -> bool,
        left: &mut u64,
    ) -> Result<Vec<SourceFile>, Failure> {
        let (found, is_truncated) = folder.files(MAX_FOLDERS, is_wanted);
        let bytes: u64 = found.iter().map(|file| file.size).sum();
        if is_truncated || bytes > *left {
            return Err(size_failure(bytes, self.settings().largest_folder));
        }
        let mut files = Vec::with_capacity(found.len());
        for file in found {
            // Counted again while reading: files may have grown since they were listed.
            match folder.read(&file.path, *left) {
                Ok(bytes) => {
                    *left -= bytes.len() as u64;
                    let path = format!("{prefix}{}", file.path);
                    files.push(SourceFile { path, bytes, may_be_read: false });
                }
                Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => {
                    return Err(size_failure(file.size, self.settings().largest_folder));
                }
                // Removed since, or not readable: rendering fails if the document needs it.
                Err(_) => {}
            }
        }
        Ok(files)
    }
}

/// Marks the files that a document may read: they are part of the key of the render cache.
///
/// All files that are not documents count. Other documents count only if the document mentions
/// them, or a file that it reads does; otherwise every edit of one document would invalidate the
/// cached renders of all others. If a name is computed or files are listed, all documents count.
fn mark_readable(files: &mut [SourceFile], document: &DocumentName) {
    let mut texts = VecDeque::new();
    let mut others: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, file) in files.iter_mut().enumerate() {
        let is_document = name::is_document(&file.path);
        file.may_be_read = !is_document || file.path == document.as_str();
        if file.may_be_read && (is_document || is_code(&file.path)) {
            texts.push_back(at);
        }
        if is_document {
            others.entry(file_name(&file.path).to_owned()).or_default().push(at);
        }
    }
    while let Some(at) = texts.pop_front() {
        let found = rmd::find_references(&String::from_utf8_lossy(&files[at].bytes));
        // A name that is not a document here may be computed from parts; assume the worst.
        if found.lists_files || found.names.iter().any(|name| !others.contains_key(name)) {
            return files.iter_mut().for_each(|file| file.may_be_read = true);
        }
        for at in found.names.iter().flat_map(|name| &others[name]) {
            if !std::mem::replace(&mut files[*at].may_be_read, true) {
                texts.push_back(*at);
            }
        }
    }
}

/// Whether a file may mention documents: R code or a configuration.
fn is_code(path: &str) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    matches!(extension.as_deref(), Some("r" | "yml" | "yaml"))
}

fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

fn size_failure(bytes: u64, largest: u64) -> Failure {
    let message = format!(
        "the documents and their data are too large to copy for a render ({bytes} bytes; the maximum is {largest}); move \
         files that documents do not read elsewhere, or raise `max_folder_mib` in the `[documents]` section of toolcrib.toml"
    );
    Failure::new(ErrorType::TooLarge, message)
}

#[cfg(test)]
mod tests {
    use super::{DocumentName, SourceFile, mark_readable};

    /// The files that `report.Rmd` may read.
    fn readable(files: &[(&str, &str)]) -> Vec<String> {
        let file = |(path, text): &(&str, &str)| SourceFile {
            path: (*path).to_owned(),
            bytes: (*text).into(),
            may_be_read: false,
        };
        let mut files: Vec<_> = files.iter().map(file).collect();
        mark_readable(&mut files, &DocumentName::new("report").expect("a name"));
        files.into_iter().filter(|file| file.may_be_read).map(|file| file.path).collect()
    }

    #[test]
    fn marks_documents_that_a_readable_file_mentions() {
        let files = [
            ("data.csv", "other.Rmd"),
            ("other.Rmd", ""),
            ("parts/a.Rmd", "{{< include b.qmd >}}"),
            ("parts/b.qmd", "report.Rmd"),
            ("report.Rmd", "```{r, child = 'parts/a.Rmd'}\n```\n"),
        ];
        assert_eq!(readable(&files), ["data.csv", "parts/a.Rmd", "parts/b.qmd", "report.Rmd"]);
        assert_eq!(
            readable(&[
                ("other.Rmd", ""),
                ("report.Rmd", "source('x.R')"),
                ("x.R", "knit('other.Rmd')")
            ])
            .len(),
            3
        );
    }

    #[test]
    fn marks_all_documents_if_names_are_computed_or_files_listed() {
        for text in [
            "child = paste0('other', '.Rmd')",
            "for (f in list.files('.')) f",
            "child = 'missing.Rmd'",
        ] {
            assert_eq!(readable(&[("other.Rmd", ""), ("report.Rmd", text)]).len(), 2, "{text}");
        }
        assert_eq!(
            readable(&[("other.Rmd", "list.files('.')"), ("report.Rmd", "plot(cars)")]),
            ["report.Rmd"]
        );
    }
}
