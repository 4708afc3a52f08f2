//! `render_rmd`: renders a document to HTML, PDF or Word.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use formats::rmd::{find_volatile, read_front_matter};
use render::{
    Backend, Format, Freshness, RenderJob, RenderProgress, Rendered, Renderer, SourceFile,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::mpsc::unbounded_channel;
use toolkit::{Change, Content, Context, ErrorType, Failure, Naming, Native, Reply};

use super::{
    super::{
        CATEGORY, Document, DocumentName, OutputKind, OutputName, RmdDocuments,
        reply::failure_reply, store, uri,
    },
    RmdRenderer,
    preview::{preview, strip_page},
};

/// After this time a render continues as an operation.
const ANSWER_WITHIN: Duration = Duration::from_secs(50);
/// Maximum size of a page returned inline, after scripts, styles and embedded files are removed.
const MAX_INLINE_BYTES: usize = 256 << 10;

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct RenderRmd {
    /// Filename of the R Markdown file to render
    filename: String,
    /// Output format (html, pdf, or word)
    #[serde(default)]
    format: OutputFormat,
    /// Whether to use docker-compose (true) or Dockerode (false); false leaves it to the server's configuration
    #[serde(default)]
    use_docker_compose: bool,
    /// Values for the parameters in the front matter of the document
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    params: Map<String, Value>,
    /// Whether to return the HTML of the page inline, without scripts, styles and figures, in addition to the preview
    #[serde(default)]
    inline: bool,
    /// Whether to render an unchanged document again instead of taking it from the cache
    #[serde(default)]
    fresh: bool,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum OutputFormat {
    #[default]
    Html,
    Pdf,
    Word,
}

impl OutputFormat {
    fn to_render_format(self) -> (Format, OutputKind) {
        match self {
            Self::Html => (Format::Html, OutputKind::Html),
            Self::Pdf => (Format::Pdf, OutputKind::Pdf),
            Self::Word => (Format::Word, OutputKind::Docx),
        }
    }
}

/// A rendered document.
#[derive(Clone, Debug, JsonSchema, Serialize)]
struct RenderedDocument {
    /// Name of the document.
    filename: String,
    /// Name of the output.
    output: String,
    /// Path of the output on the disk of the server.
    path: String,
    /// URI of the output.
    uri: String,
    /// Media type of the output.
    mime_type: String,
    /// SHA-256 of the output.
    hash: String,
    /// Size of the output in bytes.
    bytes: usize,
    /// Renderer: `docker`, `compose` or `local`.
    backend: String,
    /// Why this renderer was chosen.
    reason: String,
    /// Versions of the programs that rendered it.
    versions: BTreeMap<String, String>,
    /// Digest of the container image.
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<String>,
    /// Whether the output comes from the cache.
    cached: bool,
    /// What the document uses besides its files, so that it is never cached.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_cached_because: Option<String>,
    /// Duration in milliseconds.
    duration_ms: u64,
    /// Warnings of R.
    warnings: Vec<RWarning>,
}

/// A warning of R.
#[derive(Clone, Debug, JsonSchema, Serialize)]
struct RWarning {
    /// Text of the warning.
    message: String,
    /// Label of the chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
}

const PURPOSE: &str = "Renders an R Markdown file to HTML, PDF or Word.\n\nRuns the code of the document, in a container without \
                       network or, if the operator allows it, in a sandboxed R on this machine, on a copy of the documents. The \
                       output is a file and a resource, `rmd-output:///NAME`; the text of a page and its figures are \
                       previewed. An unchanged document comes from a cache, unless it uses the clock, random numbers or \
                       files elsewhere. A long render continues as an operation.";

pub(super) fn native(renderer: &RmdRenderer) -> Native {
    let renderer = renderer.clone();
    let example = RenderRmd {
        filename: "example".to_owned(),
        format: OutputFormat::Html,
        use_docker_compose: false,
        params: Map::new(),
        inline: false,
        fresh: false,
    };
    Native::typed("render_rmd", move |given: RenderRmd, context: Context| {
        let renderer = renderer.clone();
        async move { run(&renderer, given, &context).await }
    })
    .title("Render an R Markdown file")
    .purpose(PURPOSE)
    .usage("Read the returned resource. If a chunk fails, the error names the chunk and its lines; fix it and call again.")
    .example(example, "Renders `example.Rmd` to `example.html`.")
    .category(CATEGORY)
    .naming(Naming::Bare)
    .idempotent()
    .asynchronous(async |arguments, _| Ok(arguments))
    .answer_within(ANSWER_WITHIN)
}

async fn run(
    renderer: &RmdRenderer,
    given: RenderRmd,
    context: &Context,
) -> Reply<RenderedDocument> {
    let inline = given.inline;
    let (name, output, rendered, volatile) = match render(renderer, given, context).await {
        Ok(rendered) => rendered,
        Err(failure) => return failure_reply(failure),
    };
    let mime_type = output.kind().mime_type().to_owned();
    let uri = uri::for_output(&output);
    // Subscribers of the list are notified too, because the output may be new.
    context.notify_changed(Change::Resources).await;
    context.notify_changed(Change::Resource(uri.clone())).await;
    let path = renderer.documents.output_path(&output);
    let mut content = vec![Content::Text(format!("Successfully rendered {name} to {output}"))];
    let cached = if rendered.cached {
        "\nIt is cached: nothing it reads has changed since it was rendered; `fresh: true` renders it again."
    } else {
        ""
    };
    content.push(Content::Text(format!("File: {path}{cached}")));
    content.extend(
        rendered
            .warnings
            .iter()
            .map(|warning| Content::Text(format!("Warning: {}", warning.message))),
    );
    let page = std::str::from_utf8(&rendered.bytes).ok();
    // Several clients do not show resource links to the model, so the result itself has a preview
    // of the page.
    if let Some(page) = page.filter(|_| output.kind() == OutputKind::Html) {
        content.extend(preview(page));
    }
    if inline {
        content.push(inline_page(&rendered, &output, &uri));
    }
    content.push(Content::Link {
        uri: uri.clone(),
        name: output.to_string(),
        mime_type: mime_type.clone(),
    });
    let warnings = rendered
        .warnings
        .into_iter()
        .map(|warning| RWarning { message: warning.message, label: warning.label });
    let document = RenderedDocument {
        filename: name.to_string(),
        output: output.to_string(),
        path,
        uri,
        mime_type,
        hash: store::hash(&rendered.bytes),
        bytes: rendered.bytes.len(),
        backend: rendered.backend.name().to_owned(),
        reason: rendered.reason,
        versions: rendered.versions,
        image: rendered.image,
        cached: rendered.cached,
        not_cached_because: volatile.map(|what| format!("it uses {what}")),
        duration_ms: u64::try_from(rendered.duration.as_millis()).unwrap_or(u64::MAX),
        warnings: warnings.collect(),
    };
    Reply::ok(document).content(content)
}

/// The page as content, or the reason why it is not inline.
fn inline_page(rendered: &Rendered, output: &OutputName, uri: &str) -> Content {
    let page = std::str::from_utf8(&rendered.bytes).ok().map(strip_page);
    match page {
        Some(text) if output.kind() == OutputKind::Html && text.len() <= MAX_INLINE_BYTES => {
            Content::Resource {
                uri: uri.to_owned(),
                mime_type: output.kind().mime_type().to_owned(),
                text,
            }
        }
        _ => {
            let why = format!("only HTML of at most {MAX_INLINE_BYTES} bytes is returned inline");
            Content::Text(format!("{output} is not inline: {why}. Read the resource."))
        }
    }
}

async fn render(
    renderer: &RmdRenderer,
    given: RenderRmd,
    context: &Context,
) -> Result<(DocumentName, OutputName, Rendered, Option<&'static str>), Failure> {
    let documents = &renderer.documents;
    let (text, params) = (given.filename.clone(), given.params.clone());
    let (name, files) = documents
        .run_blocking(move |store| {
            let name = store.find(&text)?;
            name.check_renderable()?;
            // Checked before the folder is copied, which may take a while.
            check_params(&store.read(&name)?, &params)?;
            let files = store.snapshot(&name)?;
            Ok((name, files))
        })
        .await?;
    let (format, kind) = given.format.to_render_format();
    let volatile = find_volatile_file(&files);
    let is_fresh = given.fresh || volatile.is_some();
    let job = RenderJob {
        document: name.to_string(),
        files,
        format,
        params: given.params,
        backend: given.use_docker_compose.then_some(Backend::Compose),
        freshness: if is_fresh { Freshness::Fresh } else { Freshness::Cached },
    };
    let rendered = render_with_progress(&renderer.renderer(), job, context).await?;
    let output = name.output(kind);
    // Stored after the render has succeeded, so that a failed one leaves the old output in place.
    let rendered = store_output(documents, output.clone(), rendered).await?;
    // A package may draw random numbers without any trace in the text of the document.
    let volatile = volatile.or(rendered.drew_random_numbers.then_some("random numbers"));
    Ok((name, output, rendered, volatile))
}

/// Finds an input besides files (such as the clock) in the document or in code that it may read. The cache
/// cannot tell whether such an input has changed.
fn find_volatile_file(files: &[SourceFile]) -> Option<&'static str> {
    let is_code = |path: &str| {
        let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        matches!(extension.as_deref(), Some("rmd" | "qmd" | "r" | "py" | "sh" | "yml" | "yaml"))
    };
    let code = files.iter().filter(|file| file.may_be_read && is_code(&file.path));
    code.filter_map(|file| std::str::from_utf8(&file.bytes).ok()).find_map(find_volatile)
}

/// Checks that a document declares the given parameters: R Markdown silently ignores them if it
/// declares none. Skips Quarto documents, which can declare parameters elsewhere, and invalid front
/// matter, which R reports.
fn check_params(document: &Document, params: &Map<String, Value>) -> Result<(), Failure> {
    let declared = match read_front_matter(&document.text) {
        _ if document.name.is_quarto() => return Ok(()),
        Err(_) => return Ok(()),
        Ok(Some(mut values)) => values.remove("params"),
        Ok(None) => None,
    };
    let known: Vec<_> = declared
        .iter()
        .filter_map(Value::as_object)
        .flat_map(Map::keys)
        .map(String::as_str)
        .collect();
    for (name, given) in params {
        let default = declared.as_ref().and_then(|declared| declared.get(name));
        if let Some((wanted, found)) = default.and_then(|default| differing_types(default, given)) {
            let message = format!(
                "the parameter `{name}` of `{}` is {wanted} (its default is `{}`), but the given value is {found}",
                document.name,
                default.unwrap_or(&Value::Null)
            );
            return Err(Failure::new(ErrorType::InvalidArguments, message));
        }
    }
    let Some(unknown) = params.keys().find(|name| !known.contains(&name.as_str())) else {
        return Ok(());
    };
    let hint = match known.as_slice() {
        [] => "declare it under `params:` in the front matter".to_owned(),
        known => format!("it declares `{}`", known.join("`, `")),
    };
    let message = format!("`{}` does not declare the parameter `{unknown}`; {hint}", document.name);
    Err(Failure::new(ErrorType::InvalidArguments, message))
}

/// Returns the types of a default and of a value if they are incompatible. A default that is null, a list or
/// computed by R accepts any value, and every parameter accepts null.
fn differing_types(default: &Value, given: &Value) -> Option<(&'static str, &'static str)> {
    let name = |value: &Value| match value {
        Value::Bool(_) => Some("a logical value"),
        Value::Number(_) => Some("a number"),
        Value::String(text) if !text.contains("`r ") => Some("a text"),
        _ => None,
    };
    let given = match given {
        Value::Array(_) | Value::Null => None,
        Value::Object(_) => Some("an object"),
        scalar => name(scalar),
    };
    name(default).zip(given).filter(|(wanted, found)| wanted != found)
}

/// Renders and reports progress.
async fn render_with_progress(
    renderer: &Renderer,
    job: RenderJob,
    context: &Context,
) -> Result<Rendered, Failure> {
    let (sender, mut events) = unbounded_channel();
    // Sending fails only after the render, when progress is not needed.
    let report = move |progress: RenderProgress| drop(sender.send(progress));
    let mut render = std::pin::pin!(renderer.render(job, Arc::new(report)));
    loop {
        tokio::select! {
            biased;
            result = &mut render => return result,
            Some(progress) = events.recv() => {
                // One more than the chunks: after the last chunk begins, it has to run and pandoc
                // has to convert the result.
                let total = (progress.chunks > 0).then_some(progress.chunks as f64 + 1.0);
                context.report_progress(progress.chunk as f64, total, Some(&progress.message)).await;
            }
        }
    }
}

/// Writes the output, unless the same one is already there.
async fn store_output(
    documents: &RmdDocuments,
    output: OutputName,
    rendered: Rendered,
) -> Result<Rendered, Failure> {
    documents
        .run_blocking(move |store| {
            let is_current = rendered.cached
                && store.read_output(&output)?.is_some_and(|bytes| bytes == rendered.bytes);
            if !is_current {
                store.write_output(&output, &rendered.bytes)?;
            }
            Ok(rendered)
        })
        .await
}
