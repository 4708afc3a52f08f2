//! What a user of the `toolcrib` program sees.

mod call;
mod check;
mod crib;
mod guide;
mod pages;
mod repository;
mod serve;
