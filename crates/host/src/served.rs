//! A crib being served: a server that follows changes of definitions, documents and flags.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock, Weak},
    time::Duration,
};

use builtin::Flags;
use parking_lot::Mutex;
use runtime::{Operations, Runtime};
use server::{
    Identity, Server,
    control::{ControlCommands, ControlSocket},
};
use tokio::task::JoinHandle;
use toolkit::Change;
use workspace::{Changes, Crib, Environment, Watcher};

use crate::{
    Assembly, AssemblyError, OnFlagChange, Options, Reloaded, count, flags, http_token,
    providers::Providers, queue, servers, snapshot,
};

/// How often operations that are too old or take too much space are removed.
const PRUNE_INTERVAL: Duration = Duration::from_secs(3600);

/// The pauses between attempts to recover operations.
const FIRST_RECOVERY_PAUSE: Duration = Duration::from_secs(1);
const MAX_RECOVERY_PAUSE: Duration = Duration::from_secs(60);

/// A crib being served. Clones share the same server.
#[derive(Clone)]
pub struct ServedCrib(Arc<Shared>);

struct Shared {
    server: Server,
    /// A server for each `[[profile]]` that the crib had at the start, if they are served apart.
    profiles: Vec<(String, Server)>,
    operations: Operations,
    providers: Providers,
    flags: Flags,
    assembly: Mutex<Assembly>,
    watcher: Mutex<Option<Watcher>>,
    /// Which switches were on when the current snapshot was made. Locked while a snapshot is made
    /// and published, so that an older one never replaces a newer one.
    switch_states: tokio::sync::Mutex<Vec<bool>>,
}

/// Which files a server follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watched {
    /// Documents, because clients can subscribe to them.
    Documents,
    /// Definitions, prompts and the configuration as well.
    Everything,
}

impl ServedCrib {
    /// Assembles a crib, recovers the operations of servers that died, and makes a server for it.
    /// Replaces [`Options::on_flag_change`]: the server follows flags itself.
    pub async fn start(
        crib: Crib,
        environment: &Environment,
        options: Options,
    ) -> Result<Self, AssemblyError> {
        // Flags are opened before the server exists, but have to notify it: the cell is filled at
        // the end.
        let started: Arc<OnceLock<Weak<Shared>>> = Arc::default();
        let on_flag_change = follow_own_changes(Arc::clone(&started), environment.state_folder());
        let mut assembly = Assembly::new(crib, environment, Options { on_flag_change, ..options });
        assembly.forget_parameter_locations();
        let runtime = Arc::clone(assembly.runtime()?);
        assembly.log_diagnostics();
        let crib = assembly.crib();
        for missing in snapshot::missing_restrictions(crib) {
            tracing::warn!("tools are served without {missing}");
        }
        let operations = runtime.operations();
        // Recovered in the background, because a long history must not delay the start.
        operations.expect_recovery();
        tokio::spawn(recover(Arc::clone(&runtime)));
        tokio::spawn(prune_regularly(operations.clone()));
        let values = assembly.flag_values_or_defaults().await;
        let tools = assembly.tools(&values)?;
        let providers = assembly.providers()?.clone();
        let make_server = |snapshot| {
            providers.register_with(Server::new(identity(crib), Arc::clone(&runtime), snapshot))
        };
        let server = make_server(assembly.snapshot(&tools));
        let of_profile = |name: String| {
            let server = make_server(assembly.snapshot_of(&tools, Some(&name)));
            (name, server)
        };
        let profiles = assembly.profiles_apart().into_iter().map(of_profile).collect();
        let states = flags::switch_states(&crib.switches, &values);
        let shared = Arc::new(Shared {
            server,
            profiles,
            operations,
            providers,
            flags: assembly.flags().clone(),
            switch_states: tokio::sync::Mutex::new(states),
            assembly: Mutex::new(assembly),
            watcher: Mutex::default(),
        });
        // Set only here, so it cannot be set already.
        let _ = started.set(Arc::downgrade(&shared));
        tokio::task::spawn_blocking(runtime::trim_memory);
        Ok(Self(shared))
    }

    /// The server, for a transport.
    pub fn server(&self) -> &Server {
        &self.0.server
    }

    /// The servers of the crib's profiles, by name, if they are served apart.
    pub fn profiles(&self) -> &[(String, Server)] {
        &self.0.profiles
    }

