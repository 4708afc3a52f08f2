//! Rendering R Markdown: one document with the files beside it to HTML, PDF or Word.
//!
//! A [`RenderJob`] is bytes in, a [`Rendered`] is bytes out: no backend sees the folder that the
//! document comes from. Whichever backend runs it, the same script does the work (`image/render.R`),
//! and what it leaves behind is judged in one place. Dropping a render ends all of it. Nothing is
//! opened, started or connected to before the first render.

mod backend;
mod cache;
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
mod settings;
mod verdict;
mod watchdog;

use std::{sync::Arc, time::Instant};

use catalog::{ErrorType, Failure};
use tokio::sync::{Mutex, OnceCell, Semaphore};

pub use backend::Backend;
use backend::Place;
use cache::Cache;
pub use components::Component;
use compose::Command;
pub use diagnostics::RenderDiagnostic;
pub use host::RenderHost;
pub use job::{Format, Freshness, RenderJob, Rendered, SourceFile, Warning};
pub use log::{RenderProgress, Tell};
pub use settings::{Preference, RenderSettings};

/// What renders documents. Clones are the same.
#[derive(Clone)]
pub struct Renderer(Arc<Inner>);

struct Inner {
    settings: RenderSettings,
    host: RenderHost,
    seats: Semaphore,
    cache: Cache,
    /// Whether containers that were left behind have been looked for.
    swept: OnceCell<()>,
    /// The command that is Compose, once it was found.
    composer: OnceCell<Command>,
    /// Since when no daemon answered it.
    silent: Mutex<Option<Instant>>,
    /// Held while an image is built.
    building: Mutex<()>,
}

impl Renderer {
    /// A renderer for the server that `host` describes. Opens and starts nothing before the first render.
    pub fn new(settings: RenderSettings, host: RenderHost) -> Self {
        Self(Arc::new(Inner {
            seats: Semaphore::new(settings.concurrency.max(1)),
            cache: Cache::new(settings.cache.clone(), settings.cache_bytes),
            swept: OnceCell::new(),
            composer: OnceCell::new(),
            silent: Mutex::default(),
            building: Mutex::new(()),
            host,
            settings,
        }))
    }

    /// Another that renders as these settings say.
    pub fn with_settings(&self, settings: RenderSettings) -> Self {
        Self::new(settings, self.0.host.clone())
    }

    /// Renders a document, or finds that the same was rendered before. `tell` hears how far it is.
    pub async fn render(&self, job: RenderJob, tell: Tell) -> Result<Rendered, Failure> {
        let started = Instant::now();
        let inner = &*self.0;
        let chosen = inner.choose(&job, &tell).await?;
        let job = Arc::new(job);
        let key = inner.key(&job, &chosen.place).await;
        if job.freshness.may_be_cached()
            && let Some(found) = inner.cache.find(&key).await
        {
            return Ok(Rendered { reason: chosen.reason, duration: started.elapsed(), ..found });
        }
        let _seat =
            inner.seats.acquire().await.map_err(|_| {
                Failure::new(ErrorType::InternalError, "nothing is rendered any more")
            })?;
        let rendered = inner.run(&job, &chosen.place, tell).await?;
        inner.cache.keep(&key, &rendered).await;
        Ok(Rendered { reason: chosen.reason, duration: started.elapsed(), ..rendered })
    }

    /// What this machine has of all that rendering can use.
    pub async fn components(&self) -> Vec<Component> {
        self.0.components().await
    }
}

impl Inner {
    async fn run(
        &self,
        job: &Arc<RenderJob>,
        place: &Place,
        tell: Tell,
    ) -> Result<Rendered, Failure> {
        match place {
            Place::Docker(engine, image) => self.render_by_docker(job, engine, image, tell).await,
            Place::Compose(command, digest) => {
                self.render_by_compose(job, command, digest.as_deref(), tell).await
            }
            Place::Local => self.render_locally(job, tell).await,
        }
    }
}
