//! R Markdown and Quarto documents: a folder of them, the tools that work on it, and both the
//! documents and what was rendered of them as resources.
//!
//! Everything goes through a handle on the folder that nothing leads out of. What renders is handed in,
//! and gets a copy.

mod address;
mod create;
mod delete;
mod doctor;
mod folder;
mod library;
mod lines;
mod list;
mod name;
mod outline;
mod read;
mod rendering;
mod reply;
mod resources;
mod snapshot;
mod update;
mod validate;

use std::{path::Path, sync::Arc};

use parking_lot::RwLock;
use toolkit::{ErrorDetail, ErrorType, Failure, Native, Resources};

pub use doctor::{Ability, Doctor};
pub use library::{Document, Library, ListedDocument, ListedOutput, Listing, Settings};
pub use name::{DocumentName, OutputKind, OutputName};
pub use rendering::Rendering;

/// The category of the tools that work on documents.
pub const CATEGORY: &str = "documents";

/// How the tools refuse arguments: as it is documented for other servers of such documents.
const REFUSALS: ErrorDetail = ErrorDetail::First;

/// The documents that are served now, if any are. Clones are the same.
#[derive(Clone, Default)]
pub struct Documents(Arc<RwLock<Option<Arc<Library>>>>);

impl Documents {
    /// The documents of a folder.
    pub fn new(settings: Settings) -> Self {
        Self(Arc::new(RwLock::new(Some(Arc::new(Library::new(settings))))))
    }

    /// Serves the documents of another folder, or none.
    pub fn replace(&self, settings: Option<Settings>) {
        let mut library = self.0.write();
        if library.as_ref().map(|library| library.settings()) != settings.as_ref() {
            *library = settings.map(|settings| Arc::new(Library::new(settings)));
        }
    }

    /// The library, if documents are served.
    pub fn library(&self) -> Option<Arc<Library>> {
        self.0.read().clone()
    }

    /// Makes the folder if it is not there, so that it can be watched.
    pub fn make_folder(&self) -> Result<(), Failure> {
        self.library().map_or(Ok(()), |library| library.make_folder())
    }

    /// The tools.
    pub fn natives(&self) -> Vec<Native> {
        let natives = [
            create::native(self),
            delete::native(self),
            list::native(self),
            outline::native(self),
            read::native(self),
            update::native(self),
            validate::native(self),
        ];
        natives.map(|native| native.argument_errors(REFUSALS)).into()
    }

    /// Documents and outputs as resources.
    pub fn resources(&self) -> Arc<dyn Resources> {
        Arc::new(resources::Provider(self.clone()))
    }

    /// The address by which a file is read, if it is a document or something rendered: for telling those who watch it.
    pub fn address_of(&self, file: &Path) -> Option<String> {
        let library = self.library()?;
        let path = file.strip_prefix(&library.settings().folder).ok()?.to_str()?;
        match path.strip_prefix("output/") {
            Some(path) => OutputName::new(path).ok().map(|name| address::of_output(&name)),
            None => {
                let name =
                    DocumentName::existing(path).ok().filter(|name| name.as_str() == path)?;
                Some(address::of_document(&name))
            }
        }
    }

    /// Whether a path may be a folder of documents: when it comes or goes, so does all that is in it.
    pub fn may_be_folder(&self, path: &Path) -> bool {
        let below = self.library().and_then(|library| {
            Some(path.strip_prefix(&library.settings().folder).ok()?.to_owned())
        });
        let is_hidden =
            |part: std::path::Component<'_>| part.as_os_str().as_encoded_bytes().starts_with(b".");
        below.is_some_and(|below| below.extension().is_none() && !below.components().any(is_hidden))
    }

    /// Does something that waits for the disk.
    pub async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Library) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let Some(library) = self.library() else {
            return Err(Failure::new(
                ErrorType::NotEnabled,
                "documents are not served here; set `enabled` in `[documents]`",
            ));
        };
        let done = tokio::task::spawn_blocking(move || work(&library)).await;
        done.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
    }
}

/// The tool `doctor`.
pub(crate) fn doctor(doctor: &Doctor) -> Native {
    doctor::native(doctor).argument_errors(REFUSALS)
}

/// The address of a document.
pub fn document_uri(name: &DocumentName) -> String {
    address::of_document(name)
}

/// The address of something rendered.
pub fn output_uri(name: &OutputName) -> String {
    address::of_output(name)
}
