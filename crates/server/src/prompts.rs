//! Prompts: several providers, one list.

use rmcp::{
    ErrorData, RoleServer,
    model::{
        self as wire, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
        ListPromptsResult, PaginatedRequestParams,
    },
    service::RequestContext,
};
use toolkit::{Arguments, Context, Interrupt, Message, Prompt, Prompts};

use crate::{
    connection::{Connection, single_page},
    content,
    era::Era,
    rounds::{self, Reply},
    seal,
};

pub(crate) async fn list(
    connection: &Connection,
    request: Option<PaginatedRequestParams>,
    cx: &RequestContext<RoleServer>,
) -> Result<ListPromptsResult, ErrorData> {
    single_page(request)?;
    let mut prompts = Vec::new();
    for provider in connection.server.prompts() {
        prompts.extend(provider.list().await.into_iter().map(prompt));
    }
    let mut result = ListPromptsResult::with_all_items(prompts);
    result.meta = connection.server.stamp(Era::of(cx));
    Ok(result)
}

pub(crate) async fn get(
    connection: &Connection,
    mut params: GetPromptRequestParams,
    cx: RequestContext<RoleServer>,
) -> Result<GetPromptResponse, ErrorData> {
    let arguments = params.arguments.take().unwrap_or_default();
    let name = params.name.as_str();
    let request = || seal::request("prompts/get", name, Some(&arguments));
    let exchange = connection.exchange(
        cx,
        params.request_state.as_deref(),
        params.input_responses,
        request,
    )?;
    let era = exchange.era;
    let attempt = |context| find(connection, name, &arguments, connection.server.host(context));
    match rounds::answer(connection, &exchange, request, attempt).await? {
        Reply::Complete((description, messages)) => {
            let messages = messages.into_iter().map(content::message).collect();
            let mut result = GetPromptResult::new(messages).with_description(description);
            result.meta = connection.server.stamp(era);
            Ok(result.into())
        }
        Reply::Ask(asked) => Ok(asked.into()),
    }
}

async fn find(
    connection: &Connection,
    name: &str,
    arguments: &Arguments,
    context: Context,
) -> Result<(String, Vec<Message>), Interrupt> {
    for provider in connection.server.prompts() {
        let Some(prompt) = listed(provider.as_ref(), name).await else {
            continue;
        };
        require(&prompt, arguments)?;
        if let Some(messages) = provider.get(name, arguments.clone(), context.clone()).await? {
            return Ok((prompt.description, messages));
        }
    }
    Err(Interrupt::Invalid(format!("unknown prompt `{}`", name.escape_debug())))
}

async fn listed(provider: &dyn Prompts, name: &str) -> Option<Prompt> {
    provider.list().await.into_iter().find(|prompt| prompt.name == name)
}

fn require(prompt: &Prompt, arguments: &Arguments) -> Result<(), Interrupt> {
    let missing = prompt
        .arguments
        .iter()
        .find(|argument| argument.required && !arguments.contains_key(&argument.name));
    match missing {
        Some(argument) => Err(Interrupt::Invalid(format!(
            "prompt `{}` needs the argument `{}`",
            prompt.name, argument.name
        ))),
        None => Ok(()),
    }
}

/// Values that complete an argument of a prompt; nothing if no provider knows the prompt.
pub(crate) async fn complete(
    connection: &Connection,
    name: &str,
    argument: &str,
    value: &str,
) -> Option<Vec<String>> {
    for provider in connection.server.prompts() {
        if let Some(values) = provider.complete(name, argument, value).await {
            return Some(values);
        }
    }
    None
}

fn prompt(prompt: Prompt) -> wire::Prompt {
    let arguments = prompt.arguments.into_iter().map(|argument| {
        let mut listed = wire::PromptArgument::new(argument.name).with_required(argument.required);
        listed.description = argument.description;
        listed
    });
    wire::Prompt::new(prompt.name, Some(prompt.description), Some(arguments.collect()))
}
