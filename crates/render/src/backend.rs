//! Which backend renders a document, and why.

use std::sync::Arc;

use catalog::{ErrorType, Failure};
use process::find_program;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::task::spawn_blocking;

use super::{
    Inner, Preference, RenderJob, Tell,
    cache::Stamp,
    compose::Command,
    docker::{self, Engine, Image},
    exchange,
    local::{RSCRIPT, TEX},
};
use crate::digest;

/// What renders a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// A container, by the API of Docker or Podman.
    Docker,
    /// A container, by the command of Docker Compose.
    Compose,
    /// R on this machine.
    Local,
}

impl Backend {
    /// The word for it in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Docker => "docker",
            Self::Compose => "compose",
            Self::Local => "local",
        }
    }
}

/// Where one job is rendered.
pub(super) struct Chosen {
    pub(super) place: Place,
    /// Why there.
    pub(super) reason: String,
}

/// Where a job is rendered, with everything that is needed there.
pub(super) enum Place {
    Docker(Engine, Image),
    /// With the digest of the image, if that is known.
    Compose(Command, Option<String>),
    Local,
}

impl Inner {
    /// Where to render a job. What is missing is said here, before anything runs.
    pub(super) async fn choose(&self, job: &RenderJob, tell: &Tell) -> Result<Chosen, Failure> {
        let preference = match job.backend {
            Some(Backend::Docker) => Preference::Docker,
            Some(Backend::Compose) => Preference::Compose,
            Some(Backend::Local) => Preference::Local,
            None => self.settings.backend,
        };
        let reason = if job.backend.is_some() {
            "the call asks for it"
        } else {
            "the configuration says so"
        }
        .to_owned();
        match preference {
            Preference::Auto => self.choose_safest(job, tell).await,
            Preference::Docker => {
                let engine = self.engine().await?;
                Ok(Chosen { place: self.in_docker(engine, tell).await?, reason })
            }
            Preference::Compose => {
                let command = self.compose().await?;
                Ok(Chosen { place: self.by_compose(command, tell).await?, reason })
            }
            Preference::Local => {
                self.check_local(job)?;
                Ok(Chosen { place: Place::Local, reason })
            }
        }
    }

    /// Containers where there are any, else this machine's own R if that is allowed.
    async fn choose_safest(&self, job: &RenderJob, tell: &Tell) -> Result<Chosen, Failure> {
        let unavailable = match self.engine().await {
            Ok(engine) => {
                let reason = format!("auto: Docker answers at {}", engine.socket);
                return Ok(Chosen { place: self.in_docker(engine, tell).await?, reason });
            }
            Err(failure) => failure.message,
        };
        if let Some(command) = self.answering_compose().await {
            let reason =
                format!("auto: the Docker API does not answer, but {} does", command.version);
            return Ok(Chosen { place: self.by_compose(command, tell).await?, reason });
        }
        if !self.settings.allow_local {
            let message = format!(
                "there is nothing to render with: {unavailable}; or allow this machine's own R with `allow_local = true` in the \
                 `[documents]` section of toolcrib.toml"
            );
            return Err(Failure::new(ErrorType::NoBackend, message));
        }
        self.check_local(job)?;
        let reason =
            "auto: neither Docker nor Compose answers, and local rendering is allowed".to_owned();
        Ok(Chosen { place: Place::Local, reason })
    }

    async fn in_docker(&self, engine: Engine, tell: &Tell) -> Result<Place, Failure> {
        let image = self.image(&engine, tell).await?;
        Ok(Place::Docker(engine, image))
    }

    /// Where the API answers, too, it sees to the image and tells which it is.
    async fn by_compose(&self, command: Command, tell: &Tell) -> Result<Place, Failure> {
        let Ok(engine) = self.engine().await else {
            return Ok(Place::Compose(command, None));
        };
        let image = self.image(&engine, tell).await?;
        Ok(Place::Compose(command.at(engine.socket), Some(image.digest)))
    }

    /// Everything that may go into a document, as one digest.
    pub(super) async fn key(&self, job: &Arc<RenderJob>, place: &Place) -> String {
        let (job, maker) = (Arc::clone(job), self.maker(place));
        let hashed =
            spawn_blocking(move || {
                let files = || job.files.iter().filter(|file| file.may_be_read);
                let mut digests = vec![
                    exchange::SCRIPT.to_owned(),
                    maker,
                    json!([job.document, job.format, job.params, files().count()]).to_string(),
                ];
                digests.extend(files().map(|file| {
                    format!("{}\n{}\n", digest::of_bytes(&file.bytes), json!(file.path))
                }));
                digest::of_parts(digests.iter().map(String::as_str))
            });
        // A key that is nobody's is never found.
        hashed.await.unwrap_or_default()
    }

    /// What makes the document, as far as that is known before.
    fn maker(&self, place: &Place) -> String {
        match place {
            Place::Docker(_, image) => json!([Backend::Docker, image.digest]).to_string(),
            Place::Compose(_, digest) => {
                json!([Backend::Compose, docker::reference(&self.settings), digest]).to_string()
            }
            Place::Local => {
                let programs = [RSCRIPT, "pandoc", "quarto"].iter().chain(&TEX);
                let found = programs.filter_map(|name| find_program(&self.host.environment, name));
                json!([Backend::Local, found.map(|path| Stamp::of(&path)).collect::<Vec<_>>()])
                    .to_string()
            }
        }
    }
}
