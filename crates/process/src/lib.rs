//! Starts, sandboxes, observes and kills child processes.
//!
//! The input is a [`Command`]: program, arguments, environment, files and [`Sandbox`]. A
//! [`Launcher`] starts it, [`run_to_exit`] waits for it within a timeout while its output is
//! captured, and [`process_table`] finds whatever it left behind. This crate does not know about
//! tools; it is the only one that spawns processes. The launcher process does.

mod access;
mod command;
mod launcher;
#[cfg(target_os = "linux")]
mod launcher_process;
mod level;
mod opened_path;
mod output;
mod output_file;
mod peer;
mod private_folder;
mod process_id;
pub mod process_table;
mod program;
mod protected_paths;
#[cfg(target_os = "linux")]
mod protocol;
mod r_environment;
mod random_id;
mod run;
mod run_program;
mod sandbox;
mod server_id;
mod strace;

pub use access::{AccessNeeds, ProgramAccess};
pub use command::{Command, PrivateCopies, Word, private_variables};
pub use egress::refuse_own_port;
pub use launcher::{
    BackgroundProcess, Child, ChildProcess, ChildStdin, ChildStdout, LaunchError, Launcher,
    LauncherOptions, ProcessGroup, start_background,
};
#[cfg(target_os = "linux")]
pub use launcher_process::{limit_heaps, trim_memory};
pub use level::{ResourceControl, resource_control, sandbox_level};
pub use opened_path::{
    OpenedPath, OpenedPaths, follow_links_outside, open_file_beneath, open_file_without_links,
};
pub use output::{CapturedOutput, OutputBuffer, OutputListener, OutputSink, OutputStream};
pub use output_file::OutputFile;
pub use peer::Peer;
pub use private_folder::{
    PrivateFolder, is_private_folder, remove_abandoned_folders, wait_for_cleanup,
};
pub use process_id::ProcessId;
pub use program::{find_program, is_program, search_path};
pub use protected_paths::ProtectedPaths;
#[cfg(target_os = "linux")]
#[doc(hidden)]
pub use protocol::check_start_request;
pub use r_environment::{r_libraries, r_variables};
pub use random_id::random_id;
pub use run::{ExitReason, Finished, RunOptions, run_to_exit, write_stdin};
pub use run_program::{ProgramLimits, ProgramOutput, RunProgramError, run_program};
pub use sandbox::{
    ListEnforcement, Sandbox, SandboxLevel, SandboxSupport, Violation, WATCH_INTERVAL,
    list_enforcement, raise_open_file_limit, sandbox_support,
};
pub use server_id::{ServerId, pid_namespace};
pub use strace::{MissingStrace, trace_with_strace};

/// Does nothing: the allocators of other systems have no such setting.
#[cfg(not(target_os = "linux"))]
pub fn limit_heaps() {}

/// Does nothing: the allocators of other systems return free memory by themselves.
#[cfg(not(target_os = "linux"))]
pub fn trim_memory() {}
