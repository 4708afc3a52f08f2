//! How clients treat the tools that a server lists. Each rule records its evidence: a test with the
//! real program, its source, its documentation or an issue.

mod names;
mod page;
mod table;

pub use self::{page::render_rules, table::RULES};
use crate::{
    Client,
    lower::{self, Lowered},
    schema::Object,
};

/// A feature of a tool that some clients reject or change.
pub struct ClientRule {
    /// The name of the rule.
    pub name: &'static str,
    /// The feature, as a noun phrase.
    pub what: &'static str,
    /// The effect in each affected client. Clients that are not listed have no problem with the
    /// feature.
    pub effects: &'static [(&'static str, Effect)],
    /// How Toolcrib handles it.
    pub handling: Handling,
    /// When it was observed, as year and month.
    pub date: &'static str,
    /// The evidence.
    pub source: &'static str,
}

/// The reaction of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It hides the tool from the model.
    LosesTool,
    /// It hides all tools of the server from the model.
    LosesServer,
    /// It sends the tool to a provider that rejects every request because of it.
    FailsRequests,
    /// It changes the tool, in this way.
    Changes(&'static str),
}

/// How Toolcrib handles a rule.
pub enum Handling {
    /// A server never lists such a tool. The text describes what it lists instead.
    Avoided(&'static str),
    /// These clients get a looser schema.
    Lowered {
        /// Whether the looser schema admits the same values.
        is_exact: bool,
        /// Whether a schema has the feature.
        find: fn(&Object) -> bool,
        /// Loosens the schema.
        lower: fn(&mut Lowered),
        /// The replacement, for the reference page.
        to: &'static str,
    },
    /// Only the author can avoid it. Returns what is wrong with a tool for a client.
    Reported(fn(&str, &Advertised<'_>) -> Option<String>),
}

/// A tool in the form that a server lists.
#[derive(Clone, Copy, Debug)]
pub struct Advertised<'a> {
    /// The name of the server in the client, see [`crate::server_name`].
    pub server: &'a str,
    /// The advertised name of the tool.
    pub name: &'a str,
    /// The advertised description.
    pub description: &'a str,
    /// The advertised input schema.
    pub input: &'a Object,
}

/// A problem of one client with one tool.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The rule that the tool violates.
    pub rule: &'static ClientRule,
    /// The client's reaction.
    pub effect: Effect,
    /// The offending part of the tool.
    pub what: String,
}

impl ClientRule {
    /// The reaction of a client, if there is one.
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
    /// Whether clients get a form of the tool that they accept.
    pub fn is_lowered(&self) -> bool {
        matches!(self.rule.handling, Handling::Lowered { .. })
    }

    /// Whether that form loses nothing.
    pub fn is_lossless(&self) -> bool {
        matches!(self.rule.handling, Handling::Lowered { is_exact: true, .. })
    }

    /// Describes the lowered form, or what the author can do.
    pub fn describe_handling(&self) -> String {
        match &self.rule.handling {
            Handling::Lowered { to, .. } => format!("they get instead: {to}"),
            _ => "shorten it: there is no form of it that this client takes".to_owned(),
        }
    }

    /// Whether the client would lose the tool if it were not lowered.
    pub fn loses_tool(&self) -> bool {
        !matches!(self.effect, Effect::Changes(_))
    }
}

impl Effect {
    /// Describes the reaction as a phrase that follows the name of the client.
    pub fn describe(self) -> &'static str {
        match self {
            Self::LosesTool => "drops the tool",
            Self::LosesServer => "drops all tools of the server",
            Self::FailsRequests => "sends requests that the provider rejects",
            Self::Changes(how) => how,
        }
    }
}

/// Finds the problems of a client with a tool that has not been lowered.
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

/// Finds the features of a schema for which some of these clients would lose the tool, and get a form
/// without a constraint instead. Returns the problem of the first client, and all effects.
pub fn find_losses(
    clients: &[&str],
    schema: &Object,
) -> Vec<(Problem, Vec<(&'static Client, Effect)>)> {
    let losses = |rule: &'static ClientRule| {
        let Handling::Lowered { is_exact: false, find, .. } = &rule.handling else { return None };
        let effects = clients.iter().filter_map(|client| {
            let effect =
                rule.effect(client).filter(|effect| !matches!(effect, Effect::Changes(_)))?;
            Some((crate::find(client)?, effect))
        });
        let effects: Vec<_> = effects.collect();
        let effect = effects.first()?.1;
        // Last, because it visits the whole schema.
        find(schema).then(|| (Problem { rule, effect, what: rule.what.to_owned() }, effects))
    };
    RULES.iter().filter_map(losses).collect()
}

/// Lowers the schema for these clients, or returns `None` if all of them accept it unchanged.
pub fn lower(schema: &Object, clients: &[&str]) -> Option<Lowered> {
    let mut lowered: Option<Lowered> = None;
    for rule in RULES.iter().filter(|rule| clients.iter().any(|client| rule.affects(client))) {
        let Handling::Lowered { find, lower, .. } = &rule.handling else { continue };
        // An earlier rule may have removed what this one is about.
        if find(lowered.as_ref().map_or(schema, |lowered| &lowered.schema)) {
            lower(lowered.get_or_insert_with(|| Lowered::new(schema.clone())));
        }
    }
    lowered
}

/// Renames the arguments of a call from these clients to the names of the full schema.
pub fn restore_arguments(schema: &Object, clients: &[&str], arguments: &mut Object) {
    // The cheap test first: almost no tool has such a name.
    if lower::has_foreign_name(schema)
        && let Some(lowered) = lower(schema, clients)
    {
        lowered.restore(arguments);
    }
}
