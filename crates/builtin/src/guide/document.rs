//! Reads a document: its front matter, its flags, its template.

use std::{io, sync::Arc};

use formats::FrontMatter;
use minijinja::{Error, ErrorKind, value::Serde};
use serde_json::Value;
use toolkit::{Context, ErrorType};

use super::{
    Category,
    category_dir::{CategoryDir, is_hidden},
    pattern,
    reply::{ContentFailure, Filtered, Part, PartKind},
    uri,
};
use crate::{
    Project,
    template::{self, RequestFlags, TemplateError},
};

/// The front matter key of a flag that a document requires, before the name of the flag.
const REQUIRES_PREFIX: &str = "requires-";

/// Bytes of a document that are read for a list.
const HEAD_BYTES: u64 = 4 << 10;

/// Values of `type` in the front matter of an instruction.
const INSTRUCTION_TYPES: [&str; 2] = ["agent/instruction", "instruction"];

/// The request for which a document is read.
#[derive(Clone, Copy)]
pub(super) struct ReadContext<'a> {
    pub(super) project: &'a Project,
    pub(super) flags: &'a Arc<RequestFlags>,
    pub(super) context: &'a Context,
}

/// Reads a document, or returns the flag that excludes it.
pub(super) fn read(
    category: &Category,
    folder: &Arc<CategoryDir>,
    path: &str,
    request: ReadContext<'_>,
) -> Result<Result<Part, Filtered>, ContentFailure> {
    let uri = uri::for_document(&category.name, path);
    let text = read_text(folder, path, &uri)?;
    let front = parse_front_matter(&text, path, &uri)?;
    // Checked before rendering, because a template may do work or call tools.
    if let Some(requires) = unmet_requirement(&front, request.flags) {
        return Ok(Err(Filtered { uri, requires }));
    }
    let body = if pattern::is_template(path) {
        render_template(category, folder, path, &front, request)
            .map_err(|error| template_failure(&uri, path, &error))?
    } else {
        front.body.to_owned()
    };
    Ok(Ok(Part {
        uri,
        title: front.text("title").map(str::to_owned),
        kind: part_kind(category, &front),
        text: body,
    }))
}

/// An entry in a list of documents.
pub(super) struct DocumentSummary {
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    /// Size in bytes without front matter; `None` for a template.
    pub(super) size: Option<u64>,
}

/// Summarizes a document by its front matter, without rendering it. Never fails: an unreadable one
/// has no title.
pub(super) fn summarize(folder: &CategoryDir, path: &str) -> DocumentSummary {
    let size = folder.size(path).filter(|_| !pattern::is_template(path));
    let head = if has_front_matter(path) {
        folder.head(path, HEAD_BYTES).unwrap_or_default()
    } else {
        Vec::new()
    };
    // The head may end inside a character.
    let text = head.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    match FrontMatter::parse(text) {
        Ok(front) => {
            // `body` is the rest of `text`, so the difference is the front matter.
            let before = u64::try_from(text.len() - front.body.len()).unwrap_or_default();
            DocumentSummary {
                title: front.text("title").map(str::to_owned),
                description: front.text("description").map(str::to_owned),
                size: size.map(|size| size.saturating_sub(before)),
            }
        }
        Err(_) => DocumentSummary { title: None, description: None, size },
    }
}

fn has_front_matter(path: &str) -> bool {
    matches!(media_type(path), "text/markdown" | "text/plain")
}

fn read_text(folder: &CategoryDir, path: &str, uri: &str) -> Result<String, ContentFailure> {
    let bytes = folder.read(path).map_err(|error| read_failure(uri, &error))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        failure(uri, ErrorType::FileReadError, format!("it is not UTF-8 text (line {line})"))
    })
}

/// Parses the front matter of Markdown and plain text. In other formats `---` has its own meaning.
fn parse_front_matter<'a>(
    text: &'a str,
    path: &str,
    uri: &str,
) -> Result<FrontMatter<'a>, ContentFailure> {
    if !has_front_matter(path) {
        return Ok(FrontMatter { body: text, ..FrontMatter::default() });
    }
    FrontMatter::parse(text).map_err(|error| {
        failure(
            uri,
            ErrorType::FrontMatterError,
            format!("its front matter is invalid: line {}: {}", error.line, error.message),
        )
    })
}

fn read_failure(uri: &str, error: &io::Error) -> ContentFailure {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "it does not exist".to_owned(),
        // An error without an OS code comes from the folder handle, which rejects paths that lead
        // out of it.
        io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
            "it leads out of its category".to_owned()
        }
        _ => format!("it cannot be read: {error}"),
    };
    failure(uri, ErrorType::FileReadError, why)
}

