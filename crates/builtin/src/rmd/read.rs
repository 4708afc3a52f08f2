//! `read_rmd`: a document, or some of its lines.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Content, Context, Failure, Naming, Native, Reply};

use super::{CATEGORY, RmdDocuments, lines::Range, reply::failed, store::DocumentStore};

/// The most bytes of text in one answer.
const MOST_BYTES: usize = 200_000;

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct ReadRmd {
    /// Filename of the R Markdown file, with or without its extension
    filename: String,
    /// The first line to read, from 1; the first of the document if it is left out
    #[serde(default, skip_serializing_if = "Option::is_none")]
    start_line: Option<usize>,
    /// The last line to read; the last of the document if it is left out
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end_line: Option<usize>,
}

/// Lines of a document.
#[derive(Clone, Debug, JsonSchema, Serialize)]
struct Read {
    /// Its name.
    filename: String,
    /// The hash of the whole text (SHA-256).
    hash: String,
    /// How many lines it has.
    lines: usize,
    /// The first line that was read.
    start_line: usize,
    /// The last line that was read. If it is not the last that was asked for, the rest did not fit: ask for what follows.
    end_line: usize,
    /// The text of these lines.
    text: String,
}

const PURPOSE: &str = "Reads an R Markdown file.\n\nAnswers the text, whole or some of its lines, and the hash by which \
                       `update_rmd` knows that nobody changed it since. Of a long document, as many lines as fit.";

pub(super) fn native(documents: &RmdDocuments) -> Native {
    let documents = documents.clone();
    let example =
        |start_line, end_line| ReadRmd { filename: "example".to_owned(), start_line, end_line };
    Native::typed("read_rmd", move |given: ReadRmd, _: Context| {
        let documents = documents.clone();
        async move { answer(&documents, given).await }
    })
    .title("Read an R Markdown file")
    .purpose(PURPOSE)
    .usage("Name the document, and the lines if not all are wanted.")
    .example(example(None, None), "The whole document.")
    .example(example(Some(10), Some(20)), "Eleven lines of it.")
    .category(CATEGORY)
    .naming(Naming::Bare)
    .read_only()
}

async fn answer(documents: &RmdDocuments, given: ReadRmd) -> Reply<Read> {
    match documents.run_blocking(move |store| read(store, &given)).await {
        Ok(read) => {
            let content = vec![Content::Text(read.text.clone())];
            Reply::ok(read).content(content)
        }
        Err(failure) => failed(failure),
    }
}

fn read(store: &DocumentStore, given: &ReadRmd) -> Result<Read, Failure> {
    let document = store.read(&store.find(&given.filename)?)?;
    let range = Range::of(&document.text, given.start_line, given.end_line)?;
    let mut text = &document.text[range.bytes.clone()];
    if text.len() > MOST_BYTES {
        let fits = text.floor_char_boundary(MOST_BYTES);
        // A line that does not fit by itself is cut.
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
