//! The gate before every call: what policy says, and the yes it asks for.
//!
//! Nothing in a call's arguments counts as a yes. It is given by the person behind the client, or
//! from another terminal, and taken down before anything runs.

use std::{
    path::Path,
    time::{Duration, SystemTime},
};

use catalog::{Decision, ErrorType, Failure, Implementation, Policy, Tool, arguments::redact};
use serde_json::{Value, json};
use toolkit::{Answer, Arguments, Capability, Context, Interrupt, Question};

use super::{Approval, Digest, LIFE, words};
use crate::{
    Runtime,
    call::Call,
    digest::{arguments_digest, together, tool_digest},
    journal::{AuditLine, JournalError, Ruling},
    operation::ApprovalId,
    operations::store_failed,
    sequence::{self, Leaf},
};

/// The key under which a client is asked, and the field of its form.
const KEY: &str = "approval";
const FIELD: &str = "approve";

impl Runtime {
    /// What policy says about a call. A sequence is judged by itself and all of its steps, and a tool that is bound to
    /// another by both: the strictest word counts.
    pub(crate) fn decide(&self, call: &Call) -> Result<Decision, Failure> {
        let now = self.settings.clock.now();
        let own = call.policy.decide(&call.tool, &call.arguments, now);
        match call.tool.implementation {
            Implementation::Sequence(_) | Implementation::Tool(_) => {
                let leaves = sequence::leaves(&call.catalog, &call.tool, &call.arguments)?;
                Ok(strictest(own, &leaves, &call.policy, now))
            }
            _ => Ok(own),
        }
    }

    /// Finds or gets a yes to a call, and takes one use of it. The inner result is the refusal.
    pub(crate) async fn approve(
        &self,
        call: &Call,
        reason: String,
    ) -> Result<Result<ApprovalId, Failure>, Interrupt> {
        let digest = match self.digest(call) {
            Ok(digest) => digest,
            Err(failure) => return Ok(Err(failure)),
        };
        match self.use_yes(call, &digest).await {
            Ok(Some(id)) => return Ok(Ok(id)),
            Ok(None) => {}
            Err(failure) => return Ok(Err(failure)),
        }
        let approval = match self.propose(call, digest.clone(), reason).await {
            Ok(approval) => approval,
            Err(failure) => return Ok(Err(failure)),
        };
        match ask(&call.context, &approval).await? {
            Reply::Yes => Ok(self.take_yes(call, &digest, approval).await),
            Reply::No => Ok(Err(self.take_no(approval).await)),
            Reply::None => Ok(Err(required(&approval, &self.settings.crib))),
        }
    }

    async fn use_yes(&self, call: &Call, digest: &Digest) -> Result<Option<ApprovalId>, Failure> {
        let now = self.settings.clock.now();
        let found = self
            .journal
            .find_approval(digest.clone(), call.owner.clone(), now)
            .await
            .map_err(store_failed)?;
        let Some(approval) = found else {
            return Ok(None);
        };
        // Another call may have been faster.
        let is_ours =
            self.journal.use_approval(approval.id.clone(), now).await.map_err(store_failed)?;
        Ok(is_ours.then_some(approval.id))
    }

    async fn take_yes(
        &self,
        call: &Call,
        digest: &Digest,
        approval: Approval,
    ) -> Result<ApprovalId, Failure> {
        let ruling =
            Ruling { approved: true, by: "client".to_owned(), at: self.settings.clock.now() };
        self.journal.decide(approval.id.clone(), ruling).await.map_err(store_failed)?;
        self.use_yes(call, digest).await?.ok_or_else(|| required(&approval, &self.settings.crib))
    }

    async fn take_no(&self, approval: Approval) -> Failure {
        let ruling =
            Ruling { approved: false, by: "client".to_owned(), at: self.settings.clock.now() };
        match self.journal.decide(approval.id.clone(), ruling).await {
            Ok(_) => Failure::new(
                ErrorType::Denied,
                format!("`{}` was not approved; nothing was run", approval.tool),
            )
            .details(json!({"approval": approval.id})),
            Err(error) => store_failed(error),
        }
    }

