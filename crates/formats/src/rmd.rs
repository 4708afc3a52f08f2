//! R Markdown and Quarto documents as text: their front matter and title.
//!
//! Nothing is run and nothing is evaluated: R in a title is a part of it.

mod front;

pub use front::{Front, Titled, WhatBecame, front, title, titled};
