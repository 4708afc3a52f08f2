//! One container, from its making to its removal.

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
        child::Ended,
        exchange::{self, FOLDER, USER},
        log::Log,
        watchdog::Excess,
    },
    Engine, Image, failed, sweep,
};

/// How long the log is awaited once the container has ended.
const LINGER: Duration = Duration::from_secs(1);
/// How long the removal of a container may take.
const REMOVAL: Duration = Duration::from_secs(20);
/// What an archive of one file has beside the file.
const WRAPPING: u64 = 64 * 1024;
/// How many files a render may have open, and how many processes all containers' users together. Said, because what is
/// usual may be more than the daemon itself may have.
pub(in super::super) const MOST: i64 = 4096;
const NOT_FOUND: u16 = 404;

/// A container. Dropped before it is removed, it is removed all the same.
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
        let body = body(image, settings);
        // If the caller goes away in the middle of this, the container is found by its label.
        let made = engine.docker.create_container(None, body).await;
        let made = made.map_err(|error| failed("a container could not be made", &error))?;
        // Podman answers a request to wait only at the end.
        let docker = engine.docker.clone().with_timeout(settings.timeout + super::REQUEST);
        Ok(Self {
            docker,
            id: Some(made.id),
            memory_bytes: settings.memory_bytes,
            cleanup: cleanup.clone(),
        })
    }

    /// Unpacks an archive in its folder.
    pub(super) async fn put(&self, archive: Vec<u8>) -> Result<(), Failure> {
        let options = UploadToContainerOptionsBuilder::default().path(FOLDER).build();
        let put = self
            .docker
            .upload_to_container(self.id(), Some(options), body_full(archive.into()))
            .await;
        put.map_err(|error| failed("the documents could not be put into the container", &error))
    }

    /// Starts it and waits for its end.
    pub(super) async fn run(&self, log: &mut Log) -> Result<Ended, Failure> {
        let options =
            AttachContainerOptionsBuilder::default().stream(true).stdout(true).stderr(true).build();
        let attached = self.docker.attach_container(self.id(), Some(options)).await;
        let mut output = attached
            .map_err(|error| failed("the container could not be listened to", &error))?
            .output;
        let started = self.docker.start_container(self.id(), None).await;
        started.map_err(|error| failed("the container could not be started", &error))?;
        let ended = CancellationToken::new();
        let listen = async {
            let hear = async {
                while let Some(Ok(piece)) = output.next().await {
                    log.hear(&piece.into_bytes());
                }
            };
            let give_up = async {
                ended.cancelled().await;
                sleep(LINGER).await;
            };
            tokio::select! {
                () = hear => {}
                () = give_up => {}
            }
        };
        let wait = async {
            let result = self.wait().await;
            ended.cancel();
            result
        };
        join(wait, listen).await.0
    }

    async fn wait(&self) -> Result<Ended, Failure> {
        let code = match self.docker.wait_container(self.id(), None).next().await {
            Some(Ok(response)) => response.status_code,
            Some(Err(Error::DockerContainerWaitError { code, .. })) => code,
            Some(Err(error)) => {
                return Err(failed("Docker stopped in the middle of a render", &error));
            }
            None => {
                return Err(Failure::new(
                    ErrorType::DockerFailed,
                    "Docker stopped in the middle of a render; start it and call again",
                ));
            }
        };
        let state = self.docker.inspect_container(self.id(), None).await;
        let state = state
            .map_err(|error| failed("Docker stopped in the middle of a render", &error))?
            .state;
        Ok(match state.and_then(|state| state.oom_killed) {
            Some(true) => Ended::Excess(Excess::Memory(self.memory_bytes)),
            _ => Ended::Exited(i32::try_from(code).unwrap_or(1)),
        })
    }

    /// A plain file among what the render left, if it is there.
    pub(super) async fn get(&self, name: &str, longest: u64) -> Result<Option<Vec<u8>>, Failure> {
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
                Err(error) => return Err(failed("what was rendered could not be fetched", &error)),
            }
            if archive.len() as u64 > longest + WRAPPING {
                return Err(exchange::too_long(archive.len() as u64, longest));
            }
        }
        Ok(only_file(&archive))
    }

    /// Ends it, if it runs, and removes it with its volume.
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

/// Ends a container, if it runs, and removes it with its volume. What cannot be removed now is swept later.
pub(super) async fn remove(docker: &Docker, id: &str) {
    let options = RemoveContainerOptionsBuilder::default().force(true).v(true).build();
    match timeout(REMOVAL, docker.remove_container(id, Some(options))).await {
        Ok(Ok(())) | Ok(Err(Error::DockerResponseServerError { status_code: NOT_FOUND, .. })) => {}
        Ok(Err(error)) => {
            tracing::warn!(container = id, %error, "a container could not be removed yet")
        }
        Err(_) => tracing::warn!(container = id, "a container could not be removed in time"),
    }
}

/// The only entry of an archive, if it is a plain file.
fn only_file(archive: &[u8]) -> Option<Vec<u8>> {
    let mut archive = tar::Archive::new(archive);
    let mut entry = archive.entries().ok()?.next()?.ok()?;
    if !entry.header().entry_type().is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    entry.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn body(image: &Image, settings: &RenderSettings) -> ContainerCreateBody {
    let text =
        |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
    let seconds = settings.timeout.as_secs().max(1).to_string();
    // The container ends by itself when its time is over, even if nobody is left to end it.
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
        host_config: Some(bounds(settings)),
        ..ContainerCreateBody::default()
    }
}

fn ulimit((name, most): (&str, i64)) -> ResourcesUlimits {
    ResourcesUlimits { name: Some(name.to_owned()), soft: Some(most), hard: Some(most) }
}

fn bounds(settings: &RenderSettings) -> HostConfig {
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
        memory_swap: Some(memory),
        nano_cpus: Some((settings.cpus * 1e9) as i64),
        pids_limit: Some(i64::try_from(settings.processes).unwrap_or(i64::MAX)),
        ulimits: Some([("fsize", disk), ("nofile", MOST), ("nproc", MOST)].map(ulimit).into()),
        // What it prints is heard as it comes; nobody keeps the rest.
        log_config: Some(HostConfigLogConfig { typ: Some("none".to_owned()), config: None }),
        ..HostConfig::default()
    }
}
