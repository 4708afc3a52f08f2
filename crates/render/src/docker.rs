//! The Docker backend: a container for each render, by the API of Docker or Podman.
//!
//! The container has no network, a root that cannot be written, no capabilities, and a user that is
//! nobody; memory, processors, processes and time are limited. Files go in and out as archives through
//! a volume without a name, so that nothing of this machine is mounted. It is removed whatever happens:
//! when the render ends, when it is dropped, and by the next server if this one is killed.

mod container;
mod image;
mod sweep;

use std::{sync::Arc, time::Duration};

use bollard::{API_DEFAULT_VERSION, Docker};
use catalog::{ErrorType, Failure};
use process::random_id;
use tokio::time::timeout;

use super::{
    Backend, Inner, RenderJob, Rendered, Tell,
    child::Ended,
    exchange::{self, Returned},
    log::Log,
    verdict::{self, Raw},
};
use container::Container;
pub(super) use container::MOST;
pub(super) use image::{Image, ingredients, reference};
pub(super) use sweep::labels;

/// How long the daemon may take to answer at all.
const ANSWER: Duration = Duration::from_secs(3);
/// How long one request may take.
const REQUEST: Duration = Duration::from_secs(120);
/// How much longer than the render the container may take.
const MARGIN: Duration = Duration::from_secs(15);

/// A daemon that answers.
#[derive(Clone)]
pub(super) struct Engine {
    docker: Docker,
    /// Where it listens.
    pub(super) socket: String,
    /// Its version.
    pub(super) version: String,
}

impl Inner {
    /// The first daemon that answers.
    pub(super) async fn engine(&self) -> Result<Engine, Failure> {
        let mut tried = Vec::new();
        for socket in &self.settings.sockets {
            match timeout(ANSWER, connect(socket)).await {
                Ok(Ok(engine)) => {
                    self.swept.get_or_init(|| sweep::sweep(&engine)).await;
                    return Ok(engine);
                }
                Ok(Err(why)) => tried.push(format!("{socket} ({why})")),
                Err(_) => tried.push(format!("{socket} (no answer)")),
            }
        }
        let message = format!(
            "Docker does not answer: tried {}; start it, or set DOCKER_HOST",
            tried.join(", ")
        );
        Err(Failure::new(ErrorType::DockerUnavailable, message))
    }

    pub(super) async fn render_by_docker(
        &self,
        job: &Arc<RenderJob>,
        engine: &Engine,
        image: &Image,
        tell: Tell,
    ) -> Result<Rendered, Failure> {
        let token = random_id()
            .map_err(|error| verdict::machine("a render could not be prepared", &error))?;
        let archive = exchange::pack(job, &token)
            .map_err(|error| verdict::machine("the documents could not be packed", &error))?;
        let mut log = Log::new(token, tell);
        let container =
            Container::create(engine, image, &self.settings, &self.host.cleanup).await?;
        let result = self.conduct(&container, archive, job, &mut log).await;
        container.remove().await;
        let (ended, returned) = result?;
        let raw = Raw {
            backend: Backend::Docker,
            ended,
            returned,
            chunk: log.chunk(),
            log: log.finish(),
            image: Some(image.digest.clone()),
        };
        let mut rendered = verdict::judge(job, raw, &self.settings)?;
        rendered.versions.insert("docker".to_owned(), engine.version.clone());
        Ok(rendered)
    }

    async fn conduct(
        &self,
        container: &Container,
        archive: Vec<u8>,
        job: &RenderJob,
        log: &mut Log,
    ) -> Result<(Ended, Returned), Failure> {
        container.put(archive).await?;
        let ended = match timeout(self.settings.timeout + MARGIN, container.run(log)).await {
            Ok(ended) => ended?,
            Err(_) => Ended::TimedOut,
        };
        let longest = self.settings.output_bytes;
        let returned = match ended {
            Ended::Exited(_) => Returned {
                result: container.get(exchange::RESULT, exchange::RESULT_BYTES).await?,
                document: container.get(&exchange::document(job.format), longest).await?,
            },
            _ => Returned::default(),
        };
        Ok((ended, returned))
    }
}

async fn connect(socket: &str) -> Result<Engine, String> {
    let Some(path) = socket.strip_prefix("unix://") else {
        return Err(
            "only sockets of this machine are supported, as in unix:///var/run/docker.sock"
                .to_owned(),
        );
    };
    let said = |error: bollard::errors::Error| match error {
        bollard::errors::Error::SocketNotFoundError(_) => "nothing is there".to_owned(),
        error => error.to_string(),
    };
    let docker =
        Docker::connect_with_unix(path, REQUEST.as_secs(), API_DEFAULT_VERSION).map_err(said)?;
    let docker = docker.negotiate_version().await.map_err(said)?;
    let version = docker.version().await.map_err(said)?.version.unwrap_or_default();
    Ok(Engine { docker, socket: socket.to_owned(), version })
}

/// A failure of the daemon.
fn failed(what: &str, error: &bollard::errors::Error) -> Failure {
    let message =
        format!("{what}: {error}; see whether Docker runs (`toolcrib doctor`), then call again");
    Failure::new(ErrorType::DockerFailed, message)
}
