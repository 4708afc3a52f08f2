//! One container, from its creation to its removal.

use std::{collections::HashMap, io::Read, time::Duration};

use bollard::{
    Docker, body_full,
    errors::Error,
    models::{ContainerCreateBody, HostConfig, HostConfigLogConfig, ResourcesUlimits},
    query_parameters::{
        AttachContainerOptionsBuilder, DownloadFromContainerOptionsBuilder,
        RemoveContainerOptionsBuilder, UploadToContainerOptionsBuilder,
    },
};
use catalog::{ErrorType, Failure};
use futures_util::{StreamExt, TryStreamExt, future::join};
use tokio::{
    runtime::Handle,
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    super::{
        RenderSettings,
        child::ExitReason,
        exchange::{self, FOLDER, USER},
        log::Log,
        watchdog::LimitExceeded,
    },
    Engine, Image, docker_failure, sweep,
};

/// Timeout for the log after the container has exited.
const OUTPUT_GRACE: Duration = Duration::from_secs(1);
/// Time limit for removing a container.
const REMOVE_TIMEOUT: Duration = Duration::from_secs(20);
/// Allowance for the archive headers around one file.
const ARCHIVE_OVERHEAD: u64 = 64 * 1024;
/// Limit of open files and processes. Set explicitly, because the default may exceed the limits of
/// the daemon itself.
pub(in super::super) const MAX_FILES_AND_PROCESSES: i64 = 4096;
const NOT_FOUND: u16 = 404;

/// A container. Dropping it removes it in the background.
pub(super) struct Container {
    docker: Docker,
    id: Option<String>,
    memory_bytes: u64,
    cleanup: TaskTracker,
}

impl Container {
    pub(super) async fn create(
        engine: &Engine,
        image: &Image,
        settings: &RenderSettings,
        cleanup: &TaskTracker,
    ) -> Result<Self, Failure> {
        let body = build_request(image, settings);
        // If this future is dropped here, the next sweep finds the container by its label.
        let created = engine.docker.create_container(None, body).await;
        let created =
            created.map_err(|error| docker_failure("could not create a container", &error))?;
        // Podman answers a wait request only when the container exits, hence the longer timeout.
        let docker = engine.docker.clone().with_timeout(settings.timeout + super::REQUEST_TIMEOUT);
        Ok(Self {
            docker,
            id: Some(created.id),
            memory_bytes: settings.memory_bytes,
            cleanup: cleanup.clone(),
        })
    }

    /// Unpacks an archive into its folder.
    pub(super) async fn upload(&self, archive: Vec<u8>) -> Result<(), Failure> {
        let options = UploadToContainerOptionsBuilder::default().path(FOLDER).build();
        let result = self
            .docker
            .upload_to_container(self.id(), Some(options), body_full(archive.into()))
            .await;
        result.map_err(|error| {
            docker_failure("could not copy the documents into the container", &error)
        })
    }

    /// Starts it and waits until it exits.
    pub(super) async fn run(&self, log: &mut Log) -> Result<ExitReason, Failure> {
        let options =
            AttachContainerOptionsBuilder::default().stream(true).stdout(true).stderr(true).build();
        // Attached before the start, so that no output is missed.
        let attached = self.docker.attach_container(self.id(), Some(options)).await;
        let mut output = attached
            .map_err(|error| docker_failure("could not attach to the container", &error))?
            .output;
        let started = self.docker.start_container(self.id(), None).await;
        started.map_err(|error| docker_failure("could not start the container", &error))?;
        let exit = CancellationToken::new();
        let read_output = async {
            let append = async {
                while let Some(Ok(piece)) = output.next().await {
                    log.append(&piece.into_bytes());
                }
            };
            let give_up = async {
                exit.cancelled().await;
                sleep(OUTPUT_GRACE).await;
            };
            tokio::select! {
                () = append => {}
                () = give_up => {}
            }
        };
        let wait = async {
            let result = self.wait().await;
            exit.cancel();
            result
        };
        join(wait, read_output).await.0
    }

    async fn wait(&self) -> Result<ExitReason, Failure> {
        let code = match self.docker.wait_container(self.id(), None).next().await {
            Some(Ok(response)) => response.status_code,
            // The library reports an exit code other than 0 as an error.
            Some(Err(Error::DockerContainerWaitError { code, .. })) => code,
            Some(Err(error)) => {
                return Err(docker_failure("Docker stopped during a render", &error));
            }
            None => {
                return Err(Failure::new(
                    ErrorType::DockerFailed,
                    "Docker stopped during a render; start it and call again",
                ));
            }
        };
        let state = self.docker.inspect_container(self.id(), None).await;
        let state =
            state.map_err(|error| docker_failure("Docker stopped during a render", &error))?.state;
        Ok(match state.and_then(|state| state.oom_killed) {
            Some(true) => ExitReason::LimitExceeded(LimitExceeded::Memory(self.memory_bytes)),
            _ => ExitReason::Exited(i32::try_from(code).unwrap_or(1)),
        })
    }

