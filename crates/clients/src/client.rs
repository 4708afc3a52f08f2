//! One client.

use serde_json::Value;

use crate::{
    edit::{Editor, Syntax},
    entry::{HttpShape, Server, StdioShape, Transport, http_entry, stdio_entry},
    location::Location,
};

/// A program that connects to MCP servers, and the files that list them.
#[derive(Debug)]
pub struct Client {
    /// The name on the command line, such as `claude-code`.
    pub name: &'static str,
    /// Its name in prose, such as `Claude Code`.
    pub title: &'static str,
    /// Prefix of the name in `clientInfo`, in lower case.
    pub info: &'static str,
    /// Programs on the `PATH` that show that it is installed.
    pub programs: &'static [&'static str],
    /// The user's file with servers, for all projects.
    pub user: Option<Location>,
    /// The file with servers in a project.
    pub project: Option<Location>,
    /// The key of the table of servers in these files.
    pub(crate) servers: &'static str,
    pub(crate) syntax: Syntax,
    /// The keys of an entry for a server that the client starts.
    pub(crate) stdio: StdioShape,
    /// The keys of an entry for a server that it reaches over HTTP, if it can.
    pub(crate) http: Option<HttpShape>,
    /// The syntax by which a value in the file refers to the variable with the token, if there is
    /// one.
    pub(crate) token: Option<&'static str>,
    /// The environment variables that the client passes to servers; empty if it passes all.
    pub passes: &'static [&'static str],
    /// Texts that begin a reference to a variable in its files, which expands them even inside a
    /// path.
    pub(crate) references: &'static [&'static str],
    /// What the user must do for a change to take effect.
    pub next_step: &'static str,
}

/// Selects one of the client's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// For one user, in all projects.
    User,
    /// For everyone who works on one project.
    Project,
}

impl Scope {
    /// The name of the option on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

impl Client {
    /// The file for a scope, if the client has one.
    pub fn location(&self, scope: Scope) -> Option<&Location> {
        match scope {
            Scope::User => self.user.as_ref(),
            Scope::Project => self.project.as_ref(),
        }
    }

    /// The editor of its files.
    pub fn editor(&self) -> Editor {
        Editor { syntax: self.syntax, servers: self.servers }
    }

    /// The entry for a server, or `None` if the client cannot reach such a server.
    pub fn entry(&self, server: &Server) -> Option<Value> {
        match &server.transport {
            Transport::Stdio { program, arguments } => {
                let mut entry = stdio_entry(self.stdio, &server.name, program, arguments);
                if !self.passes.is_empty() && !server.variables.is_empty() {
                    let variables = server.variables.iter();
                    let variables =
                        variables.map(|(name, value)| (name.clone(), value.as_str().into()));
                    entry["env"] = Value::Object(variables.collect());
                }
                Some(entry)
            }
            Transport::Http { url, token } => {
                let token = token.as_ref().map(|secret| (self.token, secret));
                Some(http_entry(self.http?, self.stdio, &server.name, url, token))
            }
        }
    }

    /// Finds a word of the entry in which the client would expand a variable, so that it could not
    /// start the server. No client supports escaping such a word.
    pub fn find_reference<'s>(&self, server: &'s Server) -> Option<&'s str> {
        let Transport::Stdio { program, arguments } = &server.transport else { return None };
        let has_reference = |word: &&str| self.references.iter().any(|begin| word.contains(begin));
        std::iter::once(program).chain(arguments).map(String::as_str).find(has_reference)
    }

    /// Whether the entry for a server over HTTP has the token itself, because the client's file
    /// cannot refer to a variable.
    pub fn stores_token(&self, server: &Server) -> bool {
        let has_token =
            matches!(&server.transport, Transport::Http { token, .. } if token.is_some());
        has_token && self.token.is_none()
    }
}
