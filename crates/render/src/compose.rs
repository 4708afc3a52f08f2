//! The Compose backend: one service, run once, by the command of Docker Compose or Podman.
//!
//! The service has the same bounds as a container of the Docker backend. Files go in and out as archives
//! on standard input and output, and lie in a volume without a name meanwhile, which goes with its
//! container: nothing of this machine is mounted. What is left when a render is dropped is removed as soon
//! as it is noticed.

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
    Backend, Inner, RenderJob, RenderSettings, Rendered, Tell,
    child::{self, Ended, Errand, Output},
    docker,
    exchange::{self, FOLDER, Returned, USER},
    log::Log,
    verdict::{self, Raw},
};
use crate::{
    RenderHost,
    program::{Input, Network, RenderProgram, build_command},
};

/// The commands, of which the first that is there is used: the program, and what makes it Compose.
const COMMANDS: [(&str, &[&str]); 3] =
    [("docker", &["compose"]), ("docker-compose", &[]), ("podman", &["compose"])];
/// The file that describes the service.
const FILE: &str = "compose.json";
const SERVICE: &str = "render";
/// The name under which its folder is known.
const NAME: &str = "compose";
/// How much longer than the render the command may take.
const MARGIN: Duration = Duration::from_secs(30);
/// How long an image may take to be built.
const BUILDING: Duration = Duration::from_secs(3600);
/// How long cleaning up may take.
const TIDYING: Duration = Duration::from_secs(30);
/// What an archive has beside the document.
const WRAPPING: usize = 8 * 1024 * 1024;
/// How much memory the command may take.
const MEMORY_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// Unpacks, renders, packs. It is told the token, the seconds for the render, and the folder, which is a volume; in an image
/// that has no such folder only root may write there, and memory takes its place. Standard output is for the archive alone.
/// What Compose itself says comes before the begin and after the end. Compose reads `$$` as `$`.
const SCRIPT: &str = "\
    job=$$3; test -w $$job || { job=/tmp/job; mkdir $$job; }; \
    tar -x -f - -C $$job || exit 1; \
    exec 3>&1 1>&2; echo \"$$1 begin\"; \
    timeout -k 5 $$2 Rscript --vanilla $$job/render.R $$job </dev/null; code=$$?; \
    echo; echo \"$$1 end\"; \
    tar -c -f - -C $$job out >&3; exit $$code";

/// How long one that did not answer is not asked again.
const AGAIN: Duration = Duration::from_secs(30);

/// A command that is Compose.
#[derive(Clone, Debug)]
pub(super) struct Command {
    name: &'static str,
    program: PathBuf,
    words: &'static [&'static str],
    /// How it is called, and its version.
    pub(super) version: String,
    /// Where its daemon listens, if that is known.
    socket: Option<String>,
}

impl Command {
    /// The same for a daemon that listens there.
    pub(super) fn at(self, socket: String) -> Self {
        Self { socket: Some(socket), ..self }
    }
}

impl Inner {
    /// The first command that is there.
    pub(super) async fn compose(&self) -> Result<Command, Failure> {
        if let Some(known) = self.composer.get() {
            return Ok(known.clone());
        }
        for (name, words) in COMMANDS {
            let asked: Vec<_> = words.iter().copied().chain(["version", "--short"]).collect();
            if let (Some(program), Some(said)) =
                (find_program(&self.host.environment, name), self.ask(name, &asked).await)
            {
                let version = format!("{} {}", [&[name], words].concat().join(" "), said.trim());
                let found = Command { name, program, words, version, socket: None };
                return Ok(self.composer.get_or_init(|| async { found }).await.clone());
            }
        }
        let message = "Docker Compose was not found: tried `docker compose`, `docker-compose` and `podman compose`; install one \
                       (Debian, Ubuntu: apt install docker-compose), or leave out `use_docker_compose`";
        Err(Failure::new(ErrorType::ComposeMissing, message))
    }

