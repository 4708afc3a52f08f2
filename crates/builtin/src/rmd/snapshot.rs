//! The folder of documents as it is now: everything that a document may read while it is rendered.

use std::collections::{BTreeMap, VecDeque};

use formats::rmd;
use render::SourceFile;
use toolkit::{ErrorType, Failure};

use super::{
    DocumentStore,
    document_dir::DocumentDir,
    name::{self, DEEPEST, DocumentName},
};

/// The most bytes that all files beside a document may have.
const MOST_BYTES: u64 = 256 << 20;

impl DocumentStore {
    /// The document and all files beside it, but for what was rendered and what is hidden. Links are followed only inside
    /// the folder.
    pub(super) fn snapshot(&self, name: &DocumentName) -> Result<Vec<SourceFile>, Failure> {
        let folder = DocumentDir::open(&self.settings().folder);
        let folder = folder.map_err(|error| {
            Failure::new(ErrorType::Unreadable, format!("the documents cannot be read: {error}"))
        })?;
        // Says what is wrong with the document itself, and how large it may be.
        self.read(name)?;
        let (found, is_cut) = folder.files(DEEPEST, &|path| !path.eq_ignore_ascii_case("output/"));
        let bytes: u64 = found.iter().map(|file| file.size).sum();
        if is_cut || bytes > MOST_BYTES {
            return Err(too_much(bytes));
        }
        let mut left = MOST_BYTES;
        let mut files = Vec::with_capacity(found.len());
        for file in found {
            match folder.read(&file.path, left) {
                Ok(bytes) => {
                    left -= bytes.len() as u64;
                    files.push(SourceFile { path: file.path, bytes, may_be_read: false });
                }
                Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => {
                    return Err(too_much(MOST_BYTES));
                }
                // Removed meanwhile, or nobody's to read: the document will say so if it needs it.
                Err(_) => {}
            }
        }
        mark(&mut files, name);
        Ok(files)
    }
}

/// Says of each file whether a document may read it. Other documents count only if it names them, or something does that it
/// reads; if a name is put together, or files are looked for, all do. Whatever is no document always counts.
fn mark(files: &mut [SourceFile], document: &DocumentName) {
    let mut texts = VecDeque::new();
    let mut others: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, file) in files.iter_mut().enumerate() {
        let is_document = name::is_document(&file.path);
        file.may_be_read = !is_document || file.path == document.as_str();
        if file.may_be_read && (is_document || is_program(&file.path)) {
            texts.push_back(at);
        }
        if is_document {
            others.entry(last_part(&file.path).to_owned()).or_default().push(at);
        }
    }
    while let Some(at) = texts.pop_front() {
        let found = rmd::mentions(&String::from_utf8_lossy(&files[at].bytes));
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

/// Whether a file may say which documents are read: R, or a configuration.
fn is_program(path: &str) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    matches!(extension.as_deref(), Some("r" | "yml" | "yaml"))
}

fn last_part(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

fn too_much(bytes: u64) -> Failure {
    let message = format!(
        "the folder of documents has too much in it to be copied for a render ({bytes} bytes, and {MOST_BYTES} are allowed); move \
         what documents do not read elsewhere"
    );
    Failure::new(ErrorType::TooLarge, message)
}

#[cfg(test)]
mod tests {
    use super::{DocumentName, SourceFile, mark};

    /// What `report.Rmd` may read of these files.
    fn read(files: &[(&str, &str)]) -> Vec<String> {
        let file = |(path, text): &(&str, &str)| SourceFile {
            path: (*path).to_owned(),
            bytes: (*text).into(),
            may_be_read: false,
        };
        let mut files: Vec<_> = files.iter().map(file).collect();
        mark(&mut files, &DocumentName::new("report").expect("a name"));
        files.into_iter().filter(|file| file.may_be_read).map(|file| file.path).collect()
    }

    #[test]
    fn documents_count_that_are_named_by_something_that_counts() {
        let files = [
            ("data.csv", "other.Rmd"),
            ("other.Rmd", ""),
            ("parts/a.Rmd", "{{< include b.qmd >}}"),
            ("parts/b.qmd", "report.Rmd"),
            ("report.Rmd", "```{r, child = 'parts/a.Rmd'}\n```\n"),
        ];
        assert_eq!(read(&files), ["data.csv", "parts/a.Rmd", "parts/b.qmd", "report.Rmd"]);
        assert_eq!(
            read(&[
                ("other.Rmd", ""),
                ("report.Rmd", "source('x.R')"),
                ("x.R", "knit('other.Rmd')")
            ])
            .len(),
            3
        );
    }

    #[test]
    fn all_documents_count_where_names_are_put_together_or_files_looked_for() {
        for text in [
            "child = paste0('other', '.Rmd')",
            "for (f in list.files('.')) f",
            "child = 'missing.Rmd'",
        ] {
            assert_eq!(read(&[("other.Rmd", ""), ("report.Rmd", text)]).len(), 2, "{text}");
        }
        assert_eq!(
            read(&[("other.Rmd", "list.files('.')"), ("report.Rmd", "plot(cars)")]),
            ["report.Rmd"]
        );
    }
}