    /// Takes down what a person decided outside of any call, in the journal and in the audit. Answers
    /// what is known then: the first ruling counts, and only that has a line.
    pub async fn rule(
        &self,
        id: ApprovalId,
        approved: bool,
        by: &str,
    ) -> Result<Option<Approval>, JournalError> {
        let ruling = Ruling { approved, by: by.to_owned(), at: self.settings.clock.now() };
        let known = self.journal.decide(id, ruling.clone()).await?;
        if let Some(approval) = known
            .as_ref()
            .filter(|approval| approval.ruling.as_ref().is_some_and(|kept| is_same(kept, &ruling)))
        {
            self.audit.add_line(line(approval, ruling)).await;
        }
        Ok(known)
    }

    /// A call that could not be made anyway is not asked about.
    async fn propose(
        &self,
        call: &Call,
        digest: Digest,
        reason: String,
    ) -> Result<Approval, Failure> {
        let plan = self.plan_of(call)?;
        let created = self.settings.clock.now();
        let approval = Approval {
            id: ApprovalId::random(),
            owner: call.owner.clone(),
            tool: call.tool.name.clone(),
            digest,
            reason,
            plan,
            created,
            expires: created + LIFE,
            uses: 1,
            ruling: None,
        };
        self.journal.propose(approval).await.map_err(store_failed)
    }

    fn digest(&self, call: &Call) -> Result<Digest, Failure> {
        let mut tool = tool_digest(&call.tool);
        if let Implementation::Sequence(_) = call.tool.implementation {
            let leaves = sequence::leaves(&call.catalog, &call.tool, &call.arguments)?;
            let steps: Vec<_> = leaves.iter().map(|leaf| tool_digest(&leaf.tool)).collect();
            tool = together([tool.as_str()].into_iter().chain(steps.iter().map(String::as_str)));
        }
        Ok(Digest { tool, arguments: arguments_digest(&call.arguments) })
    }

    /// The plan of a call as it is shown and kept: without the values of secret arguments.
    fn plan_of(&self, call: &Call) -> Result<Value, Failure> {
        let mut plan = match &call.tool.implementation {
            Implementation::Process(_) | Implementation::R(_) | Implementation::Python(_) => {
                self.plan_of_process(&call.tool, &call.arguments)?
            }
            Implementation::Sequence(_) => {
                let leaves = sequence::leaves(&call.catalog, &call.tool, &call.arguments)?;
                let steps: Vec<_> = leaves.iter().map(|leaf| self.plan_of_step(leaf)).collect();
                json!({"version": 1, "tool": call.tool.name, "steps": steps})
            }
            Implementation::Native | Implementation::Tool(_) | Implementation::Missing => {
                json!({"version": 1, "tool": call.tool.name})
            }
        };
        plan["arguments"] = json!(redact(&call.tool, &call.arguments));
        Ok(plan)
    }

    /// The plan of a program as it is shown and kept: without the values of secret arguments.
    pub(crate) fn plan_of_process(
        &self,
        tool: &Tool,
        arguments: &Arguments,
    ) -> Result<Value, Failure> {
        let mut plan = serde_json::to_value(self.plan(tool, arguments)?).unwrap_or_default();
        let secrets =
            arguments.iter().filter(|(name, _)| tool.is_secret(name)).filter_map(|(_, value)| {
                match value {
                    Value::String(text) => Some(text.clone()),
                    Value::Null | Value::Bool(_) => None,
                    other => Some(other.to_string()),
                }
            });
        // As it stands in JSON, too.
        let secrets = secrets.flat_map(|secret| {
            [Value::from(secret.as_str()).to_string().trim_matches('"').to_owned(), secret]
        });
        let secrets: Vec<_> = secrets.filter(|secret| !secret.is_empty()).collect();
        words::mask(&mut plan, &secrets);
        Ok(plan)
    }

    /// A step may need what an earlier one makes, so that its plan cannot be made yet.
    fn plan_of_step(&self, leaf: &Leaf) -> Value {
        match self.plan_of_process(&leaf.tool, &leaf.arguments) {
            Ok(plan) => json!({"tool": leaf.tool.name, "plan": plan}),
            Err(_) => {
                json!({"tool": leaf.tool.name, "arguments": redact(&leaf.tool, &leaf.arguments)})
            }
        }
    }
}

