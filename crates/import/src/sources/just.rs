//! The recipes of a `justfile` that need no arguments.

use super::{NamedCommand, define, list_names, select};
use crate::draft::{Draft, Project};

pub(super) fn draft(project: &dyn Project) -> Option<Draft> {
    let (file, text) = ["justfile", "Justfile", ".justfile"]
        .into_iter()
        .find_map(|file| Some((file, project.read(file)?)))?;
    let recipes = select(read_recipes(&text));
    (!recipes.is_empty()).then(|| Draft {
        name: "just".to_owned(),
        summary: format!("{file}: {}", list_names(&recipes)),
        definition: define("just", "just", "Recipes of this project's justfile", &recipes),
    })
}

/// The recipes in the order of the file. The comment above a recipe describes it.
fn read_recipes(text: &str) -> Vec<NamedCommand> {
    let mut comment = None;
    let mut is_private = false;
    let mut recipes = Vec::new();
    for line in text.lines() {
        if let Some(text) = line.strip_prefix('#') {
            comment = Some(text.trim().to_owned());
            continue;
        }
        if line.starts_with('[') {
            is_private |= line.contains("private");
            continue;
        }
        if let Some(name) = parse_recipe(line).filter(|name| !is_private && !name.starts_with('_'))
        {
            let described = comment.clone().filter(|text| !text.is_empty());
            let description = described.unwrap_or_else(|| format!("Run `just {name}`"));
            recipes.push(NamedCommand { name: name.to_owned(), description });
        }
        (comment, is_private) = (None, false);
    }
    recipes
}

/// The name of a recipe whose parameters, if any, have defaults.
fn parse_recipe(line: &str) -> Option<&str> {
    let (head, rest) = line.split_once(':')?;
    // `:=` is an assignment.
    if line.starts_with([' ', '\t']) || rest.starts_with('=') {
        return None;
    }
    let mut words = head.trim_start_matches('@').split_whitespace();
    let name = words.next()?;
    // `*args` accepts no arguments; `+args` needs one.
    let is_optional = |word: &str| word.contains('=') || word.starts_with('*');
    (!matches!(name, "set" | "alias" | "export" | "import" | "mod") && words.all(is_optional))
        .then_some(name)
}
