//! `new native`: a crate for a tool in Rust.

use std::process::ExitCode;

use workspace::Crib;

use super::write;
use crate::{commands::CommandResult, error::CommandError, terminal};

/// The files of the crate, with `NAME` for the name of the tool.
const FILES: [(&str, &str); 2] = [
    ("Cargo.toml", include_str!("native_manifest.toml")),
    ("src/main.rs", include_str!("native_main.rs.txt")),
];

/// Creates the crate in a folder of the crib.
pub(super) fn create(crib: &Crib, name: &str) -> CommandResult {
    let is_crate_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if !is_crate_name {
        let message = format!("`{name}` is not a valid name of a crate");
        return Err(CommandError::machine(message)
            .hint("begin with a letter, and use letters, digits, `_` and `-`"));
    }
    let folder = crib.folder.join(name);
    for (file, template) in FILES {
        write(&folder.join(file), &template.replace("NAME", name))?;
    }
    terminal::note(&format!(
        "wrote {}: fill in the parts in brackets, then run `cargo run` there",
        folder.display()
    ));
    Ok(ExitCode::SUCCESS)
}
