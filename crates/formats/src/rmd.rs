//! R Markdown and Quarto documents as text: their front matter, their headings and chunks, and what is
//! wrong with them.
//!
//! Nothing is run and nothing is evaluated: R is only parsed.

mod check;
mod front;
mod mentions;
mod outline;
mod rules;

pub use check::{Problem, check};
pub use front::{Front, Titled, WhatBecame, front, title, titled};
pub use mentions::{Mentions, mentions};
pub use outline::{Chunk, Heading, Outline};
pub use rules::RULES;
