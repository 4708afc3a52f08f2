//! What a client sees of a server: raw messages in, raw messages out.

mod approving;
mod asking;
mod calling;
mod control;
mod dialect;
mod ending;
mod following;
mod guarding;
mod http;
mod listing;
mod opening;
mod pipes;
mod providers;
mod serving;
mod subscribing;
mod tasks;
mod workshop;
mod yard;
