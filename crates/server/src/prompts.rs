//! `prompts/list` and `prompts/get`: the prompts of all providers as one list.

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
    connection::{Connection, reject_cursor},
    content,
    era::Era,
    request_state::request_binding,
    round_trips::{self, Admission, Resolution},
};

pub(crate) async fn list(
    connection: &Connection,
    request: Option<PaginatedRequestParams>,
    cx: &RequestContext<RoleServer>,
) -> Result<ListPromptsResult, ErrorData> {
    reject_cursor(request)?;
    let mut prompts = Vec::new();
    for provider in connection.server.prompts() {
        prompts.extend(provider.list().await.into_iter().map(to_wire));
    }
    let mut result = ListPromptsResult::with_all_items(prompts);
    result.meta = connection.server.result_meta(Era::of(cx));
    Ok(result)
}

pub(crate) async fn get(
    connection: &Connection,
    mut params: GetPromptRequestParams,
    cx: RequestContext<RoleServer>,
) -> Result<GetPromptResponse, ErrorData> {
    let arguments = params.arguments.take().unwrap_or_default();
    let name = params.name.as_str();
    let binding = || request_binding("prompts/get", name, Some(&arguments));
    let request = connection.open_request(
        cx,
        params.request_state.as_deref(),
        params.input_responses,
        binding,
    )?;
    let era = request.era;
    let attempt = |context| render(connection, name, &arguments, connection.server.host(context));
    match round_trips::run(connection, &request, Admission::Queued("prompts/get"), binding, attempt)
        .await?
    {
        Resolution::Complete((description, messages)) => {
            let messages = messages.into_iter().map(content::to_prompt_message).collect();
            let mut result = GetPromptResult::new(messages).with_description(description);
            result.meta = connection.server.result_meta(era);
            Ok(result.into())
        }
        Resolution::InputRequired(result) => Ok(result.into()),
    }
}

/// Renders a prompt: its description and its messages.
async fn render(
    connection: &Connection,
    name: &str,
    arguments: &Arguments,
    context: Context,
) -> Result<(String, Vec<Message>), Interrupt> {
    for provider in connection.server.prompts() {
        let Some(prompt) = find(provider.as_ref(), name).await else {
            continue;
        };
        // Checked here and not in the providers, so that all of them report it in the same words.
        check_required(&prompt, arguments)?;
        if let Some(messages) = provider.get(name, arguments.clone(), context.clone()).await? {
            return Ok((prompt.description, messages));
        }
    }
    Err(Interrupt::Invalid(format!("unknown prompt `{}`", name.escape_debug())))
}

async fn find(provider: &dyn Prompts, name: &str) -> Option<Prompt> {
    provider.list().await.into_iter().find(|prompt| prompt.name == name)
}

fn check_required(prompt: &Prompt, arguments: &Arguments) -> Result<(), Interrupt> {
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

/// Completes an argument of a prompt. `None` if no provider has the prompt.
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

fn to_wire(prompt: Prompt) -> wire::Prompt {
    let arguments = prompt.arguments.into_iter().map(|argument| {
        let mut listed = wire::PromptArgument::new(argument.name).with_required(argument.required);
        listed.description = argument.description;
        listed
    });
    wire::Prompt::new(prompt.name, Some(prompt.description), Some(arguments.collect()))
}
