//! One document: read, its front matter understood, its template rendered.

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

/// What front matter says before the name of a flag that a document needs.
const REQUIRES: &str = "requires-";

/// How many bytes of a document are looked at for a list.
const LOOKED_AT: u64 = 4 << 10;

/// What a document that instructs calls itself.
const INSTRUCTS: [&str; 2] = ["agent/instruction", "instruction"];

/// For whom a document is read.
#[derive(Clone, Copy)]
pub(super) struct ReadContext<'a> {
    pub(super) project: &'a Project,
    pub(super) flags: &'a Arc<RequestFlags>,
    pub(super) context: &'a Context,
}

/// Reads a document of a category for whoever asked for it.
pub(super) fn read(
    category: &Category,
    folder: &Arc<CategoryDir>,
    path: &str,
    reader: ReadContext<'_>,
) -> Result<Result<Part, Filtered>, ContentFailure> {
    let uri = uri::for_document(&category.name, path);
    let text = text(folder, path, &uri)?;
    let front = front_matter(&text, path, &uri)?;
    if let Some(requires) = unmet(&front, reader.flags) {
        return Ok(Err(Filtered { uri, requires }));
    }
    let body = match pattern::is_template(path) {
        true => rendered(category, folder, path, &front, reader)
            .map_err(|error| broken(&uri, path, &error))?,
        false => front.body.to_owned(),
    };
    Ok(Ok(Part {
        uri,
        title: front.text("title").map(str::to_owned),
        kind: kind(category, &front),
        text: body,
    }))
}

/// What a list of documents says about one.
pub(super) struct DocumentSummary {
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    /// How many bytes it has, unless that depends.
    pub(super) size: Option<u64>,
}

/// Looks at the beginning of a document without rendering it; what cannot be read has nothing to say for itself.
pub(super) fn summarize(folder: &CategoryDir, path: &str) -> DocumentSummary {
    let size = folder.size(path).filter(|_| !pattern::is_template(path));
    let head = if has_front_matter(path) {
        folder.head(path, LOOKED_AT).unwrap_or_default()
    } else {
        Vec::new()
    };
    let text = head.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    match FrontMatter::of(text) {
        Ok(front) => {
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

fn text(folder: &CategoryDir, path: &str, uri: &str) -> Result<String, ContentFailure> {
    let bytes = folder.read(path).map_err(|error| unreadable(uri, &error))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        problem(uri, ErrorType::FileReadError, format!("it is not UTF-8 text (line {line})"))
    })
}

/// The front matter of Markdown and plain text; in other documents, `---` is theirs.
fn front_matter<'a>(
    text: &'a str,
    path: &str,
    uri: &str,
) -> Result<FrontMatter<'a>, ContentFailure> {
    if !has_front_matter(path) {
        return Ok(FrontMatter { body: text, ..FrontMatter::default() });
    }
    FrontMatter::of(text).map_err(|error| {
        problem(
            uri,
            ErrorType::FrontMatterError,
            format!("its front matter cannot be read: line {}: {}", error.line, error.message),
        )
    })
}

fn unreadable(uri: &str, error: &io::Error) -> ContentFailure {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "it is not there".to_owned(),
        io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
            "it leads out of its category".to_owned()
        }
        _ => format!("it cannot be read: {error}"),
    };
    problem(uri, ErrorType::FileReadError, why)
}

fn broken(uri: &str, path: &str, error: &TemplateError) -> ContentFailure {
    let place = match (error.name == path, error.line) {
        (true, Some(line)) => format!("line {line}"),
        _ => error.to_string().split(": ").next().unwrap_or_default().to_owned(),
    };
    problem(uri, ErrorType::TemplateError, format!("{place}: {}", error.message))
}

pub(super) fn problem(of: &str, error_type: ErrorType, error: String) -> ContentFailure {
    ContentFailure { of: of.to_owned(), error_type, error }
}

fn kind(category: &Category, front: &FrontMatter<'_>) -> PartKind {
    let says_so = front.text("type").is_some_and(|kind| INSTRUCTS.contains(&kind));
    if category.instruct && says_so { PartKind::Instruction } else { PartKind::Information }
}

/// The flag that a document needs and that is not as it must be.
fn unmet(front: &FrontMatter<'_>, flags: &RequestFlags) -> Option<String> {
    let mut required =
        front.values.iter().filter_map(|(key, value)| Some((key.strip_prefix(REQUIRES)?, value)));
    required
        .find(|(flag, wanted)| !is_met(wanted, flags.get_ignoring_case(flag)))
        .map(|(flag, _)| flag.to_owned())
}

/// True and false ask whether a flag is on, a list for any of its values, anything else for itself.
fn is_met(wanted: &Value, flag: Option<&Value>) -> bool {
    let holds = |wanted: &Value| match flag {
        Some(Value::Array(values)) => values.contains(wanted),
        Some(value) => value == wanted,
        None => false,
    };
    match wanted {
        Value::Bool(wanted) => is_on(flag) == *wanted,
        Value::Array(any) => any.iter().any(holds),
        wanted => holds(wanted),
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

fn rendered(
    category: &Category,
    folder: &Arc<CategoryDir>,
    path: &str,
    front: &FrontMatter<'_>,
    reader: ReadContext<'_>,
) -> Result<String, TemplateError> {
    let mut environment = reader.project.build_environment(reader.flags, reader.context);
    let included = Arc::clone(folder);
    environment.set_loader(move |name| include(&included, name));
    let source = template::pad_lines(front.body, front.lines);
    let context = minijinja::context! {
        category => minijinja::context! { name => &category.name, description => &category.description },
        file => minijinja::context! { path, uri => uri::for_document(&category.name, path), meta => Serde(&front.values) },
    };
    template::render(&environment, path, &source, context)
}

/// The source of an included file: without its front matter, its lines counted from the top.
fn include(folder: &CategoryDir, name: &str) -> Result<Option<String>, Error> {
    let refused = |why: String| {
        Error::new(ErrorKind::InvalidOperation, format!("cannot include `{name}`: {why}"))
    };
    if name.split('/').any(|part| part.starts_with('.')) {
        return Err(refused("it leads out of the category or is hidden".to_owned()));
    }
    let problem = |problem: ContentFailure| refused(problem.error);
    let text = text(folder, name, name).map_err(problem)?;
    let front = front_matter(&text, name, name).map_err(problem)?;
    Ok(Some(template::pad_lines(front.body, front.lines)))
}

/// The media type of a document, by its name.
pub(super) fn media_type(path: &str) -> &'static str {
    let plain = pattern::plain_name(path);
    let extension = pattern::extension(plain.as_deref().unwrap_or(path))
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

/// Whether a path may be asked for at all.
pub(super) fn is_visible(path: &str) -> bool {
    !path.split('/').any(|part| part.is_empty() || is_hidden(part))
}
