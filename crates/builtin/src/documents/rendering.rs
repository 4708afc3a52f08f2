//! `render_rmd` and `doctor`: documents to HTML, PDF and Word, and what is needed for that.
//!
//! How to write such a tool: crates/toolkit/templates/tool.md.

mod doctor;
mod render;

use std::sync::{Arc, PoisonError, RwLock};

use runtime::render::{RenderSettings, Renderer};
use toolkit::Native;

use super::Documents;

/// Documents and what renders them. Clones are the same.
#[derive(Clone)]
pub struct Rendering {
    documents: Documents,
    renderer: Arc<RwLock<Renderer>>,
}

impl Rendering {
    /// Renders these documents. Nothing is started before the first one.
    pub fn new(documents: &Documents, renderer: Renderer) -> Self {
        Self { documents: documents.clone(), renderer: Arc::new(RwLock::new(renderer)) }
    }

    /// Renders as the operator wants it now.
    pub fn replace(&self, settings: RenderSettings) {
        let renderer = self.renderer().with_settings(settings);
        *self.renderer.write().unwrap_or_else(PoisonError::into_inner) = renderer;
    }

    /// The tools.
    pub fn natives(&self) -> Vec<Native> {
        vec![render::native(self), doctor::native(self)]
    }

    fn renderer(&self) -> Renderer {
        self.renderer.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
