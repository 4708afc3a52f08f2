//! The Compose backend: a service that runs once, through the command of Docker Compose or Podman.
//!
//! The service has the same limits as a container of the Docker backend. Files travel as tar
//! archives over stdin and stdout and live in an anonymous volume that is removed with the
//! container: nothing of the host is mounted. A dropped render is cleaned up in the background.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use catalog::{ErrorType, Failure};
use process::{PrivateFolder, find_program, random_id};
use serde_json::{Value, json};
use tokio::runtime::Handle;

use super::{
    Backend, Inner, ProgressCallback, RenderJob, RenderSettings, Rendered,
    child::{self, ExitReason, Output, RunRequest},
    docker,
    exchange::{self, FOLDER, ReturnedFiles, USER},
    log::Log,
    verdict::{self, RenderOutput},
};
use crate::{
    RenderHost,
    program::{Input, Network, RenderProgram, build_command},
};

/// The commands to try, in order: the program and its arguments.
const COMMANDS: [(&str, &[&str]); 3] =
    [("docker", &["compose"]), ("docker-compose", &[]), ("podman", &["compose"])];
/// The Compose file.
const FILE: &str = "compose.json";
const SERVICE: &str = "render";
/// The label of its folder and processes.
const NAME: &str = "compose";
/// Extra time for the command beyond that of the render.
const MARGIN: Duration = Duration::from_secs(30);
/// Time limit for building an image.
const BUILD_TIMEOUT: Duration = Duration::from_secs(3600);
/// Time limit for cleaning up.
const CLEANUP_TIMEOUT: Duration = Duration::from_secs(30);
/// Room for archive headers and the report, beside the document.
const ARCHIVE_OVERHEAD: usize = 8 * 1024 * 1024;
/// Memory limit of the command.
const MEMORY_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// Unpacks, renders, packs. Its arguments are the token, the time limit in seconds and the folder,
/// which is a volume; in an image without that folder only root may write to the volume, so `/tmp`
/// (memory) is used instead. Stdout carries only the archive. The begin and end lines separate the
/// output of R from that of Compose itself. Compose replaces `$$` by `$`.
const SCRIPT: &str = "\
    job=$$3; test -w $$job || { job=/tmp/job; mkdir $$job; }; \
    tar -x -f - -C $$job || exit 1; \
    exec 3>&1 1>&2; echo \"$$1 begin\"; \
    timeout -k 5 $$2 Rscript --vanilla $$job/render.R $$job </dev/null; code=$$?; \
    echo; echo \"$$1 end\"; \
    tar -c -f - -C $$job out >&3; exit $$code";

/// Time after which a daemon that did not answer is asked again.
const RETRY_AFTER: Duration = Duration::from_secs(30);

/// A Compose command.
#[derive(Clone, Debug)]
pub(super) struct ComposeCommand {
    name: &'static str,
    program: PathBuf,
    words: &'static [&'static str],
    /// Its name and version.
    pub(super) version: String,
    /// The socket of its daemon, if known.
    socket: Option<String>,
}

impl ComposeCommand {
    /// The command for the daemon at `socket`.
    pub(super) fn with_socket(self, socket: String) -> Self {
        Self { socket: Some(socket), ..self }
    }
}

impl Inner {
    /// The first command that is installed.
    pub(super) async fn compose(&self) -> Result<ComposeCommand, Failure> {
        if let Some(known) = self.compose_command.get() {
            return Ok(known.clone());
        }
        for (name, words) in COMMANDS {
            let query: Vec<_> = words.iter().copied().chain(["version", "--short"]).collect();
            if let (Some(program), Some(printed)) =
                (find_program(&self.host.environment, name), self.query_program(name, &query).await)
            {
                let version = format!("{} {}", [&[name], words].concat().join(" "), printed.trim());
                let found = ComposeCommand { name, program, words, version, socket: None };
                return Ok(self.compose_command.get_or_init(|| async { found }).await.clone());
            }
        }
        let message = "Docker Compose was not found: tried `docker compose`, `docker-compose` and `podman compose`; install one \
                       (Debian, Ubuntu: apt install docker-compose), or leave out `use_docker_compose`";
        Err(Failure::new(ErrorType::ComposeMissing, message))
    }

