//! One difference, the rule it is of, and what it does to callers.

/// One kind of difference: what it does, why, and an example of it.
#[derive(Debug)]
pub struct ChangeRule {
    /// The stable name.
    pub name: &'static str,
    /// What it does to a tool in whose parameters, or outside of any schema, it is found.
    pub input: Effect,
    /// What it does to a tool in whose result it is found.
    pub output: Effect,
    /// Why it does that, and what to do.
    pub why: &'static str,
    /// What the example shows.
    pub shown: Shown,
    /// The example before the change.
    pub before: &'static str,
    /// The same after it.
    pub after: &'static str,
}

/// What an example is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The schema of the parameters.
    Input,
    /// The schema of the result.
    Output,
    /// Whole definitions; an empty one is of no tool.
    Definition,
}

/// What a difference does to callers, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Nothing: it is about the tool, not for its callers.
    Metadata,
    /// No call stops working, but models may call it otherwise, or it may do something else.
    Behavioural,
    /// Every call goes on working, and more is possible.
    Compatible,
    /// It cannot be decided what it does; somebody has to look.
    Undecided,
    /// Calls that worked may fail, or results may not be what they were.
    Breaking,
}

impl Effect {
    /// The class of a tool that has a change of this effect. What is undecided is not taken for harmless.
    pub fn class(self) -> Class {
        match self {
            Self::Metadata => Class::Metadata,
            Self::Behavioural => Class::Behavioural,
            Self::Compatible => Class::Compatible,
            Self::Undecided | Self::Breaking => Class::Breaking,
        }
    }
}

/// What all changes of a tool together are, the least first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Nothing changed.
    #[default]
    None,
    /// Only what is said about it, not to its callers.
    Metadata,
    /// Text that models read, or what it does, changed.
    Behavioural,
    /// Every call goes on working.
    Compatible,
    /// Calls may fail, or results may differ.
    Breaking,
}

impl Class {
    /// The word that is printed.
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

/// Which way values of a schema go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From callers: a schema that takes more is compatible.
    Input,
    /// To callers: a schema that promises more is compatible.
    Output,
}

impl Direction {
    /// Where its schema is in the tool as it is listed.
    pub(crate) fn pointer(self) -> &'static str {
        match self {
            Self::Input => "/inputSchema",
            Self::Output => "/outputSchema",
        }
    }

    /// What a pointer into its schema leads to, in words: the way there, as one writes it to get at the value.
    pub(crate) fn subject(self, pointer: &str) -> String {
        let mut way = String::new();
        let mut steps = pointer.strip_prefix(self.pointer()).unwrap_or(pointer).split('/').skip(1);
        while let Some(step) = steps.next() {
            match step {
                "properties" => {
                    let name = catalog::pointer::unescape(steps.next().unwrap_or_default());
                    way.push_str(if way.is_empty() { "" } else { "." });
                    way.push_str(&name);
                }
                "items" => way.push_str("[]"),
                "additionalProperties" => way.push_str(if way.is_empty() { "*" } else { ".*" }),
                _ => {}
            }
        }
        match (way.is_empty(), self) {
            (false, _) => format!("`{way}`"),
            (true, Self::Input) => "the parameters".to_owned(),
            (true, Self::Output) => "the result".to_owned(),
        }
    }
}

/// One difference between two versions of a tool.
#[derive(Clone, Debug)]
pub struct Change {
    /// What kind of difference it is.
    pub rule: &'static ChangeRule,
    /// What it does here.
    pub effect: Effect,
    /// Where it is, in the tool as it is listed.
    pub pointer: String,
    /// What it is, in words.
    pub message: String,
    /// Why somebody said that it does not count.
    pub allowed: Option<String>,
}

impl Change {
    /// A change inside a schema.
    pub(crate) fn new(
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
    pub(crate) fn of_tool(
        rule: &'static ChangeRule,
        pointer: impl Into<String>,
        message: String,
    ) -> Self {
        Self::new(rule, Direction::Input, pointer, message)
    }

    /// Whether callers may break by it, as far as is known.
    pub fn is_breaking(&self) -> bool {
        self.effect >= Effect::Undecided
    }
}
