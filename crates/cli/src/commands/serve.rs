//! `serve`: the tools of a crib over MCP.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{Arc, OnceLock},
    time::{Duration, SystemTime},
};

use builtin::Flags;
use catalog::{Catalog, Severity, Switch, Tool, flag::FlagValues, name};
use parking_lot::Mutex;
use runtime::{Operations, journal::Retention};
use server::{
    HttpOptions, Identity, Server, Snapshot, SnapshotOptions,
    control::{self, Verbs},
};
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
};
use tokio_util::sync::CancellationToken;
use toolkit::{Change, Native};
use workspace::{
    Changes, Content, Crib, Descriptions, Drift, Environment, Groups, Http, LOCK, Loaded, Loader,
    Lock, LockError, Watcher,
};

use super::{CallServices, CommandResult, operations::queue};
use crate::{error::CommandError, guide::Material, keeper, report::Report, servers};

/// Serve the tools of the crib over MCP: on standard input and output, or with --http over HTTP at /mcp.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Serve streamable HTTP at this address instead of standard input and output.
    #[arg(long, value_name = "ADDR")]
    http: Option<SocketAddr>,
    /// A file with the bearer token that clients must send; needed to listen beyond this machine.
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<PathBuf>,
    /// Put this before the names of native tools, with a `_` between; nothing for none.
    #[arg(long, value_name = "PREFIX")]
    prefix: Option<String>,
    /// Read definitions again whenever they change. For development: a tool may write a definition.
    #[arg(long)]
    watch: bool,
    /// Only tools of these groups, and the built-in ones: a regular expression on what follows PACKAGE-mcp_tool_ in a name.
    /// May be given several times.
    #[arg(long, value_name = "REGEXP")]
    groups: Vec<String>,
}

pub(crate) fn run(here: &CallServices<'_>, args: &Args) -> CommandResult {
    let token = args.token_file.as_deref().map(read_token).transpose()?;
    if let Some(address) = args.http
        && !address.ip().is_loopback()
        && token.is_none()
    {
        return Err(CommandError::machine(format!(
            "refusing to listen on {address} without a token"
        ))
        .hint("name a file that holds one with --token-file, or listen on 127.0.0.1"));
    }
    let crib = here.crib()?;
    let loader = Loader::only(Groups::new(&args.groups)?);
    let driver = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let driver = driver.map_err(|error| CommandError::machine(format!("cannot start: {error}")))?;
    let result = driver.block_on(serve(crib, loader, here.environment, args, token));
    // Whatever still runs, a read of standard input say, must not keep the process alive.
    driver.shutdown_background();
    result.map(|()| ExitCode::SUCCESS)
}

/// What a crib serves: those of its tools that its flags let through, and the built-in ones.
pub(super) fn snapshot(
    crib: &Crib,
    catalog: &Catalog,
    natives: &[Native],
    flags: &FlagValues,
) -> Snapshot {
    let (there, away) = catalog::apply_switches(catalog, &crib.switches, flags);
    let all = keeper::with_built_ins(crib, &there, natives);
    let options = SnapshotOptions {
        crib: crib.name(),
        full_names: crib.config.crib.full_names,
        describe: describing(crib),
        policy: crib.policy.clone(),
    };
    Snapshot::new(&all, &options)
        .with_unconfined(&unconfined(crib))
        .with_absent(absent(crib, &away))
}

/// The served names of tools that are switched off, each with why.
fn absent(crib: &Crib, away: &[(Arc<Tool>, &Switch)]) -> BTreeMap<String, String> {
    let served = |tool: &Tool| match crib.config.crib.full_names {
        true => name::qualify(&crib.name(), &tool.name),
        false => tool.name.clone(),
    };
    away.iter()
        .map(|(tool, switch)| (served(tool), format!("it is switched off until {switch}")))
        .collect()
}

/// How a crib's tools are described to clients.
pub(super) fn describing(crib: &Crib) -> fn(&Tool) -> String {
    crib.config.crib.descriptions.map_or(docs::description, describe)
}

