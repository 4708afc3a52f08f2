//! Writes observed effects of a tool into its definition and keeps the rest of the text unchanged.

use std::fmt;

use catalog::implementation::Access;

use super::detect;
use crate::{
    json::{self, Node},
    spec::{Edit, apply_edits},
};

/// The effects to declare in a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declaration {
    /// The new value of `mutates`; `None` to keep it.
    pub mutates: Option<bool>,
    /// The new value of `network`; `None` to keep it.
    pub network: Option<bool>,
    /// The new `access` of parameters, by name.
    pub access: Vec<(String, Access)>,
}

/// The reason why effects cannot be declared in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclareError {
    /// The text is in a format that declares effects differently.
    OtherFormat,
    /// The tool or a parameter was not found: the file has changed, or a parameter is defined
    /// elsewhere.
    MissingTool,
}

impl fmt::Display for DeclareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OtherFormat => "it is not a JSON definition of a command-line tool",
            Self::MissingTool => "it does not define the tool, or not all of its parameters",
        })
    }
}

/// Returns the text with a declaration added to the tool at `pointer`.
pub fn declare(
    text: &str,
    pointer: &str,
    declaration: &Declaration,
) -> Result<String, DeclareError> {
    let parsed = json::parse(text);
    let root = parsed.root.filter(|root| detect(root, text).is_some());
    let root = root.ok_or(DeclareError::OtherFormat)?;
    let levels = find_levels(&root, pointer).ok_or(DeclareError::MissingTool)?;
    let tool = levels.last().copied().ok_or(DeclareError::MissingTool)?;
    let mut edits = Vec::new();
    let facts = [("mutates", declaration.mutates), ("network", declaration.network)];
    for (key, value) in facts {
        edits.extend(value.map(|value| set(text, tool, key, &value.to_string())));
    }
    for (name, access) in &declaration.access {
        // The innermost level takes precedence, as in a call.
        let parameter = levels.iter().rev().find_map(|level| find_parameter(level, name));
        let parameter = parameter.ok_or(DeclareError::MissingTool)?;
        edits.push(set(text, parameter, "access", &format!("\"{}\"", access.word())));
    }
    edits.sort_by_key(|edit| edit.span.start);
    Ok(apply_edits(text, &edits))
}

/// The nodes from the root to the tool; `None` if the pointer does not resolve.
fn find_levels<'n, 'a>(root: &'n Node<'a>, pointer: &str) -> Option<Vec<&'n Node<'a>>> {
    let (mut node, mut levels) = (root, vec![root]);
    for token in pointer.split('/').skip(1) {
        node = match token.parse::<usize>() {
            Ok(index) => node.items().get(index)?,
            Err(_) => node.get(token)?,
        };
        levels.extend(node.is_object().then_some(node));
    }
    node.is_object().then_some(levels)
}

fn find_parameter<'n, 'a>(level: &'n Node<'a>, name: &str) -> Option<&'n Node<'a>> {
    let lists = ["options", "positional_args"].into_iter().filter_map(|list| level.get(list));
    let is_named = |item: &&Node<'_>| item.get("name").and_then(Node::as_str) == Some(name);
    let listed = lists.flat_map(Node::items).find(is_named);
    listed.or_else(|| level.get("argv")?.get(name).filter(|entry| entry.is_object()))
}

/// Replaces the value of a member, or adds one in the layout of the others.
fn set(text: &str, object: &Node<'_>, key: &str, value: &str) -> Edit {
    if let Some(member) = object.member(key) {
        return Edit { span: member.value.span.range(), text: value.to_owned() };
    }
    let members = object.members();
    let Some(last) = members.last() else {
        let inside = object.span.start() + 1;
        return Edit { span: inside..inside, text: format!("\"{key}\": {value}") };
    };
    let before = match members {
        [.., before, _] => text.get(before.value.span.range().end..last.key_span.start()),
        _ => None,
    };
    // Anything but whitespace between two members is a comment.
    let separator = before.filter(|between| between.trim() == ",").unwrap_or(", ");
    let end = last.value.span.range().end;
    Edit { span: end..end, text: format!("{separator}\"{key}\": {value}") }
}

#[cfg(test)]
mod tests {
    use catalog::implementation::Access;

    use super::{Declaration, DeclareError, declare};

    const TEXT: &str = r#"{
  "name": "copy", "description": "Copy", "command": "cp",
  "subcommand": [
    {
      "name": "file",
      "description": "Copy a file",
      "mutates": false,
      "positional_args": [
        {"name": "from", "type": "string", "format": "path", "description": "The file"}
      ]
    }
  ]
}
"#;

    #[test]
    fn changes_only_what_is_declared() {
        let declaration = Declaration {
            mutates: Some(true),
            network: Some(true),
            access: vec![("from".to_owned(), Access::ReadWrite)],
        };
        let text = declare(TEXT, "/subcommand/0", &declaration).expect("a definition");
        let expected = TEXT
            .replace("\"mutates\": false", "\"mutates\": true")
            .replace("\"The file\"}", "\"The file\", \"access\": \"read_write\"}")
            .replace("      ]\n    }\n", "      ],\n      \"network\": true\n    }\n");
        assert_eq!(text, expected);
    }

    #[test]
    fn rejects_other_files_and_missing_tools() {
        let declaration = Declaration { mutates: Some(true), ..Declaration::default() };
        assert_eq!(declare("[1]", "", &declaration), Err(DeclareError::OtherFormat));
        assert_eq!(declare(TEXT, "/subcommand/1", &declaration), Err(DeclareError::MissingTool));
    }
}
