//! One callable thing.

use std::time::Duration;

use crate::{
    Aspects, Consent, Description, ErrorForm, Implementation, Location, Origin, Schema,
    arguments::Wording, implementation::Piece,
};

/// One callable thing, whatever format it was written in.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// The name it is called by, unique in its catalog, before any `mcp_{crib}_` decoration.
    pub name: String,
    /// The name without its prefix, where it has one. Documentation and policies may use it.
    pub bare_name: Option<String>,
    /// A name for people.
    pub title: Option<String>,
    /// What it says about itself.
    pub description: Description,
    /// What its arguments must be: served and enforced, the same value.
    pub input: Schema,
    /// What its structured result is, where the tool says so itself.
    pub output: Option<Schema>,
    /// What becomes of a result that is not as `output` says, where something outside decides what is returned. `None`:
    /// whatever runs the tool sees to its result itself.
    pub on_mismatch: Option<OnMismatch>,
    /// How a failure is written down for programs.
    pub errors: ErrorForm,
    /// How a call is refused for its arguments.
    pub refusals: Wording,
    /// Where each parameter is defined, in definition order.
    pub parameters: Vec<Parameter>,
    /// Where each step of a sequence is defined, in order; empty if that is not known.
    pub steps: Vec<StepLocation>,
    /// What it may do to the world.
    pub annotations: Annotations,
    /// The word without which it does not run, as one of its arguments.
    pub consent: Option<Consent>,
    /// Whether its answer is waited for.
    pub mode: Mode,
    /// How long it may run.
    pub timeout: Option<Duration>,
    /// How long its answer is waited for before a call becomes an operation, where that is not as usual.
    pub patience: Option<Duration>,
    /// What else may run beside it.
    pub concurrency: Option<Concurrency>,
    /// How to find out whether it can run on this machine.
    pub availability: Option<Availability>,
    /// The pattern that finds progress in its output: one group is a percentage or a message, two are a fraction.
    pub progress: Option<String>,
    /// How long its examples took when somebody measured it.
    pub measured: Option<Duration>,
    /// How it is started.
    pub implementation: Implementation,
    /// For a tool without a program that a format of command lines describes: what would follow the program. Other tools
    /// are bound to programs that take JSON.
    pub unbound: Option<Vec<Piece>>,
    /// What its document says beyond what a call needs, in a format that asks for more.
    pub aspects: Option<Box<Aspects>>,
    /// Where it is defined.
    pub origin: Origin,
}

impl Tool {
    /// A tool with nothing said beyond its name, text, schema, implementation and origin.
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
            refusals: Wording::default(),
            parameters: Vec::new(),
            steps: Vec::new(),
            annotations: Annotations::default(),
            mode: Mode::Synchronous,
            timeout: None,
            patience: None,
            concurrency: None,
            availability: None,
            progress: None,
            measured: None,
            implementation,
            unbound: None,
            aspects: None,
            origin,
        }
    }

    /// Whether it can be called, rather than only read about.
    pub fn is_callable(&self) -> bool {
        !matches!(self.implementation, Implementation::Missing)
    }

    /// The name without its prefix.
    pub fn bare_name(&self) -> &str {
        self.bare_name.as_deref().unwrap_or(&self.name)
    }

    /// Whether the value of a parameter is never to be written down: not in logs, plans or results.
    pub fn is_secret(&self, parameter: &str) -> bool {
        self.input.is_secret(parameter)
    }

    /// A place in the source that defines it.
    pub fn origin_of(&self, place: &Location) -> Origin {
        Origin { source: self.origin.source.clone(), place: place.clone() }
    }

    /// Where the parameter `name` is defined; the tool's own origin if that is not known.
    pub fn parameter_origin(&self, name: &str) -> Origin {
        match self.parameters.iter().find(|parameter| parameter.name == name) {
            Some(parameter) => self.origin_of(&parameter.place),
            None => self.origin.clone(),
        }
    }

    /// Where step `index` of a sequence is defined; the tool's own origin if that is not known.
    pub fn step_origin(&self, index: usize) -> Origin {
        self.steps
            .get(index)
            .map_or_else(|| self.origin.clone(), |places| self.origin_of(&places.step))
    }

    /// Where the arguments of step `index` of a sequence are defined; the tool's own origin if that is not known.
    pub fn step_arguments_origin(&self, index: usize) -> Origin {
        self.steps
            .get(index)
            .map_or_else(|| self.origin.clone(), |places| self.origin_of(&places.arguments))
    }
}

/// Where a parameter is defined, and the other name it goes by.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The property's name in the input schema.
    pub name: String,
    /// A short name, if it has one.
    pub alias: Option<String>,
    /// Where it is defined.
    pub place: Location,
}

/// Where a step of a sequence is defined.
#[derive(Clone, Debug, PartialEq)]
pub struct StepLocation {
    /// The step.
    pub step: Location,
    /// Its arguments: a part of the step, even if it gives none.
    pub arguments: Location,
}

/// What a tool may do to the world. `None` means that nobody said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotations {
    /// Whether it changes anything.
    pub mutates: Option<bool>,
    /// Whether what it changes is hard to undo.
    pub dangerous: Option<bool>,
    /// Whether a second call with the same arguments changes nothing more.
    pub idempotent: Option<bool>,
    /// Whether a person must agree to each call.
    pub requires_approval: Option<bool>,
    /// Whether it talks to the network.
    pub network: Option<bool>,
    /// The group it belongs to.
    pub category: Option<String>,
    /// Its version.
    pub version: Option<String>,
}

impl Annotations {
    /// Known not to change anything.
    pub fn is_read_only(&self) -> bool {
        self.mutates == Some(false)
    }

    /// May change something that is hard to undo: so marked, or nobody said that it changes nothing.
    pub fn may_destroy(&self) -> bool {
        self.dangerous.unwrap_or(self.mutates.is_none())
    }
}

/// What becomes of a result that is not as the tool says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnMismatch {
    /// It is returned, with a word about it.
    Warn,
    /// The call has failed.
    Fail,
}

/// Whether the answer of a tool is waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The answer is the result.
    #[default]
    Synchronous,
    /// The call may become an operation whose result follows.
    Asynchronous,
}

/// What may run beside a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concurrency {
    /// Nothing else that writes.
    Exclusive,
    /// Anything: it only reads.
    ReadOnly,
    /// Anything: it is a service that goes on by itself.
    Service,
}

/// A command that tells whether a tool can run on this machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Availability {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Where it runs, relative to the crib.
    pub folder: Option<String>,
    /// The exit codes that mean yes.
    pub success: Vec<i32>,
}