    /// Why a form that is answered with the token in this file does not count as a person's answer,
    /// if tools or other users can read it.
    pub fn find_token_exposure(&self, path: &Path) -> Option<String> {
        let assembly = self.0.assembly.lock();
        http_token::find_exposure(&assembly.settings(), &assembly.loaded().catalog, path)
    }

    /// Reads the crib again and serves the result. Returns a line for a person.
    pub async fn reload(&self) -> String {
        // Held until the end, so that a flag that changes meanwhile cannot publish the old tools
        // after the new ones.
        let mut states = self.0.switch_states.lock().await;
        // An empty list makes `publish` replace the snapshot even if no switch has moved.
        states.clear();
        let served = self.clone();
        // Reading definitions takes the disk and all cores; the executor must go on answering
        // clients.
        let read = tokio::task::spawn_blocking(move || {
            let mut assembly = served.0.assembly.lock();
            let reloaded = assembly.reload();
            if let Some(watcher) = served.0.watcher.lock().as_mut()
                && let Err(error) = watcher.update(assembly.crib(), &assembly.loaded().content)
            {
                tracing::warn!("{error}");
            }
            reloaded
        });
        let Reloaded { mut summary, prompts_changed } = match read.await {
            Ok(reloaded) => reloaded,
            Err(error) => return format!("could not reload: {error}"),
        };
        if prompts_changed {
            self.notify(&Change::Prompts).await;
        }
        // Documents are listed from disk on request, so there is no earlier list to compare with.
        self.notify(&Change::Resources).await;
        if let Err(reason) = self.publish(&mut states).await {
            summary.push_str(&format!("; not served: {reason}"));
        }
        let is_new = |name: &String| self.0.profiles.iter().all(|(known, _)| known != name);
        for name in self.0.assembly.lock().profiles_apart().into_iter().filter(is_new) {
            summary.push_str(&format!("; the profile `{name}` is served after a restart"));
        }
        tracing::info!("{summary}");
        // The old definitions are free now, unless running calls keep some.
        tokio::task::spawn_blocking(runtime::trim_memory);
        summary
    }

    /// Follows the files of the crib until the server is dropped. Fails only if definitions are to
    /// be watched and cannot be.
    pub fn watch(&self, watched: Watched) -> Result<(), AssemblyError> {
        let assembly = self.0.assembly.lock();
        let (crib, content) = (assembly.crib(), &assembly.loaded().content);
        let has_documents = !content.categories.is_empty() || crib.documents.is_some();
        // Watching costs a thread and inotify handles, of which there are few per user.
        if watched == Watched::Documents && !has_documents {
            return Ok(());
        }
        if let Err(failure) = self.0.providers.documents.create_folder() {
            tracing::warn!("cannot create the folder of documents: {}", failure.message);
        }
        let executor = tokio::runtime::Handle::current();
        // The watcher belongs to the shared state, so that it must not keep it alive.
        let shared = Arc::downgrade(&self.0);
        let watcher = workspace::watch(crib, content, move |changes| {
            let Some(shared) = shared.upgrade() else { return };
            // Without `--watch` a person decides when definitions are read again.
            let definitions = changes.definitions && watched == Watched::Everything;
            let changes = Changes { definitions, ..changes };
            // This blocks the watcher's own thread, so that the next change waits until this one is
            // served.
            executor.block_on(Self(shared).follow_files(&changes));
        });
        match watcher {
            Ok(watcher) => *self.0.watcher.lock() = Some(watcher),
            Err(error) if watched == Watched::Everything => return Err(error.into()),
            Err(error) => tracing::warn!("clients are not notified of changed documents: {error}"),
        }
        Ok(())
    }

    /// Opens the control socket, through which `toolcrib reload`, `flags` and `operations` reach
    /// this server, and serves it in a task. Without one, which is logged, the server serves its
    /// clients all the same. Bind it before announcing the server, so that a client of the
    /// announcement can use it.
    pub async fn open_control_socket(&self) -> Option<JoinHandle<()>> {
        let state = self.0.assembly.lock().crib().state_folder();
        servers::remove_dead_sockets(&state).await;
        let path = servers::own_socket(&state);
        match ControlSocket::bind(&path).await {
            Ok(socket) => Some(tokio::spawn(socket.serve(self.clone().control_commands()))),
            Err(error) => {
                tracing::warn!(
                    "no control socket, so `toolcrib reload` cannot reach this server: {error}"
                );
                None
            }
        }
    }

