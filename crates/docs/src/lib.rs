//! Tools, rules and error types as text: for a model, for a page, for a terminal.
//!
//! Everything here takes model values and returns strings; nothing is printed or written. Text that
//! an author wrote is shown as text: in pages it makes no HTML and breaks no table, on a terminal
//! it moves no cursor.

mod change;
mod command_line;
mod description;
mod error_type;
mod fields;
mod markdown;
mod page;
mod pages;
mod rule;
mod schema;
mod sheet;
mod site;
mod terminal;

pub use change::{change_page, changes_reference};
pub use description::{Size, description};
pub use error_type::{error_page, errors_reference};
pub use page::tool_page;
pub use pages::{Page, pages};
pub use rule::{rule_page, rules_reference};
pub use schema::schema_markdown;
pub use site::{GENERATOR, site};
pub use terminal::terminal;