    /// A command whose daemon answers. Asking is slow, so a daemon that did not answer is skipped
    /// for a while.
    pub(super) async fn reachable_compose(&self) -> Option<ComposeCommand> {
        // Held while the daemon is asked, so that concurrent renders ask once.
        let mut failed_at = self.compose_failed_at.lock().await;
        if failed_at.is_some_and(|time| time.elapsed() < RETRY_AFTER) {
            return None;
        }
        let command = self.compose().await.ok();
        let answers = match &command {
            // `docker-compose version` does not contact the daemon, so its answer proves nothing.
            Some(ComposeCommand { name: "docker-compose", .. }) | None => false,
            Some(command) => self.reaches_daemon(command).await,
        };
        *failed_at = (!answers).then(Instant::now);
        command.filter(|_| answers)
    }

    /// Whether the command reaches its daemon.
    async fn reaches_daemon(&self, command: &ComposeCommand) -> bool {
        let wanted = RenderProgram {
            name: command.name,
            program: command.program.clone(),
            words: vec!["version".to_owned()],
            network: Network::Allowed,
            variables: self.daemon_variables(command),
            read: docker_files(&self.host, &self.daemon_variables(command)),
            ..RenderProgram::new(&self.host, MEMORY_BYTES)
        };
        self.capture_output(wanted).await.is_some()
    }

    /// Variables that point the command to its daemon: the one that answered, else the configured
    /// one.
    fn daemon_variables(&self, command: &ComposeCommand) -> Vec<(String, String)> {
        // With several sockets configured, the choice is left to the context of the command.
        let configured = match self.settings.sockets.as_slice() {
            [only] => Some(only),
            _ => None,
        };
        let socket = command.socket.as_ref().or(configured);
        let host = socket.map(|socket| ("DOCKER_HOST".to_owned(), socket.clone()));
        let config = docker_config_folder(&self.host)
            .map(|folder| ("DOCKER_CONFIG".to_owned(), folder.display().to_string()));
        host.into_iter().chain(config).collect()
    }

    pub(super) async fn render_by_compose(
        &self,
        job: &Arc<RenderJob>,
        command: &ComposeCommand,
        digest: Option<&str>,
        on_progress: ProgressCallback,
    ) -> Result<Rendered, Failure> {
        let token = random_id()
            .map_err(|error| exchange::io_failure("a render could not be prepared", &error))?;
        let archive = exchange::pack(job, &token)
            .map_err(|error| exchange::io_failure("the documents could not be packed", &error))?;
        let mut log = Log::new(token.clone(), on_progress);
        let project = Project::write_files(self, command, &token)?;
        if self.settings.image.is_none() && digest.is_none() {
            self.build(&project, &mut log).await?;
        }
        let max_bytes = usize::try_from(self.settings.output_bytes)
            .unwrap_or(usize::MAX)
            .saturating_add(ARCHIVE_OVERHEAD);
        let request = RunRequest {
            input: Some(archive),
            output: Output::Data(max_bytes),
            timeout: self.settings.timeout + MARGIN,
            limits: None,
        };
        let run = Arc::new(project.command(&["run", "--rm", "-T", SERVICE], Input::Piped)?);
        let (exit, data) = child::run(&self.host.launcher, run, request, &mut log).await?;
        if data.len() > max_bytes {
            return Err(exchange::output_too_large(data.len() as u64, self.settings.output_bytes));
        }
        let (chunk, log) = (log.chunk(), log.finish());
        let returned = match exchange::unpack(&data, job.format, self.settings.output_bytes) {
            Ok(returned) if !data.is_empty() && !matches!(exit, ExitReason::TimedOut) => {
                project.finish();
                returned
            }
            Err(failure) if failure.error_type == ErrorType::OutputTooLarge => return Err(failure),
            // The container was killed before it could pack anything.
            _ if verdict::was_killed(&exit) => ReturnedFiles::default(),
            // If there is no archive, the command failed rather than the document.
            _ => return Err(describe_failure(&exit, &log)),
        };
        let image = Some(digest.map_or_else(|| docker::reference(&self.settings), str::to_owned));
        let mut rendered = verdict::build_result(
            job,
            RenderOutput { backend: Backend::Compose, exit, returned, chunk, log, image },
            &self.settings,
        )?;
        rendered.versions.insert("compose".to_owned(), command.version.clone());
        Ok(rendered)
    }

