//! What carries out calls.

mod process;

pub(crate) use process::CommandRun;
