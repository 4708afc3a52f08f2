//! `outline_rmd`: lists the headings and code chunks of a document.

use formats::rmd;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Content, Context, Failure, Naming, Native, Reply};

use super::{CATEGORY, RmdDocuments, reply::failure_reply, store::DocumentStore};

/// Headings, and chunks, in one response.
const MAX_ENTRIES: usize = 1_000;

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct OutlineRmd {
    /// Filename of the R Markdown file, with or without its extension
    filename: String,
}

/// The outline of a document.
#[derive(Clone, Debug, JsonSchema, Serialize)]
struct Outlined {
    /// Name with extension.
    filename: String,
    /// Title in the front matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// SHA-256 of the text.
    hash: String,
    /// Number of lines.
    lines: usize,
    /// Headings in order.
    headings: Vec<OneHeading>,
    /// Code chunks in order.
    chunks: Vec<OneChunk>,
    /// Whether the outline is incomplete because of a limit.
    truncated: bool,
}

#[derive(Clone, Debug, JsonSchema, Serialize)]
struct OneHeading {
    /// Level, 1 for the highest.
    level: usize,
    /// Text of the heading.
    text: String,
    /// Line, from 1.
    line: usize,
}

#[derive(Clone, Debug, JsonSchema, Serialize)]
struct OneChunk {
    /// Language engine, such as `r`.
    engine: String,
    /// Label of the chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// Line of the opening fence.
    start_line: usize,
    /// Line of the closing fence.
    end_line: usize,
    /// Chunk options as written.
    options: Vec<ChunkOption>,
}

#[derive(Clone, Debug, JsonSchema, Serialize)]
struct ChunkOption {
    /// Name of the option.
    name: String,
    /// Value as written.
    value: String,
}

const PURPOSE: &str = "Outlines an R Markdown file.\n\nReturns the headings and code chunks with their lines, and the engine, label \
                       and options of each chunk, so that you can read or change the right part. Runs nothing.";

pub(super) fn native(documents: &RmdDocuments) -> Native {
    let documents = documents.clone();
    Native::typed("outline_rmd", move |given: OutlineRmd, _: Context| {
        let documents = documents.clone();
        async move { run(&documents, given).await }
    })
    .title("Outline an R Markdown file")
    .purpose(PURPOSE)
    .usage("Pass the name of the document.")
    .example(OutlineRmd { filename: "example".to_owned() }, "Its headings and chunks.")
    .category(CATEGORY)
    .naming(Naming::Bare)
    .read_only()
}

async fn run(documents: &RmdDocuments, given: OutlineRmd) -> Reply<Outlined> {
    match documents.run_blocking(move |store| outline(store, &given.filename)).await {
        Ok(outlined) => {
            let content = vec![Content::Text(render_text(&outlined))];
            Reply::ok(outlined).content(content)
        }
        Err(failure) => failure_reply(failure),
    }
}

fn outline(store: &DocumentStore, filename: &str) -> Result<Outlined, Failure> {
    let document = store.read(&store.find(filename)?)?;
    let rmd::Outline { headings, chunks, .. } = rmd::Outline::parse(&document.text);
    let truncated = headings.len() > MAX_ENTRIES || chunks.len() > MAX_ENTRIES;
    let heading =
        |one: rmd::Heading| OneHeading { level: one.level, text: one.text, line: one.line };
    let option = |(name, value)| ChunkOption { name, value };
    let chunk = |one: rmd::Chunk| OneChunk {
        engine: one.engine,
        label: one.label,
        start_line: one.line,
        end_line: one.end,
        options: one.options.into_iter().map(option).collect(),
    };
    Ok(Outlined {
        filename: document.name.to_string(),
        title: rmd::read_title(&document.text),
        hash: document.hash,
        lines: document.text.lines().count(),
        headings: headings.into_iter().take(MAX_ENTRIES).map(heading).collect(),
        chunks: chunks.into_iter().take(MAX_ENTRIES).map(chunk).collect(),
        truncated,
    })
}

fn render_text(outlined: &Outlined) -> String {
    let headings = outlined
        .headings
        .iter()
        .map(|one| (one.line, format!("{} {}", "#".repeat(one.level), one.text)));
    let chunks = outlined.chunks.iter().map(|one| {
        let label = one.label.as_deref().map(|label| format!(" {label}")).unwrap_or_default();
        (one.start_line, format!("{{{}{label}}} to line {}", one.engine, one.end_line))
    });
    let mut lines: Vec<_> = headings.chain(chunks).collect();
    lines.sort_by_key(|(line, _)| *line);
    let lines: Vec<_> = lines.into_iter().map(|(line, text)| format!("{line}: {text}")).collect();
    if lines.is_empty() { "no headings and no chunks".to_owned() } else { lines.join("\n") }
}