    /// Builds the image; existing layers are reused.
    async fn build(&self, project: &Project, log: &mut Log) -> Result<(), Failure> {
        let _building = self.building.lock().await;
        log.report("building the image if it does not exist");
        let request =
            RunRequest { input: None, output: Output::Log, timeout: BUILD_TIMEOUT, limits: None };
        let command = Arc::new(project.command(&["build", SERVICE], Input::Closed)?);
        match child::run(&self.host.launcher, command, request, log).await? {
            (ExitReason::Exited(0), _) => Ok(()),
            _ => {
                let log = log.tail();
                let last = log
                    .lines()
                    .rfind(|line| !line.trim().is_empty())
                    .unwrap_or("Compose printed nothing")
                    .trim();
                let why = self
                    .engine()
                    .await
                    .err()
                    .map(|failure| format!("; {}", failure.message))
                    .unwrap_or_default();
                let message = format!("the image could not be built: {last}{why}");
                Err(Failure::new(ErrorType::ImageBuildFailed, message).details(json!({"log": log})))
            }
        }
    }
}

/// One use of Compose: its folder and project name. Dropping it before it finished removes its
/// containers.
struct Project {
    folder: Option<PrivateFolder>,
    name: String,
    command: ComposeCommand,
    variables: Vec<(String, String)>,
    host: RenderHost,
}

impl Project {
    fn write_files(inner: &Inner, command: &ComposeCommand, token: &str) -> Result<Self, Failure> {
        let create = || {
            let folder = PrivateFolder::create(&inner.host.temp_folder, NAME)?;
            fs::write(folder.path().join(FILE), build_service(&inner.settings, token).to_string())?;
            for (name, text) in docker::build_files() {
                fs::write(folder.path().join(name), text)?;
            }
            Ok(folder)
        };
        Ok(Self {
            folder: Some(
                create().map_err(|error| {
                    exchange::io_failure("a render could not be prepared", &error)
                })?,
            ),
            name: format!("toolcrib-{token}"),
            command: command.clone(),
            variables: inner.daemon_variables(command),
            host: inner.host.clone(),
        })
    }

    fn command(&self, words: &[&str], input: Input) -> Result<process::Command, Failure> {
        let folder = self.folder.as_ref().map_or(Path::new("/"), PrivateFolder::path);
        let file = folder.join(FILE).display().to_string();
        let before = self.command.words.iter().copied().chain(["-f", &file, "-p", &self.name]);
        build_command(
            &self.host,
            RenderProgram {
                name: NAME,
                program: self.command.program.clone(),
                words: before.chain(words.iter().copied()).map(str::to_owned).collect(),
                folder: folder.to_owned(),
                variables: self.variables.clone(),
                input,
                network: Network::Allowed,
                read: [docker_files(&self.host, &self.variables), vec![folder.to_owned()]].concat(),
                ..RenderProgram::new(&self.host, MEMORY_BYTES)
            },
        )
    }

    /// The command has finished and removed its container, so there is nothing left to clean up.
    fn finish(mut self) {
        self.folder.take();
    }
}

