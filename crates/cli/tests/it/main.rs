//! What a user of the `toolcrib` program sees.

mod bad_input;
mod call;
mod check;
mod crib;
mod flags;
mod guide;
mod learn;
mod logs;
mod natives;
mod operations;
mod pages;
mod repository;
mod serve;
mod specifications;
