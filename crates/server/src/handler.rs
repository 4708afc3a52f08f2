//! Dispatches requests to the modules that answer them.

#![expect(deprecated, reason = "logging is deprecated, but legacy clients use it")]

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
        CompleteResult, CompletionInfo, CustomRequest, CustomResult, GetPromptRequestParams,
        GetPromptResponse, GetTaskParams, GetTaskResult, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ReadResourceRequestParams, ReadResourceResponse, Reference, ServerConfig,
        SetLevelRequestMethod, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter,
        Tool, UnsubscribeRequestParams, UpdateTaskParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};

use crate::{
    calls,
    connection::Connection,
    era::Era,
    methods, prompts, resources,
    subscribers::{LegacyClient, SubscriptionStream},
    task_subscriptions::{self, MAX_WATCHED},
    tasks,
};

/// The protocol allows at most 100 completion values.
const MAX_VALUES: usize = CompletionInfo::MAX_VALUES;

/// Turns a panic of a provider into an error. The protocol library would leave the client without a
/// response.
async fn catch_panic<T>(
    answer: impl Future<Output = Result<T, ErrorData>>,
) -> Result<T, ErrorData> {
    AssertUnwindSafe(answer).catch_unwind().await.unwrap_or_else(|_| {
        Err(ErrorData::internal_error("this failed unexpectedly; it is a bug", None))
    })
}

impl ServerHandler for Connection {
    fn get_info(&self) -> ServerConfig {
        self.server.config()
    }

    /// The definition against which the library checks `Mcp-Param-*` headers.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.server.snapshot().find(name).map(|served| served.rendering(Era::Modern).clone())
    }

    async fn on_initialized(&self, cx: NotificationContext<RoleServer>) {
        // Only legacy clients complete a handshake; modern ones open subscription streams.
        self.server.subscribers.add_legacy(LegacyClient {
            peer: cx.peer,
            owner: self.owner.clone(),
            log_threshold: self.log_threshold.clone(),
            watched: self.watched.clone(),
        });
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        calls::list_tools(self, request, &cx)
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        calls::call_tool(self, params, cx).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        catch_panic(resources::list(self, request, &cx)).await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        catch_panic(async { resources::list_templates(self, request, &cx) }).await
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
        catch_panic(prompts::list(self, request, &cx)).await
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
        let values = catch_panic(async {
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
        // The total is counted before, because clients show "and more" by it.
        values.truncate(MAX_VALUES);
        let info =
            CompletionInfo::with_pagination(values, u32::try_from(total).ok(), total > MAX_VALUES);
        let mut result =
            CompleteResult::new(info.map_err(|error| ErrorData::internal_error(error, None))?);
        result.meta = self.server.result_meta(Era::of(&cx));
        Ok(result)
    }

    async fn set_level(
        &self,
        params: SetLevelRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // The library calls this for every revision, but 2026-07-28 has removed the method.
        if Era::of(&cx) == Era::Modern {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        *self.log_threshold.lock() = params.level;
        Ok(())
    }

    async fn subscribe(
        &self,
        params: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let mut watched = self.watched.lock();
        // Subscribing twice is harmless and must not fail at the limit.
        if watched.len() >= MAX_WATCHED && !watched.contains(&params.uri) {
            return Err(ErrorData::invalid_request(
                format!("at most {MAX_WATCHED} resources can be watched"),
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
        Some(task_subscriptions::limit_filter(requested))
    }

    async fn listen(&self, cx: SubscriptionContext) -> Result<(), ErrorData> {
        let stream = SubscriptionStream::new(cx.request_context(), cx.accepted().clone());
        let _subscription = self
            .server
            .subscribers
            .subscribe(stream)
            .ok_or_else(task_subscriptions::too_many_streams)?;
        tokio::select! {
            () = cx.cancelled() => {}
            // Ends the stream with a proper result. The library would keep the process alive for
            // five seconds after EOF.
            () = self.shutdown.closing.cancelled() => {}
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
        let is_modern = Era::of(&cx) == Era::Modern;
        if is_modern && task_subscriptions::is_rerouted(&request) {
            return task_subscriptions::listen(self, request, cx).await;
        }
        Err(methods::unmatched_method_error(&request.method, is_modern))
    }
}
