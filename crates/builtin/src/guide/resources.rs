//! Documents as resources, at any depth, and the completion of their names.

use std::{collections::HashMap, path::Path};

use toolkit::{
    Body, BoxFuture, Context, ErrorType, Interrupt, Resource, ResourceContent, ResourceTemplate,
    Resources,
};

use super::{
    Category,
    category_dir::{CategoryDir, MOST_FILES},
    content::GuideContent,
    document::{self, is_visible, media_type},
    handle::Guide,
    pattern,
    reply::ContentReply,
    uri,
};

/// The family of all documents.
const DOCUMENT: &str = "guide://{category}/{+path}";

pub(super) struct GuideResources(pub(super) Guide);

impl Resources for GuideResources {
    fn list(&self) -> BoxFuture<'_, Vec<Resource>> {
        Box::pin(
            self.0.run_blocking(|content| content.categories.iter().flat_map(listed).collect()),
        )
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        if self.0.content().categories.is_empty() {
            return Vec::new();
        }
        vec![ResourceTemplate {
            uri_template: DOCUMENT.to_owned(),
            name: "document".to_owned(),
            description: Some(
                "A document of a category; `guide://category` is all of what a category gives"
                    .to_owned(),
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
                Box::pin(
                    self.0.run_blocking(move |content| {
                        Some(paths(content, category.as_deref(), &value))
                    }),
                )
            }
            _ => Box::pin(std::future::ready(None)),
        }
    }
}

/// All addresses by which the document in the file `path` is read, alone or with others. A collection
/// may have it, and whoever watches one rather looks in vain than misses a change.
pub(super) fn uris_of_file(content: &GuideContent, path: &Path) -> Vec<String> {
    let below = |category: &Category| {
        let path =
            path.strip_prefix(&category.folder).ok()?.to_str().filter(|path| is_visible(path))?;
        let named =
            pattern::names(path).into_iter().map(|name| uri::for_document(&category.name, &name));
        Some(named.chain([uri::for_category(&category.name)]).collect::<Vec<_>>())
    };
    let mut addresses: Vec<_> = content.categories.iter().filter_map(below).flatten().collect();
    if !addresses.is_empty() {
        addresses.extend(
            content.collections.iter().map(|collection| uri::for_category(&collection.name)),
        );
    }
    addresses
}

fn listed(category: &Category) -> Vec<Resource> {
    let Ok(folder) = CategoryDir::open(&category.folder) else {
        return Vec::new();
    };
    let listing = folder.all_files();
    let documents = listing.paths.iter().map(|path| resource(category, &folder, path));
    documents.chain(listing.is_cut.then(|| rest(category))).collect()
}

/// What stands at the end of a list that is not whole.
fn rest(category: &Category) -> Resource {
    Resource {
        uri: uri::for_category(&category.name),
        name: format!("{}: more documents", category.name),
        description: Some(format!(
            "The category has more than the {MOST_FILES} listed; they can be read by their addresses"
        )),
        mime_type: "text/markdown".to_owned(),
        size: None,
    }
}

fn resource(category: &Category, folder: &CategoryDir, path: &str) -> Resource {
    let about = document::summarize(folder, path);
    Resource {
        uri: uri::for_document(&category.name, path),
        name: about.title.unwrap_or_else(|| format!("{}/{path}", category.name)),
        description: about.description,
        mime_type: media_type(path).to_owned(),
        size: about.size,
    }
}

/// Paths of the category, or of all if none is chosen, that go on from `value`, in order, each once.
fn paths(content: &GuideContent, category: Option<&str>, value: &str) -> Vec<String> {
    let is_meant = |one: &&Category| category.is_none_or(|name| name == one.name);
    let folders = content
        .categories
        .iter()
        .filter(is_meant)
        .filter_map(|category| CategoryDir::open(&category.folder).ok());
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
        && !media_type(path).starts_with("text/")
        && let Some(content) = bytes(category, path, &uri)
    {
        return Ok(Some(content));
    }
    let mime_type = path.as_deref().map_or("text/markdown", media_type).to_owned();
    let answer = match path.as_deref() {
        Some(path) => content.at(&name, path, context),
        None => content.whole(&name, context),
    };
    match answer.parts.as_slice() {
        [] => unread(&answer),
        [part] if path.is_some() => {
            let found = uri::parse(&part.uri).and_then(|(_, path)| path);
            let mime_type = found.as_deref().map_or(mime_type, |path| media_type(path).to_owned());
            Ok(Some(ResourceContent { uri, mime_type, body: Body::Text(part.text.clone()) }))
        }
        _ => Ok(Some(ResourceContent {
            uri,
            mime_type: "text/markdown".to_owned(),
            body: Body::Text(answer.text()),
        })),
    }
}

/// A document that is not there is unknown; one that is there and cannot be read says why.
fn unread(answer: &ContentReply) -> Result<Option<ResourceContent>, Interrupt> {
    let is_missing =
        answer.failures.iter().all(|problem| problem.error_type == ErrorType::NotFound);
    match answer.remarks() {
        Some(remarks) if !is_missing || !answer.filtered.is_empty() => {
            Err(Interrupt::Invalid(remarks))
        }
        _ => Ok(None),
    }
}

/// A file that is not text.
fn bytes(category: &Category, path: &str, uri: &str) -> Option<ResourceContent> {
    if !is_visible(path) || pattern::is_template(path) {
        return None;
    }
    let bytes = CategoryDir::open(&category.folder).ok()?.read(path).ok()?;
    let is_text = std::str::from_utf8(&bytes).is_ok();
    let content = |bytes| ResourceContent {
        uri: uri.to_owned(),
        mime_type: media_type(path).to_owned(),
        body: Body::Bytes(bytes),
    };
    (!is_text).then(|| content(bytes))
}
