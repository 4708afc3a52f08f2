//! What renders documents: `render_rmd`, and what of this machine it can use.
//!
//! How to write such a tool: crates/toolkit/templates/tool.md.

mod render;

use std::sync::Arc;

use ::render::{Component, RenderHost, RenderSettings, Renderer};
use parking_lot::RwLock;
use runtime::Runtime;
use toolkit::Native;

use super::{ARGUMENT_ERRORS, Ability, RmdDocuments};

/// A renderer that starts its programs as `runtime` starts its own.
pub fn renderer(runtime: &Runtime, settings: RenderSettings) -> Renderer {
    let runtime_settings = runtime.settings();
    let host = RenderHost {
        launcher: Arc::clone(runtime.launcher()),
        cleanup: runtime.cleanup_tasks(),
        environment: runtime_settings.environment.clone(),
        read: runtime_settings.read.clone(),
        temp_folder: runtime_settings.temp.clone(),
        is_sandboxed: runtime_settings.confine,
    };
    Renderer::new(settings, host)
}

/// Documents and what renders them. Clones are the same.
#[derive(Clone)]
pub struct RmdRenderer {
    documents: RmdDocuments,
    renderer: Arc<RwLock<Renderer>>,
}

impl RmdRenderer {
    /// Renders these documents. Nothing is started before the first one.
    pub fn new(documents: &RmdDocuments, renderer: Renderer) -> Self {
        Self { documents: documents.clone(), renderer: Arc::new(RwLock::new(renderer)) }
    }

    /// Renders as the operator wants it now.
    pub fn replace(&self, settings: RenderSettings) {
        let renderer = self.renderer().with_settings(settings);
        *self.renderer.write() = renderer;
    }

    /// The tool.
    pub fn native(&self) -> Native {
        render::native(self).argument_errors(ARGUMENT_ERRORS)
    }

    /// What of this machine rendering can use.
    pub async fn abilities(&self) -> Vec<Ability> {
        self.renderer().components().await.into_iter().map(Ability::from).collect()
    }

    fn renderer(&self) -> Renderer {
        self.renderer.read().clone()
    }
}

impl From<Component> for Ability {
    fn from(component: Component) -> Self {
        let Component { name, purpose, found, hint } = component;
        Self {
            name: name.to_owned(),
            ok: found.is_some(),
            detail: found.unwrap_or_else(|| purpose.to_owned()),
            hint,
        }
    }
}
