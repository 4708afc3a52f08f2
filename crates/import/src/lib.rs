//! Drafts definitions from existing files of a project: a git repository, a `Makefile`, a `justfile`, the
//! scripts of `package.json`, a Rust or Python project.
//!
//! Safety is never inferred: a draft declares an annotation only for commands whose effect is known, such as
//! `git status`, and the verb in a name can only make a tool stricter.

mod caution;
mod draft;
mod sources;

pub use draft::{Draft, Project};
pub use sources::find_drafts;
