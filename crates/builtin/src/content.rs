//! Content: documents in folders, found by expressions.
//!
//! A category is a folder, a collection a list of expressions. Documents are read when they are
//! asked for, through a handle on their folder that nothing can lead out of. They are information
//! for whoever reads them, unless the category and the document both say that they instruct.

mod address;
mod document;
mod folder;
mod gather;
mod guide;
mod library;
mod pattern;
mod render;
mod resources;
mod shelf;
mod tool;

pub use formats::{Category, Collection};
pub use guide::Guide;
pub use library::{Library, Limits};
pub use render::{Answer, Filtered, Kind, Omitted, Part, Problem};
pub use tool::CATEGORY;
