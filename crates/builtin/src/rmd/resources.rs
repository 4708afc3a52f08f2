//! Documents and outputs as resources, and the completion of their names.

use std::collections::HashMap;

use toolkit::{
    Body, BoxFuture, Context, ErrorType, Failure, Interrupt, Resource, ResourceContent,
    ResourceError, ResourceTemplate, Resources,
};

use super::{
    RmdDocuments,
    name::OutputKind,
    reply::MARKDOWN,
    store::{DocumentStore, ListedDocument, ListedOutput},
    uri::{self, DOCUMENT_TEMPLATE, OUTPUT_TEMPLATE, Target},
};

pub(super) struct RmdResources(pub(super) RmdDocuments);

impl Resources for RmdResources {
    fn list(&self) -> BoxFuture<'_, Vec<Resource>> {
        Box::pin(async {
            let list = |store: &DocumentStore| {
                let documents = store.list_documents().items.into_iter().map(document_resource);
                Ok(documents
                    .chain(store.list_outputs().items.into_iter().map(output_resource))
                    .collect())
            };
            self.0.run_blocking(list).await.unwrap_or_default()
        })
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        // Templates for documents that are not served would only produce errors.
        if self.0.store().is_none() {
            return Vec::new();
        }
        let template =
            |uri_template: &str, name: &str, description: &str, mime_type: &str| ResourceTemplate {
                uri_template: uri_template.to_owned(),
                name: name.to_owned(),
                description: Some(description.to_owned()),
                mime_type: mime_type.to_owned(),
            };
        vec![
            template(
                DOCUMENT_TEMPLATE,
                "R Markdown file",
                "An R Markdown or Quarto document, by its name with extension",
                MARKDOWN,
            ),
            template(
                OUTPUT_TEMPLATE,
                "Rendered output",
                "The rendered output of a document: html, pdf or docx",
                "application/octet-stream",
            ),
        ]
    }

    fn read<'a>(
        &'a self,
        uri: &'a str,
        _: Context,
    ) -> BoxFuture<'a, Result<Option<ResourceContent>, Interrupt>> {
        let Some(target) = uri::parse(uri) else {
            return Box::pin(std::future::ready(Ok(None)));
        };
        let uri = uri.to_owned();
        Box::pin(async move {
            match self.0.run_blocking(move |store| read(store, &target, uri)).await {
                Ok(content) => Ok(content),
                Err(failure)
                    if matches!(
                        failure.error_type,
                        // Another provider may have the resource, so this is no error.
                        ErrorType::NotFound | ErrorType::NotEnabled
                    ) =>
                {
                    Ok(None)
                }
                Err(failure) => Err(Interrupt::Invalid(failure.message)),
            }
        })
    }

    fn explain_missing(&self, uri: &str) -> Option<ResourceError> {
        self.0.store().map(|_| uri::explain_missing(uri))
    }

    fn complete<'a>(
        &'a self,
        template: &'a str,
        variable: &'a str,
        value: &'a str,
        _: &'a HashMap<String, String>,
    ) -> BoxFuture<'a, Option<Vec<String>>> {
        let names: fn(&DocumentStore) -> Vec<String> = match (template, variable) {
            (DOCUMENT_TEMPLATE, "name") => |store| {
                store.list_documents().items.iter().map(|one| one.name.to_string()).collect()
            },
            (OUTPUT_TEMPLATE, "name") => {
                |store| store.list_outputs().items.iter().map(|one| one.name.to_string()).collect()
            }
            _ => return Box::pin(std::future::ready(None)),
        };
        Box::pin(async move {
            let all = self.0.run_blocking(move |store| Ok(names(store))).await.ok()?;
            Some(all.into_iter().filter(|name| name.starts_with(value)).collect())
        })
    }
}

fn document_resource(listed: ListedDocument) -> Resource {
    let title = listed.title.unwrap_or_else(|| listed.name.to_string());
    Resource {
        uri: uri::for_document(&listed.name),
        description: Some(format!("R Markdown file: {title}")),
        name: title,
        mime_type: MARKDOWN.to_owned(),
        size: Some(listed.size),
    }
}

fn output_resource(listed: ListedOutput) -> Resource {
    Resource {
        uri: uri::for_output(&listed.name),
        name: format!("Rendered: {}", listed.name),
        description: Some(format!("Rendered output: {}", listed.name)),
        mime_type: listed.name.kind().mime_type().to_owned(),
        size: Some(listed.size),
    }
}

fn read(
    store: &DocumentStore,
    target: &Target,
    uri: String,
) -> Result<Option<ResourceContent>, Failure> {
    let content =
        |mime_type: &str, body| ResourceContent { uri, mime_type: mime_type.to_owned(), body };
    match target {
        Target::Document(name) => Ok(Some(content(MARKDOWN, Body::Text(store.read(name)?.text)))),
        Target::Output(name) => {
            let Some(bytes) = store.read_output(name)? else {
                return Ok(None);
            };
            let body = match name.kind() {
                // Clients show text and not a blob; a page in another encoding is passed on
                // unchanged.
                OutputKind::Html => String::from_utf8(bytes)
                    .map_or_else(|error| Body::Bytes(error.into_bytes()), Body::Text),
                OutputKind::Pdf | OutputKind::Docx => Body::Bytes(bytes),
            };
            Ok(Some(content(name.kind().mime_type(), body)))
        }
    }
}
