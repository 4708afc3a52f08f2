//! Drafts definitions from what a project and its programs already have.
//!
//! [`find_drafts`] reads files of a project: a git repository, a `Makefile`, a `justfile`, the scripts of
//! `package.json`, a Rust or Python project. [`read_help`] reads the help text of a program into a
//! [`Command`], in which every fact has its origin.
//!
//! Safety is never inferred: a draft declares an annotation only for commands whose effect is known, such as
//! `git status`, and the verb in a name can only make a tool stricter.

mod carapace;
mod caution;
mod definition;
mod draft;
mod fish;
mod help;
mod only;
mod program;
mod record;
mod sources;
mod walk;

pub use carapace::read_carapace;
pub use definition::{Definition, Origins, define};
pub use draft::{Draft, Project};
pub use fish::read_fish;
pub use help::{Ask, Help, read_help};
pub use only::Only;
pub use program::{Command, Effect, Fact, Flag, Origin, Positional, Separator, ValueSpec};
pub use record::{ImportRecord, RecordedFact, Source, merge_edits};
pub use sources::find_drafts;
pub use walk::{Found, Output, Reply, Request, Walk};
