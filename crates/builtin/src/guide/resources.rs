//! Documents as resources, and the completion of their names.

use std::{collections::HashMap, path::Path};

use toolkit::{
    Body, BoxFuture, Context, ErrorType, Interrupt, Resource, ResourceContent, ResourceTemplate,
    Resources,
};

use super::{
    Category,
    category_dir::{CategoryDir, MAX_FILES},
    content::GuideContent,
    document::{self, is_visible, media_type},
    handle::Guide,
    pattern,
    reply::ContentReply,
    uri,
};

/// The URI template of all documents.
const DOCUMENT: &str = "guide://{category}/{+path}";

pub(super) struct GuideResources(pub(super) Guide);

impl Resources for GuideResources {
    fn list(&self) -> BoxFuture<'_, Vec<Resource>> {
        Box::pin(self.0.run_blocking(|content| {
            content.categories.iter().flat_map(|one| list_category(content, one)).collect()
        }))
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        if self.0.content().categories.is_empty() {
            return Vec::new();
        }
        vec![ResourceTemplate {
            uri_template: DOCUMENT.to_owned(),
            name: "document".to_owned(),
            description: Some(
                "A document of a category; `guide://category` is the whole category".to_owned(),
            ),
            mime_type: "text/markdown".to_owned(),
        }]
    }

    fn read<'a>(
        &'a self,
        uri: &'a str,
        context: Context,
    ) -> BoxFuture<'a, Result<Option<ResourceContent>, Interrupt>> {
        let Some((name, path)) = uri::parse(uri) else {
            return Box::pin(std::future::ready(Ok(None)));
        };
        let uri = uri.to_owned();
        Box::pin(self.0.run_blocking(move |content| read(content, &context, uri, name, path)))
    }

    fn complete<'a>(
        &'a self,
        template: &'a str,
        variable: &'a str,
        value: &'a str,
        chosen: &'a HashMap<String, String>,
    ) -> BoxFuture<'a, Option<Vec<String>>> {
        let value = value.to_owned();
        match (template, variable) {
            (DOCUMENT, "category") => Box::pin(self.0.run_blocking(move |content| {
                Some(
                    content
                        .names()
                        .filter(|name| name.starts_with(&value))
                        .map(str::to_owned)
                        .collect(),
                )
            })),
            (DOCUMENT, "path") => {
                let category = chosen.get("category").cloned();
                Box::pin(self.0.run_blocking(move |content| {
                    Some(complete_path(content, category.as_deref(), &value))
                }))
            }
            _ => Box::pin(std::future::ready(None)),
        }
    }
}

/// All URIs whose content depends on the file `path`. Includes every collection, because it may
/// contain the document: prefer a spurious notification to a missed one.
pub(super) fn uris_of_file(content: &GuideContent, path: &Path) -> Vec<String> {
    let in_category = |category: &Category| {
        let path =
            path.strip_prefix(&category.folder).ok()?.to_str().filter(|path| is_visible(path))?;
        let documents =
            pattern::names(path).into_iter().map(|name| uri::for_document(&category.name, &name));
        Some(documents.chain([uri::for_category(&category.name)]).collect::<Vec<_>>())
    };
    let mut uris: Vec<_> = content.categories.iter().filter_map(in_category).flatten().collect();
    if !uris.is_empty() {
        uris.extend(
            content.collections.iter().map(|collection| uri::for_category(&collection.name)),
        );
    }
    uris
}

fn list_category(content: &GuideContent, category: &Category) -> Vec<Resource> {
    let Ok(folder) = content.open_folder(category) else {
        return Vec::new();
    };
    let listing = folder.all_files();
    let documents = listing.paths.iter().map(|path| to_resource(category, &folder, path));
    documents.chain(listing.is_truncated.then(|| truncation_notice(category))).collect()
}

/// The last entry of a truncated list.
fn truncation_notice(category: &Category) -> Resource {
    Resource {
        uri: uri::for_category(&category.name),
        name: format!("{}: more documents", category.name),
        description: Some(format!(
            "The category has more than the {MAX_FILES} listed documents; they can be read by their URIs"
        )),
        mime_type: "text/markdown".to_owned(),
        size: None,
    }
}

fn to_resource(category: &Category, folder: &CategoryDir, path: &str) -> Resource {
    let summary = document::summarize(folder, path);
    Resource {
        uri: uri::for_document(&category.name, path),
        name: summary.title.unwrap_or_else(|| format!("{}/{path}", category.name)),
        description: summary.description,
        mime_type: media_type(path).to_owned(),
        size: summary.size,
    }
}

/// Completes a path: those of the category, or of all if none is chosen, that begin with `value`.
fn complete_path(content: &GuideContent, category: Option<&str>, value: &str) -> Vec<String> {
    let is_chosen = |one: &&Category| category.is_none_or(|name| name == one.name);
    let folders = content
        .categories
        .iter()
        .filter(is_chosen)
        .filter_map(|category| content.open_folder(category).ok());
    let mut paths: Vec<_> = folders
        .flat_map(|folder| folder.all_files().paths)
        .filter(|path| path.starts_with(value))
        .collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

fn read(
    content: &GuideContent,
    context: &Context,
    uri: String,
    name: String,
    path: Option<String>,
) -> Result<Option<ResourceContent>, Interrupt> {
    if let (Some(category), Some(path)) = (content.category(&name), &path)
        // Images and PDFs are returned as bytes; JSON and YAML are text and go through the usual
        // way.
        && !media_type(path).starts_with("text/")
        && let Some(binary) = read_binary(content, category, path, &uri)
    {
        return Ok(Some(binary));
    }
    let mime_type = path.as_deref().map_or("text/markdown", media_type).to_owned();
    let reply = match path.as_deref() {
        Some(path) => content.read_path(&name, path, context),
        None => content.read_all(&name, context),
    };
    match reply.parts.as_slice() {
        [] => explain_empty(&reply),
        [part] if path.is_some() => {
            // The path may have been completed: `guide://lang/python` is `python.md`.
            let found = uri::parse(&part.uri).and_then(|(_, path)| path);
            let mime_type = found.as_deref().map_or(mime_type, |path| media_type(path).to_owned());
            Ok(Some(ResourceContent { uri, mime_type, body: Body::Text(part.text.clone()) }))
        }
        _ => Ok(Some(ResourceContent {
            uri,
            mime_type: "text/markdown".to_owned(),
            body: Body::Text(reply.to_text()),
        })),
    }
}

/// A document that does not exist is an unknown resource; one that cannot be read is an error with
/// the reason.
fn explain_empty(reply: &ContentReply) -> Result<Option<ResourceContent>, Interrupt> {
    let is_missing = reply.failures.iter().all(|failure| failure.error_type == ErrorType::NotFound);
    match reply.remarks() {
        Some(remarks) if !is_missing || !reply.filtered.is_empty() => {
            Err(Interrupt::Invalid(remarks))
        }
        _ => Ok(None),
    }
}

/// Reads a file that is not text; `None` if it is.
fn read_binary(
    content: &GuideContent,
    category: &Category,
    path: &str,
    uri: &str,
) -> Option<ResourceContent> {
    if !is_visible(path) || pattern::is_template(path) {
        return None;
    }
    let bytes = content.open_folder(category).ok()?.read(path).ok()?;
    let is_text = std::str::from_utf8(&bytes).is_ok();
    let to_content = |bytes| ResourceContent {
        uri: uri.to_owned(),
        mime_type: media_type(path).to_owned(),
        body: Body::Bytes(bytes),
    };
    (!is_text).then(|| to_content(bytes))
}
