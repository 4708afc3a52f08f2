//! Real programs that try to leave the sandbox.

mod attacks;
mod bench;
mod lifetime;
mod limits;
mod network;
mod programs;
mod replaced_files;
