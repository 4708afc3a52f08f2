//! Real programs that try to leave the sandbox.

mod attacks;
mod bench;
mod lifetime;
mod network;
mod programs;
