//! One client's connection: a stdio process, a session of an older HTTP client, or a single
//! modern HTTP request. It takes requests apart and hands them on; the answers come from the
//! modules around it.

#![expect(
    deprecated,
    reason = "sampling, roots and logging are on their way out, but older clients have them"
)]

use std::{collections::BTreeMap, panic::AssertUnwindSafe, sync::Arc};

use futures_util::FutureExt;
use parking_lot::Mutex;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
        CompleteResult, CompletionInfo, CustomRequest, CustomResult, ErrorCode,
        GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, LoggingLevel,
        PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, Reference,
        ServerConfig, SetLevelRequestMethod, SetLevelRequestParams, SubscribeRequestParams,
        SubscriptionFilter, Tool, UnsubscribeRequestParams, UpdateTaskParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use runtime::{Session, operation::Owner};
use serde_json::Value;

use crate::{
    Server,
    audience::{Listener, Loudness, Stream, Watched},
    calls,
    era::Era,
    exchange::{Exchange, Known},
    gate::Gate,
    lifetime::Lifetime,
    listening, prompts, resources,
    seal::Broken,
    tasks,
};

/// The most values that a completion may have.
const MOST_VALUES: usize = CompletionInfo::MAX_VALUES;

/// The most resources that one client may watch.
const MOST_WATCHED: usize = 1_024;

/// Methods that need no open connection, which the library answers itself.
const OPENING: [&str; 3] = ["initialize", "ping", "server/discover"];

/// Known methods. When one of them arrives as an unknown request, its parameters are malformed.
const METHODS: [&str; 15] = [
    "completion/complete",
    "logging/setLevel",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "subscriptions/listen",
    "tasks/cancel",
    "tasks/get",
    "tasks/update",
    "tools/call",
    "tools/list",
];

/// Whether a method is one of the protocol, in any of its revisions.
pub(crate) fn is_method(name: &str) -> bool {
    METHODS.contains(&name) || OPENING.contains(&name)
}

/// The error for a method that is none.
pub(crate) fn unknown_method(name: &str) -> ErrorData {
    ErrorData::new(
        ErrorCode::METHOD_NOT_FOUND,
        format!("unknown method `{}`", name.escape_debug()),
        None,
    )
}

/// One client's connection.
pub(crate) struct Connection {
    pub(crate) server: Server,
    pub(crate) gate: Arc<Gate>,
    pub(crate) lifetime: Lifetime,
    /// Whose its calls are.
    pub(crate) owner: Arc<str>,
    /// Whose state its calls work on.
    pub(crate) session: Session,
    loudness: Loudness,
    watched: Watched,
}

impl Connection {
    pub(crate) fn new(
        server: Server,
        owner: Arc<str>,
        gate: Arc<Gate>,
        lifetime: Lifetime,
    ) -> Self {
        let loudness = Arc::new(Mutex::new(LoggingLevel::Info));
        Self {
            server,
            gate,
            lifetime,
            owner,
            session: Session::default(),
            loudness,
            watched: Watched::default(),
        }
    }

    /// The owner as operations know it.
    pub(crate) fn owner(&self) -> Owner {
        Owner(self.owner.to_string())
    }

    /// The client's side of a request that may ask, with what is known from earlier rounds.
    pub(crate) fn exchange(
        &self,
        cx: RequestContext<RoleServer>,
        state: Option<&str>,
        answers: Option<BTreeMap<String, Value>>,
        request: impl Fn() -> Vec<u8>,
    ) -> Result<Arc<Exchange>, ErrorData> {
        if cx.meta.contains_key("io.modelcontextprotocol/logLevel") && cx.meta.log_level().is_none()
        {
            return Err(ErrorData::invalid_params("unknown log level", None));
        }
        let settled = state.map(|sealed| self.server.seal.open(sealed, &request())).transpose();
        let settled = settled.map_err(|Broken| {
            let message = "the request state is not one of this server's for this request, or too old; start again without it";
            ErrorData::invalid_params(message, None)
        })?;
        let known =
            Known { offered: answers.unwrap_or_default(), settled: settled.unwrap_or_default() };
        let loudness = *self.loudness.lock();
        Ok(Arc::new(Exchange::new(cx, self.server.audience.clone(), loudness, known)))
    }
}

/// More streams than can be served.
pub(crate) fn too_many() -> ErrorData {
    ErrorData::internal_error("too many subscriptions are open; try again later", None)
}

