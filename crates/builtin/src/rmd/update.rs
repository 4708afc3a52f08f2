//! `update_rmd`: changes the text of a document, in whole or in part.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Change, Content, Context, ErrorType, Failure, Naming, Native, Reply};

use super::{
    CATEGORY, RmdDocuments,
    lines::Range,
    name::DocumentName,
    reply::{failure_reply, link},
    store::{Document, DocumentStore, WriteMode},
    uri,
};

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct UpdateRmd {
    /// Filename of the R Markdown file, with or without its extension
    filename: String,
    /// The new text: of the whole document, of the given lines, or in place of `old_text`
    content: String,
    /// The text to replace, which must be in the document exactly once
    #[serde(default, skip_serializing_if = "Option::is_none")]
    old_text: Option<String>,
    /// The first line to replace, from 1
    #[serde(default, skip_serializing_if = "Option::is_none")]
    start_line: Option<usize>,
    /// The last line to replace; by default the last of the document
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end_line: Option<usize>,
    /// The hash of the document, from an earlier call; required unless `old_text` is given
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expected_hash: Option<String>,
}

/// A changed document.
#[derive(Clone, Debug, JsonSchema, Serialize)]
struct Updated {
    /// Name with extension.
    filename: String,
    /// URI of the document.
    uri: String,
    /// SHA-256 of the new text.
    hash: String,
    /// Number of lines in the new text.
    lines: usize,
}

const PURPOSE: &str = "Changes an R Markdown file.\n\nReplaces the whole text, some lines, or a text that occurs exactly once. \
                       Requires the hash of the version to change, unless you pass the text to replace. Fails if the document \
                       has changed since. Runs nothing.";

pub(super) fn native(documents: &RmdDocuments) -> Native {
    let documents = documents.clone();
    let example = UpdateRmd {
        filename: "example".to_owned(),
        content: "plot(iris)".to_owned(),
        old_text: Some("plot(cars)".to_owned()),
        start_line: None,
        end_line: None,
        expected_hash: None,
    };
    Native::typed("update_rmd", move |given: UpdateRmd, context: Context| {
        let documents = documents.clone();
        async move { run(&documents, given, &context).await }
    })
    .title("Change an R Markdown file")
    .purpose(PURPOSE)
    .usage("Read the document first. Then pass its hash with the new text, or the old text with the new text.")
    .example(example, "Plots something else.")
    .category(CATEGORY)
    .naming(Naming::Bare)
    .mutating()
}

async fn run(documents: &RmdDocuments, given: UpdateRmd, context: &Context) -> Reply<Updated> {
    let (name, updated) = match documents.run_blocking(move |store| update(store, &given)).await {
        Ok(updated) => updated,
        Err(failure) => return failure_reply(failure),
    };
    // The title in the list may have changed.
    context.notify_changed(Change::Resources).await;
    context.notify_changed(Change::Resource(updated.uri.clone())).await;
    Reply::ok(updated)
        .content(vec![Content::Text(format!("Updated R Markdown file: {name}")), link(&name)])
}

fn update(store: &DocumentStore, given: &UpdateRmd) -> Result<(DocumentName, Updated), Failure> {
    let name = store.find(&given.filename)?;
    let document = store.read(&name)?;
    let text = apply_change(&document, given)?;
    // Replaces only the version that was read, also without a hash in the request.
    let expected = given.expected_hash.clone().unwrap_or(document.hash);
    let written = store.write(&name, &text, &WriteMode::OverwriteIf(expected))?;
    let uri = uri::for_document(&name);
    let lines = text.lines().count();
    Ok((name.clone(), Updated { filename: name.to_string(), uri, hash: written.hash, lines }))
}

fn apply_change(document: &Document, given: &UpdateRmd) -> Result<String, Failure> {
    let invalid = |message: &str| Failure::new(ErrorType::InvalidArguments, message);
    let has_range = given.start_line.is_some() || given.end_line.is_some();
    let Some(old) = &given.old_text else {
        // Line numbers and a whole text mean nothing without the version that they refer to.
        if given.expected_hash.is_none() {
            return Err(invalid(
                "`expected_hash` is required unless `old_text` is given; get it from `read_rmd`",
            ));
        }
        if !has_range {
            return Ok(given.content.clone());
        }
        let range = Range::of(&document.text, given.start_line, given.end_line)?;
        let (before, after) =
            (&document.text[..range.bytes.start], &document.text[range.bytes.end..]);
        let newline =
            // The range ends with a newline, which models often leave out of the new text.
            if after.is_empty() || given.content.is_empty() || given.content.ends_with('\n') {
                ""
            } else {
                "\n"
            };
        return Ok(format!("{before}{}{newline}{after}", given.content));
    };
    if has_range {
        return Err(invalid("pass `old_text` or lines, not both"));
    }
    // A text that occurs twice is rejected, because the wrong occurrence might be replaced.
    match document.text.matches(old.as_str()).count() {
        _ if old.is_empty() => Err(invalid("`old_text` is empty")),
        1 => Ok(document.text.replacen(old.as_str(), &given.content, 1)),
        0 => Err(Failure::new(
            ErrorType::Conflict,
            format!("`old_text` is not in `{}`; read it again", document.name),
        )),
        many => Err(Failure::new(
            ErrorType::Conflict,
            format!(
                "`old_text` is in `{}` {many} times; pass more of the surrounding text",
                document.name
            ),
        )),
    }
}
