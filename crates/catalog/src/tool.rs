//! The tool model.

use std::time::Duration;

use crate::{
    Consent, Description, ErrorForm, Implementation, Location, NetworkAccess, Origin, Schema,
    SpecDetails, implementation::Piece,
};

/// A tool, independent of the format of its definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// The name, unique in its catalog, without the `mcp_{crib}_` prefix of `full_names`.
    pub name: String,
    /// The name without the prefix of its toolset, if there is one. Documentation and policies may
    /// use it.
    pub bare_name: Option<String>,
    /// The display name.
    pub title: Option<String>,
    /// The description, in parts.
    pub description: Description,
    /// The schema of its arguments. The same value is served and enforced.
    pub input: Schema,
    /// The schema of its structured result, if it declares one.
    pub output: Option<Schema>,
    /// What to do with a result that does not match `output`. `None` if the backend guarantees the
    /// match.
    pub on_mismatch: Option<OnMismatch>,
    /// The form of its failures.
    pub errors: ErrorForm,
    /// The amount of detail in reports about invalid arguments.
    pub argument_errors: ErrorDetail,
    /// Where each parameter is defined, in definition order.
    pub parameters: Vec<Parameter>,
    /// Where each step of a sequence is defined, in order; empty if unknown.
    pub steps: Vec<StepLocation>,
    /// Conditions on its arguments beyond `input`.
    pub constraints: Vec<Constraint>,
    /// Its declared effects.
    pub annotations: Annotations,
    /// The consent word that one of its arguments requires.
    pub consent: Option<Consent>,
    /// Whether a call waits for the result.
    pub mode: Mode,
    /// The time limit of a call.
    pub timeout: Option<Duration>,
    /// Maximum bytes of each output stream in a result; `None` for the server's limit.
    pub output_bytes: Option<usize>,
    /// How long a call waits for the result before it is answered as a running operation; `None`
    /// for the default.
    pub answer_within: Option<Duration>,
    /// Which calls may run concurrently with it.
    pub concurrency: Option<Concurrency>,
    /// The check for whether it can run on this machine.
    pub availability: Option<Availability>,
    /// A regular expression that finds progress in its output: one group is a percentage or a
    /// message, two groups are a fraction.
    pub progress: Option<String>,
    /// Exit codes of its program, besides 0, that mean success: `grep` exits with 1 if nothing
    /// matches.
    pub success_exit_codes: Vec<i32>,
    /// Whether the program gets the user's credentials, if a profile defines where they are stored.
    pub credentials: bool,
    /// Run time of its examples when the definition was built.
    pub measured: Option<Duration>,
    /// How its calls are carried out.
    pub implementation: Implementation,
    /// For a tool of a command-line format that has no program yet: the command line after the
    /// program. Other tools without an implementation can only be bound to programs that take JSON.
    pub unbound: Option<Vec<Piece>>,
    /// What a Markdown specification states beyond what a call needs.
    pub details: Option<Box<SpecDetails>>,
    /// Where it is defined.
    pub origin: Origin,
}

impl Tool {
    /// A tool with defaults for everything but these.
    pub fn new(
        name: impl Into<String>,
        text: impl Into<String>,
        input: Schema,
        implementation: Implementation,
        origin: Origin,
    ) -> Self {
        Self {
            name: name.into(),
            bare_name: None,
            title: None,
            description: Description::new(text),
            consent: Consent::find(input.object()),
            input,
            output: None,
            on_mismatch: None,
            errors: ErrorForm::Standard,
            argument_errors: ErrorDetail::default(),
            parameters: Vec::new(),
            steps: Vec::new(),
            constraints: Vec::new(),
            annotations: Annotations::default(),
            mode: Mode::Synchronous,
            timeout: None,
            output_bytes: None,
            answer_within: None,
            concurrency: None,
            availability: None,
            progress: None,
            success_exit_codes: Vec::new(),
            credentials: false,
            measured: None,
            implementation,
            unbound: None,
            details: None,
            origin,
        }
    }

    /// Reduces the memory that it takes: schemas become text that is parsed on first use.
    pub fn compact(&mut self) {
        self.input = self.input.to_compact();
        self.output = self.output.as_ref().map(Schema::to_compact);
        self.shrink_to_fit();
    }

    /// Removes the spare capacity of its parts: readers grow lists and maps in steps.
    pub fn shrink_to_fit(&mut self) {
        self.input.shrink_to_fit();
        self.output.iter_mut().for_each(Schema::shrink_to_fit);
        self.parameters.shrink_to_fit();
        if let Implementation::Process(process) = &mut self.implementation {
            process.pieces.shrink_to_fit();
        }
    }

