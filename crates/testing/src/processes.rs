//! Processes as the kernel lists them.

use std::fs;

/// Whether a process runs. A zombie does not.
pub fn is_process_running(pid: &str) -> bool {
    host_pid(pid).is_some()
}

/// The id, outside of all pid namespaces, of a running process that knows itself by this id. Of
/// those in a namespace, only descendants of this test are considered.
pub fn host_pid(inner: &str) -> Option<u32> {
    let is_ours = |pid: &u32| *pid.to_string() == *inner.trim() || is_descendant(*pid);
    let mut pids = pids().filter_map(|pid| pid.parse().ok());
    pids.find(|pid| inner_pid(*pid).as_deref() == Some(inner.trim()) && is_ours(pid))
}

/// The id by which a process knows itself; `None` if it is dead or a zombie.
pub fn inner_pid(pid: u32) -> Option<String> {
    let (state, _) = state_and_parent(&pid.to_string())?;
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let ids = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    ids.split_whitespace().last().filter(|_| !matches!(state, 'Z' | 'X')).map(str::to_owned)
}

fn is_descendant(pid: u32) -> bool {
    ancestors(pid).any(|ancestor| ancestor == std::process::id())
}

/// The parent, its parent, and so on.
fn ancestors(pid: u32) -> impl Iterator<Item = u32> {
    let parent = |pid: &u32| state_and_parent(&pid.to_string()).map(|(_, parent)| parent);
    std::iter::successors(parent(&pid), parent)
}

/// Whether a process with exactly this command line runs, its words separated by spaces.
pub fn is_command_running(command: &str) -> bool {
    pids().any(|pid| {
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words = words.strip_suffix(b"\0").unwrap_or(&words);
        words.split(|byte| *byte == 0).eq(command.split(' ').map(str::as_bytes))
    })
}

/// The number of running programs that a server has started: the children of the supervisors that
/// its launcher process has started.
pub fn count_programs(server: u32) -> usize {
    let pids = pids().filter_map(|pid| pid.parse().ok());
    pids.filter(|pid| inner_pid(*pid).is_some() && ancestors(*pid).nth(2) == Some(server)).count()
}

/// The largest amount of memory that a process has used so far, in MiB.
pub fn peak_memory_mib(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("a running process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number of kB") / 1024
}

fn pids() -> impl Iterator<Item = String> {
    let entries = fs::read_dir("/proc").expect("a list of processes").flatten();
    entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
}

fn state_and_parent(pid: &str) -> Option<(char, u32)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program is in parentheses and may contain anything, including `) `.
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}