/// What a client said.
enum Reply {
    Yes,
    No,
    /// It cannot be asked, or closed the question.
    None,
}

async fn ask(context: &Context, approval: &Approval) -> Result<Reply, Interrupt> {
    if !context.supports(Capability::Forms) {
        return Ok(Reply::None);
    }
    let schema = json!({
        "type": "object",
        "properties": {FIELD: {"type": "boolean", "title": "Run it", "description": "Yes runs exactly this, once."}},
        "required": [FIELD],
    });
    let question = Question::Form { message: words::question(approval), schema };
    // An answer counts only if it comes back with this: it was given to this plan.
    context.save_state(approval.id.as_str());
    match context.ask(KEY, question).await {
        Ok(answer) => Ok(reply(&answer)),
        Err(Interrupt::MissingCapability(_) | Interrupt::Unanswered(_)) => Ok(Reply::None),
        Err(interrupt) => Err(interrupt),
    }
}

fn reply(answer: &Answer) -> Reply {
    match answer.0.get("action").and_then(Value::as_str) {
        Some("accept") if answer.field(FIELD) == Some(&Value::Bool(true)) => Reply::Yes,
        Some("accept" | "decline") => Reply::No,
        _ => Reply::None,
    }
}

/// Whether a journal kept this ruling, of whose time it may keep less.
fn is_same(kept: &Ruling, ruling: &Ruling) -> bool {
    let gap = ruling.at.duration_since(kept.at);
    (kept.approved, &kept.by) == (ruling.approved, &ruling.by)
        && gap.is_ok_and(|gap| gap < Duration::from_millis(1))
}

/// The line of the audit about a ruling.
fn line(approval: &Approval, ruling: Ruling) -> AuditLine {
    AuditLine {
        time: ruling.at,
        owner: approval.owner.clone(),
        tool: approval.tool.clone(),
        tool_digest: approval.digest.tool.clone(),
        arguments_digest: approval.digest.arguments.clone(),
        decision: if ruling.approved { "approved" } else { "denied" },
        by: Some(ruling.by),
        approval: Some(approval.id.clone()),
        operation: None,
        outcome: "ruled".to_owned(),
        duration_ms: 0,
    }
}

/// The refusal names the crib, so that what it says to run works from any folder. Models pay for
/// each word: what the message says, the details do not say again.
fn required(approval: &Approval, crib: &Path) -> Failure {
    let how =
        format!("toolcrib approve {} -C {}", approval.id, words::quoted(&crib.to_string_lossy()));
    let message = format!(
        "`{}` needs a person's approval: {}; nothing was run. A person can give it with `{how}`; then make the same call again",
        approval.tool, approval.reason
    );
    let expires =
        approval.expires.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    Failure::new(ErrorType::ApprovalRequired, message).details(json!({
        "error": "approval required",
        "tool": approval.tool,
        "approval": approval.id,
        "expires_unix": expires,
        "plan": approval.plan,
    }))
}

/// A refusal by policy.
pub(crate) fn denied(tool: &Tool, reason: &str) -> Failure {
    let message =
        format!("policy does not allow this call of `{}`: {reason}; nothing was run", tool.name);
    Failure::new(ErrorType::Denied, message).details(json!({"reason": reason}))
}

fn strictest(own: Decision, leaves: &[Leaf], policy: &Policy, now: SystemTime) -> Decision {
    let weight = |decision: &Decision| match decision {
        Decision::Allow => 0,
        Decision::Ask { .. } => 1,
        Decision::Deny { .. } => 2,
    };
    let of_leaf = |leaf: &Leaf| match policy.decide(&leaf.tool, &leaf.arguments, now) {
        Decision::Allow => Decision::Allow,
        Decision::Ask { reason } => {
            Decision::Ask { reason: format!("step `{}`: {reason}", leaf.tool.name) }
        }
        Decision::Deny { reason } => {
            Decision::Deny { reason: format!("step `{}`: {reason}", leaf.tool.name) }
        }
    };
    leaves.iter().map(of_leaf).fold(own, |strictest, next| {
        if weight(&next) > weight(&strictest) { next } else { strictest }
    })
}