    /// Whether it has an implementation, rather than being only documented.
    pub fn is_callable(&self) -> bool {
        !matches!(self.implementation, Implementation::Missing)
    }

    /// The name without its prefix.
    pub fn bare_name(&self) -> &str {
        self.bare_name.as_deref().unwrap_or(&self.name)
    }

    /// Whether the value of a parameter must never appear in logs, plans or records.
    pub fn is_secret(&self, parameter: &str) -> bool {
        self.input.is_secret(parameter)
    }

    /// The origin of a location in its source.
    pub fn origin_of(&self, location: &Location) -> Origin {
        Origin { source: self.origin.source.clone(), location: location.clone() }
    }

    /// Where the parameter `name` is defined; the origin of the tool if unknown.
    pub fn parameter_origin(&self, name: &str) -> Origin {
        match self.parameters.iter().find(|parameter| parameter.name == name) {
            Some(parameter) => self.origin_of(&parameter.location),
            None => self.origin.clone(),
        }
    }

    /// Where step `index` of a sequence is defined; the origin of the tool if unknown.
    pub fn step_origin(&self, index: usize) -> Origin {
        self.steps
            .get(index)
            .map_or_else(|| self.origin.clone(), |locations| self.origin_of(&locations.step))
    }

    /// Where the arguments of step `index` of a sequence are defined; the origin of the tool if
    /// unknown.
    pub fn step_arguments_origin(&self, index: usize) -> Origin {
        self.steps
            .get(index)
            .map_or_else(|| self.origin.clone(), |locations| self.origin_of(&locations.arguments))
    }
}

/// A condition on the arguments of a tool, in CEL.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// The source text of the condition.
    pub rule: String,
    /// The message for a call that violates it.
    pub message: String,
    /// Where it is defined.
    pub location: Location,
}

/// Compares texts only: moving a constraint within its file does not change the tool.
impl PartialEq for Constraint {
    fn eq(&self, other: &Self) -> bool {
        (&self.rule, &self.message) == (&other.rule, &other.message)
    }
}

/// Where a parameter is defined, and its alias.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The name of the property in the input schema.
    pub name: String,
    /// A short name, if there is one.
    pub alias: Option<String>,
    /// Where it is defined.
    pub location: Location,
}

/// Where a step of a sequence is defined.
#[derive(Clone, Debug, PartialEq)]
pub struct StepLocation {
    /// Where the whole step is.
    pub step: Location,
    /// Its arguments; a location inside the step even if it has none.
    pub arguments: Location,
}

/// The declared effects of a tool. `None` means not declared, which is never taken for safe.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotations {
    /// Whether it changes anything.
    pub mutates: Option<bool>,
    /// Whether its changes are hard to undo.
    pub dangerous: Option<bool>,
    /// Whether a second call with the same arguments changes nothing more.
    pub idempotent: Option<bool>,
    /// Whether a person must approve each call.
    pub requires_approval: Option<bool>,
    /// The network access that it needs.
    pub network: Option<NetworkAccess>,
    /// The category, by which people find and filter tools.
    pub category: Option<String>,
    /// The version as written, which `diff` compares.
    pub version: Option<String>,
}

impl Annotations {
    /// Whether it is declared to change nothing.
    pub fn is_read_only(&self) -> bool {
        self.mutates == Some(false)
    }

    /// Whether it is declared to use the network, all of it or some destinations.
    pub fn uses_network(&self) -> Option<bool> {
        self.network.as_ref().map(NetworkAccess::is_granted)
    }

    /// Whether its changes may be hard to undo: declared dangerous, or `mutates` is not declared.
    pub fn may_destroy(&self) -> bool {
        self.dangerous.unwrap_or(self.mutates.is_none())
    }
}

/// What to do with a result that does not match the output schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnMismatch {
    /// Return it, with a warning.
    Warn,
    /// Fail the call.
    Fail,
}

/// The amount of detail in the message of an argument failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ErrorDetail {
    /// Every error, as a list.
    #[default]
    All,
    /// Only the first error, in one line; the others are in the details.
    First,
}

/// Whether a call waits for the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The response is the result.
    #[default]
    Synchronous,
    /// The call may become an operation that outlives its request.
    Asynchronous,
}

/// Which calls may run concurrently with a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concurrency {
    /// No other call that writes.
    Exclusive,
    /// Any call: the tool only reads.
    ReadOnly,
    /// Any call, and it takes no slot: the tool is a long-running service.
    Service,
}

/// A command that checks whether a tool can run on this machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Availability {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Its working directory, relative to the crib.
    pub folder: Option<String>,
    /// The exit codes that mean available.
    pub success: Vec<i32>,
}