    fn control_commands(self) -> ControlCommands {
        let (reloading, flagged, operations) =
            (self.clone(), self.clone(), self.0.operations.clone());
        ControlCommands::default()
            .on(servers::RELOAD, move |_| {
                let served = reloading.clone();
                async move { served.reload().await }
            })
            .on(servers::FLAGS, move |_| {
                let served = flagged.clone();
                async move { served.follow_flags().await }
            })
            .on(servers::QUEUE, move |_| {
                std::future::ready(queue::serialize_positions(&operations))
            })
    }

    /// Serves the tools that the flags allow now. Returns a line for a person.
    async fn follow_flags(&self) -> String {
        if self.0.assembly.lock().crib().switches.is_empty() {
            return "no tools depend on flags".to_owned();
        }
        match self.publish(&mut *self.0.switch_states.lock().await).await {
            Ok(()) => format!("serves {}", count(self.0.server.snapshot().len(), "tool")),
            Err(reason) => {
                tracing::error!("cannot apply changed flags: {reason}");
                reason
            }
        }
    }

    /// Publishes a snapshot of the loaded tools with the current flags, unless no switch has moved
    /// since `last`. An empty `last` always publishes.
    async fn publish(&self, last: &mut Vec<bool>) -> Result<(), String> {
        let switches = self.0.assembly.lock().crib().switches.clone();
        let values =
            flags::read_for(&switches, &self.0.flags).await.map_err(|failure| failure.message)?;
        let states = flags::switch_states(&switches, &values);
        // Most changes of flags switch no tool, and clients should not list again for them.
        if !last.is_empty() && *last == states {
            return Ok(());
        }
        let served = self.clone();
        let made = tokio::task::spawn_blocking(move || {
            let assembly = served.0.assembly.lock();
            let tools = assembly.tools(&values)?;
            let profiles = served.0.profiles.iter();
            let of_profiles = profiles.map(|(name, _)| assembly.snapshot_of(&tools, Some(name)));
            Ok::<_, AssemblyError>((assembly.snapshot(&tools), of_profiles.collect::<Vec<_>>()))
        });
        let (snapshot, of_profiles) =
            made.await.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
        self.0.server.replace(snapshot).await;
        for ((_, server), snapshot) in self.0.profiles.iter().zip(of_profiles) {
            server.replace(snapshot).await;
        }
        *last = states;
        Ok(())
    }

    /// Notifies the clients of all servers of a change.
    async fn notify(&self, change: &Change) {
        self.0.server.notify(change.clone()).await;
        for (_, server) in &self.0.profiles {
            server.notify(change.clone()).await;
        }
    }

    /// Reloads changed definitions and announces changed documents.
    async fn follow_files(&self, changes: &Changes) {
        if changes.definitions {
            self.reload().await;
        }
        if changes.documents.iter().any(|path| self.0.providers.affects_resource_list(path)) {
            self.notify(&Change::Resources).await;
        }
        let uris: BTreeSet<_> =
            changes.documents.iter().flat_map(|file| self.0.providers.uris_of(file)).collect();
        for uri in uris {
            self.notify(&Change::Resource(uri)).await;
        }
    }
}

fn identity(crib: &Crib) -> Identity {
    Identity {
        name: crib.name(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        instructions: None,
    }
}

/// Recovers the operations of servers that died. While the store cannot be used, tries again: its
/// operations would look as if they still ran.
async fn recover(runtime: Arc<Runtime>) {
    let mut pause = FIRST_RECOVERY_PAUSE;
    while let Err(failure) = runtime.recover().await {
        tracing::error!("could not recover operations from earlier servers: {}", failure.message);
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(MAX_RECOVERY_PAUSE);
    }
}

/// Applies a flag that a tool of this server has changed: before the call is answered to this
/// server, afterwards to the user's other servers, which may be slow.
fn follow_own_changes(started: Arc<OnceLock<Weak<Shared>>>, state: PathBuf) -> OnFlagChange {
    OnFlagChange::new(move || {
        let (shared, state) = (started.get().and_then(Weak::upgrade), state.clone());
        Box::pin(async move {
            let Some(shared) = shared else { return };
            ServedCrib(shared).follow_flags().await;
            // Not awaited: another server may be slow or hang.
            tokio::spawn(async move { servers::notify_flags_changed(&state).await });
        })
    })
}

/// Prunes finished operations: at once, at regular intervals, and when their outputs have grown.
async fn prune_regularly(operations: Operations) {
    loop {
        if let Err(failure) = operations.prune_by_settings().await {
            tracing::warn!("cannot delete old operations: {}", failure.message);
        }
        let _ = tokio::time::timeout(PRUNE_INTERVAL, operations.wait_for_growth()).await;
    }
}
