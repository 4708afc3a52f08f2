//! Processes of a call that left its process group: daemons, mostly. They are known by the private
//! temporary folder in their environment. Looking for them is slow, so only a call that had to be
//! ended does.

use std::{fs, os::unix::ffi::OsStrExt, path::Path};

use rustix::process::{Pid, Signal, kill_process};

/// A process may start another while it is being looked for; a few rounds find that one, too.
const ROUNDS: usize = 5;

/// Kills every process whose `TMPDIR` is `folder`.
pub(crate) fn kill(folder: &Path) {
    let mark = [b"TMPDIR=", folder.as_os_str().as_bytes(), b"\0"].concat();
    for _ in 0..ROUNDS {
        let found: Vec<_> = processes().filter(|pid| is_marked(*pid, &mark)).collect();
        if found.is_empty() {
            return;
        }
        for pid in found {
            // It may have ended meanwhile, which is just as well.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

fn processes() -> impl Iterator<Item = Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok().and_then(Pid::from_raw))
}

fn is_marked(pid: Pid, mark: &[u8]) -> bool {
    let environment = fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())).unwrap_or_default();
    environment.windows(mark.len()).any(|window| window == mark)
}
