//! The library that is open now. Reading the configuration again puts another in its place.

use std::{path::Path, sync::Arc};

use parking_lot::RwLock;
use toolkit::{Native, Resources};

use super::{
    library::Library,
    resources::{self, Documents},
    tool,
};

/// The library that is open now. Clones are the same guide.
#[derive(Clone)]
pub struct Guide(Arc<RwLock<Arc<Library>>>);

impl Guide {
    /// A guide with a library on it.
    pub fn new(library: Library) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(library))))
    }

    /// Puts another library in its place. Whoever is reading goes on with the old one.
    pub fn replace(&self, library: Library) {
        *self.0.write() = Arc::new(library);
    }

    /// The library.
    pub fn library(&self) -> Arc<Library> {
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
            native.tool.description.text = tool::purpose(&self.library());
        }
    }

    /// The documents as resources.
    pub fn resources(&self) -> Arc<dyn Resources> {
        Arc::new(Documents(self.clone()))
    }

    /// The addresses by which the document in a file is read, if it is one: for telling those who watch it.
    pub fn addresses_of(&self, file: &Path) -> Vec<String> {
        resources::addresses_of(&self.library(), file)
    }

    /// Runs a search on a thread that may wait for the disk.
    pub(super) async fn search<T: Send + 'static>(
        &self,
        search: impl FnOnce(&Library) -> T + Send + 'static,
    ) -> T {
        let library = self.library();
        let searched = tokio::task::spawn_blocking(move || search(&library)).await;
        searched.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
    }
}
