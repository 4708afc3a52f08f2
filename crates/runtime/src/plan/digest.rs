//! The digest of a plan, to which an approval is given.
//!
//! It covers all that decides what a call does: command line, folder, values of the environment,
//! standard input, files, sandbox, and the content of the program and of the scripts it runs.

use std::path::PathBuf;

use catalog::{ErrorType, Failure, Tool};
use serde_json::{Value, json};
use workers::ApprovedFiles;

use super::{Action, CommandPlan, Plan, PlannedStep, StepPlan, seal::CONTENT};
use crate::digest::{combine_digests, file_digests, keyed_text_digest, value_digest};

/// The digest of each part of a plan. The parts are kept apart so that a person can be told which of
/// them changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlanDigest {
    parts: Vec<(&'static str, String)>,
    /// The digest of each file with code, of which one part is made.
    files: ApprovedFiles,
}

impl PlanDigest {
    /// The digests for a record. They cover the values of secret arguments, which could be found by
    /// trying if the digests had no key.
    pub(crate) fn with_key(&self, key: &[u8]) -> Self {
        let parts = self.parts.iter();
        Self {
            parts: parts.map(|(name, digest)| (*name, keyed_text_digest(key, digest))).collect(),
            files: Vec::new(),
        }
    }

    /// The files with code, with the digests of their contents.
    pub(crate) fn into_files(self) -> ApprovedFiles {
        self.files
    }

    /// One digest for all parts.
    pub(crate) fn whole(&self) -> String {
        combine_digests(self.parts.iter().flat_map(|(name, digest)| [*name, digest.as_str()]))
    }

    /// The parts as JSON, for the record of an approval.
    pub(crate) fn to_json(&self) -> Value {
        self.parts.iter().map(|(name, digest)| ((*name).to_owned(), json!(digest))).collect()
    }

    /// The names of the parts that differ from those in a record, which has the form of
    /// [`PlanDigest::to_json`].
    pub(crate) fn changed_since(&self, recorded: &Value) -> String {
        let is_changed =
            |(name, digest): &&(&'static str, String)| recorded[name] != digest.as_str();
        let changed: Vec<_> = self.parts.iter().filter(is_changed).map(|(name, _)| *name).collect();
        changed.join(", ")
    }
}

impl Plan {
    /// The digest of what the call would do now. Reads the program and the scripts.
    pub(crate) fn digest(&self) -> PlanDigest {
        let files = file_digests(&self.code);
        let parts = match &self.action {
            Action::Command { plan, .. } => {
                let mut parts = digest_command(plan, &files);
                let targets: Vec<_> = self.targets.iter().map(|path| &path.target).collect();
                parts.push(("targets of paths", value_digest(&json!(targets))));
                parts
            }
            Action::Steps { cwd, steps } => {
                let steps: Vec<_> = steps.iter().map(digest_step).collect();
                vec![("folder", value_digest(&json!(cwd))), ("steps", combine(&steps))]
            }
            // Secrets are masked here. The digest of the arguments, which an approval has beside
            // this one, covers them.
            Action::Native => vec![("arguments", value_digest(&json!(self.arguments)))],
        };
        PlanDigest { parts, files }
    }
}

/// The failure of an approved call of which these parts have changed.
pub(crate) fn plan_changed(tool: &Tool, changed: &str) -> Failure {
    let message = format!(
        "`{}` was not started: its plan changed after it was approved ({changed}); nothing was run. \
         Make the same call again to request a new approval",
        tool.name
    );
    Failure::new(ErrorType::ApprovalRequired, message)
        .details(json!({"reason": "plan changed", "changed": changed}))
}

fn digest_command(plan: &CommandPlan, files: &[(PathBuf, String)]) -> Vec<(&'static str, String)> {
    let command = &plan.command;
    let contents: Vec<_> = files.iter().map(|file| value_digest(&json!(file))).collect();
    let settings = json!([
        command.sandbox,
        // The JSON of a sandbox omits this flag, which decides whether anything is confined.
        command.sandbox.is_unrestricted,
        plan.timeout.as_millis().to_string(),
    ]);
    vec![
        ("command line", value_digest(&json!([command.program, command.argv]))),
        ("folder", value_digest(&json!(command.cwd))),
        ("environment", value_digest(&json!(command.env))),
        ("input", value_digest(&json!([command.stdin, command.files]))),
        (CONTENT, combine(&contents)),
        ("sandbox", value_digest(&settings)),
    ]
}

/// Whether a step is skipped is not part of it: an approval covers the step all the same.
fn digest_step(step: &StepPlan) -> String {
    let plan = match &step.plan {
        PlannedStep::Plan(plan) => plan.digest().whole(),
        // The message says why it cannot be planned now, which may change until the step runs.
        PlannedStep::Problem { arguments, .. } => value_digest(&json!(arguments)),
    };
    value_digest(&json!([step.tool, plan]))
}

fn combine(digests: &[String]) -> String {
    combine_digests(digests.iter().map(String::as_str))
}