    /// A command whose daemon answers. Asking takes a moment, so one that did not is left alone for a while.
    pub(super) async fn answering_compose(&self) -> Option<Command> {
        let mut silent = self.silent.lock().await;
        if silent.is_some_and(|since| since.elapsed() < AGAIN) {
            return None;
        }
        let command = self.compose().await.ok();
        let answers = match &command {
            Some(Command { name: "docker-compose", .. }) | None => false,
            Some(command) => self.reaches_daemon(command).await,
        };
        *silent = (!answers).then(Instant::now);
        command.filter(|_| answers)
    }

    /// Whether the program behind the command reaches its daemon.
    async fn reaches_daemon(&self, command: &Command) -> bool {
        let wanted = RenderProgram {
            name: command.name,
            program: command.program.clone(),
            words: vec!["version".to_owned()],
            network: Network::Allowed,
            variables: self.daemon(command),
            read: own_configuration(&self.host).into_iter().collect(),
            ..RenderProgram::new(&self.host, MEMORY_BYTES)
        };
        self.answer(wanted).await.is_some()
    }

    /// What tells the command where its daemon is: where one answered, else where the operator says.
    fn daemon(&self, command: &Command) -> Vec<(String, String)> {
        let only = Some(&self.settings.sockets)
            .filter(|sockets| sockets.len() == 1)
            .and_then(|sockets| sockets.first());
        let named = command
            .socket
            .as_ref()
            .or(only)
            .map(|socket| ("DOCKER_HOST".to_owned(), socket.clone()));
        let own = own_configuration(&self.host)
            .map(|own| ("DOCKER_CONFIG".to_owned(), own.display().to_string()));
        named.into_iter().chain(own).collect()
    }

    pub(super) async fn render_by_compose(
        &self,
        job: &Arc<RenderJob>,
        command: &Command,
        digest: Option<&str>,
        tell: Tell,
    ) -> Result<Rendered, Failure> {
        let token = random_id()
            .map_err(|error| verdict::machine("a render could not be prepared", &error))?;
        let archive = exchange::pack(job, &token)
            .map_err(|error| verdict::machine("the documents could not be packed", &error))?;
        let mut log = Log::new(token.clone(), tell);
        let project = Project::lay_out(self, command, &token)?;
        if self.settings.image.is_none() && digest.is_none() {
            self.build(&project, &mut log).await?;
        }
        let longest = usize::try_from(self.settings.output_bytes)
            .unwrap_or(usize::MAX)
            .saturating_add(WRAPPING);
        let errand = Errand {
            input: Some(archive),
            output: Output::Data(longest),
            timeout: self.settings.timeout + MARGIN,
            ceiling: None,
        };
        let run = Arc::new(project.command(&["run", "--rm", "-T", SERVICE], Input::Piped)?);
        let (ended, data) = child::run(&self.host.launcher, run, errand, &mut log).await?;
        if data.len() > longest {
            return Err(exchange::too_long(data.len() as u64, self.settings.output_bytes));
        }
        let (chunk, log) = (log.chunk(), log.finish());
        let returned = match exchange::unpack(&data, job.format, self.settings.output_bytes) {
            Ok(returned) if !data.is_empty() && !matches!(ended, Ended::TimedOut) => {
                project.finished();
                returned
            }
            Err(failure) if failure.error_type == ErrorType::OutputTooLarge => return Err(failure),
            // The container was ended before it could pack anything.
            _ if verdict::is_cut_short(&ended) => Returned::default(),
            // Without an archive, it is the command that failed, not the document.
            _ => return Err(failed(&ended, &log)),
        };
        let image = Some(digest.map_or_else(|| docker::reference(&self.settings), str::to_owned));
        let mut rendered = verdict::judge(
            job,
            Raw { backend: Backend::Compose, ended, returned, chunk, log, image },
            &self.settings,
        )?;
        rendered.versions.insert("compose".to_owned(), command.version.clone());
        Ok(rendered)
    }

