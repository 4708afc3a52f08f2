//! What a user of the `toolcrib` program sees.

mod bad_input;
mod call;
mod check;
mod crib;
mod guide;
mod logs;
mod pages;
mod repository;
mod serve;
