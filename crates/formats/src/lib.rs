//! Readers of tool definitions: text in, tools and diagnostics out.
//!
//! This is the only crate that knows a syntax. Reading never fails: whatever could be read is
//! returned, with every problem that was found. No file is touched here; the caller brings bytes.

mod bind;
mod category;
mod convert;
mod document;
mod expression;
mod front_matter;
mod guidance;
pub mod json;
mod locate;
mod mcp;
mod mtdf;
mod prompt;
mod rave;
mod report;
pub mod rmd;
mod rules;
mod spec;
pub mod type_phrase;
mod yaml;

pub use bind::bind;
pub use category::{Category, Collection};
pub use convert::{Converted, ConvertedFile, Loss, Target, convert};
pub use document::{Document, Format, MAX_BYTES, Reading, is_specification, read, read_guidance};
pub use expression::{Expression, ExpressionError, Pattern, Sense, Term, check_name};
pub use front_matter::{FrontMatter, FrontMatterError};
pub use guidance::{Guidance, guidance_schema};
pub use locate::{Locator, locate};
pub use mtdf::mtdf_schema;
pub use prompt::{
    ArgumentDefinition, DUPLICATE_PROMPT, Interface, PROMPT_RULES, Piece, Prompt, PromptBody,
    PromptExample, ToolReference, UNKNOWN_PROMPT_TOOL, read_prompt, read_workflow,
};
pub use rave::rave_schema;
pub use rules::{
    RULES,
    definition::{BAD_NAME, MISSING_COMMAND},
};
pub use spec::{Edit, Linked, apply, fixes};
pub use yaml::{write_yaml, yaml_value};