    /// Downloads a regular file from the output folder, if it exists.
    pub(super) async fn download(
        &self,
        name: &str,
        max_bytes: u64,
    ) -> Result<Option<Vec<u8>>, Failure> {
        let path = format!("{FOLDER}/{}/{name}", exchange::OUT);
        let options = DownloadFromContainerOptionsBuilder::default().path(&path).build();
        let mut pieces =
            std::pin::pin!(self.docker.download_from_container(self.id(), Some(options)));
        let mut archive = Vec::new();
        loop {
            match pieces.try_next().await {
                Ok(Some(piece)) => archive.extend_from_slice(&piece),
                Ok(None) => break,
                Err(Error::DockerResponseServerError { status_code: NOT_FOUND, .. }) => {
                    return Ok(None);
                }
                Err(error) => {
                    return Err(docker_failure("could not fetch the rendered document", &error));
                }
            }
            if archive.len() as u64 > max_bytes + ARCHIVE_OVERHEAD {
                return Err(exchange::output_too_large(archive.len() as u64, max_bytes));
            }
        }
        Ok(read_single_file(&archive))
    }

    /// Kills it if it runs, and removes it with its volume.
    pub(super) async fn remove(mut self) {
        if let Some(id) = self.id.take() {
            remove(&self.docker, &id).await;
        }
    }

    fn id(&self) -> &str {
        self.id.as_deref().unwrap_or_default()
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        if let (Some(id), Ok(runtime)) = (self.id.take(), Handle::try_current()) {
            let docker = self.docker.clone();
            self.cleanup.spawn_on(async move { remove(&docker, &id).await }, &runtime);
        }
    }
}

/// Kills a container if it runs, and removes it with its volume. The next sweep retries a failure.
pub(super) async fn remove(docker: &Docker, id: &str) {
    let options = RemoveContainerOptionsBuilder::default().force(true).v(true).build();
    match timeout(REMOVE_TIMEOUT, docker.remove_container(id, Some(options))).await {
        Ok(Ok(())) | Ok(Err(Error::DockerResponseServerError { status_code: NOT_FOUND, .. })) => {}
        Ok(Err(error)) => {
            tracing::warn!(container = id, %error, "could not remove a container yet")
        }
        Err(_) => tracing::warn!(container = id, "removing a container timed out"),
    }
}

/// The only entry of an archive, if it is a regular file.
fn read_single_file(archive: &[u8]) -> Option<Vec<u8>> {
    let mut archive = tar::Archive::new(archive);
    let mut entry = archive.entries().ok()?.next()?.ok()?;
    if !entry.header().entry_type().is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    entry.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn build_request(image: &Image, settings: &RenderSettings) -> ContainerCreateBody {
    let text =
        |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
    let seconds = settings.timeout.as_secs().max(1).to_string();
    // The container stops by itself at its time limit, even if the server is gone.
    let script = format!("{FOLDER}/{}", exchange::SCRIPT_FILE);
    let entrypoint = ["timeout", "-k", "5", &seconds, "Rscript", "--vanilla", &script, FOLDER];
    ContainerCreateBody {
        image: Some(image.reference.clone()),
        entrypoint: text(&entrypoint),
        cmd: Some(Vec::new()),
        user: Some(format!("{USER}:{USER}")),
        env: text(&exchange::VARIABLES),
        working_dir: Some(FOLDER.to_owned()),
        volumes: text(&[FOLDER]),
        network_disabled: Some(true),
        labels: Some(sweep::labels(settings.timeout)),
        attach_stdout: Some(true),
        attach_stderr: Some(true),
        host_config: Some(host_config(settings)),
        ..ContainerCreateBody::default()
    }
}

fn ulimit((name, limit): (&str, i64)) -> ResourcesUlimits {
    ResourcesUlimits { name: Some(name.to_owned()), soft: Some(limit), hard: Some(limit) }
}

fn host_config(settings: &RenderSettings) -> HostConfig {
    let memory = i64::try_from(settings.memory_bytes).unwrap_or(i64::MAX);
    let disk = i64::try_from(settings.disk_bytes).unwrap_or(i64::MAX);
    HostConfig {
        network_mode: Some("none".to_owned()),
        readonly_rootfs: Some(true),
        tmpfs: Some(HashMap::from([(
            "/tmp".to_owned(),
            format!("mode=1777,size={}", settings.disk_bytes),
        )])),
        cap_drop: Some(vec!["ALL".to_owned()]),
        security_opt: Some(vec!["no-new-privileges".to_owned()]),
        memory: Some(memory),
        // The limit of memory plus swap. Being equal to the memory limit, it disables swap.
        memory_swap: Some(memory),
        nano_cpus: Some((settings.cpus * 1e9) as i64),
        pids_limit: Some(i64::try_from(settings.processes).unwrap_or(i64::MAX)),
        ulimits: Some(
            [
                ("fsize", disk),
                ("nofile", MAX_FILES_AND_PROCESSES),
                ("nproc", MAX_FILES_AND_PROCESSES),
            ]
            .map(ulimit)
            .into(),
        ),
        // Output is streamed; Docker need not store it.
        log_config: Some(HostConfigLogConfig { typ: Some("none".to_owned()), config: None }),
        ..HostConfig::default()
    }
}
