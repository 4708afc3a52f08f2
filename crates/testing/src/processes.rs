//! Processes as the kernel lists them.

use std::fs;

/// Whether a process runs. A zombie does not.
pub fn is_process_running(pid: &str) -> bool {
    state_and_parent(pid.trim()).is_some_and(|(state, _)| !matches!(state, 'Z' | 'X'))
}

/// Whether a process with exactly this command line runs, its words separated by spaces.
pub fn is_command_running(command: &str) -> bool {
    pids().any(|pid| {
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words = words.strip_suffix(b"\0").unwrap_or(&words);
        words.split(|byte| *byte == 0).eq(command.split(' ').map(str::as_bytes))
    })
}

/// The number of running processes that a process has started itself.
pub fn count_children(parent: u32) -> usize {
    let processes = pids().filter_map(|pid| state_and_parent(&pid));
    processes.filter(|(state, found)| *state != 'Z' && *found == parent).count()
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
