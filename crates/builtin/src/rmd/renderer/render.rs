//! `render_rmd`: a document as HTML, PDF or Word.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use formats::rmd::{Front, front};
use render::{Backend, Format, Freshness, RenderJob, RenderProgress, Rendered, Renderer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::mpsc::unbounded_channel;
use toolkit::{Change, Content, Context, ErrorType, Failure, Naming, Native, Reply};

use super::{
    super::{
        CATEGORY, Document, DocumentName, OutputKind, OutputName, RmdDocuments, reply::failed,
        store, uri,
    },
    RmdRenderer,
};

/// How long a call is answered with its result; after that it goes on as an operation.
const PATIENCE: Duration = Duration::from_secs(50);
/// The longest page that is put into the answer.
const INLINE_BYTES: usize = 1 << 20;

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
    /// Values for the parameters that the document declares in its front matter
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    params: Map<String, Value>,
    /// Whether a small HTML page is put into the answer, beside the link to it
    #[serde(default)]
    inline: bool,
    /// Whether an unchanged document is rendered again, because it reads the clock or draws random numbers
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
    fn made(self) -> (Format, OutputKind) {
        match self {
            Self::Html => (Format::Html, OutputKind::Html),
            Self::Pdf => (Format::Pdf, OutputKind::Pdf),
            Self::Word => (Format::Word, OutputKind::Docx),
        }
    }
}

/// A document that was rendered.
#[derive(Clone, Debug, JsonSchema, Serialize)]
struct Made {
    /// The document.
    filename: String,
    /// What it was rendered to, by its name among the outputs.
    output: String,
    /// The address of that.
    uri: String,
    /// Its media type.
    mime_type: String,
    /// The hash of its bytes (SHA-256).
    hash: String,
    /// How many bytes it has.
    bytes: usize,
    /// What rendered it: `docker`, `compose` or `local`.
    backend: String,
    /// Why that.
    reason: String,
    /// The versions of what rendered it.
    versions: BTreeMap<String, String>,
    /// The digest of the image it was rendered in.
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<String>,
    /// Whether it was rendered before and nothing has changed.
    cached: bool,
    /// How long it took.
    duration_ms: u64,
    /// What R complained about.
    warnings: Vec<Complaint>,
}

/// Something that R complained about.
#[derive(Clone, Debug, JsonSchema, Serialize)]
struct Complaint {
    /// What.
    message: String,
    /// In which chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
}

const PURPOSE: &str = "Renders an R Markdown file to HTML, PDF or Word.\n\nThe code of the document is run, in a container \
                       without network or, where the operator allows it, by this machine's R, held to a copy of the documents. \
                       The result is a resource, `rmd-output:///NAME`. A document that has not changed comes from a cache. \
                       RmdRenderer that takes long goes on as an operation.";

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
        async move { answer(&renderer, given, &context).await }
    })
    .title("Render an R Markdown file")
    .purpose(PURPOSE)
    .usage("Read the resource in the answer. If a chunk fails, the error says which and in which lines; mend it and call again.")
    .example(example, "Renders `example.Rmd` to `example.html`.")
    .category(CATEGORY)
    .naming(Naming::Bare)
    .idempotent()
    .asynchronous(async |arguments, _| Ok(arguments))
    .answer_within(PATIENCE)
}

async fn answer(renderer: &RmdRenderer, given: RenderRmd, context: &Context) -> Reply<Made> {
    let inline = given.inline;
    let (name, output, rendered) = match render(renderer, given, context).await {
        Ok(rendered) => rendered,
        Err(failure) => return failed(failure),
    };
    let mime_type = output.kind().mime_type().to_owned();
    let uri = uri::for_output(&output);
    context.notify_changed(Change::Resources).await;
    context.notify_changed(Change::Resource(uri.clone())).await;
    let mut content = vec![Content::Text(format!("Successfully rendered {name} to {output}"))];
    content.extend(
        rendered
            .warnings
            .iter()
            .map(|warning| Content::Text(format!("Warning: {}", warning.message))),
    );
    if inline {
        content.push(inlined(&rendered, &output, &uri));
    }
    content.push(Content::Link {
        uri: uri.clone(),
        name: output.to_string(),
        mime_type: mime_type.clone(),
    });
    let warnings = rendered
        .warnings
        .into_iter()
        .map(|warning| Complaint { message: warning.message, label: warning.label });
    let made = Made {
        filename: name.to_string(),
        output: output.to_string(),
        uri,
        mime_type,
        hash: store::hash(&rendered.bytes),
        bytes: rendered.bytes.len(),
        backend: rendered.backend.name().to_owned(),
        reason: rendered.reason,
        versions: rendered.versions,
        image: rendered.image,
        cached: rendered.cached,
        duration_ms: u64::try_from(rendered.duration.as_millis()).unwrap_or(u64::MAX),
        warnings: warnings.collect(),
    };
    Reply::ok(made).content(content)
}

