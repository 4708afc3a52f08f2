//! A crib being served: a server that follows changes of definitions, documents and flags.

use std::{
    collections::BTreeSet,
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::{Duration, SystemTime},
};

use builtin::Flags;
use parking_lot::Mutex;
use runtime::{Operations, journal::Retention};
use server::{
    Identity, Server,
    control::{self, ControlCommands},
};
use toolkit::Change;
use workspace::{Changes, Crib, Environment, Watcher};

use crate::{
    Assembly, AssemblyError, OnFlagChange, Options, Reloaded, count, definitions_log, flags,
    providers::Providers, queue, servers, snapshot,
};

/// How often operations that are too old or take too much space are removed.
const PRUNE_INTERVAL: Duration = Duration::from_secs(3600);

/// A crib being served. Clones share the same server.
#[derive(Clone)]
pub struct ServedCrib {
    server: Server,
    operations: Operations,
    providers: Providers,
    flags: Flags,
    assembly: Arc<Mutex<Assembly>>,
    watcher: Arc<Mutex<Option<Watcher>>>,
    /// Which switches were on when the current snapshot was made. Locked while a snapshot is made and
    /// published, so that an older one never replaces a newer one.
    switch_states: Arc<tokio::sync::Mutex<Vec<bool>>>,
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
        let started: Arc<OnceLock<Self>> = Arc::default();
        let on_flag_change = follow_own_changes(Arc::clone(&started), environment.state_folder());
        let assembly = Assembly::new(crib, environment, Options { on_flag_change, ..options });
        let runtime = Arc::clone(assembly.runtime()?);
        let crib = assembly.crib();
        definitions_log::log(crib, assembly.loaded());
        for missing in snapshot::missing_confinement(crib) {
            tracing::warn!("tools are served without {missing}");
        }
        if let Err(failure) = runtime.recover().await {
            tracing::error!(
                "could not recover operations from earlier servers: {}",
                failure.message
            );
        }
        let operations = runtime.operations();
        tokio::spawn(prune_regularly(operations.clone(), crib.config.limits.retention()));
        let values = assembly.flag_values_or_defaults().await;
        let snapshot = assembly.snapshot(&assembly.tools(&values)?);
        let identity = Identity {
            name: crib.name(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: None,
        };
        let providers = assembly.providers()?.clone();
        let served = Self {
            server: providers.register_with(Server::new(identity, runtime, snapshot)),
            operations,
            providers,
            flags: assembly.flags().clone(),
            switch_states: Arc::new(tokio::sync::Mutex::new(flags::switch_states(
                &crib.switches,
                &values,
            ))),
            assembly: Arc::new(Mutex::new(assembly)),
            watcher: Arc::default(),
        };
        Ok(started.get_or_init(|| served).clone())
    }

