//! One condition: compiled once, evaluated within a budget.

use std::sync::{Arc, LazyLock};

use cel::{Env, ExecutionError, ParseErrors, Program, Value};

use super::{
    scope::Scope,
    syntax::{self, Names, Shape, TOO_DEEP},
};

/// The functions and macros that conditions have: CEL's own, and nothing of ours.
pub(super) static ENVIRONMENT: LazyLock<Arc<Env>> = LazyLock::new(|| Arc::new(Env::stdlib()));

/// What one evaluation may cost at most, in steps of roughly a tenth of a microsecond.
const BUDGET: u64 = 2_000_000;

/// As many bytes of text are looked at in one step.
const BYTES_PER_STEP: u64 = 4_096;

/// The longest condition, in bytes.
const LONGEST: usize = 16 * 1024;

/// A compiled condition.
#[derive(Debug)]
pub(crate) struct Expression {
    program: Program,
    shape: Shape,
}

impl Expression {
    /// Compiles `source`, which may use these names, and refuses what can never be evaluated.
    pub(crate) fn compile(source: &str, names: &Names) -> Result<Self, String> {
        if source.len() > LONGEST {
            return Err(format!("the condition has {} bytes, more than {LONGEST}", source.len()));
        }
        let program = ENVIRONMENT.compile(source).map_err(|errors| refusal(&errors))?;
        let shape = syntax::examine(program.expression(), names)?;
        Ok(Self { program, shape })
    }

    /// Whether the condition holds; why not even that can be said.
    pub(crate) fn evaluate(&self, scope: &Scope<'_>) -> Result<bool, String> {
        if scope.size.is_too_deep() || self.cost(scope) > BUDGET {
            return Err("it is too expensive for these arguments".to_owned());
        }
        match self.program.execute(&scope.context) {
            Ok(Value::Bool(holds)) => Ok(holds),
            Ok(other) => Err(format!("it gives a {}, not true or false", other.type_of())),
            Err(error) => Err(explain(&error)),
        }
    }

    /// The arguments it reads without having asked whether they are there.
    pub(super) fn reads(&self) -> impl Iterator<Item = &str> {
        self.shape.reads.iter().map(String::as_str)
    }

    /// An upper bound: each part of the condition, once for each round of the loops around it.
    fn cost(&self, scope: &Scope<'_>) -> u64 {
        let Shape { parts, loops, .. } = self.shape;
        let rounds = (scope.size.values + parts).saturating_pow(loops);
        rounds.saturating_mul(parts).saturating_mul(1 + scope.size.bytes / BYTES_PER_STEP)
    }
}

fn refusal(errors: &ParseErrors) -> String {
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

/// The error without the values in it: they may be secret, and reasons are written down.
fn explain(error: &ExecutionError) -> String {
    match error {
        ExecutionError::NoSuchKey(key) => format!("there is no `{key}`"),
        ExecutionError::NoSuchOverload(error) => error.to_string(),
        ExecutionError::UnexpectedType { got, want } => {
            format!("{want} is needed where there is {got}")
        }
        ExecutionError::IndexOutOfBounds(_) => "an index is out of bounds".to_owned(),
        ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => {
            "it divides by zero".to_owned()
        }
        ExecutionError::Overflow(..) => "a number is too large".to_owned(),
        _ => "it does not fit these arguments".to_owned(),
    }
}