/// Lists that fit one page have no cursors to come back with.
pub(crate) fn single_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        Some(cursor) if !cursor.is_empty() => {
            Err(ErrorData::invalid_params("unknown cursor; list again from the start", None))
        }
        _ => Ok(()),
    }
}

/// A provider that panics must not leave its client without an answer.
async fn caught<T>(answer: impl Future<Output = Result<T, ErrorData>>) -> Result<T, ErrorData> {
    let caught = AssertUnwindSafe(answer).catch_unwind().await;
    caught.unwrap_or_else(|_| {
        Err(ErrorData::internal_error("this failed unexpectedly; it is a bug", None))
    })
}

impl ServerHandler for Connection {
    fn get_info(&self) -> ServerConfig {
        self.server.config()
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.server.snapshot().find(name).map(|served| served.rendering(Era::Modern).clone())
    }

    async fn on_initialized(&self, cx: NotificationContext<RoleServer>) {
        let (owner, loudness, watched) =
            (self.owner.clone(), self.loudness.clone(), self.watched.clone());
        self.server.audience.join(Listener { peer: cx.peer, owner, loudness, watched });
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        calls::list(self, request, &cx)
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        calls::call(self, params, cx).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        caught(resources::list(self, request, &cx)).await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        caught(async { resources::templates(self, request, &cx) }).await
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(self, params, cx).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        caught(prompts::list(self, request, &cx)).await
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(self, params, cx).await
    }

    async fn complete(
        &self,
        params: CompleteRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let (name, value) = (params.argument.name.as_str(), params.argument.value.as_str());
        let chosen = params.context.and_then(|context| context.arguments).unwrap_or_default();
        let values = caught(async {
            Ok(match &params.r#ref {
                Reference::Prompt(prompt) => {
                    prompts::complete(self, &prompt.name, name, value).await
                }
                Reference::Resource(template) => {
                    resources::complete(self, &template.uri, name, value, &chosen).await
                }
                _ => None,
            })
        });
        let Some(mut values) = values.await? else {
            return Err(ErrorData::invalid_params("unknown prompt or template", None));
        };
        let total = values.len();
        values.truncate(MOST_VALUES);
        let info =
            CompletionInfo::with_pagination(values, u32::try_from(total).ok(), total > MOST_VALUES);
        let mut result =
            CompleteResult::new(info.map_err(|error| ErrorData::internal_error(error, None))?);
        result.meta = self.server.stamp(Era::of(&cx));
        Ok(result)
    }

    async fn set_level(
        &self,
        params: SetLevelRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if Era::of(&cx) == Era::Modern {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        *self.loudness.lock() = params.level;
        Ok(())
    }

    async fn subscribe(
        &self,
        params: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let mut watched = self.watched.lock();
        if watched.len() >= MOST_WATCHED && !watched.contains(&params.uri) {
            return Err(ErrorData::invalid_request(
                format!("at most {MOST_WATCHED} resources can be watched"),
                None,
            ));
        }
        watched.insert(params.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        params: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watched.lock().remove(&params.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = requested.clone();
        if let Some(watched) = &mut accepted.resource_subscriptions {
            watched.truncate(MOST_WATCHED);
        }
        Some(accepted)
    }

    async fn listen(&self, cx: SubscriptionContext) -> Result<(), ErrorData> {
        let stream = Stream::new(cx.request_context(), cx.accepted().clone());
        let _seat = self.server.audience.subscribe(stream).ok_or_else(too_many)?;
        tokio::select! {
            () = cx.cancelled() => {}
            () = self.lifetime.closing.cancelled() => {}
        }
        Ok(())
    }

    async fn get_task(
        &self,
        params: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        tasks::get(self, &params.task_id).await
    }

    async fn update_task(
        &self,
        params: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::update(self, &params.task_id, params.input_responses).await
    }

    async fn cancel_task(
        &self,
        params: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::cancel(self, &params.task_id).await
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        cx: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if Era::of(&cx) == Era::Modern && listening::is_detoured(&request) {
            return listening::listen(self, request, cx).await;
        }
        let method = request.method;
        // What modern revisions dropped stays unknown to their clients, malformed or not.
        let is_dropped = Era::of(&cx) == Era::Modern
            && matches!(
                method.as_str(),
                "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe"
            );
        match METHODS.contains(&method.as_str()) && !is_dropped {
            true => {
                Err(ErrorData::invalid_params(format!("malformed parameters for `{method}`"), None))
            }
            false => Err(unknown_method(&method)),
        }
    }
}
