//! `list_rmd`: lists documents and rendered outputs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Content, Context, Failure, Naming, Native, Reply};

use super::{CATEGORY, RmdDocuments, reply::failure_reply, store::DocumentStore, uri};

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct ListRmd {
    /// Only documents and outputs in this folder, such as `2026`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    folder: Option<String>,
}

/// Documents and outputs.
#[derive(Clone, Debug, JsonSchema, Serialize)]
struct DocumentList {
    /// The documents.
    documents: Vec<OneDocument>,
    /// The rendered outputs.
    outputs: Vec<OneOutput>,
    /// Whether the list is incomplete because of a limit.
    truncated: bool,
}

#[derive(Clone, Debug, JsonSchema, Serialize)]
struct OneDocument {
    /// Name with extension.
    filename: String,
    /// Title in the front matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// URI for reading it as a resource.
    uri: String,
    /// Size in bytes.
    size: u64,
}

#[derive(Clone, Debug, JsonSchema, Serialize)]
struct OneOutput {
    /// Name with extension.
    filename: String,
    /// URI for reading it as a resource.
    uri: String,
    /// Media type.
    mime_type: String,
    /// Size in bytes.
    size: u64,
}

const PURPOSE: &str = "Lists the R Markdown files.\n\nReturns name, title, URI and size of all documents and rendered outputs. \
                       Runs nothing.";

pub(super) fn native(documents: &RmdDocuments) -> Native {
    let documents = documents.clone();
    Native::typed("list_rmd", move |given: ListRmd, _: Context| {
        let documents = documents.clone();
        async move { run(&documents, given).await }
    })
    .title("List R Markdown files")
    .purpose(PURPOSE)
    .usage("Call without arguments for everything, or with a folder.")
    .example(ListRmd { folder: None }, "All documents and outputs.")
    .category(CATEGORY)
    .naming(Naming::Bare)
    .read_only()
}

async fn run(documents: &RmdDocuments, given: ListRmd) -> Reply<DocumentList> {
    match documents.run_blocking(move |store| list(store, given.folder.as_deref())).await {
        Ok(listed) => {
            let content = vec![Content::Text(render_text(&listed))];
            Reply::ok(listed).content(content)
        }
        Err(failure) => failure_reply(failure),
    }
}

fn list(store: &DocumentStore, folder: Option<&str>) -> Result<DocumentList, Failure> {
    let below =
        folder.map(|folder| format!("{}/", folder.trim_end_matches('/'))).unwrap_or_default();
    let (documents, outputs) = (store.list_documents(), store.list_outputs());
    let truncated = documents.is_truncated || outputs.is_truncated;
    let documents = documents.items.into_iter().filter(|one| one.name.as_str().starts_with(&below));
    let outputs = outputs.items.into_iter().filter(|one| one.name.as_str().starts_with(&below));
    let document = |one: super::ListedDocument| OneDocument {
        uri: uri::for_document(&one.name),
        filename: one.name.to_string(),
        title: one.title,
        size: one.size,
    };
    let output = |one: super::ListedOutput| OneOutput {
        uri: uri::for_output(&one.name),
        mime_type: one.name.kind().mime_type().to_owned(),
        filename: one.name.to_string(),
        size: one.size,
    };
    Ok(DocumentList {
        documents: documents.map(document).collect(),
        outputs: outputs.map(output).collect(),
        truncated,
    })
}

fn render_text(listed: &DocumentList) -> String {
    let documents = listed.documents.iter().map(|one| match &one.title {
        Some(title) => format!("{}: {title}", one.filename),
        None => one.filename.clone(),
    });
    let outputs = listed.outputs.iter().map(|one| format!("{} ({} bytes)", one.uri, one.size));
    let more = listed.truncated.then(|| "the list is truncated".to_owned());
    let lines: Vec<_> = documents.chain(outputs).chain(more).collect();
    if lines.is_empty() {
        "there are no documents yet; `create_rmd` creates one".to_owned()
    } else {
        lines.join("\n")
    }
}
