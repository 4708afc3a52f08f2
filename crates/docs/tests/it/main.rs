//! Pages, descriptions and terminal text, as they are rendered.

mod description;
mod error_type;
mod escaping;
mod html_site;
mod markdown_site;
mod rule;
mod sample_tools;
mod schema;
mod terminal;
mod tool_page;
