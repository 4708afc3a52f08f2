//! What a user of the `toolcrib` program sees.

mod against;
mod bad_input;
mod build;
mod call;
mod check;
mod content;
mod converting;
mod crib;
mod crowd;
mod examples;
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
mod running;
mod serve;
mod specifications;
mod versions;
