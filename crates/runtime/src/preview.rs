//! What a call would do, as a value to show: the plan of its program, or that of each step of a sequence.
//!
//! Nothing runs, and values of secret arguments are left out.

use std::path::Path;

use catalog::{Catalog, Failure, Implementation, Tool, arguments::redact, implementation::Step};
use serde_json::{Value, json};
use toolkit::Arguments;

use crate::{
    Runtime, redirect,
    sequence::{self, resolve},
};

impl Runtime {
    /// What a call of `tool` would do now. The arguments have been checked and their defaults filled in.
    pub fn preview(
        &self,
        catalog: &Catalog,
        tool: &Tool,
        arguments: &Arguments,
    ) -> Result<Value, Failure> {
        match &tool.implementation {
            Implementation::Sequence(_) => {
                // Finds what would be refused before the first step, and circles.
                sequence::leaves(catalog, tool, arguments)?;
                self.preview_steps(catalog, tool, arguments)
            }
            Implementation::Tool(_) => {
                let leaf = redirect::target(catalog, tool, arguments)?;
                self.preview(catalog, &leaf.tool, &leaf.arguments)
            }
            _ => self.plan_of_process(tool, arguments),
        }
    }

    fn preview_steps(
        &self,
        catalog: &Catalog,
        tool: &Tool,
        arguments: &Arguments,
    ) -> Result<Value, Failure> {
        let Implementation::Sequence(sequence) = &tool.implementation else {
            unreachable!("called for sequences only")
        };
        let folder = self.sequence_folder(arguments)?;
        let steps = sequence
            .steps
            .iter()
            .map(|step| self.preview_step(catalog, tool, step, arguments, &folder));
        Ok(
            json!({"version": 1, "tool": tool.name, "cwd": folder, "steps": steps.collect::<Result<Vec<_>, _>>()?}),
        )
    }

    /// A step may need what an earlier one makes, so that its plan cannot be made yet.
    fn preview_step(
        &self,
        catalog: &Catalog,
        tool: &Tool,
        step: &Step,
        given: &Arguments,
        folder: &Path,
    ) -> Result<Value, Failure> {
        if let Some(why) = sequence::skip(step, folder) {
            return Ok(json!({"tool": step.tool, "skipped": why}));
        }
        let (called, arguments) = resolve(catalog, tool, step, given)?;
        let plan = match called.implementation {
            Implementation::Sequence(_) => self.preview_steps(catalog, &called, &arguments),
            Implementation::Tool(_) => self.preview(catalog, &called, &arguments),
            Implementation::Native => Ok(
                json!({"version": 1, "tool": called.name, "arguments": redact(&called, &arguments)}),
            ),
            _ => self.plan_of_process(&called, &arguments),
        };
        Ok(match plan {
            Ok(plan) => json!({"tool": step.tool, "plan": plan}),
            Err(failure) => json!({"tool": step.tool, "problem": failure.message}),
        })
    }
}
