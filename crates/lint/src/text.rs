//! Every piece of text in a tool that a client or a person reads, with what it is and where.

use std::{cell::OnceCell, ops::Range};

use catalog::{Implementation, Origin, Tool, aspect::Section, implementation::Piece};
use serde_json::Value;

use crate::words::{Word, words};

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The tool's name.
    Name,
    /// What the tool says about itself.
    Description,
    /// What stands before the description of this tool and others.
    Guidance,
    /// Something else about the tool as a whole: the words that say what.
    Prose(&'static str),
    /// A parameter's name.
    ParameterName,
    /// What a parameter says about itself.
    ParameterProse,
    /// A value in a parameter's schema: a choice, a default, an example.
    Value,
    /// A fixed word of the command line.
    CommandWord,
}

/// A piece of text.
pub(crate) struct Text<'a> {
    /// What it is.
    pub(crate) role: Role,
    /// The text itself.
    pub(crate) text: &'a str,
    /// The tool it belongs to.
    pub(crate) tool: &'a Tool,
    parameter: Option<&'a str>,
    words: OnceCell<Vec<Word<'a>>>,
}

impl<'a> Text<'a> {
    fn new(role: Role, text: &'a str, tool: &'a Tool, parameter: Option<&'a str>) -> Self {
        Self { role, text, tool, parameter, words: OnceCell::new() }
    }

    /// Its words, found once for all rules.
    pub(crate) fn words(&self) -> &[Word<'a>] {
        self.words.get_or_init(|| words(self.text))
    }

    /// The text from one word to another, for a message.
    pub(crate) fn quote(&self, span: Range<usize>) -> String {
        let words = &self.words()[span];
        let from = words.first().map_or(0, |first| first.span.start);
        let to = words.last().map_or(from, |last| last.span.end);
        quotable(&self.text[from..to])
    }

    /// Whether this is a name, in which no character is innocent.
    pub(crate) fn is_name(&self) -> bool {
        matches!(self.role, Role::Name | Role::ParameterName)
    }

    /// Whether this is prose, which is read and followed.
    pub(crate) fn is_prose(&self) -> bool {
        matches!(
            self.role,
            Role::Description | Role::Guidance | Role::Prose(_) | Role::ParameterProse
        )
    }

    /// The words for it in a message.
    pub(crate) fn subject(&self) -> String {
        let parameter = quotable(self.parameter.unwrap_or_default());
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

    /// Where it is written.
    pub(crate) fn origin(&self) -> Origin {
        let aspects = self.tool.aspects.as_deref().filter(|_| self.role == Role::Description);
        let purpose = aspects.and_then(|aspects| aspects.section(Section::Purpose));
        match (self.parameter, purpose) {
            (Some(name), _) => self.tool.parameter_origin(name),
            (None, Some(place)) => self.tool.origin_of(place),
            (None, None) => self.tool.origin.clone(),
        }
    }
}

/// A piece of somebody's text for a message: on one line, with everything that cannot be seen spelled out.
pub(crate) fn quotable(text: &str) -> String {
    let mut quotable = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !quotable.is_empty() {
            quotable.push(' ');
        }
        for c in word.chars() {
            match c {
                '"' | '\'' | '\\' => quotable.push(c),
                _ => quotable.extend(c.escape_debug()),
            }
        }
    }
    quotable
}

/// Every text of a tool, in a stable order.
pub(crate) fn texts(tool: &Tool) -> Vec<Text<'_>> {
    let mut found = Vec::new();
    let mut push = |role, text| found.push(Text::new(role, text, tool, None));
    let description = &tool.description;
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
        parameter_texts(tool, name, schema, &mut found);
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

/// The texts in a parameter's schema, however deep; the stack is our own because schemas are not.
fn parameter_texts<'a>(
    tool: &'a Tool,
    name: &'a str,
    schema: &'a Value,
    found: &mut Vec<Text<'a>>,
) {
    let mut push = |role, text| found.push(Text::new(role, text, tool, Some(name)));
    push(Role::ParameterName, name);
    let mut waiting = vec![(Role::ParameterProse, schema)];
    while let Some((role, value)) = waiting.pop() {
        match value {
            Value::String(text) => push(role, text),
            Value::Array(items) => waiting.extend(items.iter().rev().map(|item| (role, item))),
            Value::Object(members) if role == Role::Value => {
                waiting.extend(members.values().rev().map(|member| (role, member)));
            }
            Value::Object(members) => {
                waiting.extend(
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

/// What a member of a schema holds: prose, values, more schemas, or no text at all.
fn role_of(keyword: &str, member: &Value) -> Option<Role> {
    match keyword {
        "enum" | "const" | "default" | "examples" => Some(Role::Value),
        "description" | "title" | "$comment" => Some(Role::ParameterProse),
        "type" | "required" => None,
        _ if member.is_object() || member.is_array() => Some(Role::ParameterProse),
        _ => None,
    }
}
