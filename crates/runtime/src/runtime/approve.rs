//! Policy decisions, and the approvals that they ask for.
//!
//! Nothing in a call's arguments counts as an approval. It is given by the person behind the client or
//! from another terminal, and recorded before anything runs.

use std::time::{Duration, SystemTime};

use catalog::{Decision, ErrorType, Failure, Policy, Tool};
use serde_json::{Value, json};
use toolkit::{Answer, Arguments, Capability, Context, Interrupt, Question};

use super::Runtime;
use crate::{
    Approval, Call, Digest, Plan,
    approval::LIFETIME,
    backends::backend_for,
    call::ApprovedPlan,
    digest::{combine_digests, keyed_arguments_digest, tool_digest},
    failures,
    journal::{AuditLine, JournalError, Ruling},
    operation::ApprovalId,
    operations::store_failed,
    plan::{PlanDigest, Rendering, normalize_paths, render_request},
};

/// The key under which a client is asked, and the field of its form.
const KEY: &str = "approval";
const FIELD: &str = "approve";

impl Runtime {
    /// Decides about a call and all calls that it would make: the strictest decision counts.
    pub(super) fn decide(&self, call: &Call) -> Result<Decision, Failure> {
        let now = self.engine.settings.clock.now();
        let own = self.apply_policy(&call.policy, &call.tool, &call.arguments, now)?;
        let nested = backend_for(&call.tool.implementation).nested_calls(call.target())?;
        let nested = nested.iter().map(|nested| {
            let decision = self.apply_policy(&call.policy, &nested.tool, &nested.arguments, now)?;
            Ok((nested.tool.name.as_str(), decision))
        });
        Ok(strictest(own, nested.collect::<Result<Vec<_>, Failure>>()?.into_iter()))
    }

    fn apply_policy(
        &self,
        policy: &Policy,
        tool: &Tool,
        arguments: &Arguments,
        now: SystemTime,
    ) -> Result<Decision, Failure> {
        if policy.clauses().len() == 0 {
            // Annotations do not depend on paths, and resolving them is not free.
            return Ok(policy.decide(tool, arguments, now));
        }
        let normalized = normalize_paths(&self.engine.settings, tool, arguments);
        let forms = normalized.map_err(|failure| failures::complete(tool, failure))?;
        // A link is decided about like its target, so that neither hides the other.
        let decided = forms.iter().map(|form| policy.decide(tool, form, now));
        Ok(decided.reduce(stricter).unwrap_or(Decision::Allow))
    }

    /// Finds or requests an approval, and uses it once. The inner result is the refusal.
    pub(super) async fn approve(
        &self,
        call: &Call,
        reason: String,
    ) -> Result<Result<Granted, Failure>, Interrupt> {
        let request = self.engine.plan_bounded(&call.tool, || self.request(call)).await;
        let request = match request {
            Ok(request) => request,
            Err(failure) => return Ok(Err(failure)),
        };
        let approval = match self.find_or_propose(call, &request, reason).await {
            Ok(Found::Used(id)) => return Ok(Ok(request.grant(call, id))),
            Ok(Found::Open(approval)) => *approval,
            Err(failure) => return Ok(Err(failure)),
        };
        tracing::info!(
            tool = approval.tool,
            code = approval.id.code(),
            "a call waits for approval: run `toolcrib approve` in a terminal"
        );
        // An answer in the client's form would bypass the passphrase.
        if self.needs_passphrase() {
            self.notify_operator(&approval).await;
            return Ok(Err(approval_required(&approval)));
        }
        match ask_client(&call.context, &approval).await? {
            Reply::Approve => {
                let recorded = self.record_approved(call, &request, approval).await;
                Ok(recorded.map(|id| request.grant(call, id)))
            }
            Reply::Deny => Ok(Err(self.record_denied(approval).await)),
            Reply::None => {
                self.notify_operator(&approval).await;
                Ok(Err(approval_required(&approval)))
            }
        }
    }

    /// Whether forms do not count. Read at each call: it applies as soon as a passphrase is set.
    fn needs_passphrase(&self) -> bool {
        let file = self.engine.settings.passphrase_file.as_ref();
        // A file that cannot be read counts as well: refusing every form is safer than accepting
        // one.
        file.is_some_and(|file| file.symlink_metadata().is_ok())
    }

    /// Uses an approval of exactly this plan, or records a request for one.
    async fn find_or_propose(
        &self,
        call: &Call,
        request: &ApprovalRequest,
        mut reason: String,
    ) -> Result<Found, Failure> {
        let now = self.engine.settings.clock.now();
        let (digest, owner) = (request.digest.clone(), call.owner.clone());
        let usable = self.journal.find_approvals(digest, owner, now).await.map_err(store_failed)?;
        for approval in usable.iter().filter(|usable| usable.digest == request.digest) {
            // A concurrent call may have used it first.
            if self.journal.use_approval(approval.id.clone(), now).await.map_err(store_failed)? {
                return Ok(Found::Used(approval.id.clone()));
            }
        }
        let outdated: Vec<_> =
            usable.into_iter().filter(|usable| usable.digest != request.digest).collect();
        if let Some(outdated) = outdated.first() {
            let changed = request.recorded_digest.changed_since(&outdated.plan["digests"]);
            reason.push_str(&format!("; its plan changed since it was approved: {changed}"));
        }
        // Or a tool that changed a script could use the approval later by changing it back.
        for approval in outdated {
            self.journal.use_approval(approval.id, now).await.map_err(store_failed)?;
        }
        self.propose(call, request, reason).await.map(|open| Found::Open(Box::new(open)))
    }

