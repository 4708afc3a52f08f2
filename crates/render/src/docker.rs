//! The Docker backend: a container per render, through the API of Docker or Podman.
//!
//! The container has no network, a read-only root, no capabilities and an unprivileged user;
//! memory, CPU, processes and time are limited. Files travel as archives through an anonymous
//! volume, so that nothing of the host is mounted. The container is always removed: when the render
//! finishes, when it is dropped, and by the next server if this one is killed.

mod container;
mod image;
mod sweep;

use std::{sync::Arc, time::Duration};

use bollard::{API_DEFAULT_VERSION, Docker};
use catalog::{ErrorType, Failure};
use process::random_id;
use tokio::time::timeout;

use super::{
    Backend, Inner, ProgressCallback, RenderJob, Rendered,
    child::ExitReason,
    exchange::{self, ReturnedFiles},
    log::Log,
    verdict::{self, RenderOutput},
};
use container::Container;
pub(super) use container::MAX_FILES_AND_PROCESSES;
pub(super) use image::{Image, build_arguments, build_files, reference};
pub(super) use sweep::labels;

/// Time limit for connecting to the daemon.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// Time limit of one API request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(120);
/// Extra time for the container beyond that of the render.
const MARGIN: Duration = Duration::from_secs(15);

/// A daemon that answers.
#[derive(Clone)]
pub(super) struct Engine {
    docker: Docker,
    /// The path of the socket of the daemon.
    pub(super) socket: String,
    /// The version that the daemon reported.
    pub(super) version: String,
}

impl Inner {
    /// The first daemon that answers.
    pub(super) async fn engine(&self) -> Result<Engine, Failure> {
        let mut tried = Vec::new();
        for socket in &self.settings.sockets {
            match timeout(CONNECT_TIMEOUT, connect(socket)).await {
                Ok(Ok(engine)) => {
                    self.swept.get_or_init(|| sweep::sweep(&engine)).await;
                    return Ok(engine);
                }
                Ok(Err(why)) => tried.push(format!("{socket} ({why})")),
                Err(_) => tried.push(format!("{socket} (no answer)")),
            }
        }
        let message = format!(
            "Docker does not answer: tried {}; start it, or set `DOCKER_HOST`",
            tried.join(", ")
        );
        Err(Failure::new(ErrorType::DockerUnavailable, message))
    }

    pub(super) async fn render_by_docker(
        &self,
        job: &Arc<RenderJob>,
        engine: &Engine,
        image: &Image,
        on_progress: ProgressCallback,
    ) -> Result<Rendered, Failure> {
        let token = random_id()
            .map_err(|error| exchange::io_failure("a render could not be prepared", &error))?;
        let archive = exchange::pack(job, &token)
            .map_err(|error| exchange::io_failure("the documents could not be packed", &error))?;
        let mut log = Log::new(token, on_progress);
        let container =
            Container::create(engine, image, &self.settings, &self.host.cleanup).await?;
        let result = self.run_container(&container, archive, job, &mut log).await;
        // Awaited even if the render failed, because dropping the container would remove it only in
        // the background.
        container.remove().await;
        let (exit, returned) = result?;
        let output = RenderOutput {
            backend: Backend::Docker,
            exit,
            returned,
            chunk: log.chunk(),
            log: log.finish(),
            image: Some(image.digest.clone()),
        };
        let mut rendered = verdict::build_result(job, output, &self.settings)?;
        rendered.versions.insert("docker".to_owned(), engine.version.clone());
        Ok(rendered)
    }

    async fn run_container(
        &self,
        container: &Container,
        archive: Vec<u8>,
        job: &RenderJob,
        log: &mut Log,
    ) -> Result<(ExitReason, ReturnedFiles), Failure> {
        container.upload(archive).await?;
        // Fires later than the `timeout` in the container, which leaves a complete exit code and
        // log.
        let exit = match timeout(self.settings.timeout + MARGIN, container.run(log)).await {
            Ok(exit) => exit?,
            Err(_) => ExitReason::TimedOut,
        };
        let max_bytes = self.settings.output_bytes;
        let returned = match exit {
            ExitReason::Exited(_) => ReturnedFiles {
                result: container.download(exchange::RESULT, exchange::RESULT_BYTES).await?,
                document: container
                    .download(&exchange::document_name(job.format), max_bytes)
                    .await?,
            },
            _ => ReturnedFiles::default(),
        };
        Ok((exit, returned))
    }
}

async fn connect(socket: &str) -> Result<Engine, String> {
    let Some(path) = socket.strip_prefix("unix://") else {
        return Err(
            "only sockets of this machine are supported, as in unix:///var/run/docker.sock"
                .to_owned(),
        );
    };
    let describe = |error: bollard::errors::Error| match error {
        bollard::errors::Error::SocketNotFoundError(_) => "the socket does not exist".to_owned(),
        error => error.to_string(),
    };
    let docker = Docker::connect_with_unix(path, REQUEST_TIMEOUT.as_secs(), API_DEFAULT_VERSION)
        .map_err(describe)?;
    let docker = docker.negotiate_version().await.map_err(describe)?;
    let version = docker.version().await.map_err(describe)?.version.unwrap_or_default();
    Ok(Engine { docker, socket: socket.to_owned(), version })
}

/// The failure for an error of the daemon.
fn docker_failure(action: &str, error: &bollard::errors::Error) -> Failure {
    let message =
        format!("{action}: {error}; check that Docker runs (`toolcrib doctor`), then call again");
    Failure::new(ErrorType::DockerFailed, message)
}
