//! The documents, prompts and flags of a crib: what built-in tools work on and a server offers as
//! resources and prompts.

use std::{
    path::Path,
    sync::{Arc, OnceLock},
};

use builtin::{
    Flags, Project,
    guide::{Guide, GuideContent, Limits},
    prompts::{Detail, PromptSet},
    rmd::{self, RmdDocuments, RmdRenderer, renderer},
};
use runtime::Runtime;
use server::Server;
use workspace::{Content, Crib, Descriptions, Loaded};

/// The documents, prompts and flags of a crib. Clones share the same state.
#[derive(Clone)]
pub(crate) struct Providers {
    pub(crate) guide: Guide,
    pub(crate) documents: RmdDocuments,
    pub(crate) flags: Flags,
    prompts: PromptSet,
    /// Made with the tool that renders.
    rendering: Arc<OnceLock<RmdRenderer>>,
}

impl Providers {
    pub(crate) fn new(crib: &Crib, loaded: &Loaded, flags: &Flags) -> Self {
        let detail = match crib.config.crib.descriptions {
            Some(Descriptions::Concise) => Detail::Concise,
            Some(Descriptions::SchemaLess) => Detail::SchemaLess,
            Some(Descriptions::Full) | None => Detail::Full,
        };
        let prompts = PromptSet::new(loaded.prompts.clone(), build_project(crib, flags), detail);
        let documents = RmdDocuments::default();
        documents.replace(document_settings(crib));
        let guide = Guide::new(build_guide_content(crib, &loaded.content, flags));
        Self { guide, documents, prompts, flags: flags.clone(), rendering: Arc::default() }
    }

    /// The renderer of the crib's documents. The first call decides which runtime it renders with.
    pub(crate) fn rendering(&self, crib: &Crib, runtime: &Runtime) -> RmdRenderer {
        let make = || RmdRenderer::new(&self.documents, renderer(runtime, crib.render_settings()));
        // One renderer for all tools, because it limits concurrent renders and owns the cache.
        self.rendering.get_or_init(make).clone()
    }

    /// Adds the resources and prompts to a server.
    pub(crate) fn register_with(&self, server: Server) -> Server {
        server
            .with_resources(self.guide.resources())
            .with_resources(self.documents.resources())
            .with_prompts(self.prompts.provider())
    }

    /// Replaces everything with a newly loaded crib. Returns whether the list of prompts changed.
    pub(crate) fn replace(&self, crib: &Crib, loaded: &Loaded) -> bool {
        self.guide.replace(build_guide_content(crib, &loaded.content, &self.flags));
        self.documents.replace(document_settings(crib));
        if let Some(rendering) = self.rendering.get() {
            rendering.replace(crib.render_settings());
        }
        self.prompts.replace(loaded.prompts.clone())
    }

    /// Whether a change of this path may change the list of resources.
    pub(crate) fn affects_resource_list(&self, path: &Path) -> bool {
        // A folder that appears or disappears changes the list without an event for each file.
        self.documents.may_be_folder(path) || !self.uris_of(path).is_empty()
    }

    /// The URIs under which a file is served, if it is a document or rendered from one.
    pub(crate) fn uris_of(&self, file: &Path) -> Vec<String> {
        self.guide.uris_of_file(file).into_iter().chain(self.documents.uri_of_file(file)).collect()
    }
}

/// Where a crib's R Markdown documents are, if it serves them.
fn document_settings(crib: &Crib) -> Option<rmd::Settings> {
    let settings = crib.documents.as_ref()?;
    let defaults = rmd::Settings::new(settings.folder.clone());
    Some(rmd::Settings {
        largest: settings.max_bytes,
        largest_folder: settings.max_folder_mib.map_or(defaults.largest_folder, |mib| mib << 20),
        data: settings.data.clone(),
        ..defaults
    })
}

fn build_guide_content(crib: &Crib, content: &Content, flags: &Flags) -> GuideContent {
    let defaults = Limits::default();
    let config = crib.config.content.as_ref();
    let limits = Limits {
        documents: config.and_then(|config| config.max_documents).unwrap_or(defaults.documents),
        bytes: config.and_then(|config| config.max_bytes).unwrap_or(defaults.bytes),
    };
    GuideContent::new(
        content.categories.clone(),
        content.collections.clone(),
        build_project(crib, flags),
    )
    .with_limits(limits)
}

/// The variables of a crib's templates.
fn build_project(crib: &Crib, flags: &Flags) -> Project {
    let flags = flags.clone();
    let read = move || {
        // Templates are rendered on blocking threads, so waiting for the store is allowed here.
        let values = tokio::runtime::Handle::current().block_on(flags.values());
        let values = values.unwrap_or_else(|failure| {
            tracing::error!("cannot read flags; templates see none: {}", failure.message);
            Default::default()
        });
        values
            .into_iter()
            .map(|(name, value)| (name.as_str().to_owned(), value.into_json()))
            .collect()
    };
    Project { name: crib.name(), path: crib.folder.display().to_string(), flags: Arc::new(read) }
}