    async fn record_approved(
        &self,
        call: &Call,
        request: &ApprovalRequest,
        approval: Approval,
    ) -> Result<ApprovalId, Failure> {
        let ruling = Ruling {
            approved: true,
            by: "client".to_owned(),
            at: self.engine.settings.clock.now(),
        };
        let decided = self.journal.decide(approval.id.clone(), ruling.clone()).await;
        decided.map_err(store_failed)?;
        self.audit.add_line(build_audit_line(&approval, ruling));
        match self.find_or_propose(call, request, approval.reason.clone()).await? {
            Found::Used(id) => Ok(id),
            Found::Open(open) => Err(approval_required(&open)),
        }
    }

    async fn record_denied(&self, approval: Approval) -> Failure {
        let ruling = Ruling {
            approved: false,
            by: "client".to_owned(),
            at: self.engine.settings.clock.now(),
        };
        match self.journal.decide(approval.id.clone(), ruling.clone()).await {
            Ok(_) => {
                self.audit.add_line(build_audit_line(&approval, ruling));
                let message = format!("`{}` was not approved; nothing was run", approval.tool);
                Failure::new(ErrorType::Denied, message).details(json!({"approval": approval.id}))
            }
            Err(error) => store_failed(error),
        }
    }

    /// Records what a person decided outside of any call, in the journal and in the audit. Returns the
    /// approval as it is then: the first ruling counts, and only that one is audited.
    pub async fn rule(
        &self,
        id: ApprovalId,
        approved: bool,
        by: &str,
    ) -> Result<Option<Approval>, JournalError> {
        let ruling = Ruling { approved, by: by.to_owned(), at: self.engine.settings.clock.now() };
        let known = self.journal.decide(id, ruling.clone()).await?;
        if let Some(approval) = known
            .as_ref()
            // If an earlier ruling stands, nothing was decided now.
            .filter(|approval| approval.ruling.as_ref().is_some_and(|kept| is_same(kept, &ruling)))
        {
            self.audit.add_line(build_audit_line(approval, ruling));
        }
        Ok(known)
    }

    async fn propose(
        &self,
        call: &Call,
        request: &ApprovalRequest,
        reason: String,
    ) -> Result<Approval, Failure> {
        let mut plan = request.plan.to_record();
        plan["digests"] = request.recorded_digest.to_json();
        let created = self.engine.settings.clock.now();
        let approval = Approval {
            id: ApprovalId::random(),
            owner: call.owner.clone(),
            tool: call.tool.name.clone(),
            digest: request.digest.clone(),
            reason,
            plan,
            created,
            expires: created + LIFETIME,
            uses: 1,
            ruling: None,
        };
        self.journal.propose(approval).await.map_err(store_failed)
    }

    /// The subject of an approval: the tool, all tools that it would call, the arguments, and the
    /// plan. A call that could not be made anyway fails here.
    fn request(&self, call: &Call) -> Result<ApprovalRequest, Failure> {
        let plan = self.plan(&call.catalog, &call.tool, &call.arguments)?;
        let plan_digest = plan.digest();
        let nested = backend_for(&call.tool.implementation).nested_calls(call.target())?;
        let own = tool_digest(&call.tool);
        let tool = if nested.is_empty() {
            own
        } else {
            let nested: Vec<_> = nested.iter().map(|call| tool_digest(&call.tool)).collect();
            combine_digests(std::iter::once(own.as_str()).chain(nested.iter().map(String::as_str)))
        };
        let key = self.journal.digest_key();
        let arguments = keyed_arguments_digest(key, &call.arguments);
        let recorded_digest = plan_digest.with_key(key);
        let digest = Digest { tool, arguments, plan: recorded_digest.whole() };
        Ok(ApprovalRequest { plan, plan_digest, recorded_digest, digest })
    }
}

/// The request for approval of a call.
struct ApprovalRequest {
    plan: Plan,
    plan_digest: PlanDigest,
    /// The digest of the plan with the key of the journal.
    recorded_digest: PlanDigest,
    digest: Digest,
}

impl ApprovalRequest {
    fn grant(self, call: &Call, id: ApprovalId) -> Granted {
        let plan = ApprovedPlan { digest: self.plan_digest, arguments: call.arguments.clone() };
        Granted { id, plan }
    }
}