fn describe(size: Descriptions) -> fn(&Tool) -> String {
    let size = match size {
        Descriptions::Full => docs::Size::Full,
        Descriptions::Concise => docs::Size::Concise,
        Descriptions::SchemaLess => docs::Size::SchemaLess,
    };
    size.describe()
}

/// What tools will not be held to, because the operator or the kernel will not have it.
fn unconfined(crib: &Crib) -> Vec<String> {
    match crib.config.confine.enabled {
        true => runtime::confinement().missing.clone(),
        false => vec!["confinement (switched off in toolcrib.toml): tools can read, write and reach what you can".to_owned()],
    }
}

/// The token in a file.
pub(super) fn read_token(path: &Path) -> Result<String, CommandError> {
    let text = fs::read_to_string(path).map_err(|error| CommandError::io("read", path, &error))?;
    match text.trim() {
        "" => Err(CommandError::machine(format!("the token file `{}` is empty", path.display()))),
        token => Ok(token.to_owned()),
    }
}

async fn serve(
    crib: Crib,
    loader: Loader,
    environment: &Environment,
    args: &Args,
    token: Option<String>,
) -> Result<(), CommandError> {
    let signals = |error: std::io::Error| {
        CommandError::machine(format!("cannot listen for signals: {error}"))
    };
    let http = crib.config.http.clone();
    let socket = servers::own(&crib.state_folder());
    let sessions = if args.http.is_some() { Sessions::ByHandle } else { Sessions::ByConnection };
    let served = Served::start(crib, loader, environment, args.prefix.as_deref(), sessions).await?;
    let shutdown = CancellationToken::new();
    end_on_signal(shutdown.clone()).map_err(signals)?;
    reload_on_hangup(served.clone()).map_err(signals)?;
    follow_files(&served, args.watch)?;
    let control = tokio::spawn(control_socket(socket, served.operations.clone(), served.clone()));
    let result = match args.http {
        Some(address) => {
            let listener = TcpListener::bind(address).await;
            let listener = listener.map_err(|error| {
                CommandError::machine(format!("cannot listen on {address}: {error}"))
            })?;
            tracing::info!("listening on http://{}/mcp", listener.local_addr().unwrap_or(address));
            server::serve_http(served.server, http_options(listener, token, &http), shutdown).await
        }
        None => server::serve_stdio_until(served.server, shutdown).await,
    };
    // Dropping the listener removes its socket.
    control.abort();
    let _ = control.await;
    result.map_err(|error| CommandError::machine(error.to_string()))
}

fn http_options(listener: TcpListener, token: Option<String>, http: &Http) -> HttpOptions {
    let usual = HttpOptions::new(listener);
    HttpOptions {
        token,
        hosts: http.hosts.clone(),
        origins: http.origins.clone(),
        max_sessions: http.max_sessions.unwrap_or(usual.max_sessions),
        max_calls: http.max_calls.unwrap_or(usual.max_calls),
        max_body: http.max_body_bytes.unwrap_or(usual.max_body),
        ..usual
    }
}

/// Listens on the socket by which `toolcrib reload`, `flags` and `operations` reach this server. A server without one
/// serves all the same.
async fn control_socket(path: PathBuf, operations: Operations, served: Served) {
    let flagged = served.clone();
    let verbs = Verbs::default()
        .on("reload", move |_| {
            let served = served.clone();
            async move { served.reload().await }
        })
        .on(servers::FLAGS, move |_| {
            let served = flagged.clone();
            async move { served.follow_flags().await }
        })
        .on(queue::VERB, move |_| std::future::ready(queue::answer(&operations)));
    if let Err(error) = control::listen(&path, verbs).await {
        tracing::warn!(
            "no control socket, so `toolcrib reload` will not reach this server: {error}"
        );
    }
}

/// A crib being served.
#[derive(Clone)]
struct Served {
    server: Server,
    operations: Operations,
    material: Material,
    reading: Arc<Mutex<Reading>>,
    flags: Flags,
    /// Which switches are on. Held while what is served is put together, so that what was read first is
    /// served first.
    positions: Arc<tokio::sync::Mutex<Vec<bool>>>,
}

