//! Selects the backend for a document, and records why.

use std::sync::Arc;

use catalog::{ErrorType, Failure};
use process::find_program;
use serde_json::json;
use tokio::task::spawn_blocking;

use super::{
    Backend, Inner, Preference, ProgressCallback, RenderJob,
    cache::Stamp,
    components::{RSCRIPT, TEX},
    compose::ComposeCommand,
    digest,
    docker::{self, Engine, Image},
    exchange,
};

/// The selected backend.
pub(super) struct SelectedBackend {
    pub(super) target: RenderTarget,
    /// Why it was selected.
    pub(super) reason: String,
}

/// A backend with everything it needs for a render.
pub(super) enum RenderTarget {
    Docker(Engine, Image),
    /// With the digest of the image, if known.
    Compose(ComposeCommand, Option<String>),
    Local,
}

impl Inner {
    /// Selects the backend of a job. Missing components are reported here, before anything runs.
    pub(super) async fn select_backend(
        &self,
        job: &RenderJob,
        on_progress: &ProgressCallback,
    ) -> Result<SelectedBackend, Failure> {
        let preference = match job.backend {
            Some(Backend::Docker) => Preference::Docker,
            Some(Backend::Compose) => Preference::Compose,
            Some(Backend::Local) => Preference::Local,
            None => self.settings.backend,
        };
        let reason = if job.backend.is_some() {
            "the call requests it"
        } else {
            "the configuration selects it"
        }
        .to_owned();
        match preference {
            Preference::Auto => self.select_safest(job, on_progress).await,
            Preference::Docker => {
                let engine = self.engine().await?;
                Ok(SelectedBackend {
                    target: self.docker_target(engine, on_progress).await?,
                    reason,
                })
            }
            Preference::Compose => {
                let command = self.compose().await?;
                Ok(SelectedBackend {
                    target: self.compose_target(command, on_progress).await?,
                    reason,
                })
            }
            Preference::Local => {
                self.check_local(job)?;
                Ok(SelectedBackend { target: RenderTarget::Local, reason })
            }
        }
    }

    /// Prefers containers; uses the R of this machine only if the operator allows it.
    async fn select_safest(
        &self,
        job: &RenderJob,
        on_progress: &ProgressCallback,
    ) -> Result<SelectedBackend, Failure> {
        let unavailable = match self.engine().await {
            Ok(engine) => {
                let reason = format!("auto: Docker answers at {}", engine.socket);
                return Ok(SelectedBackend {
                    target: self.docker_target(engine, on_progress).await?,
                    reason,
                });
            }
            Err(failure) => failure.message,
        };
        if let Some(command) = self.reachable_compose().await {
            let reason =
                format!("auto: the Docker API does not answer, but {} does", command.version);
            return Ok(SelectedBackend {
                target: self.compose_target(command, on_progress).await?,
                reason,
            });
        }
        if !self.settings.allow_local {
            let message = format!(
                "no render backend is available: {unavailable}; or allow R on this machine with `allow_local = true` in the \
                 `[documents]` section of toolcrib.toml"
            );
            return Err(Failure::new(ErrorType::NoBackend, message));
        }
        self.check_local(job)?;
        let reason =
            "auto: neither Docker nor Compose answers, and local rendering is allowed".to_owned();
        Ok(SelectedBackend { target: RenderTarget::Local, reason })
    }

    async fn docker_target(
        &self,
        engine: Engine,
        on_progress: &ProgressCallback,
    ) -> Result<RenderTarget, Failure> {
        let image = self.image(&engine, on_progress).await?;
        Ok(RenderTarget::Docker(engine, image))
    }

    /// If the Docker API answers as well, it provides the image and its digest; otherwise Compose
    /// builds the image itself and the digest is unknown.
    async fn compose_target(
        &self,
        command: ComposeCommand,
        on_progress: &ProgressCallback,
    ) -> Result<RenderTarget, Failure> {
        let Ok(engine) = self.engine().await else {
            return Ok(RenderTarget::Compose(command, None));
        };
        let image = self.image(&engine, on_progress).await?;
        Ok(RenderTarget::Compose(command.with_socket(engine.socket), Some(image.digest)))
    }

    /// The cache key: a digest of everything that goes into a document.
    pub(super) async fn key(&self, job: &Arc<RenderJob>, target: &RenderTarget) -> String {
        // Hashing the files of a job can take long, so it runs on a blocking thread.
        let (job, toolchain_id) = (Arc::clone(job), self.toolchain_id(target));
        let digest =
            spawn_blocking(move || {
                let files = || job.files.iter().filter(|file| file.may_be_read);
                let mut parts = vec![
                    exchange::SCRIPT.to_owned(),
                    toolchain_id,
                    json!([job.document, job.format, job.params, files().count()]).to_string(),
                ];
                parts.extend(files().map(|file| {
                    format!("{}\n{}\n", digest::of_bytes(&file.bytes), json!(file.path))
                }));
                digest::of_parts(parts.iter().map(String::as_str))
            });
        // If hashing panicked, the empty key matches no entry.
        digest.await.unwrap_or_default()
    }

    /// Identifies the programs or the image that would render the document.
    fn toolchain_id(&self, target: &RenderTarget) -> String {
        match target {
            RenderTarget::Docker(_, image) => json!([Backend::Docker, image.digest]).to_string(),
            RenderTarget::Compose(_, digest) => {
                json!([Backend::Compose, docker::reference(&self.settings), digest]).to_string()
            }
            RenderTarget::Local => {
                let programs = [RSCRIPT, "pandoc", "quarto"].iter().chain(&TEX);
                let found = programs.filter_map(|name| find_program(&self.host.environment, name));
                json!([Backend::Local, found.map(|path| Stamp::of(&path)).collect::<Vec<_>>()])
                    .to_string()
            }
        }
    }
}
