//! The one door through which a process is started: chosen environment, own process group, no
//! shell, standard input closed unless asked for, bound before its first instruction.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::{
    process::{Child, Command},
    runtime::Handle,
    sync::oneshot,
    task::spawn_blocking,
    time::timeout,
};

use crate::{
    Settings,
    confine::{self, Confinement},
    folder::{Folders, PrivateFolder},
    inherited,
    operation::ProcessMark,
    plan::{self, Plan, Word},
    processes::{self, Killed, Seen, Trace},
};

/// Enough for a thread that only makes system calls.
const STACK_BYTES: usize = 256 * 1024;
/// How long a process that was killed may take to be gone.
const GONE: Duration = Duration::from_secs(1);

/// The door.
pub(crate) struct Door {
    /// Absent if the operator switched it off.
    confinement: Option<Confinement>,
    folders: Folders,
}

/// A process that was started. Dropped before it is over, it and its group are killed.
pub(crate) struct Running {
    /// The process.
    pub(crate) child: Child,
    /// Its group.
    pub(crate) group: Group,
    /// Whether the folder was made for this call alone, and is not used again.
    is_promised: bool,
    /// Taken when the process is known to be over.
    folder: Option<PrivateFolder>,
    door: Arc<Door>,
}

/// A process group whose leader a call started.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group(Pid);

impl Door {
    /// Nothing is touched before the first start.
    pub(crate) fn new(settings: &Settings) -> Self {
        let confinement = settings.confine.then(Confinement::default);
        Self { confinement, folders: Folders::new(settings.temp.clone()) }
    }

    /// Starts the program of a plan. A fresh thread does it, because only that thread and the child
    /// may be bound by what is bound here.
    /// `place` is where its private folder must be, if that was promised to someone.
    pub(crate) async fn start(
        self: &Arc<Self>,
        plan: &Arc<Plan>,
        place: Option<PathBuf>,
    ) -> io::Result<Running> {
        let (answer, started) = oneshot::channel();
        let (door, plan, runtime) = (Arc::clone(self), Arc::clone(plan), Handle::current());
        thread::Builder::new().name("spawn".to_owned()).stack_size(STACK_BYTES).spawn(
            move || {
                let _entered = runtime.enter();
                // If nobody waits any more, dropping the answer kills the child.
                let _ = answer.send(door.start_here(&plan, place.as_deref()));
            },
        )?;
        started
            .await
            .map_err(|_| io::Error::other("the thread that starts programs ended early"))?
    }

    fn start_here(self: Arc<Self>, plan: &Plan, place: Option<&Path>) -> io::Result<Running> {
        let folder = match place {
            Some(place) => self.folders.make(place, &plan.tool, &plan.files)?,
            None => self.folders.take(&plan.tool, &plan.files)?,
        };
        folder.add_pipes(&plan.pipes)?;
        let mut command = command(plan, &folder);
        inherited::leave();
        if let Some(confinement) = &self.confinement {
            confinement.bind_this_thread(&plan.confinement, folder.path())?;
        }
        let child = command.spawn()?;
        let id = child
            .id()
            .and_then(|id| Pid::from_raw(id.cast_signed()))
            .expect("a child that was not waited for has an id");
        confine::limit(id, plan.confinement.memory_bytes);
        Ok(Running {
            child,
            group: Group(id),
            is_promised: place.is_some(),
            folder: Some(folder),
            door: self,
        })
    }
}

fn command(plan: &Plan, folder: &PrivateFolder) -> Command {
    let mut command = Command::new(&plan.program);
    let mut words = plan.argv.iter();
    if let Some(Word::Text(name)) = words.next() {
        command.arg0(name);
    }
    for word in words {
        match word {
            Word::Text(text) => command.arg(text),
            Word::File { prefix, name } => {
                let mut word = OsString::from(prefix);
                word.push(folder.path().join(name));
                command.arg(word)
            }
        };
    }
    command
        .env_clear()
        .envs(plan.env.iter().map(|(name, value)| (name, value)))
        .envs(plan::private(&plan.env).map(|name| (name, folder.path())))
        .current_dir(&plan.cwd)
        .process_group(0)
        .stdin(if plan.stdin.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

impl Running {
    /// The process has ended by itself: ends what it left in its group, and tidies up.
    ///
    /// The leader has been waited for, so its id could in theory be someone else's group by now; in
    /// practice the kernel hands out all other ids first.
    pub(crate) async fn over(mut self) {
        self.group.signal(Signal::KILL);
        let Some(folder) = self.folder.take() else {
            return;
        };
        if self.is_promised {
            // The next step of a sequence needs the place.
            if let Err(folder) = folder.remove_empty() {
                let _ = spawn_blocking(move || drop(folder)).await;
            }
        } else if let Some(used) = self.door.folders.give_back(folder) {
            spawn_blocking(move || drop(used));
        }
    }

    /// The process had to be ended: ends the rest of its group and whatever left it.
    pub(crate) async fn kill(mut self) -> Vec<Killed> {
        self.group.signal(Signal::KILL);
        // A signal is sent before it has its effect; whoever is told that a process was ended may look.
        let _ = timeout(GONE, self.child.wait()).await;
        let Some(folder) = self.folder.take() else {
            return Vec::new();
        };
        spawn_blocking(move || kill_stragglers(&folder)).await.unwrap_or_default()
    }

    /// Its private folder, as long as it runs.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_ref().map(PrivateFolder::path)
    }

    /// Everyone who belongs to it now.
    pub(crate) async fn members(&self) -> Vec<Seen> {
        let Some(folder) = self.folder.as_ref().map(|folder| folder.path().to_owned()) else {
            return Vec::new();
        };
        let leader = self.leader();
        let found =
            spawn_blocking(move || processes::find(&[Trace { leader, folder: &folder }])).await;
        found.unwrap_or_default().into_iter().map(|(_, seen)| seen).collect()
    }

    /// The leader of its group.
    pub(crate) fn leader(&self) -> Option<ProcessMark> {
        ProcessMark::of(self.group.0.as_raw_nonzero().get().cast_unsigned())
    }
}

/// Ends whoever left the group.
fn kill_stragglers(folder: &PrivateFolder) -> Vec<Killed> {
    processes::kill(&[Trace { leader: None, folder: folder.path() }]).pop().unwrap_or_default()
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(folder) = self.folder.take() {
            self.group.signal(Signal::KILL);
            // Without a thread to spare, the group at least is gone.
            let _ = thread::Builder::new().spawn(move || kill_stragglers(&folder));
        }
    }
}

impl Group {
    /// Sends a signal to every process in it. An empty group needs none.
    pub(crate) fn signal(self, signal: Signal) {
        let _ = kill_process_group(self.0, signal);
    }

    /// Whether any process is left in it.
    pub(crate) fn is_alive(self) -> bool {
        test_kill_process_group(self.0).is_ok()
    }
}
