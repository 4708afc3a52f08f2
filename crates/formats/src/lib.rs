//! Readers of tool definitions: text in, tools and diagnostics out.
//!
//! This is the only crate that knows a syntax. Reading never fails: whatever could be read is
//! returned, with every problem that was found. No file is touched here; the caller brings bytes.

mod bind;
mod document;
mod guidance;
pub mod json;
mod locate;
mod mtdf;
mod report;
mod rules;
mod spec;

pub use bind::bind;
pub use document::{Document, Format, MAX_BYTES, Reading, is_guidance, is_specification, read, read_guidance};
pub use guidance::{Guidance, guidance_schema};
pub use locate::{Locator, locate};
pub use mtdf::mtdf_schema;
pub use rules::{RULES, definition::MISSING_COMMAND};
pub use spec::{Edit, Linked, apply, fixes};
