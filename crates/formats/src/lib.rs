//! Readers of tool definitions: text in, tools and diagnostics out.
//!
//! This is the only crate that knows a syntax. Reading never fails: whatever could be read is
//! returned, with every problem that was found. No file is touched here; the caller brings bytes.

mod bind;
mod category;
mod comparison;
mod constraints;
mod context;
mod convert;
mod document;
mod expression;
mod format;
mod front_matter;
mod guidance;
pub mod json;
mod json_schema;
mod locate;
mod mcp;
mod mtdf;
mod object;
mod prompt;
mod python_module;
mod rave;
mod report;
pub mod rmd;
mod rules;
mod schema;
mod spec;
mod table;
pub mod type_phrase;
mod yaml;

pub use bind::bind;
pub use category::{Category, Collection};
pub use comparison::Loss;
pub use context::{Guidance, ReadLink};
pub use convert::{Converted, convert};
pub use document::{Document, is_candidate, looks_like_definition, read, read_guidance};
pub use expression::{Expression, ExpressionError, Pattern, Selection, Term, check_name};
pub use format::{
    FilledTemplate, Format, MAX_BYTES, Reading, Template, TemplateError, Writer, WrittenFile,
};
pub use front_matter::{FrontMatter, FrontMatterError};
pub use guidance::GUIDANCE_FILE;
pub use locate::{Locator, locate};
pub use mtdf::rules::definition::MISSING_COMMAND;
pub use mtdf::{Declaration, DeclareError, declare};
pub use mtdf::{Rewrite, Unformatted, format_definition};
pub use prompt::{
    ArgumentDefinition, DUPLICATE_PROMPT, PROMPT_RULES, Prompt, PromptArguments, PromptBody,
    PromptExample, PromptSegment, ToolReference, UNKNOWN_PROMPT_TOOL, read_prompt, read_workflow,
};
pub use python_module::{PythonModule, PythonParameter, PythonSignature};
pub use rules::definition::BAD_NAME;
pub use spec::{Edit, apply_edits, find_fixes};
pub use table::{FORMATS, find_format, rules};
pub use yaml::{find_yaml_problem, write_yaml, yaml_value};

#[cfg(test)]
mod example_format;
