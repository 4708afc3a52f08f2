//! Resources: several providers, one list.

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
    connection::{Connection, single_page},
    content,
    era::Era,
    rounds::{self, Reply},
    seal,
};

/// What is said to programs of an address that is none.
pub(crate) const MALFORMED: &str = "invalid_uri";

pub(crate) async fn list(
    connection: &Connection,
    request: Option<PaginatedRequestParams>,
    cx: &RequestContext<RoleServer>,
) -> Result<ListResourcesResult, ErrorData> {
    single_page(request)?;
    let mut resources = Vec::new();
    for provider in connection.server.resources() {
        resources.extend(provider.list().await.into_iter().map(resource));
    }
    let era = Era::of(cx);
    let mut result = ListResourcesResult::with_all_items(resources);
    result.meta = connection.server.stamp(era);
    Ok(match era {
        Era::Modern => result.with_ttl_ms(0).with_cache_scope(CacheScope::Private),
        Era::Legacy => result,
    })
}

pub(crate) fn templates(
    connection: &Connection,
    request: Option<PaginatedRequestParams>,
    cx: &RequestContext<RoleServer>,
) -> Result<ListResourceTemplatesResult, ErrorData> {
    single_page(request)?;
    let templates = connection.server.resources().iter().flat_map(|provider| provider.templates());
    let mut result = ListResourceTemplatesResult::with_all_items(templates.map(template).collect());
    result.meta = connection.server.stamp(Era::of(cx));
    Ok(result)
}

pub(crate) async fn read(
    connection: &Connection,
    params: ReadResourceRequestParams,
    cx: RequestContext<RoleServer>,
) -> Result<ReadResourceResponse, ErrorData> {
    let uri = params.uri.as_str();
    let request = || seal::request("resources/read", uri, None);
    let exchange = connection.exchange(
        cx,
        params.request_state.as_deref(),
        params.input_responses,
        request,
    )?;
    let era = exchange.era;
    match rounds::answer(connection, &exchange, request, |context| {
        find(connection, uri, connection.server.host(context))
    })
    .await?
    {
        Reply::Complete(Some(found)) => {
            let mut result = ReadResourceResult::new(vec![content::resource(found)]);
            result.meta = connection.server.stamp(era);
            Ok(result.into())
        }
        Reply::Complete(None) => Err(unknown(connection.server.resources(), uri)),
        Reply::Ask(asked) => Ok(asked.into()),
    }
}

/// The error for an address at which nothing is. That it is malformed is told to programs, too.
fn unknown(providers: &[Arc<dyn Resources>], uri: &str) -> ErrorData {
    let scheme = |address: &str| address.split_once(':').map(|(scheme, _)| scheme.to_owned());
    let has_scheme = |provider: &Arc<dyn Resources>| {
        let mut templates = provider.templates().into_iter();
        templates.any(|template| scheme(&template.uri_template) == scheme(uri))
    };
    let explained = providers.iter().find_map(|provider| match provider.explain_missing(uri)? {
        // What one provider takes for malformed may be the way another writes its addresses.
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

/// Values that complete a variable of a template; nothing if no provider knows the template.
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

fn resource(resource: toolkit::Resource) -> wire::Resource {
    let mut listed =
        wire::Resource::new(resource.uri, resource.name).with_mime_type(resource.mime_type);
    listed.description = resource.description;
    listed.size = resource.size;
    listed
}

fn template(template: toolkit::ResourceTemplate) -> wire::ResourceTemplate {
    let mut listed = wire::ResourceTemplate::new(template.uri_template, template.name)
        .with_mime_type(template.mime_type);
    listed.description = template.description;
    listed
}