/// What reading it again needs.
struct Reading {
    crib: Crib,
    loader: Loader,
    /// The tools that were read last.
    catalog: Catalog,
    natives: Vec<Native>,
    content: Content,
    material: Material,
    watcher: Option<Watcher>,
    sessions: Sessions,
}

/// What came of reading a crib again.
struct Reread {
    said: String,
    /// Whether there are other prompts than before.
    prompts: bool,
}

/// How it is known whose state a call means.
#[derive(Clone, Copy)]
enum Sessions {
    /// By the connection, which is the only one.
    ByConnection,
    /// By a handle as well: over HTTP, newer clients have no connection that lasts.
    ByHandle,
}

impl Sessions {
    fn told_by(self, snapshot: Snapshot) -> Snapshot {
        match self {
            Self::ByConnection => snapshot,
            Self::ByHandle => snapshot.with_handles(),
        }
    }
}

impl Served {
    async fn start(
        crib: Crib,
        mut loader: Loader,
        environment: &Environment,
        prefix: Option<&str>,
        sessions: Sessions,
    ) -> Result<Self, CommandError> {
        // Opening the store waits for the disk, reading definitions for the processor.
        let (runtime, loaded) = std::thread::scope(|scope| {
            let opening = scope.spawn(|| keeper::open(&crib, crib.settings()));
            let loaded = loader.load(&crib);
            (opening.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), loaded)
        });
        log(&crib, &loaded);
        unconfined(&crib)
            .iter()
            .for_each(|missing| tracing::warn!("tools are served without {missing}"));
        let identity = Identity {
            name: crib.name(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: None,
        };
        if let Err(failure) = runtime.recover().await {
            tracing::error!(
                "what earlier servers left could not be looked at: {}",
                failure.message
            );
        }
        tokio::spawn(forget_old(runtime.operations(), crib.config.limits.retention()));
        let started: Arc<OnceLock<Self>> = Arc::default();
        let flags = keeper::flags(
            &crib,
            environment,
            on_change(Arc::clone(&started), environment.state_folder()),
        );
        let material = Material::new(&crib, &loaded, &flags);
        let natives = keeper::natives(&crib, environment, &runtime, &material, prefix)?;
        let values = keeper::switching_or_defaults(&crib, &flags).await;
        let snapshot = sessions.told_by(snapshot(&crib, &loaded.catalog, &natives, &values));
        let operations = runtime.operations();
        let server = Server::new(
            identity,
            Arc::new(runtime.with_natives(natives.iter().cloned())),
            snapshot,
        );
        let server = material.served_by(server);
        let Loaded { catalog, content, .. } = loaded;
        let reading = Reading {
            crib,
            loader,
            catalog,
            natives,
            content,
            material: material.clone(),
            watcher: None,
            sessions,
        };
        let positions = Arc::new(tokio::sync::Mutex::new(positions(&reading.crib, &values)));
        let served = Self {
            server,
            operations,
            reading: Arc::new(Mutex::new(reading)),
            material,
            flags,
            positions,
        };
        Ok(started.get_or_init(|| served).clone())
    }

    /// Reads the crib again and serves what was read; says in a line what came of it.
    async fn reload(&self) -> String {
        let mut positions = self.positions.lock().await;
        positions.clear();
        let reading = self.reading.clone();
        let read = tokio::task::spawn_blocking(move || {
            let mut reading = reading.lock();
            reading.read_again()
        });
        let Reread { said, prompts } = match read.await {
            Ok(read) => read,
            Err(error) => return format!("could not reload: {error}"),
        };
        if prompts {
            self.server.announce(Change::Prompts).await;
        }
        // Which documents there are is known to nobody but those who list them.
        self.server.announce(Change::Resources).await;
        let said = match self.publish(&mut positions).await {
            Ok(()) => said,
            Err(why) => format!("{said}; but it is not served: {why}"),
        };
        tracing::info!("{said}");
        said
    }

