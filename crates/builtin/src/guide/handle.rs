//! A handle on the guide content, which is replaced when the configuration is read again.

use std::{path::Path, sync::Arc};

use parking_lot::RwLock;
use toolkit::{Native, Resources};

use super::{
    content::GuideContent,
    resources::{self, GuideResources},
    tool,
};

/// A handle on the guide content. Clones are handles on the same content.
#[derive(Clone)]
pub struct Guide(Arc<RwLock<Arc<GuideContent>>>);

impl Guide {
    /// Creates a handle.
    pub fn new(content: GuideContent) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(content))))
    }

    /// Replaces the content. Running requests keep the old one.
    pub fn replace(&self, content: GuideContent) {
        *self.0.write() = Arc::new(content);
    }

    /// The current content.
    pub fn content(&self) -> Arc<GuideContent> {
        self.0.read().clone()
    }

    /// The tool `get_content`.
    pub fn native(&self) -> Native {
        tool::native(self)
    }

    /// Updates the description of `get_content` with the current categories and collections.
    pub fn describe(&self, natives: &mut [Native]) {
        for native in natives
            .iter_mut()
            .filter(|native| native.tool.annotations.category.as_deref() == Some(tool::CATEGORY))
        {
            tool::update_description(native, &self.content());
        }
    }

    /// The documents as resources.
    pub fn resources(&self) -> Arc<dyn Resources> {
        Arc::new(GuideResources(self.clone()))
    }

    /// The URIs under which a file is served, for notifying subscribers. Empty if it is not a
    /// document.
    pub fn uris_of_file(&self, file: &Path) -> Vec<String> {
        resources::uris_of_file(&self.content(), file)
    }

    /// Runs a search on a blocking thread, because it reads the disk.
    pub(super) async fn run_blocking<T: Send + 'static>(
        &self,
        search: impl FnOnce(&GuideContent) -> T + Send + 'static,
    ) -> T {
        // A clone of the pointer: the lock is not held while the disk is read.
        let content = self.content();
        let searched = tokio::task::spawn_blocking(move || search(&content)).await;
        searched.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
    }
}