    /// The server, for a transport.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Reads the crib again and serves the result. Returns a line for a person.
    pub async fn reload(&self) -> String {
        let mut states = self.switch_states.lock().await;
        states.clear();
        let (assembly, watcher) = (self.assembly.clone(), self.watcher.clone());
        let read = tokio::task::spawn_blocking(move || {
            let mut assembly = assembly.lock();
            let reloaded = assembly.reload();
            let content = &assembly.loaded().content;
            if let Some(Err(error)) =
                watcher.lock().as_mut().map(|watcher| watcher.update(assembly.crib(), content))
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
            self.server.notify(Change::Prompts).await;
        }
        // Documents are listed from disk on request, so there is no earlier list to compare with.
        self.server.notify(Change::Resources).await;
        if let Err(reason) = self.publish(&mut states).await {
            summary.push_str(&format!("; not served: {reason}"));
        }
        tracing::info!("{summary}");
        summary
    }

    /// Follows the files of the crib until the server is dropped. Fails only if definitions are to be
    /// watched and cannot be.
    pub fn watch(&self, watched: Watched) -> Result<(), AssemblyError> {
        let assembly = self.assembly.lock();
        let (crib, content) = (assembly.crib(), &assembly.loaded().content);
        let has_documents = !content.categories.is_empty() || crib.documents.is_some();
        if watched == Watched::Documents && !has_documents {
            return Ok(());
        }
        if let Err(failure) = self.providers.documents.create_folder() {
            tracing::warn!("cannot create the folder of documents: {}", failure.message);
        }
        let (executor, served) = (tokio::runtime::Handle::current(), self.clone());
        let watcher = workspace::watch(crib, content, move |changes| {
            let definitions = changes.definitions && watched == Watched::Everything;
            executor.block_on(served.follow_files(&Changes { definitions, ..changes }));
        });
        match watcher {
            Ok(watcher) => *self.watcher.lock() = Some(watcher),
            Err(error) if watched == Watched::Everything => return Err(error.into()),
            Err(error) => tracing::warn!("clients are not notified of changed documents: {error}"),
        }
        Ok(())
    }

    /// Serves the control socket, through which `toolcrib reload`, `flags` and `operations` reach this
    /// server, until dropped. A server that cannot have one serves its clients all the same.
    pub async fn serve_control_socket(self) {
        let path = servers::own_socket(&self.assembly.lock().crib().state_folder());
        if let Err(error) = control::listen(&path, self.control_commands()).await {
            tracing::warn!(
                "no control socket, so `toolcrib reload` cannot reach this server: {error}"
            );
        }
    }

    fn control_commands(self) -> ControlCommands {
        let (reloading, flagged, operations) = (self.clone(), self.clone(), self.operations);
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
        if self.assembly.lock().crib().switches.is_empty() {
            return "no tools depend on flags".to_owned();
        }
        match self.publish(&mut *self.switch_states.lock().await).await {
            Ok(()) => format!("serves {}", count(self.server.snapshot().len(), "tool")),
            Err(reason) => {
                tracing::error!("cannot apply changed flags: {reason}");
                reason
            }
        }
    }

    /// Publishes a snapshot of the loaded tools with the current flags, unless no switch has moved since
    /// `last`. An empty `last` always publishes.
    async fn publish(&self, last: &mut Vec<bool>) -> Result<(), String> {
        let switches = self.assembly.lock().crib().switches.clone();
        let values =
            flags::read_for(&switches, &self.flags).await.map_err(|failure| failure.message)?;
        let states = flags::switch_states(&switches, &values);
        if !last.is_empty() && *last == states {
            return Ok(());
        }
        let assembly = self.assembly.clone();
        let made = tokio::task::spawn_blocking(move || {
            let assembly = assembly.lock();
            assembly.tools(&values).map(|tools| assembly.snapshot(&tools))
        });
        let snapshot =
            made.await.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
        self.server.replace(snapshot).await;
        *last = states;
        Ok(())
    }

    /// Reloads changed definitions and announces changed documents.
    async fn follow_files(&self, changes: &Changes) {
        if changes.definitions {
            self.reload().await;
        }
        if changes.documents.iter().any(|path| self.providers.affects_resource_list(path)) {
            self.server.notify(Change::Resources).await;
        }
        let uris: BTreeSet<_> =
            changes.documents.iter().flat_map(|file| self.providers.uris_of(file)).collect();
        for uri in uris {
            self.server.notify(Change::Resource(uri)).await;
        }
    }
}

/// Applies a flag that a tool of this server has changed: before the call is answered to this server,
/// afterwards to the user's other servers, which may be slow.
fn follow_own_changes(started: Arc<OnceLock<ServedCrib>>, state: PathBuf) -> OnFlagChange {
    OnFlagChange::new(move || {
        let (served, state) = (started.get().cloned(), state.clone());
        Box::pin(async move {
            let Some(served) = served else { return };
            served.follow_flags().await;
            tokio::spawn(async move { servers::notify_flags_changed(&state).await });
        })
    })
}

/// Removes finished operations that are older than `age` or exceed `bytes`, now and at every interval.
async fn prune_regularly(operations: Operations, (age, bytes): (Duration, u64)) {
    loop {
        let since = SystemTime::now().checked_sub(age).unwrap_or(SystemTime::UNIX_EPOCH);
        if let Err(failure) = operations.prune(Retention { since, bytes }).await {
            tracing::warn!("cannot delete old operations: {}", failure.message);
        }
        tokio::time::sleep(PRUNE_INTERVAL).await;
    }
}
