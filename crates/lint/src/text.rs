//! Every text of a tool that a client or a person reads, with its role and its origin.

use std::{cell::OnceCell, ops::Range};

use catalog::{Implementation, Origin, Tool, implementation::Piece, spec_details::Section};
use serde_json::Value;

use crate::prose::{Word, split_prose};

/// The role of a text in a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    /// The name of the tool.
    Name,
    /// The description of the tool.
    Description,
    /// The text in front of the descriptions of several tools.
    Guidance,
    /// Another text about the whole tool; the value names it in messages.
    Prose(&'static str),
    /// The name of a parameter.
    ParameterName,
    /// A text in the schema of a parameter: a description, title or comment.
    ParameterProse,
    /// A value in the schema of a parameter: a choice, default or example.
    Value,
    /// The program or a fixed argument of the command line.
    CommandWord,
}

/// A text of a tool.
pub(crate) struct Text<'a> {
    pub(crate) role: Role,
    pub(crate) text: &'a str,
    pub(crate) tool: &'a Tool,
    /// The parameter that the text belongs to.
    parameter: Option<&'a str>,
    /// Split on first use: several rules need the words, and most texts have none that matter.
    words: OnceCell<Vec<Word<'a>>>,
}

impl<'a> Text<'a> {
    pub(crate) fn new(
        role: Role,
        text: &'a str,
        tool: &'a Tool,
        parameter: Option<&'a str>,
    ) -> Self {
        Self { role, text, tool, parameter, words: OnceCell::new() }
    }

    /// The words of the text.
    pub(crate) fn words(&self) -> &[Word<'a>] {
        self.words.get_or_init(|| split_prose(self.text))
    }

    /// The text of a range of words, escaped for a message.
    pub(crate) fn quote(&self, span: Range<usize>) -> String {
        let words = &self.words()[span];
        let from = words.first().map_or(0, |first| first.span.start);
        let to = words.last().map_or(from, |last| last.span.end);
        escape_for_message(&self.text[from..to])
    }

    /// Whether the text is a name, in which no invisible character is legitimate.
    pub(crate) fn is_name(&self) -> bool {
        matches!(self.role, Role::Name | Role::ParameterName)
    }

    /// Whether the text is prose, which models read and follow.
    pub(crate) fn is_prose(&self) -> bool {
        matches!(
            self.role,
            Role::Description | Role::Guidance | Role::Prose(_) | Role::ParameterProse
        )
    }

    /// Names the text in a message.
    pub(crate) fn describe(&self) -> String {
        let parameter = escape_for_message(self.parameter.unwrap_or_default());
        match self.role {
            Role::Name => "the name".to_owned(),
            Role::Description => "the description".to_owned(),
            Role::Guidance => "the guidance".to_owned(),
            Role::Prose(what) => format!("the {what}"),
            Role::ParameterName => format!("the name of the parameter `{parameter}`"),
            Role::ParameterProse => format!("the description of `{parameter}`"),
            Role::Value => format!("a value of `{parameter}`"),
            Role::CommandWord => "the command".to_owned(),
        }
    }

    /// The origin of the text, as exact as the format allows.
    pub(crate) fn origin(&self) -> Origin {
        let details = self.tool.details.as_deref().filter(|_| self.role == Role::Description);
        let purpose = details.and_then(|details| details.section(Section::Purpose));
        match (self.parameter, purpose) {
            (Some(name), _) => self.tool.parameter_origin(name),
            (None, Some(location)) => self.tool.origin_of(location),
            (None, None) => self.tool.origin.clone(),
        }
    }
}

/// Puts foreign text on one line and escapes invisible characters, so that a message can quote it.
pub(crate) fn escape_for_message(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !escaped.is_empty() {
            escaped.push(' ');
        }
        for c in word.chars() {
            match c {
                // `escape_debug` would put a backslash before these; they are visible.
                '"' | '\'' | '\\' => escaped.push(c),
                _ => escaped.extend(c.escape_debug()),
            }
        }
    }
    escaped
}

/// Collects every text of a tool, in a stable order.
pub(crate) fn collect_texts(tool: &Tool) -> Vec<Text<'_>> {
    let mut found = Vec::new();
    let mut push = |role, text| found.push(Text::new(role, text, tool, None));
    let description = &tool.description;
    // The name first: findings are reported in this order, and a bad name matters most.
    push(Role::Name, tool.name.as_str());
    push(Role::Description, &description.text);
    let parts = [
        (Role::Guidance, &description.guidance),
        (Role::Prose("title"), &tool.title),
        (Role::Prose("hint"), &description.hint),
        (Role::Prose("install instructions"), &description.install),
    ];
    parts
        .into_iter()
        .filter_map(|(role, part)| Some((role, part.as_deref()?)))
        .for_each(|(role, part)| push(role, part));
    command_words(&tool.implementation).for_each(|word| push(Role::CommandWord, word));
    for (name, schema) in tool.input.properties() {
        collect_parameter_texts(tool, name, schema, &mut found);
    }
    found
}

fn command_words(implementation: &Implementation) -> impl Iterator<Item = &str> {
    let process =
        if let Implementation::Process(process) = implementation { Some(process) } else { None };
    process.into_iter().flat_map(|process| {
        let words = process.pieces.iter().filter_map(|piece| {
            if let Piece::Word(word) = piece { Some(word.as_str()) } else { None }
        });
        std::iter::once(process.program.as_str()).chain(words)
    })
}

/// Collects the texts in the schema of a parameter. Iterative, because definitions come from other
/// people and may be nested deeper than the call stack allows.
fn collect_parameter_texts<'a>(
    tool: &'a Tool,
    name: &'a str,
    schema: &'a Value,
    found: &mut Vec<Text<'a>>,
) {
    let mut push = |role, text| found.push(Text::new(role, text, tool, Some(name)));
    push(Role::ParameterName, name);
    let mut pending = vec![(Role::ParameterProse, schema)];
    while let Some((role, value)) = pending.pop() {
        match value {
            Value::String(text) => push(role, text),
            // Reversed, because a stack returns the last item first and findings follow the order
            // of the file.
            Value::Array(items) => pending.extend(items.iter().rev().map(|item| (role, item))),
            Value::Object(members) if role == Role::Value => {
                pending.extend(members.values().rev().map(|member| (role, member)));
            }
            Value::Object(members) => {
                pending.extend(
                    members
                        .iter()
                        .rev()
                        .filter_map(|(key, member)| Some((role_of(key, member)?, member))),
                );
            }
            _ => {}
        }
    }
}

/// The role of the texts in a member of a schema; `None` if it has none.
fn role_of(keyword: &str, member: &Value) -> Option<Role> {
    match keyword {
        "enum" | "const" | "default" | "examples" => Some(Role::Value),
        "description" | "title" | "$comment" => Some(Role::ParameterProse),
        // Keywords of the schema language, not text of the author.
        "type" | "required" => None,
        _ if member.is_object() || member.is_array() => Some(Role::ParameterProse),
        _ => None,
    }
}
