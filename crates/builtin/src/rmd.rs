//! R Markdown and Quarto documents: the tools that list, edit and render them, and documents and
//! rendered outputs as resources.
//!
//! All files are accessed through a handle on the folder that no path or link leads out of. The
//! renderer works on a copy.

mod create;
mod delete;
mod doctor;
mod document_dir;
mod lines;
mod list;
mod name;
mod outline;
mod read;
mod renderer;
mod reply;
mod resources;
mod snapshot;
mod store;
mod update;
mod uri;
mod validate;

use std::{path::Path, sync::Arc};

use parking_lot::RwLock;
use toolkit::{ErrorDetail, ErrorType, Failure, Native, Resources};

pub use doctor::{Ability, Doctor};
pub use name::{DocumentName, OutputKind, OutputName};
pub use renderer::{RmdRenderer, renderer};
pub use store::{Document, DocumentStore, ListedDocument, ListedOutput, Listing, Settings};

/// The category of the R Markdown tools.
pub const CATEGORY: &str = "documents";

/// Reports only the first invalid argument, as other R Markdown servers document it.
const ARGUMENT_ERRORS: ErrorDetail = ErrorDetail::First;

/// A handle on the served documents, if any are served. Clones are handles on the same documents.
#[derive(Clone, Default)]
pub struct RmdDocuments(Arc<RwLock<Option<Arc<DocumentStore>>>>);

impl RmdDocuments {
    /// Serves the documents of a folder.
    pub fn new(settings: Settings) -> Self {
        Self(Arc::new(RwLock::new(Some(Arc::new(DocumentStore::new(settings))))))
    }

    /// Serves the documents of another folder, or none (`None`).
    pub fn replace(&self, settings: Option<Settings>) {
        let mut store = self.0.write();
        // A new store would lose the cache of titles, and the lock that running calls hold.
        if store.as_ref().map(|store| store.settings()) != settings.as_ref() {
            *store = settings.map(|settings| Arc::new(DocumentStore::new(settings)));
        }
    }

    /// The document store, if documents are served.
    pub fn store(&self) -> Option<Arc<DocumentStore>> {
        self.0.read().clone()
    }

    /// Creates the folder if it does not exist, so that it can be watched.
    pub fn create_folder(&self) -> Result<(), Failure> {
        self.store().map_or(Ok(()), |store| store.create_folder())
    }

    /// The path of an output on disk, for messages.
    pub(crate) fn output_path(&self, name: &OutputName) -> String {
        self.store().map(|store| store.output_path(name).display().to_string()).unwrap_or_default()
    }

    /// The tools, except `render_rmd`.
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
        natives.map(|native| native.argument_errors(ARGUMENT_ERRORS)).into()
    }

    /// Documents and outputs as resources.
    pub fn resources(&self) -> Arc<dyn Resources> {
        Arc::new(resources::RmdResources(self.clone()))
    }

    /// The URI under which a file is served, for notifying subscribers. `None` if it is neither a
    /// document nor an output.
    pub fn uri_of_file(&self, file: &Path) -> Option<String> {
        let store = self.store()?;
        let path = file.strip_prefix(&store.settings().folder).ok()?.to_str()?;
        match path.strip_prefix("output/") {
            Some(path) => OutputName::new(path).ok().map(|name| uri::for_output(&name)),
            None => {
                let name =
                    // `existing` adds a missing extension, and a file without one is not a
                    // document.
                    DocumentName::parse_existing(path).ok().filter(|name| name.as_str() == path)?;
                Some(uri::for_document(&name))
            }
        }
    }

    /// Whether a path may be a folder of documents, whose creation or removal changes the list.
    pub fn may_be_folder(&self, path: &Path) -> bool {
        let below = self
            .store()
            .and_then(|store| Some(path.strip_prefix(&store.settings().folder).ok()?.to_owned()));
        let is_hidden =
            |part: std::path::Component<'_>| part.as_os_str().as_encoded_bytes().starts_with(b".");
        below.is_some_and(|below| below.extension().is_none() && !below.components().any(is_hidden))
    }

    /// Runs work on a blocking thread, because it reads the disk.
    pub async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&DocumentStore) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let Some(store) = self.store() else {
            return Err(Failure::new(
                ErrorType::NotEnabled,
                "documents are not served; set `enabled` in `[documents]`",
            ));
        };
        let done = tokio::task::spawn_blocking(move || work(&store)).await;
        done.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
    }
}

/// The tool `doctor`.
pub(crate) fn doctor(doctor: &Doctor) -> Native {
    doctor::native(doctor).argument_errors(ARGUMENT_ERRORS)
}

/// The URI of a document.
pub fn document_uri(name: &DocumentName) -> String {
    uri::for_document(name)
}

/// The URI of a rendered output.
pub fn output_uri(name: &OutputName) -> String {
    uri::for_output(name)
}
