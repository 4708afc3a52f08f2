//! The built-in tools as a caller sees them.

mod await_;
mod cancel;
mod flags;
mod flags_fixture;
mod get_content;
mod guide_fixture;
mod guide_resources;
mod guide_templates;
mod native_runtime;
mod operation_resources;
mod operations_fixture;
mod prompts;
mod rmd_create;
mod rmd_fixture;
mod rmd_tools;
mod status;