    /// Serves what the flags let through now; says in a line what came of it.
    async fn follow_flags(&self) -> String {
        if self.reading.lock().crib.switches.is_empty() {
            return "nothing is switched by flags".to_owned();
        }
        match self.publish(&mut *self.positions.lock().await).await {
            Ok(()) => format!("serves {}", keeper::count(self.server.snapshot().len(), "tool")),
            Err(why) => {
                tracing::error!(
                    "flags have changed, and the tools they switch could not be: {why}"
                );
                why
            }
        }
    }

    /// Serves what was read last, as far as flags let it through, unless every switch is where it was.
    async fn publish(&self, last: &mut Vec<bool>) -> Result<(), String> {
        let crib = self.reading.lock().crib.clone();
        let values =
            keeper::switching(&crib, &self.flags).await.map_err(|failure| failure.message)?;
        let now = positions(&crib, &values);
        if !last.is_empty() && *last == now {
            return Ok(());
        }
        let (catalog, natives, sessions) = {
            let reading = self.reading.lock();
            (reading.catalog.clone(), reading.natives.clone(), reading.sessions)
        };
        let make = move || sessions.told_by(snapshot(&crib, &catalog, &natives, &values));
        let made = tokio::task::spawn_blocking(make).await;
        self.server.replace(made.map_err(|error| error.to_string())?).await;
        *last = now;
        Ok(())
    }

    /// Reads definitions again if they changed, and tells of documents that did.
    async fn follow(&self, changes: &Changes) {
        if changes.definitions {
            self.reload().await;
        }
        let addresses: BTreeSet<_> =
            changes.documents.iter().flat_map(|file| self.material.addresses_of(file)).collect();
        if changes.documents.iter().any(|path| self.material.may_list_others(path)) {
            self.server.announce(Change::Resources).await;
        }
        for address in addresses {
            self.server.announce(Change::Resource(address)).await;
        }
    }
}

/// Which switches of a crib are on.
fn positions(crib: &Crib, flags: &FlagValues) -> Vec<bool> {
    crib.switches.iter().map(|switch| switch.is_on(flags)).collect()
}

/// What follows a change of flags by a tool of this server: it serves what they let through before the
/// change is answered, and tells the other servers.
fn on_change(started: Arc<OnceLock<Served>>, state: PathBuf) -> keeper::OnChange {
    Arc::new(move || {
        let (served, state) = (started.get().cloned(), state.clone());
        Box::pin(async move {
            let Some(served) = served else { return };
            served.follow_flags().await;
            tokio::spawn(async move { servers::flags_changed(&state).await });
        })
    })
}

impl Reading {
    fn read_again(&mut self) -> Reread {
        let mut said = String::new();
        match self.crib.reopen() {
            Ok(crib) => self.crib = crib,
            Err(error) => said = format!("; kept the configuration: {error}"),
        }
        let loaded = self.loader.load(&self.crib);
        log(&self.crib, &loaded);
        let prompts = self.material.replace(&self.crib, &loaded);
        self.material.guide.describe(&mut self.natives);
        self.content = loaded.content.clone();
        if let Some(Err(error)) =
            self.watcher.as_mut().map(|watcher| watcher.follow(&self.crib, &self.content))
        {
            tracing::warn!("{error}");
        }
        let kept: Vec<_> = loaded.kept.iter().map(ToString::to_string).collect();
        if !kept.is_empty() {
            said.push_str(&format!("; kept the last good version of {}", kept.join(", ")));
            tracing::warn!("kept the last good version of {}", kept.join(", "));
        }
        let (tools, errors) = (loaded.tools, loaded.count(Severity::Error));
        self.catalog = loaded.catalog;
        let said = format!(
            "reloaded: {}, {}{said}",
            keeper::count(tools, "tool"),
            keeper::count(errors, "error")
        );
        Reread { said, prompts }
    }
}

