//! R Markdown and Quarto documents as text: front matter, headings, chunks, and problems that can
//! be found without running R.
//!
//! R code is parsed, never evaluated: documents come from models and other untrusted authors.

mod check;
mod engines;
mod front_matter;
mod outline;
mod references;
mod rules;
mod volatile;

pub use check::{Problem, check};
pub use front_matter::{TitleEdit, TitleOutcome, read_front_matter, read_title, set_title};
pub use outline::{Chunk, Heading, Outline};
pub use references::{DocumentReferences, find_references};
pub use rules::RULES;
pub use volatile::find_volatile;
