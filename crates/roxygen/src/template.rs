//! `@template NAME`: tags in a file of their own, with placeholders for the values of
//! `@templateVar`.
//!
//! Templates are programs for the R package `brew`. Only those whose code inserts a variable,
//! `<%= name %>`, can be expanded; any other code would need R.

use super::block::Block;

/// Reads a file of the package by its path in the package.
pub(crate) type ReadFile<'o> = &'o dyn Fn(&str) -> Option<String>;

/// The folders in which roxygen2 looks for templates.
const FOLDERS: [&str; 2] = ["man-roxygen", "man/roxygen/templates"];

/// Maximum number of templates that are expanded in one block. Without a limit, a template that
/// includes itself would never end.
pub(super) const MAX_EXPANSIONS: usize = 100;

/// Replaces each `@template` of a block by the tags of the template. A template that cannot be
/// expanded stays as a tag, to be reported for tools.
pub(super) fn expand_templates(block: &mut Block<'_>, read_file: ReadFile<'_>) {
    let (mut index, mut expanded) = (0, 0);
    while let Some(tag) = block.tags.get(index) {
        let is_template = tag.name == "template" && expanded < MAX_EXPANSIONS;
        match is_template.then(|| expand(block, index, read_file)) {
            // The index stays, so that templates inside the template are expanded as well.
            Some(Ok(text)) => {
                block.replace_tag(index, &text);
                expanded += 1;
            }
            _ => index += 1,
        }
    }
}

/// The text of the template that the tag at `index` names, or why it cannot be expanded.
pub(super) fn expand(
    block: &Block<'_>,
    index: usize,
    read_file: ReadFile<'_>,
) -> Result<String, String> {
    let name = block.tags[index].text();
    let mut paths = FOLDERS
        .iter()
        .flat_map(|folder| [format!("{folder}/{name}.R"), format!("{folder}/{name}.r")]);
    let template = paths
        .find_map(|path| read_file(&path))
        .ok_or_else(|| format!("there is no `{}/{name}.R` in the package", FOLDERS[0]))?;
    fill_in(&template, block)
        .ok_or_else(|| format!("the template `{name}` contains R code, which `build` does not run"))
}

/// The template with the values of its variables; `None` if it contains other code.
fn fill_in(template: &str, block: &Block<'_>) -> Option<String> {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, code)) = rest.split_once("<%") {
        let (code, after) = code.split_once("%>")?;
        out.push_str(before);
        // Anything but `<%= name %>` is a program for R.
        out.push_str(&find_variable(block, code.strip_prefix('=')?.trim())?);
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

/// The value of a `@templateVar`.
fn find_variable(block: &Block<'_>, name: &str) -> Option<String> {
    block.tags_named("templateVar").find_map(|tag| {
        let text = tag.text();
        let (variable, value) = text.split_once(char::is_whitespace)?;
        (variable == name).then(|| value.trim().to_owned())
    })
}
