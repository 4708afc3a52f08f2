//! `outline_rmd`: the headings and chunks of a document.

use formats::rmd;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Content, Context, Failure, Naming, Native, Reply};

use super::{CATEGORY, RmdDocuments, reply::failed, store::DocumentStore};

/// The most headings, and chunks, in one answer.
const MOST: usize = 1_000;

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct OutlineRmd {
    /// Filename of the R Markdown file, with or without its extension
    filename: String,
}

/// The headings and chunks of a document.
#[derive(Clone, Debug, JsonSchema, Serialize)]
struct Outlined {
    /// Its name.
    filename: String,
    /// The title in its front matter, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// The hash of its text (SHA-256).
    hash: String,
    /// How many lines it has.
    lines: usize,
    /// Its headings.
    headings: Vec<OneHeading>,
    /// Its chunks of code.
    chunks: Vec<OneChunk>,
    /// Whether there are more than are listed.
    truncated: bool,
}

#[derive(Clone, Debug, JsonSchema, Serialize)]
struct OneHeading {
    /// 1 for the highest.
    level: usize,
    /// What it says.
    text: String,
    /// Its line.
    line: usize,
}

#[derive(Clone, Debug, JsonSchema, Serialize)]
struct OneChunk {
    /// What runs it.
    engine: String,
    /// Its label, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// The line that opens it.
    start_line: usize,
    /// The line that closes it.
    end_line: usize,
    /// Its options, as they are written.
    options: Vec<ChunkOption>,
}

#[derive(Clone, Debug, JsonSchema, Serialize)]
struct ChunkOption {
    /// Its name.
    name: String,
    /// Its value.
    value: String,
}

const PURPOSE: &str = "Outlines an R Markdown file.\n\nTells its headings and its chunks of code, each with its lines, the chunks \
                       with engine, label and options: enough to read or change the right part. Nothing is run.";

pub(super) fn native(documents: &RmdDocuments) -> Native {
    let documents = documents.clone();
    Native::typed("outline_rmd", move |given: OutlineRmd, _: Context| {
        let documents = documents.clone();
        async move { answer(&documents, given).await }
    })
    .title("Outline an R Markdown file")
    .purpose(PURPOSE)
    .usage("Name the document.")
    .example(OutlineRmd { filename: "example".to_owned() }, "Its headings and chunks.")
    .category(CATEGORY)
    .naming(Naming::Bare)
    .read_only()
}

async fn answer(documents: &RmdDocuments, given: OutlineRmd) -> Reply<Outlined> {
    match documents.run_blocking(move |store| outline(store, &given.filename)).await {
        Ok(outlined) => {
            let content = vec![Content::Text(told(&outlined))];
            Reply::ok(outlined).content(content)
        }
        Err(failure) => failed(failure),
    }
}

fn outline(store: &DocumentStore, filename: &str) -> Result<Outlined, Failure> {
    let document = store.read(&store.find(filename)?)?;
    let rmd::Outline { headings, chunks, .. } = rmd::Outline::of(&document.text);
    let truncated = headings.len() > MOST || chunks.len() > MOST;
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
        title: rmd::title(&document.text),
        hash: document.hash,
        lines: document.text.lines().count(),
        headings: headings.into_iter().take(MOST).map(heading).collect(),
        chunks: chunks.into_iter().take(MOST).map(chunk).collect(),
        truncated,
    })
}

fn told(outlined: &Outlined) -> String {
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
