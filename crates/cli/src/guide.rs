//! What a crib has beside its tools: documents and prompts, as the built-in tools and a server take them.

use std::{
    path::Path,
    sync::{Arc, OnceLock},
};

use builtin::{
    Flags, Project,
    content::{Guide, Library, Limits},
    documents::{self, Documents, Rendering},
    prompts::{Book, Detail},
};
use runtime::Runtime;
use server::Server;
use workspace::{Content, Crib, Descriptions, Loaded};

/// The documents, prompts and flags of a crib, for the tools that work on them. Clones are the same.
#[derive(Clone)]
pub(crate) struct Material {
    pub(crate) guide: Guide,
    pub(crate) documents: Documents,
    pub(crate) flags: Flags,
    book: Book,
    /// Made with the tools for it.
    rendering: Arc<OnceLock<Rendering>>,
}

impl Material {
    pub(crate) fn new(crib: &Crib, loaded: &Loaded, flags: &Flags) -> Self {
        let detail = match crib.config.crib.descriptions {
            Some(Descriptions::Concise) => Detail::Concise,
            Some(Descriptions::SchemaLess) => Detail::SchemaLess,
            Some(Descriptions::Full) | None => Detail::Full,
        };
        let book = Book::new(loaded.prompts.clone(), project(crib, flags), detail);
        let documents = Documents::default();
        documents.replace(documents_of(crib));
        let guide = Guide::new(library(crib, &loaded.content, flags));
        Self { guide, documents, book, flags: flags.clone(), rendering: Arc::default() }
    }

    /// What renders the documents.
    pub(crate) fn rendering(&self, crib: &Crib, runtime: &Runtime) -> Rendering {
        let make = || Rendering::new(&self.documents, runtime.renderer(crib.render_settings()));
        self.rendering.get_or_init(make).clone()
    }

    /// Has a server serve it.
    pub(crate) fn served_by(&self, server: Server) -> Server {
        server
            .with_resources(self.guide.resources())
            .with_resources(self.documents.resources())
            .with_prompts(self.book.provider())
    }

    /// Takes what was read now; whether there are other prompts than before.
    pub(crate) fn replace(&self, crib: &Crib, loaded: &Loaded) -> bool {
        self.guide.replace(library(crib, &loaded.content, &self.flags));
        self.documents.replace(documents_of(crib));
        if let Some(rendering) = self.rendering.get() {
            rendering.replace(crib.render_settings());
        }
        self.book.replace(loaded.prompts.clone())
    }

    /// Whether other documents may be there than before, if this path has changed.
    pub(crate) fn may_list_others(&self, path: &Path) -> bool {
        self.documents.may_be_folder(path) || !self.addresses_of(path).is_empty()
    }

    /// The addresses by which a file is read, if it is a document or something rendered.
    pub(crate) fn addresses_of(&self, file: &Path) -> Vec<String> {
        self.guide.addresses_of(file).into_iter().chain(self.documents.address_of(file)).collect()
    }
}

/// Where a crib's R Markdown documents are, if it serves them.
fn documents_of(crib: &Crib) -> Option<documents::Settings> {
    let settings = crib.documents.as_ref()?;
    Some(documents::Settings { folder: settings.folder.clone(), largest: settings.max_bytes })
}

/// What a crib's documents are, and how much of them one answer holds.
fn library(crib: &Crib, content: &Content, flags: &Flags) -> Library {
    let usual = Limits::default();
    let config = crib.config.content.as_ref();
    let limits = Limits {
        documents: config.and_then(|config| config.max_documents).unwrap_or(usual.documents),
        bytes: config.and_then(|config| config.max_bytes).unwrap_or(usual.bytes),
    };
    Library::new(content.categories.clone(), content.collections.clone(), project(crib, flags))
        .with_limits(limits)
}

/// A crib as templates know it.
fn project(crib: &Crib, flags: &Flags) -> Project {
    let flags = flags.clone();
    let read = move || {
        // Templates are rendered on threads that may wait.
        let values = tokio::runtime::Handle::current().block_on(flags.values());
        let values = values.unwrap_or_else(|failure| {
            tracing::error!("flags could not be read, so documents see none: {}", failure.message);
            Default::default()
        });
        values
            .into_iter()
            .map(|(name, value)| (name.as_str().to_owned(), value.into_json()))
            .collect()
    };
    Project { name: crib.name(), path: crib.folder.display().to_string(), flags: Arc::new(read) }
}
