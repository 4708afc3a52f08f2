//! `@template NAME`: tags that stand in a file of their own, with places for the values of `@templateVar`.
//!
//! A template is a program for `brew`. Those that only put values in are read; R code in one is not run.

use super::{block::Block, package::Others};

/// Where templates are.
const FOLDERS: [&str; 2] = ["man-roxygen", "man/roxygen/templates"];

/// Puts the templates that can be read in the places where a block names them. The others stay named.
pub(super) fn expand(block: &mut Block<'_>, others: Others<'_>) {
    let mut index = 0;
    while let Some(tag) = block.tags.get(index) {
        match (tag.name == "template").then(|| text(block, index, others)) {
            Some(Ok(text)) => block.replace(index, &text),
            _ => index += 1,
        }
    }
}

/// What the template at an index of a block says, or why that is not known.
pub(super) fn text(block: &Block<'_>, index: usize, others: Others<'_>) -> Result<String, String> {
    let name = block.tags[index].text();
    let paths = FOLDERS
        .iter()
        .flat_map(|folder| [format!("{folder}/{name}.R"), format!("{folder}/{name}.r")]);
    let found = paths.into_iter().find_map(|path| others(&path));
    let template =
        found.ok_or_else(|| format!("there is no `{}/{name}.R` in the package", FOLDERS[0]))?;
    filled(&template, block)
        .ok_or_else(|| format!("the template `{name}` has R code in it, which is not run"))
}

/// A template with values for its variables; nothing if it needs more than that.
fn filled(template: &str, block: &Block<'_>) -> Option<String> {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, code)) = rest.split_once("<%") {
        let (code, after) = code.split_once("%>")?;
        out.push_str(before);
        out.push_str(&variable(block, code.strip_prefix('=')?.trim())?);
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

/// The value of a `@templateVar`.
fn variable(block: &Block<'_>, name: &str) -> Option<String> {
    block.all("templateVar").find_map(|tag| {
        let text = tag.text();
        let (known, value) = text.split_once(char::is_whitespace)?;
        (known == name).then(|| value.trim().to_owned())
    })
}
