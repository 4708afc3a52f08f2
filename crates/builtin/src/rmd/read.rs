//! `read_rmd`: reads a document or some of its lines.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Content, Context, Failure, Naming, Native, Reply};

use super::{CATEGORY, RmdDocuments, lines::Range, reply::failure_reply, store::DocumentStore};

/// Text in one response, in bytes.
const MAX_BYTES: usize = 200_000;

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct ReadRmd {
    /// Filename of the R Markdown file, with or without its extension
    filename: String,
    /// The first line to read, from 1; by default the first of the document
    #[serde(default, skip_serializing_if = "Option::is_none")]
    start_line: Option<usize>,
    /// The last line to read; by default the last of the document
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end_line: Option<usize>,
}

/// Lines of a document.
#[derive(Clone, Debug, JsonSchema, Serialize)]
struct Read {
    /// Name with extension.
    filename: String,
    /// SHA-256 of the whole text.
    hash: String,
    /// Number of lines in the document.
    lines: usize,
    /// First line in `text`.
    start_line: usize,
    /// Last line in `text`. If it is before the requested one, the rest did not fit: call again with the next line.
    end_line: usize,
    /// The text of these lines.
    text: String,
}

const PURPOSE: &str = "Reads an R Markdown file.\n\nReturns the text, or some of its lines, and the hash that `update_rmd` needs to \
                       detect concurrent changes. Of a long document it returns as many lines as fit.";

pub(super) fn native(documents: &RmdDocuments) -> Native {
    let documents = documents.clone();
    let example =
        |start_line, end_line| ReadRmd { filename: "example".to_owned(), start_line, end_line };
    Native::typed("read_rmd", move |given: ReadRmd, _: Context| {
        let documents = documents.clone();
        async move { run(&documents, given).await }
    })
    .title("Read an R Markdown file")
    .purpose(PURPOSE)
    .usage("Pass the name of the document and, optionally, the lines to read.")
    .example(example(None, None), "The whole document.")
    .example(example(Some(10), Some(20)), "Eleven lines of it.")
    .category(CATEGORY)
    .naming(Naming::Bare)
    .read_only()
}

async fn run(documents: &RmdDocuments, given: ReadRmd) -> Reply<Read> {
    match documents.run_blocking(move |store| read(store, &given)).await {
        Ok(read) => {
            let content = vec![Content::Text(read.text.clone())];
            Reply::ok(read).content(content)
        }
        Err(failure) => failure_reply(failure),
    }
}

fn read(store: &DocumentStore, given: &ReadRmd) -> Result<Read, Failure> {
    let document = store.read(&store.find(&given.filename)?)?;
    let range = Range::of(&document.text, given.start_line, given.end_line)?;
    let mut text = &document.text[range.bytes.clone()];
    if text.len() > MAX_BYTES {
        let fits = text.floor_char_boundary(MAX_BYTES);
        // Ends at a line break, unless the first line alone is too long.
        text = &text[..text[..fits].rfind('\n').map_or(fits, |at| at + 1)];
    }
    let shown = text.lines().count().max(1);
    Ok(Read {
        filename: document.name.to_string(),
        hash: document.hash,
        lines: range.total,
        start_line: range.first,
        end_line: range.first + shown - 1,
        text: text.to_owned(),
    })
}
