//! The services of the runtime that a native tool can use: other tools, and storage.

use std::sync::{Arc, Weak};

use catalog::{Catalog, Outcome, Policy, Tool, closest};
use toolkit::{Arguments, BoxFuture, Context, Interrupt, Services, ToolStorage};

use crate::{Call, Runtime, Session};

/// How deep calls may be nested.
const MAX_DEPTH: usize = 8;

/// The services of one call.
struct CallServices {
    runtime: Weak<Runtime>,
    catalog: Arc<Catalog>,
    policy: Policy,
    depth: usize,
    /// The tool that uses the services; `None` for a prompt.
    tool: Option<Arc<Tool>>,
    owner: Arc<str>,
    /// The client on whose behalf nested calls are made.
    caller: Arc<str>,
    /// Whose state nested calls work on.
    session: Session,
}

impl Runtime {
    /// A context that can call the tools of `catalog`, for a caller that is not a tool.
    pub fn host(
        self: &Arc<Self>,
        context: Context,
        catalog: &Arc<Catalog>,
        policy: &Policy,
    ) -> Context {
        let services = CallServices {
            // Weak, because a native tool may keep its context, and the runtime holds the natives.
            runtime: Arc::downgrade(self),
            catalog: Arc::clone(catalog),
            policy: policy.clone(),
            depth: 0,
            tool: None,
            owner: Arc::clone(context.owner()),
            caller: Arc::clone(context.owner()),
            session: Session::default(),
        };
        context.with_services(Arc::new(services))
    }

    /// The context of a call that can call other tools.
    pub(super) fn context_for(self: &Arc<Self>, call: &Call) -> Context {
        let services = CallServices {
            runtime: Arc::downgrade(self),
            catalog: Arc::clone(&call.catalog),
            policy: call.policy.clone(),
            depth: call.depth,
            tool: Some(Arc::clone(&call.tool)),
            owner: Arc::clone(call.context.owner()),
            caller: Arc::clone(&call.caller),
            session: call.session.clone(),
        };
        call.context.clone().with_services(Arc::new(services))
    }
}

impl CallServices {
    fn find(&self, name: &str) -> Option<&Arc<Tool>> {
        let tools = self.catalog.tools();
        tools
            .iter()
            .find(|tool| tool.name == name)
            // Authors of native tools do not know the prefix with which a crib serves them.
            .or_else(|| tools.iter().find(|tool| tool.bare_name() == name))
    }

    fn prepare(
        &self,
        name: &str,
        arguments: Arguments,
        context: Context,
    ) -> Result<(Arc<Runtime>, Call), Interrupt> {
        if self.depth >= MAX_DEPTH {
            return Err(Interrupt::Invalid(format!(
                "`{name}` is nested in {MAX_DEPTH} calls, which is the limit"
            )));
        }
        let Some(tool) = self.find(name) else {
            let near = closest(name, self.catalog.tools().iter().map(|tool| tool.name.as_str()));
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            return Err(Interrupt::Invalid(format!("there is no tool `{name}`{near}")));
        };
        let ended = || Interrupt::Invalid("the server is shutting down".to_owned());
        let runtime = self.runtime.upgrade().ok_or_else(ended)?;
        let call = Call {
            catalog: Arc::clone(&self.catalog),
            policy: self.policy.clone(),
            depth: self.depth + 1,
            caller: Arc::clone(&self.caller),
            session: self.session.clone(),
            ..Call::new(Arc::clone(tool), arguments, context)
        };
        Ok((runtime, call))
    }
}

impl Services for CallServices {
    fn call(
        &self,
        name: &str,
        arguments: Arguments,
        context: Context,
    ) -> BoxFuture<'static, Result<Outcome, Interrupt>> {
        let prepared = self.prepare(name, arguments, context);
        Box::pin(async move {
            let (runtime, call) = prepared?;
            runtime.call(call).await
        })
    }

    fn tool(&self, name: &str) -> Option<Arc<Tool>> {
        self.find(name).cloned()
    }

    fn served_name(&self, name: &str) -> Option<String> {
        let decoration = self
            .runtime
            .upgrade()
            .map(|runtime| runtime.engine.settings.decoration.clone())
            .unwrap_or_default();
        self.find(name).map(|tool| format!("{decoration}{}", tool.name))
    }

    fn storage(&self) -> Option<ToolStorage> {
        let storage = self.runtime.upgrade()?.engine.storage.clone()?;
        let tool = self.tool.as_ref()?;
        // Separated by owner: one user's tool state must not be visible to another.
        Some(ToolStorage::new(storage, format!("tool/{}/{}", tool.name, self.owner)))
    }
}