/// The files that Docker's own commands need: their configuration, and the socket of the daemon if
/// it is in a folder that the sandbox replaces by a private one.
fn docker_files(host: &RenderHost, variables: &[(String, String)]) -> Vec<PathBuf> {
    let daemon = variables.iter().find(|(name, _)| name == "DOCKER_HOST");
    let socket = daemon.and_then(|(_, address)| address.strip_prefix("unix://"));
    docker_config_folder(host).into_iter().chain(socket.map(PathBuf::from)).collect()
}

impl Drop for Project {
    fn drop(&mut self) {
        let command = self.command(&["down", "--volumes", "--timeout", "0"], Input::Closed);
        let (Some(folder), Ok(command), Ok(runtime)) =
            (self.folder.take(), command, Handle::try_current())
        else {
            return;
        };
        let launcher = Arc::clone(&self.host.launcher);
        let cleanup = async move {
            let request = RunRequest {
                input: None,
                output: Output::Log,
                timeout: CLEANUP_TIMEOUT,
                limits: None,
            };
            let exit = child::run(&launcher, Arc::new(command), request, &mut Log::silent()).await;
            tracing::debug!(?exit, "removed the containers of a cancelled render");
            drop(folder);
        };
        self.host.cleanup.spawn_on(cleanup, &runtime);
    }
}

/// The user's Docker configuration: contexts and plugins.
fn docker_config_folder(host: &RenderHost) -> Option<PathBuf> {
    let home =
        host.environment.iter().find(|(name, _)| name == "HOME").map(|(_, home)| Path::new(home));
    home.map(|home| home.join(".docker")).filter(|folder| folder.is_dir())
}

fn build_service(settings: &RenderSettings, token: &str) -> Value {
    let seconds = settings.timeout.as_secs().max(1);
    // The container stops by itself, even if the server is gone.
    let (total_seconds, seconds) = ((seconds + MARGIN.as_secs()).to_string(), seconds.to_string());
    let mut service = json!({
        "image": docker::reference(settings),
        "entrypoint": ["timeout", "-k", "5", total_seconds, "sh", "-c", SCRIPT, "sh", token, seconds, FOLDER],
        "volumes": [FOLDER],
        "user": format!("{USER}:{USER}"),
        "environment": exchange::VARIABLES,
        "working_dir": "/tmp",
        "network_mode": "none",
        "read_only": true,
        "tmpfs": [format!("/tmp:mode=1777,size={}", settings.disk_bytes)],
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges:true"],
        "mem_limit": settings.memory_bytes,
        // Equal to the limit of memory, which means no swap.
        "memswap_limit": settings.memory_bytes,
        "cpus": settings.cpus,
        "pids_limit": settings.processes,
        "ulimits": {"fsize": settings.disk_bytes, "nofile": docker::MAX_FILES_AND_PROCESSES, "nproc": docker::MAX_FILES_AND_PROCESSES},
        "stdin_open": true,
        "labels": docker::labels(settings.timeout),
        // The daemon would store the archive, which is the output of the container.
        "logging": {"driver": "none"},
    });
    if settings.image.is_none() {
        let arguments = docker::build_arguments(settings);
        service["build"] = json!({"context": ".", "args": arguments});
    }
    json!({"services": {SERVICE: service}})
}

fn describe_failure(exit: &ExitReason, log: &[String]) -> Failure {
    let last = log
        .iter()
        .rev()
        .find(|line| !line.trim().is_empty())
        .map_or("it printed nothing", |line| line.trim());
    let how = match exit {
        ExitReason::Exited(code) => format!("with exit code {code}"),
        _ => "because it was killed".to_owned(),
    };
    let message =
        format!("Docker Compose failed {how}: {last}; check that Docker runs (`toolcrib doctor`)");
    Failure::new(ErrorType::DockerFailed, message).details(json!({"log": log.join("\n")}))
}
