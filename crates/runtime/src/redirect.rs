//! The backend of tools that are bound to another tool: the same call, of that.
//!
//! Policy decides about both, and the arguments must fit both. What runs, is approved and is planned is
//! the other tool.

use std::sync::Arc;

use catalog::{Catalog, ErrorType, Failure, Implementation, Outcome, Tool};
use toolkit::Arguments;

use crate::{
    Runtime,
    call::{Job, checked},
    failures, mismatch,
    sequence::Leaf,
};

/// How many tools may be bound to each other in a row.
const DEPTH: usize = 8;

/// The call that a call of a tool which is bound to another comes to.
pub(crate) fn target(
    catalog: &Catalog,
    tool: &Tool,
    arguments: &Arguments,
) -> Result<Leaf, Failure> {
    let mut name = &tool.name;
    let mut implementation = &tool.implementation;
    for _ in 0..DEPTH {
        let Implementation::Tool(next) = implementation else { break };
        let other = catalog.get(next).filter(|other| other.is_callable()).ok_or_else(|| {
            Failure::new(
                ErrorType::NotCallable,
                format!("`{name}` is bound to `{next}`, which is not served"),
            )
        })?;
        if !matches!(other.implementation, Implementation::Tool(_)) {
            return Ok(Leaf {
                tool: Arc::clone(other),
                arguments: checked(other, arguments.clone())?,
            });
        }
        (name, implementation) = (&other.name, &other.implementation);
    }
    Err(Failure::new(
        ErrorType::InvalidDefinition,
        format!("`{}` is bound to tools in a circle", tool.name),
    ))
}

impl Runtime {
    /// Carries out what a job of a tool that is bound to another comes to.
    pub(crate) async fn redirect(self: &Arc<Self>, job: Job) -> Outcome {
        let tool = Arc::clone(&job.tool);
        match target(&job.catalog, &tool, &job.arguments) {
            Ok(leaf) => {
                let inner = Job { tool: leaf.tool, arguments: leaf.arguments, ..job };
                mismatch::judged(&tool, Box::pin(self.perform(inner)).await)
            }
            Err(failure) => failures::to_outcome(&tool, failure),
        }
    }
}
