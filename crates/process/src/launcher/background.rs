//! Starts this program again, as a process that outlives this one.

use std::{
    ffi::OsString,
    fs::File,
    io,
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Child, Command, Stdio},
};

/// Starts another process of this program with these arguments, which outlives this one. Its output
/// is appended to `log`.
pub fn start_background(arguments: &[OsString], log: File) -> io::Result<BackgroundProcess> {
    let errors = log.try_clone()?;
    let process = Command::new(own_program()?)
        .arg0("toolcrib")
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::from(log))
        .stderr(Stdio::from(errors))
        .spawn()?;
    Ok(BackgroundProcess(process))
}

/// A process that outlives this one.
pub struct BackgroundProcess(Child);

impl BackgroundProcess {
    /// Whether the process has exited. If the check fails, it counts as running.
    pub fn has_ended(&mut self) -> bool {
        self.0.try_wait().is_ok_and(|status| status.is_some())
    }
}

/// The path of this executable. On Linux it leads to the program that runs even if the file was replaced
/// since it was started.
pub(super) fn own_program() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") { Ok("/proc/self/exe".into()) } else { std::env::current_exe() }
}
