//! Renders documents: `render_rmd`, and the state of the renderers on this machine.
//!
//! How to write such a tool: crates/toolkit/templates/tool.md.

mod preview;
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
    let temp = &runtime_settings.temp;
    let host = RenderHost {
        launcher: Arc::clone(runtime.launcher()),
        cleanup: runtime.cleanup_tasks(),
        environment: runtime_settings.environment.clone(),
        read: runtime_settings.read.clone(),
        opened: runtime_settings.opened.clone(),
        // Private folders are opened without following links.
        temp_folder: temp.canonicalize().unwrap_or_else(|_| temp.clone()),
        is_sandboxed: runtime_settings.confine,
    };
    Renderer::new(settings, host)
}

/// Renders the served documents. Clones are handles on the same renderer.
#[derive(Clone)]
pub struct RmdRenderer {
    documents: RmdDocuments,
    renderer: Arc<RwLock<Renderer>>,
}

impl RmdRenderer {
    /// Creates a renderer of these documents. Starts nothing before the first render.
    pub fn new(documents: &RmdDocuments, renderer: Renderer) -> Self {
        Self { documents: documents.clone(), renderer: Arc::new(RwLock::new(renderer)) }
    }

    /// Replaces the settings; running renders keep theirs.
    pub fn replace(&self, settings: RenderSettings) {
        let renderer = self.renderer().with_settings(settings);
        *self.renderer.write() = renderer;
    }

    /// The tool `render_rmd`.
    pub fn native(&self) -> Native {
        render::native(self).argument_errors(ARGUMENT_ERRORS)
    }

    /// Reports the renderers and programs on this machine, for `doctor`.
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