/// Forgets operations that are over and too old or too much, now and every hour.
async fn forget_old(operations: Operations, (age, bytes): (Duration, u64)) {
    loop {
        let since = SystemTime::now().checked_sub(age).unwrap_or(SystemTime::UNIX_EPOCH);
        if let Err(failure) = operations.prune(Retention { since, bytes }).await {
            tracing::warn!("old operations could not be forgotten: {}", failure.message);
        }
        tokio::time::sleep(Duration::from_secs(3600)).await;
    }
}

/// Logs what is wrong with the definitions, each with its place.
fn log(crib: &Crib, loaded: &Loaded) {
    let report = Report::new(loaded, crib.files());
    for finding in &report.findings {
        let diagnostic = finding.diagnostic;
        let place = finding
            .spot
            .as_ref()
            .map(|spot| format!(":{}:{}", spot.line, spot.column))
            .unwrap_or_default();
        let text = format!(
            "{}{place}: {} [{}]",
            diagnostic.origin.source, diagnostic.message, diagnostic.code
        );
        match diagnostic.severity {
            Severity::Error => tracing::error!("{text}"),
            Severity::Warning => tracing::warn!("{text}"),
            Severity::Note => tracing::debug!("{text}"),
        }
    }
    tracing::info!(
        "{} from {} in {}",
        keeper::count(report.tools, "tool"),
        keeper::count(report.files, "file"),
        crib.folder.display()
    );
    if let Some(why) = keeper::misplaced(crib, loaded) {
        tracing::warn!("{why}");
    }
    warn_of_drift(crib, loaded);
}

/// Warns of tools that agents will see otherwise than they were pinned, if the crib pins its tools.
fn warn_of_drift(crib: &Crib, loaded: &Loaded) {
    const MOST_NAMED: usize = 10;
    let drift = match Lock::read(crib) {
        Ok(lock) => lock.drift(&Lock::of(&loaded.catalog)),
        Err(LockError::Missing(_)) => return,
        Err(error) => return tracing::warn!("{error}"),
    };
    // What is gone, perhaps only because some groups are served, nobody sees.
    let seen: Vec<String> = drift
        .iter()
        .filter(|drift| !matches!(drift, Drift::Removed(_)))
        .map(ToString::to_string)
        .collect();
    if !seen.is_empty() {
        let more = match seen.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let named = seen[..seen.len().min(MOST_NAMED)].join("; ");
        tracing::warn!("tools are not as pinned in {LOCK}: {named}{more}");
    }
}

/// Has the server follow its files, for as long as it reads them: with `--watch` all, and in any case
/// its documents, since clients can subscribe to them.
fn follow_files(served: &Served, watch: bool) -> Result<(), CommandError> {
    let driver = tokio::runtime::Handle::current();
    let mut reading = served.reading.lock();
    if !watch && reading.content.categories.is_empty() && reading.crib.documents.is_none() {
        return Ok(());
    }
    if let Err(failure) = served.material.documents.make_folder() {
        tracing::warn!("documents cannot be written: {}", failure.message);
    }
    let following = served.clone();
    let watcher = workspace::watch(&reading.crib, &reading.content, move |changes| {
        let definitions = changes.definitions && watch;
        driver.block_on(following.follow(&Changes { definitions, ..changes }));
    });
    match watcher {
        Ok(watcher) => reading.watcher = Some(watcher),
        Err(error) if watch => return Err(CommandError::machine(error.to_string())),
        Err(error) => tracing::warn!("clients are not told of changed documents: {error}"),
    }
    Ok(())
}

fn reload_on_hangup(served: Served) -> std::io::Result<()> {
    let mut hangups = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while hangups.recv().await.is_some() {
            served.reload().await;
        }
    });
    Ok(())
}

fn end_on_signal(shutdown: CancellationToken) -> std::io::Result<()> {
    let mut term = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::spawn(async move {
        tokio::select! {
            _ = term.recv() => {}
            _ = interrupt.recv() => {}
        }
        shutdown.cancel();
    });
    Ok(())
}
