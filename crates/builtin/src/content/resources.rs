//! Documents as resources, at any depth, and the completion of their names.

use std::path::Path;

use formats::{Expression, Pattern, Sense, Term};
use toolkit::{Body, BoxFuture, Context, Interrupt, Resource, ResourceContent, ResourceTemplate, Resources};

use super::{
    address,
    document::{self, is_visible, media_type},
    folder::Folder,
    guide::Guide,
    library::{Category, Library},
    pattern,
    render::Answer,
};

/// The family of all documents.
const DOCUMENT: &str = "guide://{category}/{+path}";

/// The most documents of one category that are listed; the others can be read all the same.
const MOST_LISTED: usize = 1_000;

pub(super) struct Documents(pub(super) Guide);

impl Resources for Documents {
    fn list(&self) -> BoxFuture<'_, Vec<Resource>> {
        Box::pin(self.0.search(|library| library.categories.iter().flat_map(listed).collect()))
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        if self.0.library().categories.is_empty() {
            return Vec::new();
        }
        vec![ResourceTemplate {
            uri_template: DOCUMENT.to_owned(),
            name: "document".to_owned(),
            description: Some("A document of a category; `guide://category` is all of what a category gives".to_owned()),
            mime_type: "text/markdown".to_owned(),
        }]
    }

    fn read<'a>(&'a self, uri: &'a str, context: Context) -> BoxFuture<'a, Result<Option<ResourceContent>, Interrupt>> {
        let Some((name, path)) = address::read(uri) else { return Box::pin(std::future::ready(Ok(None))) };
        let uri = uri.to_owned();
        Box::pin(self.0.search(move |library| read(library, &context, uri, name, path)))
    }

    fn complete<'a>(&'a self, template: &'a str, variable: &'a str, value: &'a str) -> BoxFuture<'a, Option<Vec<String>>> {
        let value = value.to_owned();
        match (template, variable) {
            (DOCUMENT, "category") => Box::pin(self.0.search(move |library| {
                Some(library.names().filter(|name| name.starts_with(&value)).map(str::to_owned).collect())
            })),
            (DOCUMENT, "path") => Box::pin(self.0.search(move |library| Some(paths(library, &value)))),
            _ => Box::pin(std::future::ready(None)),
        }
    }
}

/// The address of the document in the file `path`, if a category has it.
pub(super) fn address_of(library: &Library, path: &Path) -> Option<String> {
    let below = |category: &Category| {
        let path = path.strip_prefix(&category.folder).ok()?.to_str()?;
        is_visible(path).then(|| address::of(&category.name, path))
    };
    library.categories.iter().find_map(below)
}

fn listed(category: &Category) -> Vec<Resource> {
    let Ok(folder) = Folder::open(&category.folder) else { return Vec::new() };
    let paths = folder.all_files().paths.into_iter().take(MOST_LISTED);
    paths.map(|path| resource(category, &folder, &path)).collect()
}

fn resource(category: &Category, folder: &Folder, path: &str) -> Resource {
    let about = document::about(folder, path);
    Resource {
        uri: address::of(&category.name, path),
        name: about.title.unwrap_or_else(|| format!("{}/{path}", category.name)),
        description: about.description,
        mime_type: media_type(path).to_owned(),
        size: about.size,
    }
}

/// Paths of all categories that go on from `value`, in order, each once.
fn paths(library: &Library, value: &str) -> Vec<String> {
    let folders = library.categories.iter().filter_map(|category| Folder::open(&category.folder).ok());
    let mut paths: Vec<_> = folders.flat_map(|folder| folder.all_files().paths).filter(|path| path.starts_with(value)).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

fn read(
    library: &Library,
    context: &Context,
    uri: String,
    name: String,
    path: Option<String>,
) -> Result<Option<ResourceContent>, Interrupt> {
    if let (Some(category), Some(path)) = (library.category(&name), &path)
        && !media_type(path).starts_with("text/")
        && let Some(content) = bytes(category, path, &uri)
    {
        return Ok(Some(content));
    }
    let mime_type = path.as_deref().map_or("text/markdown", media_type).to_owned();
    let exact = path.as_deref().and_then(|path| library.exactly(&name, path, context));
    let answer = exact.unwrap_or_else(|| library.gather(&asked(name, path.as_deref()), context));
    match answer.parts.as_slice() {
        [] => unread(&answer),
        [part] if path.is_some() => {
            let found = address::read(&part.uri).and_then(|(_, path)| path);
            let mime_type = found.as_deref().map_or(mime_type, |path| media_type(path).to_owned());
            Ok(Some(ResourceContent { uri, mime_type, body: Body::Text(part.text.clone()) }))
        }
        _ => Ok(Some(ResourceContent { uri, mime_type: "text/markdown".to_owned(), body: Body::Text(answer.text()) })),
    }
}

/// What an address asks for: the one path, or all that a category or collection gives.
fn asked(name: String, path: Option<&str>) -> Expression {
    let patterns = path.map(Pattern::literal).into_iter().collect();
    Expression { terms: vec![Term { sense: Sense::Wanted, name, patterns }] }
}

/// A document that is not there is unknown; one that is there and cannot be read says why.
fn unread(answer: &Answer) -> Result<Option<ResourceContent>, Interrupt> {
    let is_missing = answer.failures.iter().all(|problem| problem.error_type == "not_found");
    match answer.remarks() {
        Some(remarks) if !is_missing || !answer.filtered.is_empty() => Err(Interrupt::Invalid(remarks)),
        _ => Ok(None),
    }
}

/// A file that is not text.
fn bytes(category: &Category, path: &str, uri: &str) -> Option<ResourceContent> {
    if !is_visible(path) || pattern::is_template(path) {
        return None;
    }
    let bytes = Folder::open(&category.folder).ok()?.read(path).ok()?;
    let is_text = std::str::from_utf8(&bytes).is_ok();
    let content =
        |bytes| ResourceContent { uri: uri.to_owned(), mime_type: media_type(path).to_owned(), body: Body::Bytes(bytes) };
    (!is_text).then(|| content(bytes))
}
