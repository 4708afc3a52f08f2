//! Guide content: documents in folders, selected by expressions (`get_content`, `guide://` URIs).
//!
//! A category is a folder, a collection is a list of expressions. Documents are read on each
//! request, through a handle on their folder that no path or link leads out of. A document is
//! information for the model, unless both its category and its front matter mark it as instruction.

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
