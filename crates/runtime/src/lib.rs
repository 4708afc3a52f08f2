//! One call from arguments to outcome.
//!
//! [`Runtime::call`] is the one path that every call of every tool takes: arguments are checked
//! against the served schema, policy is asked, a [`Plan`] is made, and a backend (a program or a
//! native function) carries it out. It reads no configuration and no environment: it is handed
//! [`Settings`]. Child processes are started by the crate `process`.

mod approval;
mod audit;
mod backend;
mod backends;
mod bounded_work;
mod call;
mod clock;
mod code_files;
mod digest;
mod engine;
mod fair_queue;
pub mod journal;
mod live_output;
mod log;
mod natives;
mod notification;
pub mod operation;
mod operations;
mod outputs;
mod plan;
mod program_grants;
mod programs;
mod progress;
mod redaction;
mod results;
mod runtime;
mod scheduler;
mod settings;

pub use approval::{Approval, Digest};
pub use bounded_work::{BoundedWork, Unfinished, WORK_TIME};
pub use call::Call;
pub use clock::{Clock, timestamp};
pub use code_files::{code_files, code_paths};
pub use digest::{file_digest, tool_digest, value_digest};
pub use fair_queue::{FairQueue, QueueKey};
pub use journal::AuditLine;
pub use live_output::LiveOutput;
pub use log::CALLS;
pub use notification::Notification;
pub use operations::{Event, EventKind, Operations, Until, Viewer};
pub use outputs::{Lines, MAX_LINE_BYTES, OutputName, OutputPage, OutputReader, is_long_output};
pub use plan::{
    Detail, Emphasis, Plan, Rendering, can_tools_read, escape_controls, render_command_line,
    render_plan, render_request,
};
pub use process::{
    OpenedPath, OutputStream, Peer, ProgramOutput, ProtectedPaths, ResourceControl, SandboxLevel,
    SandboxSupport, WATCH_INTERVAL, follow_links_outside, limit_heaps, list_enforcement,
    open_file_beneath, r_libraries, refuse_own_port, resource_control, sandbox_level,
    sandbox_support, search_path, start_background, trim_memory, wait_for_cleanup,
};
pub use program_grants::{Grant, GrantsByProgram, ProgramGrants, TrustedTools};
pub use programs::{PeerCommand, ProgramRequest, ProgramRunner, run_program};
pub use results::process_output_schema;
pub use runtime::Runtime;
pub use settings::Settings;
pub use workers::{R_SOURCING, Session, with_missing, with_session_argument};

use catalog::failures;
