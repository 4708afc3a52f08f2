//! Content: documents in folders, found by expressions.
//!
//! A category is a folder, a collection a list of expressions. Documents are read when they are
//! asked for, through a handle on their folder that nothing can lead out of. They are information
//! for whoever reads them, unless the category and the document both say that they instruct.

mod category_dir;
mod category_index;
mod content;
mod document;
mod handle;
mod pattern;
mod reply;
mod resources;
mod search;
mod tool;
mod uri;

pub use content::{GuideContent, Limits};
pub use formats::{Category, Collection};
pub use handle::Guide;
pub use reply::{ContentFailure, ContentReply, Filtered, Omitted, Part, PartKind};
pub use tool::CATEGORY;
