//! Tools, rules and error types as text: for a model, for a page, for a terminal.
//!
//! Everything here takes model values and returns strings; nothing is printed or written. Text by
//! an author stays text: in pages it makes no HTML and breaks no table, on a terminal it moves no
//! cursor.

mod change;
mod command_line;
mod description;
mod error_type;
mod fields;
mod html_site;
mod markdown;
mod markdown_site;
mod published_book;
mod rule;
mod schema;
mod skill;
mod terminal;
mod tool_docs;
mod tool_page;

pub use change::{render_change, render_changes_reference};
pub use description::{DescriptionSize, describe};
pub use error_type::{render_error_type, render_errors_reference};
pub use html_site::{GENERATOR, render_html_site};
pub use markdown::escape_cell;
pub use markdown_site::{SitePage, render_markdown_site};
pub use published_book::PublishedBook;
pub use rule::{render_rule, render_rules_reference};
pub use schema::schema_to_markdown;
pub use skill::{render_package_page, render_skill, shorten, summarize};
pub use terminal::{WIDTH, render_for_terminal};
pub use tool_page::render_tool_page;
