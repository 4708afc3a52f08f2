//! The folder of documents as it is now: everything that a document may read while it is rendered.

use runtime::render::SourceFile;
use toolkit::Failure;

use super::{
    Library,
    folder::Folder,
    name::{DEEPEST, DocumentName},
};

/// The most bytes that all files beside a document may have.
const MOST_BYTES: u64 = 256 << 20;

impl Library {
    /// The document and all files beside it, but for what was rendered and what is hidden. Links are followed only inside
    /// the folder.
    pub(super) fn snapshot(&self, name: &DocumentName) -> Result<Vec<SourceFile>, Failure> {
        let folder = Folder::open(&self.settings().folder);
        let folder = folder.map_err(|error| Failure::new("unreadable", format!("the documents cannot be read: {error}")))?;
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
                    files.push(SourceFile { path: file.path, bytes });
                }
                Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => return Err(too_much(MOST_BYTES)),
                // Removed meanwhile, or nobody's to read: the document will say so if it needs it.
                Err(_) => {}
            }
        }
        Ok(files)
    }
}

fn too_much(bytes: u64) -> Failure {
    let message = format!(
        "the folder of documents has too much in it to be copied for a render ({bytes} bytes, and {MOST_BYTES} are allowed); move \
         what documents do not read elsewhere"
    );
    Failure::new("too_large", message)
}
