//! A CEL condition: compiled once, evaluated within a cost budget.

use std::sync::{Arc, LazyLock};

use cel::{Env, ExecutionError, ParseErrors, Program, Value};

use super::{
    scope::Scope,
    syntax::{self, Names, Shape, TOO_DEEP},
};

/// The functions and macros of conditions: the CEL standard library only.
pub(super) static ENVIRONMENT: LazyLock<Arc<Env>> = LazyLock::new(|| Arc::new(Env::stdlib()));

/// The maximum cost of one evaluation, in steps of roughly 0.1 µs.
const BUDGET: u64 = 2_000_000;

/// Bytes of text that count as one step.
const BYTES_PER_STEP: u64 = 4_096;

/// The maximum length of a condition, in bytes.
const MAX_BYTES: usize = 16 * 1024;

/// A compiled condition.
#[derive(Debug)]
pub(crate) struct Expression {
    program: Program,
    shape: Shape,
}

impl Expression {
    /// Compiles `source`, which may use `names`; rejects conditions that can never be evaluated.
    pub(crate) fn compile(source: &str, names: &Names) -> Result<Self, String> {
        if source.len() > MAX_BYTES {
            return Err(format!("the condition has {} bytes, more than {MAX_BYTES}", source.len()));
        }
        let program =
            ENVIRONMENT.compile(source).map_err(|errors| describe_parse_errors(&errors))?;
        let shape = syntax::examine(program.expression(), names)?;
        Ok(Self { program, shape })
    }

    /// Evaluates the condition; the error is the reason why it has no value.
    pub(crate) fn evaluate(&self, scope: &Scope<'_>) -> Result<bool, String> {
        if scope.size.is_too_deep() || self.estimate_cost(scope) > BUDGET {
            return Err("it is too expensive for these arguments".to_owned());
        }
        match self.program.execute(&scope.context) {
            Ok(Value::Bool(holds)) => Ok(holds),
            Ok(other) => Err(format!("it returns a {}, not a boolean", other.type_of())),
            Err(error) => Err(describe_error(&error)),
        }
    }

    /// The arguments it reads without testing for their presence.
    pub(crate) fn list_untested_arguments(&self) -> impl Iterator<Item = &str> {
        self.shape.untested_arguments.iter().map(String::as_str)
    }

    /// An upper bound of the cost, computed before evaluation because CEL has no way to stop one:
    /// every node of the condition, once per iteration of the loops around it.
    fn estimate_cost(&self, scope: &Scope<'_>) -> u64 {
        let Shape { parts, loops, .. } = self.shape;
        let rounds = (scope.size.values + parts).saturating_pow(loops);
        rounds.saturating_mul(parts).saturating_mul(1 + scope.size.bytes / BYTES_PER_STEP)
    }
}

fn describe_parse_errors(errors: &ParseErrors) -> String {
    match errors.errors.first().map(|error| error.msg.trim()) {
        Some(message) if message.contains("Recursion limit") => TOO_DEEP.to_owned(),
        Some(message) if message.contains("token recognition error at: '=") => {
            "the condition is not CEL: a single `=` compares nothing, write `==`".to_owned()
        }
        Some(message) => {
            format!("the condition is not CEL: {}", message.trim_start_matches("Syntax error: "))
        }
        None => "the condition is not CEL".to_owned(),
    }
}

/// Describes an error without the values in it: they may be secret, and reasons are stored.
fn describe_error(error: &ExecutionError) -> String {
    match error {
        ExecutionError::NoSuchKey(key) => format!("there is no `{key}`"),
        ExecutionError::NoSuchOverload(error) => error.to_string(),
        ExecutionError::UnexpectedType { got, want } => {
            format!("expected {want}, found {got}")
        }
        ExecutionError::IndexOutOfBounds(_) => "an index is out of bounds".to_owned(),
        ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => {
            "it divides by zero".to_owned()
        }
        ExecutionError::Overflow(..) => "a number is too large".to_owned(),
        _ => "it cannot be evaluated for these arguments".to_owned(),
    }
}
