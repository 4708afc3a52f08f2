//! What clients do to the tools that a server lists. Tried with the real programs, read in their source,
//! or taken from their documentation or issues, as each rule says.

mod names;
mod page;
mod table;

pub use self::{page::render_rules, table::RULES};
use crate::{
    lower::{self, Lowered},
    schema::Object,
};

/// Something that some clients do not take as it is.
pub struct ClientRule {
    /// Its name.
    pub name: &'static str,
    /// What it is about, as a noun phrase.
    pub what: &'static str,
    /// What the clients do that are not named here: nothing.
    pub effects: &'static [(&'static str, Effect)],
    /// What is done about it.
    pub handling: Handling,
    /// When it was found out, as year and month.
    pub date: &'static str,
    /// How it was found out.
    pub source: &'static str,
}

/// What a client does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It does not show the tool to the model.
    LosesTool,
    /// It shows none of the server's tools.
    LosesServer,
    /// It sends the tool to a provider that rejects every request because of it.
    FailsRequests,
    /// The model gets the tool in another form.
    Changes(&'static str),
}

/// What is done about a rule.
pub enum Handling {
    /// Nothing that a server lists is like that.
    Avoided(&'static str),
    /// These clients get a looser schema.
    Lowered {
        /// Whether it means the same.
        is_exact: bool,
        /// Whether a schema is like that.
        find: fn(&Object) -> bool,
        /// Loosens it.
        lower: fn(&mut Lowered),
        /// What they get instead.
        to: &'static str,
    },
    /// Only the definition can be changed. Returns what is wrong with a tool for a client.
    Reported(fn(&str, &Advertised<'_>) -> Option<String>),
}

/// A tool as a server lists it.
#[derive(Clone, Copy, Debug)]
pub struct Advertised<'a> {
    /// The name of the server in the client, see [`crate::server_name`].
    pub server: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its description.
    pub description: &'a str,
    /// Its input schema.
    pub input: &'a Object,
}

/// What one client does to one tool.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The rule.
    pub rule: &'static ClientRule,
    /// What the client does.
    pub effect: Effect,
    /// What the tool has.
    pub what: String,
}

impl ClientRule {
    /// What a client does, if anything.
    pub fn effect(&self, client: &str) -> Option<Effect> {
        self.effects.iter().find(|(name, _)| *name == client).map(|(_, effect)| *effect)
    }

    pub(crate) fn affects(&self, client: &str) -> bool {
        self.effect(client).is_some()
    }
}

impl std::fmt::Debug for ClientRule {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "ClientRule({})", self.name)
    }
}

impl Problem {
    /// Whether the client gets a form of the tool that it takes.
    pub fn is_lowered(&self) -> bool {
        matches!(self.rule.handling, Handling::Lowered { .. })
    }

    /// Whether the client gets everything, though in another form.
    pub fn is_cured(&self) -> bool {
        matches!(self.rule.handling, Handling::Lowered { is_exact: true, .. })
    }

    /// What the client gets, or what to do.
    pub fn describe_handling(&self) -> String {
        match &self.rule.handling {
            Handling::Lowered { to, .. } => format!("they get instead: {to}"),
            _ => "shorten it: there is no form of it that this client takes".to_owned(),
        }
    }

    /// Whether the tool is lost, unless it is lowered.
    pub fn loses_tool(&self) -> bool {
        !matches!(self.effect, Effect::Changes(_))
    }
}

impl Effect {
    /// What it means for a tool, after the name of the client.
    pub fn describe(self) -> &'static str {
        match self {
            Self::LosesTool => "drops the tool",
            Self::LosesServer => "drops all tools of the server",
            Self::FailsRequests => "sends requests that the provider rejects",
            Self::Changes(how) => how,
        }
    }
}

/// What a client does to a tool that is not lowered.
pub fn find_problems(client: &str, tool: &Advertised<'_>) -> Vec<Problem> {
    let problem = |rule: &'static ClientRule| {
        let effect = rule.effect(client)?;
        let what = match &rule.handling {
            Handling::Avoided(_) => None,
            Handling::Lowered { find, .. } => find(tool.input).then(|| rule.what.to_owned()),
            Handling::Reported(find) => find(client, tool),
        }?;
        Some(Problem { rule, effect, what })
    };
    RULES.iter().filter_map(problem).collect()
}

/// The schema for these clients, or `None` if all of them take it as it is.
pub fn lower(schema: &Object, clients: &[&str]) -> Option<Lowered> {
    let mut lowered: Option<Lowered> = None;
    for rule in RULES.iter().filter(|rule| clients.iter().any(|client| rule.affects(client))) {
        let Handling::Lowered { find, lower, .. } = &rule.handling else { continue };
        if find(lowered.as_ref().map_or(schema, |lowered| &lowered.schema)) {
            lower(lowered.get_or_insert_with(|| Lowered::new(schema.clone())));
        }
    }
    lowered
}

/// Gives the arguments of a call by these clients the names of the full schema.
pub fn restore_arguments(schema: &Object, clients: &[&str], arguments: &mut Object) {
    // The cheap test first: almost no tool has such a name.
    if lower::has_foreign_name(schema)
        && let Some(lowered) = lower(schema, clients)
    {
        lowered.restore(arguments);
    }
}
