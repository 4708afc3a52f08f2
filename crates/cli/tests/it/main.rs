//! What a user of the `toolcrib` program sees.

mod bad_input;
mod build;
mod call;
mod check;
mod content;
mod crib;
mod crowd;
mod flags;
mod guide;
mod learn;
mod logs;
mod natives;
mod operations;
mod pages;
mod r;
mod rave;
mod rendering;
mod repository;
mod rmarkdown;
mod serve;
mod specifications;