/// The page itself, if it is one and small enough; else why not.
fn inlined(rendered: &Rendered, output: &OutputName, uri: &str) -> Content {
    let bytes = &rendered.bytes;
    match String::from_utf8(bytes.clone()) {
        Ok(text) if output.kind() == OutputKind::Html && bytes.len() <= INLINE_BYTES => {
            Content::Resource {
                uri: uri.to_owned(),
                mime_type: output.kind().mime_type().to_owned(),
                text,
            }
        }
        _ => {
            let why = format!(
                "it has {} bytes; only HTML of at most {INLINE_BYTES} is put into an answer",
                bytes.len()
            );
            Content::Text(format!("{output} is not in this answer: {why}. Read the resource."))
        }
    }
}

async fn render(
    renderer: &RmdRenderer,
    given: RenderRmd,
    context: &Context,
) -> Result<(DocumentName, OutputName, Rendered), Failure> {
    let documents = &renderer.documents;
    let (text, params) = (given.filename.clone(), given.params.clone());
    let (name, files) = documents
        .run_blocking(move |store| {
            let name = store.find(&text)?;
            name.check_renderable()?;
            check_params(&store.read(&name)?, &params)?;
            let files = store.snapshot(&name)?;
            Ok((name, files))
        })
        .await?;
    let (format, kind) = given.format.made();
    let job = RenderJob {
        document: name.to_string(),
        files,
        format,
        params: given.params,
        backend: given.use_docker_compose.then_some(Backend::Compose),
        freshness: if given.fresh { Freshness::Fresh } else { Freshness::Cached },
    };
    let rendered = conduct(&renderer.renderer(), job, context).await?;
    let output = name.output(kind);
    let rendered = put(documents, output.clone(), rendered).await?;
    Ok((name, output, rendered))
}

/// Whether a document declares the parameters it is given: R Markdown passes over them in silence if it declares none.
/// Quarto documents declare theirs in other ways as well, and what cannot be read is for R to tell.
fn check_params(document: &Document, params: &Map<String, Value>) -> Result<(), Failure> {
    let declared = match front(&document.text) {
        _ if document.name.is_quarto() => return Ok(()),
        Front::Broken(_) => return Ok(()),
        Front::Present(mut values) => values.remove("params"),
        Front::Absent => None,
    };
    let known: Vec<_> = declared
        .iter()
        .filter_map(Value::as_object)
        .flat_map(Map::keys)
        .map(String::as_str)
        .collect();
    let Some(unknown) = params.keys().find(|name| !known.contains(&name.as_str())) else {
        return Ok(());
    };
    let hint = match known.as_slice() {
        [] => "declare it below `params:` in the front matter".to_owned(),
        known => format!("it declares `{}`", known.join("`, `")),
    };
    let message = format!("`{}` does not declare the parameter `{unknown}`; {hint}", document.name);
    Err(Failure::new(ErrorType::InvalidArguments, message))
}

/// Renders, and passes on how far it is.
async fn conduct(
    renderer: &Renderer,
    job: RenderJob,
    context: &Context,
) -> Result<Rendered, Failure> {
    let (sender, mut told) = unbounded_channel();
    // Nobody listens any more once the render is over.
    let tell = move |progress: RenderProgress| drop(sender.send(progress));
    let mut render = std::pin::pin!(renderer.render(job, Arc::new(tell)));
    loop {
        tokio::select! {
            biased;
            result = &mut render => return result,
            Some(progress) = told.recv() => {
                // It is not done when the last chunk begins: that has to run, and the whole to be put together.
                let total = (progress.chunks > 0).then_some(progress.chunks as f64 + 1.0);
                context.report_progress(progress.chunk as f64, total, Some(&progress.message)).await;
            }
        }
    }
}

/// Puts what was rendered into its place, unless it is there.
async fn put(
    documents: &RmdDocuments,
    output: OutputName,
    rendered: Rendered,
) -> Result<Rendered, Failure> {
    documents
        .run_blocking(move |store| {
            let is_there = rendered.cached
                && store.read_output(&output)?.is_some_and(|bytes| bytes == rendered.bytes);
            if !is_there {
                store.put_output(&output, &rendered.bytes)?;
            }
            Ok(rendered)
        })
        .await
}
