//! The content that is open now. Reading the configuration again puts another in its place.

use std::{path::Path, sync::Arc};

use parking_lot::RwLock;
use toolkit::{Native, Resources};

use super::{
    content::GuideContent,
    resources::{self, GuideResources},
    tool,
};

/// The content that is open now. Clones are the same guide.
#[derive(Clone)]
pub struct Guide(Arc<RwLock<Arc<GuideContent>>>);

impl Guide {
    /// A guide with a content on it.
    pub fn new(content: GuideContent) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(content))))
    }

    /// Puts another content in its place. Whoever is reading goes on with the old one.
    pub fn replace(&self, content: GuideContent) {
        *self.0.write() = Arc::new(content);
    }

    /// The content.
    pub fn content(&self) -> Arc<GuideContent> {
        self.0.read().clone()
    }

    /// The tool `get_content`.
    pub fn native(&self) -> Native {
        tool::native(self)
    }

    /// Has the tool among `natives` say which categories and collections there are now.
    pub fn describe(&self, natives: &mut [Native]) {
        for native in natives
            .iter_mut()
            .filter(|native| native.tool.annotations.category.as_deref() == Some(tool::CATEGORY))
        {
            native.tool.description.text = tool::purpose(&self.content());
        }
    }

    /// The documents as resources.
    pub fn resources(&self) -> Arc<dyn Resources> {
        Arc::new(GuideResources(self.clone()))
    }

    /// The addresses by which the document in a file is read, if it is one: for telling those who watch it.
    pub fn uris_of_file(&self, file: &Path) -> Vec<String> {
        resources::uris_of_file(&self.content(), file)
    }

    /// Runs a search on a thread that may wait for the disk.
    pub(super) async fn run_blocking<T: Send + 'static>(
        &self,
        search: impl FnOnce(&GuideContent) -> T + Send + 'static,
    ) -> T {
        let content = self.content();
        let searched = tokio::task::spawn_blocking(move || search(&content)).await;
        searched.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
    }
}