/// An approval that was used for a call.
pub(super) struct Granted {
    pub(super) id: ApprovalId,
    pub(super) plan: ApprovedPlan,
}

enum Found {
    Used(ApprovalId),
    Open(Box<Approval>),
}

/// The answer of a client.
enum Reply {
    Approve,
    Deny,
    /// It cannot be asked, or dismissed the question.
    None,
}

async fn ask_client(context: &Context, approval: &Approval) -> Result<Reply, Interrupt> {
    // Such clients get the command with which a person can approve.
    if !context.supports(Capability::Forms) || !context.speaks_for_person() {
        return Ok(Reply::None);
    }
    let schema = json!({
        "type": "object",
        "properties": {FIELD: {"type": "boolean", "title": "Run it", "description": "Yes runs exactly this, once."}},
        "required": [FIELD],
    });
    let question =
        Question::Form { message: render_request(approval, Rendering::default()), schema };
    // The answer counts only if it comes back with this id: it was given to this plan.
    context.save_state(approval.id.as_str());
    match context.ask(KEY, question).await {
        Ok(answer) => Ok(parse_reply(&answer)),
        Err(Interrupt::MissingCapability(_) | Interrupt::Unanswered(_)) => Ok(Reply::None),
        Err(interrupt) => Err(interrupt),
    }
}

fn parse_reply(answer: &Answer) -> Reply {
    match answer.0.get("action").and_then(Value::as_str) {
        // Accepting the form is not enough: a client may submit it unchanged.
        Some("accept") if answer.field(FIELD) == Some(&Value::Bool(true)) => Reply::Approve,
        Some("accept" | "decline") => Reply::Deny,
        _ => Reply::None,
    }
}

/// Whether a stored ruling is this one. A journal may store times with less precision.
fn is_same(kept: &Ruling, ruling: &Ruling) -> bool {
    let gap = ruling.at.duration_since(kept.at);
    (kept.approved, &kept.by) == (ruling.approved, &ruling.by)
        && gap.is_ok_and(|gap| gap < Duration::from_millis(1))
}

/// The audit line about a ruling.
fn build_audit_line(approval: &Approval, ruling: Ruling) -> AuditLine {
    AuditLine {
        time: ruling.at,
        owner: approval.owner.clone(),
        tool: approval.tool.clone(),
        tool_digest: approval.digest.tool.clone(),
        arguments_digest: approval.digest.arguments.clone(),
        request: None,
        decision: if ruling.approved { "approved" } else { "denied" },
        by: Some(ruling.by),
        approval: Some(approval.id.clone()),
        operation: None,
        sandbox: None,
        outcome: "ruled".to_owned(),
        duration_ms: 0,
        call: None,
    }
}

/// The failure of a call without approval. A model reads it and may run commands, so it names no
/// command that approves: only a code by which the person finds the request. Models pay for each word,
/// so the details do not repeat the message.
fn approval_required(approval: &Approval) -> Failure {
    let message = format!(
        "`{}` needs your user's approval: {}; nothing was run. Ask your user to approve request `{}`, then make the same call again",
        approval.tool,
        approval.reason,
        approval.id.code()
    );
    let mut plan = approval.plan.clone();
    // For a model, digests and the folders of toolchains are only tokens to pay for.
    plan.as_object_mut().map(|plan| plan.remove("digests"));
    let sandbox = plan.get_mut("confinement").and_then(serde_json::Value::as_object_mut);
    sandbox.map(|sandbox| sandbox.remove("read"));
    let expires =
        approval.expires.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    Failure::new(ErrorType::ApprovalRequired, message).details(json!({
        "error": "approval required",
        "tool": approval.tool,
        "approval": approval.id,
        "code": approval.id.code(),
        "expires_unix": expires,
        "plan": plan,
    }))
}

/// The failure of a call that policy denies.
pub(super) fn policy_denial(tool: &Tool, reason: &str) -> Failure {
    let message =
        format!("policy does not allow this call of `{}`: {reason}; nothing was run", tool.name);
    Failure::new(ErrorType::Denied, message).details(json!({"reason": reason}))
}

/// The strictest of the decisions about a call and its steps.
fn strictest<'a>(own: Decision, nested: impl Iterator<Item = (&'a str, Decision)>) -> Decision {
    let name_step = |(tool, decision): (&str, Decision)| match decision {
        Decision::Allow => Decision::Allow,
        Decision::Ask { reason } => Decision::Ask { reason: format!("step `{tool}`: {reason}") },
        Decision::Deny { reason } => Decision::Deny { reason: format!("step `{tool}`: {reason}") },
    };
    nested.map(name_step).fold(own, stricter)
}

/// The stricter decision. On a tie the first one stays: its reason names the tool that was called.
fn stricter(first: Decision, second: Decision) -> Decision {
    let weight = |decision: &Decision| match decision {
        Decision::Allow => 0,
        Decision::Ask { .. } => 1,
        Decision::Deny { .. } => 2,
    };
    if weight(&second) > weight(&first) { second } else { first }
}
