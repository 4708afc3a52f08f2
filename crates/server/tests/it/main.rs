//! What a client sees of a server: raw messages in, raw messages out.

mod asking;
mod calling;
mod control;
mod ending;
mod guarding;
mod http;
mod listing;
mod opening;
mod pipes;
mod providers;
mod subscribing;
mod workshop;
