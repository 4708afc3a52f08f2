//! One difference between two versions of a tool: its rule, and its effect on callers.

use catalog::pointer;

/// A kind of difference: its effect, the reason, and an example.
#[derive(Debug)]
pub struct ChangeRule {
    /// The stable name, as in `toolcrib explain NAME` and `[[allow]]`.
    pub name: &'static str,
    /// The effect of a change in the parameters, or outside of any schema.
    pub input: Effect,
    /// The effect of a change in the result.
    pub output: Effect,
    /// Why it has this effect, and what to do about it.
    pub why: &'static str,
    /// What `before` and `after` contain.
    pub example: ExampleKind,
    /// The example before the change.
    pub before: &'static str,
    /// The example after the change.
    pub after: &'static str,
}

/// The kind of text in the example of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExampleKind {
    /// The schema of the parameters.
    Input,
    /// The schema of the result.
    Output,
    /// A whole definition; an empty text stands for a tool that does not exist.
    Definition,
}

/// The effect of one change on callers. The order is that of severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// None: callers cannot notice it.
    Metadata,
    /// Every call is still accepted, but models may call the tool differently, or it may do
    /// something else.
    Behavioural,
    /// Every call still works, and more is possible.
    Compatible,
    /// Cannot be decided; a person has to review it.
    Undecided,
    /// Calls that worked may fail, or results may differ from what callers relied on.
    Breaking,
}

impl Effect {
    /// The class of a tool whose worst change has this effect.
    pub fn class(self) -> Class {
        match self {
            Self::Metadata => Class::Metadata,
            Self::Behavioural => Class::Behavioural,
            Self::Compatible => Class::Compatible,
            // Unknown is not harmless: a wrong "compatible" breaks callers, a wrong "breaking"
            // costs a line in `[[allow]]`.
            Self::Undecided | Self::Breaking => Class::Breaking,
        }
    }
}

/// The effect of all changes of a tool together. The order is that of severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Nothing changed.
    #[default]
    None,
    /// Only information that callers do not see changed.
    Metadata,
    /// Text that models read, or what the tool does, changed.
    Behavioural,
    /// Every call still works, and more is possible.
    Compatible,
    /// Calls may fail, or results may differ.
    Breaking,
}

impl Class {
    /// The name in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Metadata => "metadata",
            Self::Behavioural => "behavioural",
            Self::Compatible => "compatible",
            Self::Breaking => "breaking",
        }
    }
}

/// The direction in which values of a schema travel. It decides what a narrower schema means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From callers to the tool: accepting more is compatible.
    Input,
    /// From the tool to callers: promising more (returning fewer kinds of values) is compatible.
    Output,
}

impl Direction {
    /// The JSON pointer of the schema in the tool as `tools/list` shows it.
    pub(crate) fn pointer(self) -> &'static str {
        match self {
            Self::Input => "/inputSchema",
            Self::Output => "/outputSchema",
        }
    }

    /// Names the value that a pointer into the schema describes, as an expression that would select
    /// it: `jobs[].limit.*`.
    pub(crate) fn describe_subject(self, pointer: &str) -> String {
        let mut path = String::new();
        let inside = pointer.strip_prefix(self.pointer()).unwrap_or(pointer);
        let mut tokens = pointer::tokens(inside);
        while let Some(token) = tokens.next() {
            match token.as_ref() {
                "properties" => {
                    path.push_str(if path.is_empty() { "" } else { "." });
                    path.push_str(&tokens.next().unwrap_or_default());
                }
                "items" => path.push_str("[]"),
                "additionalProperties" => path.push_str(if path.is_empty() { "*" } else { ".*" }),
                _ => {}
            }
        }
        match (path.is_empty(), self) {
            (false, _) => format!("`{path}`"),
            (true, Self::Input) => "the parameters".to_owned(),
            (true, Self::Output) => "the result".to_owned(),
        }
    }
}

/// One difference between two versions of a tool.
#[derive(Clone, Debug)]
pub struct Change {
    /// The kind of difference.
    pub rule: &'static ChangeRule,
    /// The effect of the rule in the direction of this change.
    pub effect: Effect,
    /// The JSON pointer of the change in the tool as `tools/list` shows it.
    pub pointer: String,
    /// The change in a sentence.
    pub message: String,
    /// Why the crib allows the change; an allowed change does not count.
    pub allowed: Option<String>,
}

impl Change {
    /// A change inside a schema.
    pub(crate) fn in_schema(
        rule: &'static ChangeRule,
        direction: Direction,
        pointer: impl Into<String>,
        message: String,
    ) -> Self {
        let effect = match direction {
            Direction::Input => rule.input,
            Direction::Output => rule.output,
        };
        Self { rule, effect, pointer: pointer.into(), message, allowed: None }
    }

    /// A change outside of any schema.
    pub(crate) fn in_tool(
        rule: &'static ChangeRule,
        pointer: impl Into<String>,
        message: String,
    ) -> Self {
        Self::in_schema(rule, Direction::Input, pointer, message)
    }

    /// Whether callers may break: known to be breaking, or undecided.
    pub fn is_breaking(&self) -> bool {
        self.effect >= Effect::Undecided
    }
}