    /// Has the image built, if it is not there: layers that are there are used again.
    async fn build(&self, project: &Project, log: &mut Log) -> Result<(), Failure> {
        let _building = self.building.lock().await;
        log.say("building the image, if it is not there");
        let errand = Errand { input: None, output: Output::Log, timeout: BUILDING, ceiling: None };
        let command = Arc::new(project.command(&["build", SERVICE], Input::Closed)?);
        match child::run(&self.host.launcher, command, errand, log).await? {
            (Ended::Exited(0), _) => Ok(()),
            _ => {
                let log = log.tail();
                let last = log
                    .lines()
                    .rfind(|line| !line.trim().is_empty())
                    .unwrap_or("Compose said nothing")
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

/// One use of Compose: its folder, and its name. Dropped before it is over, what it left is removed.
struct Project {
    folder: Option<PrivateFolder>,
    name: String,
    command: Command,
    variables: Vec<(String, String)>,
    host: RenderHost,
}

impl Project {
    fn lay_out(inner: &Inner, command: &Command, token: &str) -> Result<Self, Failure> {
        let made = || {
            let folder = PrivateFolder::create(&inner.host.temp_folder, NAME)?;
            fs::write(folder.path().join(FILE), service(&inner.settings, token).to_string())?;
            for (name, text) in docker::ingredients() {
                fs::write(folder.path().join(name), text)?;
            }
            Ok(folder)
        };
        Ok(Self {
            folder: Some(
                made()
                    .map_err(|error| verdict::machine("a render could not be prepared", &error))?,
            ),
            name: format!("toolcrib-{token}"),
            command: command.clone(),
            variables: inner.daemon(command),
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
                read: own_configuration(&self.host)
                    .into_iter()
                    .chain([folder.to_owned()])
                    .collect(),
                ..RenderProgram::new(&self.host, MEMORY_BYTES)
            },
        )
    }

    /// The command came to its end, and has removed its container.
    fn finished(mut self) {
        self.folder.take();
    }
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
        let tidy = async move {
            let errand =
                Errand { input: None, output: Output::Log, timeout: TIDYING, ceiling: None };
            let ended = child::run(&launcher, Arc::new(command), errand, &mut Log::silent()).await;
            tracing::debug!(?ended, "what a render by Compose left was removed");
            drop(folder);
        };
        self.host.cleanup.spawn_on(tidy, &runtime);
    }
}

/// Where the user's own settings of Docker are: its context and plugins.
fn own_configuration(host: &RenderHost) -> Option<PathBuf> {
    let home =
        host.environment.iter().find(|(name, _)| name == "HOME").map(|(_, home)| Path::new(home));
    home.map(|home| home.join(".docker")).filter(|folder| folder.is_dir())
}

fn service(settings: &RenderSettings, token: &str) -> Value {
    let seconds = settings.timeout.as_secs().max(1);
    // The container ends by itself, even if nobody is left to send it the documents or to take the result.
    let (most, seconds) = ((seconds + MARGIN.as_secs()).to_string(), seconds.to_string());
    let mut service = json!({
        "image": docker::reference(settings),
        "entrypoint": ["timeout", "-k", "5", most, "sh", "-c", SCRIPT, "sh", token, seconds, FOLDER],
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
        "memswap_limit": settings.memory_bytes,
        "cpus": settings.cpus,
        "pids_limit": settings.processes,
        "ulimits": {"fsize": settings.disk_bytes, "nofile": docker::MOST, "nproc": docker::MOST},
        "stdin_open": true,
        "labels": docker::labels(settings.timeout),
        "logging": {"driver": "none"},
    });
    if settings.image.is_none() {
        let arguments = settings.base.as_ref().map_or(json!({}), |base| json!({"BASE": base}));
        service["build"] = json!({"context": ".", "args": arguments});
    }
    json!({"services": {SERVICE: service}})
}

fn failed(ended: &Ended, log: &[String]) -> Failure {
    let last = log
        .iter()
        .rev()
        .find(|line| !line.trim().is_empty())
        .map_or("it said nothing", |line| line.trim());
    let how = match ended {
        Ended::Exited(code) => format!("with exit code {code}"),
        _ => "because it was ended".to_owned(),
    };
    let message =
        format!("Docker Compose failed {how}: {last}; see whether Docker runs (`toolcrib doctor`)");
    Failure::new(ErrorType::DockerFailed, message).details(json!({"log": log.join("\n")}))
}