fn template_failure(uri: &str, path: &str, error: &TemplateError) -> ContentFailure {
    let place = match (error.name == path, error.line) {
        (true, Some(line)) => format!("line {line}"),
        _ => error.to_string().split(": ").next().unwrap_or_default().to_owned(),
    };
    failure(uri, ErrorType::TemplateError, format!("{place}: {}", error.message))
}

pub(super) fn failure(of: &str, error_type: ErrorType, error: String) -> ContentFailure {
    ContentFailure { of: of.to_owned(), error_type, error }
}

fn part_kind(category: &Category, front: &FrontMatter<'_>) -> PartKind {
    let is_marked = front.text("type").is_some_and(|kind| INSTRUCTION_TYPES.contains(&kind));
    // Both are needed: a file that someone drops into a folder must not become an instruction by
    // its own claim.
    if category.instruct && is_marked { PartKind::Instruction } else { PartKind::Information }
}

/// The first required flag that does not match.
fn unmet_requirement(front: &FrontMatter<'_>, flags: &RequestFlags) -> Option<String> {
    let mut required = front
        .values
        .iter()
        .filter_map(|(key, value)| Some((key.strip_prefix(REQUIRES_PREFIX)?, value)));
    required
        .find(|(flag, wanted)| !is_met(wanted, flags.get_ignoring_case(flag)))
        .map(|(flag, _)| flag.to_owned())
}

/// `true` and `false` require the flag to be on or off, a list accepts any of its values, any other
/// value must be equal.
fn is_met(wanted: &Value, flag: Option<&Value>) -> bool {
    let matches = |wanted: &Value| match flag {
        Some(Value::Array(values)) => values.contains(wanted),
        Some(value) => value == wanted,
        None => false,
    };
    match wanted {
        Value::Bool(wanted) => is_on(flag) == *wanted,
        Value::Array(any) => any.iter().any(matches),
        wanted => matches(wanted),
    }
}

fn is_on(flag: Option<&Value>) -> bool {
    match flag {
        None | Some(Value::Null) => false,
        Some(Value::Bool(on)) => *on,
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(items)) => !items.is_empty(),
        Some(Value::Object(members)) => !members.is_empty(),
        Some(Value::Number(_)) => true,
    }
}

fn render_template(
    category: &Category,
    folder: &Arc<CategoryDir>,
    path: &str,
    front: &FrontMatter<'_>,
    request: ReadContext<'_>,
) -> Result<String, TemplateError> {
    let mut environment = request.project.build_environment(request.flags, request.context);
    let included = Arc::clone(folder);
    environment.set_loader(move |name| load_include(&included, name));
    // So that errors name lines of the file.
    let source = template::pad_lines(front.body, front.lines);
    let context = minijinja::context! {
        category => minijinja::context! { name => &category.name, description => &category.description },
        file => minijinja::context! { path, uri => uri::for_document(&category.name, path), meta => Serde(&front.values) },
    };
    template::render(&environment, path, &source, context)
}

/// Loads an included file without its front matter, keeping its line numbers.
fn load_include(folder: &CategoryDir, name: &str) -> Result<Option<String>, Error> {
    let rejected = |why: String| {
        Error::new(ErrorKind::InvalidOperation, format!("cannot include `{name}`: {why}"))
    };
    // The handle would stop `..` as well, but with a message that does not help; `_` files are
    // there to be included.
    if name.split('/').any(|part| part.starts_with('.')) {
        return Err(rejected("it leads out of the category or is hidden".to_owned()));
    }
    let to_error = |failure: ContentFailure| rejected(failure.error);
    let text = read_text(folder, name, name).map_err(to_error)?;
    let front = parse_front_matter(&text, name, name).map_err(to_error)?;
    Ok(Some(template::pad_lines(front.body, front.lines)))
}

/// The media type of a document by its extension.
pub(super) fn media_type(path: &str) -> &'static str {
    let plain = pattern::plain_name(path);
    let extension = pattern::split_extension(plain.as_deref().unwrap_or(path))
        .map(|(_, extension)| extension.to_ascii_lowercase());
    match extension.as_deref() {
        Some("md" | "markdown") => "text/markdown",
        Some("json") => "application/json",
        Some("yaml" | "yml") => "application/yaml",
        Some("toml") => "application/toml",
        Some("csv") => "text/csv",
        Some("html" | "htm") => "text/html",
        Some("xml") => "application/xml",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("gif") => "image/gif",
        Some("pdf") => "application/pdf",
        _ => "text/plain",
    }
}

/// Whether a path may be requested: no part of it is hidden or empty.
pub(super) fn is_visible(path: &str) -> bool {
    !path.split('/').any(|part| part.is_empty() || is_hidden(part))
}
