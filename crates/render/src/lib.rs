//! Renders R Markdown: a document and its neighbouring files to HTML, PDF or Word.
//!
//! A [`RenderJob`] is bytes in, a [`Rendered`] is bytes out: no backend sees the folder that the
//! document comes from. Every backend runs the same script (`image/render.R`), and `verdict.rs`
//! evaluates its output. Dropping a render kills its processes and removes its containers.
//! Nothing is opened, started or connected to before the first render.

mod cache;
mod cause;
mod child;
mod components;
mod compose;
mod diagnostics;
mod digest;
mod docker;
mod exchange;
mod host;
mod job;
mod local;
mod log;
mod program;
mod selection;
mod settings;
mod verdict;
mod watchdog;

use std::{sync::Arc, time::Instant};

use catalog::{ErrorType, Failure};
use tokio::sync::{Mutex, OnceCell, Semaphore};

use cache::Cache;
pub use components::Component;
use compose::ComposeCommand;
pub use diagnostics::RenderDiagnostic;
pub use host::RenderHost;
pub use job::{Backend, Format, Freshness, RenderJob, Rendered, SourceFile, Warning};
pub use log::{ProgressCallback, RenderProgress};
use selection::RenderTarget;
pub use settings::{Preference, RenderSettings};

/// Renders documents. Clones share the cache and the limits.
#[derive(Clone)]
pub struct Renderer(Arc<Inner>);

struct Inner {
    settings: RenderSettings,
    host: RenderHost,
    permits: Semaphore,
    cache: Cache,
    /// Set once orphaned containers have been removed: a server does so only once.
    swept: OnceCell<()>,
    /// The Compose command, once found.
    compose_command: OnceCell<ComposeCommand>,
    /// When the daemon of Compose last failed to answer.
    compose_failed_at: Mutex<Option<Instant>>,
    /// Held while an image is built, so that concurrent renders build it once.
    building: Mutex<()>,
}

impl Renderer {
    /// A renderer for the server that `host` describes. Opens and starts nothing before the first
    /// render.
    pub fn new(settings: RenderSettings, host: RenderHost) -> Self {
        Self(Arc::new(Inner {
            permits: Semaphore::new(settings.concurrency.max(1)),
            cache: Cache::new(settings.cache.clone(), settings.cache_bytes),
            swept: OnceCell::new(),
            compose_command: OnceCell::new(),
            compose_failed_at: Mutex::default(),
            building: Mutex::new(()),
            host,
            settings,
        }))
    }

    /// A renderer with other settings for the same server.
    pub fn with_settings(&self, settings: RenderSettings) -> Self {
        Self::new(settings, self.0.host.clone())
    }

    /// Renders a document, or returns it from the cache. Reports progress to `on_progress`.
    pub async fn render(
        &self,
        job: RenderJob,
        on_progress: ProgressCallback,
    ) -> Result<Rendered, Failure> {
        let started = Instant::now();
        let inner = &*self.0;
        let selected = inner.select_backend(&job, &on_progress).await?;
        let job = Arc::new(job);
        let key = inner.key(&job, &selected.target).await;
        if job.freshness.may_be_cached()
            && let Some(found) = inner.cache.find(&key).await
        {
            return Ok(Rendered { reason: selected.reason, duration: started.elapsed(), ..found });
        }
        let _permit =
            inner.permits.acquire().await.map_err(|_| {
                Failure::new(ErrorType::InternalError, "the renderer is shutting down")
            })?;
        let rendered = inner.run(&job, &selected.target, on_progress).await?;
        let rendered = Rendered {
            drew_random_numbers: rendered.drew_random_numbers && !job.sets_seed(),
            ..rendered
        };
        // A cached document would show the same random numbers each time.
        if !rendered.drew_random_numbers {
            inner.cache.store(&key, &rendered).await;
        }
        Ok(Rendered { reason: selected.reason, duration: started.elapsed(), ..rendered })
    }

    /// The components that rendering can use, and whether they are installed.
    pub async fn components(&self) -> Vec<Component> {
        self.0.components().await
    }
}

impl Inner {
    async fn run(
        &self,
        job: &Arc<RenderJob>,
        target: &RenderTarget,
        on_progress: ProgressCallback,
    ) -> Result<Rendered, Failure> {
        match target {
            RenderTarget::Docker(engine, image) => {
                self.render_by_docker(job, engine, image, on_progress).await
            }
            RenderTarget::Compose(command, digest) => {
                self.render_by_compose(job, command, digest.as_deref(), on_progress).await
            }
            RenderTarget::Local => self.render_locally(job, on_progress).await,
        }
    }
}
