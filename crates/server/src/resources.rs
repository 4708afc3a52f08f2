//! `resources/list`, `resources/templates/list` and `resources/read`: the resources of all providers
//! as one list.

use std::{collections::HashMap, sync::Arc};

use rmcp::{
    ErrorData, RoleServer,
    model::{
        self as wire, CacheScope, ListResourceTemplatesResult, ListResourcesResult,
        PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
        ReadResourceResult,
    },
    service::RequestContext,
};
use serde_json::json;
use toolkit::{Context, Interrupt, ResourceContent, ResourceError, Resources};

use crate::{
    connection::{Connection, reject_cursor, unknown_cursor},
    content,
    era::Era,
    request_state::request_binding,
    round_trips::{self, Admission, Resolution},
    snapshot::PAGE_SIZE,
};

/// Separates the number of a provider from a URI in a cursor.
const AFTER: &str = "-after:";

/// The `error_type` in the error data for a malformed URI.
pub(crate) const MALFORMED: &str = "invalid_uri";

pub(crate) async fn list(
    connection: &Connection,
    request: Option<PaginatedRequestParams>,
    cx: &RequestContext<RoleServer>,
) -> Result<ListResourcesResult, ErrorData> {
    let cursor = request.and_then(|request| request.cursor).filter(|cursor| !cursor.is_empty());
    let start = cursor.as_deref().map(parse_cursor).transpose()?;
    let mut resources = Vec::new();
    for (number, provider) in connection.server.resources().iter().enumerate() {
        let mut listed = provider.list().await;
        // The order of the cursor. Providers list mostly in this order.
        listed.sort_by(|a, b| a.uri.cmp(&b.uri));
        resources.extend(listed.into_iter().map(|resource| (number, resource)));
    }
    let is_before = |(number, resource): &(usize, toolkit::Resource)| {
        // Works even if that resource is gone: the page begins with the next one.
        start.is_some_and(|(last, uri)| (*number, resource.uri.as_str()) <= (last, uri))
    };
    let mut page = resources.split_off(resources.partition_point(is_before));
    let has_more = page.len() > PAGE_SIZE;
    page.truncate(PAGE_SIZE);
    let next = page.last().filter(|_| has_more);
    let next = next.map(|(number, last)| format!("{number}{AFTER}{}", last.uri));
    let era = Era::of(cx);
    let page = page.into_iter().map(|(_, resource)| to_wire(resource)).collect();
    let mut result = ListResourcesResult::with_all_items(page);
    result.next_cursor = next;
    result.meta = connection.server.result_meta(era);
    Ok(match era {
        // Documents change without notice, so the list must not be cached.
        Era::Modern => result.with_ttl_ms(0).with_cache_scope(CacheScope::Private),
        Era::Legacy => result,
    })
}

/// The number of the provider and the URI that the previous page ended with.
fn parse_cursor(cursor: &str) -> Result<(usize, &str), ErrorData> {
    let parts = cursor.split_once(AFTER);
    let parsed = parts.and_then(|(number, uri)| Some((number.parse().ok()?, uri)));
    parsed.ok_or_else(unknown_cursor)
}

pub(crate) fn list_templates(
    connection: &Connection,
    request: Option<PaginatedRequestParams>,
    cx: &RequestContext<RoleServer>,
) -> Result<ListResourceTemplatesResult, ErrorData> {
    reject_cursor(request)?;
    let templates = connection.server.resources().iter().flat_map(|provider| provider.templates());
    let mut result =
        ListResourceTemplatesResult::with_all_items(templates.map(template_to_wire).collect());
    result.meta = connection.server.result_meta(Era::of(cx));
    Ok(result)
}

pub(crate) async fn read(
    connection: &Connection,
    params: ReadResourceRequestParams,
    cx: RequestContext<RoleServer>,
) -> Result<ReadResourceResponse, ErrorData> {
    let uri = params.uri.as_str();
    let binding = || request_binding("resources/read", uri, None);
    let request = connection.open_request(
        cx,
        params.request_state.as_deref(),
        params.input_responses,
        binding,
    )?;
    let era = request.era;
    let attempt = |context| find(connection, uri, connection.server.host(context));
    match round_trips::run(
        connection,
        &request,
        Admission::Queued("resources/read"),
        binding,
        attempt,
    )
    .await?
    {
        Resolution::Complete(Some(found)) => {
            let mut result = ReadResourceResult::new(vec![content::to_resource_contents(found)]);
            result.meta = connection.server.result_meta(era);
            Ok(result.into())
        }
        Resolution::Complete(None) => Err(not_found(connection.server.resources(), uri)),
        Resolution::InputRequired(result) => Ok(result.into()),
    }
}

/// The error for a URI without a resource. The data names the URI, and whether it is malformed.
fn not_found(providers: &[Arc<dyn Resources>], uri: &str) -> ErrorData {
    let scheme = |uri: &str| uri.split_once(':').map(|(scheme, _)| scheme.to_owned());
    let has_scheme = |provider: &Arc<dyn Resources>| {
        let mut templates = provider.templates().into_iter();
        templates.any(|template| scheme(&template.uri_template) == scheme(uri))
    };
    let explained = providers.iter().find_map(|provider| match provider.explain_missing(uri)? {
        // A URI that is malformed for one provider may be well-formed for another.
        ResourceError::Malformed(_)
            if !has_scheme(provider) && providers.iter().any(has_scheme) =>
        {
            None
        }
        absence => Some(absence),
    });
    let (message, data) = match explained {
        Some(ResourceError::Malformed(message)) => {
            (message, json!({"uri": uri, "error_type": MALFORMED}))
        }
        Some(ResourceError::NotFound(message)) => (message, json!({"uri": uri})),
        None => (format!("unknown resource `{}`", uri.escape_debug()), json!({"uri": uri})),
    };
    // -32002 for legacy clients; the library translates it to -32602 for modern ones.
    ErrorData::resource_not_found(message, Some(data))
}

async fn find(
    connection: &Connection,
    uri: &str,
    context: Context,
) -> Result<Option<ResourceContent>, Interrupt> {
    for provider in connection.server.resources() {
        if let Some(found) = provider.read(uri, context.clone()).await? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Completes a variable of a URI template. `None` if no provider has the template.
pub(crate) async fn complete(
    connection: &Connection,
    template: &str,
    variable: &str,
    value: &str,
    chosen: &HashMap<String, String>,
) -> Option<Vec<String>> {
    for provider in connection.server.resources() {
        if let Some(values) = provider.complete(template, variable, value, chosen).await {
            return Some(values);
        }
    }
    None
}

fn to_wire(resource: toolkit::Resource) -> wire::Resource {
    let mut listed =
        wire::Resource::new(resource.uri, resource.name).with_mime_type(resource.mime_type);
    listed.description = resource.description;
    listed.size = resource.size;
    listed
}

fn template_to_wire(template: toolkit::ResourceTemplate) -> wire::ResourceTemplate {
    let mut listed = wire::ResourceTemplate::new(template.uri_template, template.name)
        .with_mime_type(template.mime_type);
    listed.description = template.description;
    listed
}
