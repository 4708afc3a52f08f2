//! `list_rmd`: the documents there are, and what was rendered of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Content, Context, Failure, Naming, Native, Reply};

use super::{CATEGORY, RmdDocuments, reply::failed, store::DocumentStore, uri};

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct ListRmd {
    /// Only what lies in this folder, such as `2026`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    folder: Option<String>,
}

/// What there is.
#[derive(Clone, Debug, JsonSchema, Serialize)]
struct Listed {
    /// The documents.
    documents: Vec<OneDocument>,
    /// What was rendered.
    outputs: Vec<OneOutput>,
    /// Whether there are more than were looked at.
    truncated: bool,
}

#[derive(Clone, Debug, JsonSchema, Serialize)]
struct OneDocument {
    /// Its name.
    filename: String,
    /// The title in its front matter, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Its address.
    uri: String,
    /// How many bytes it has.
    size: u64,
}

#[derive(Clone, Debug, JsonSchema, Serialize)]
struct OneOutput {
    /// Its name.
    filename: String,
    /// Its address.
    uri: String,
    /// Its media type.
    mime_type: String,
    /// How many bytes it has.
    size: u64,
}

const PURPOSE: &str = "Lists the R Markdown files.\n\nTells the name, title, address and size of every document, and of everything \
                       that was rendered. Nothing is run.";

pub(super) fn native(documents: &RmdDocuments) -> Native {
    let documents = documents.clone();
    Native::typed("list_rmd", move |given: ListRmd, _: Context| {
        let documents = documents.clone();
        async move { answer(&documents, given).await }
    })
    .title("List R Markdown files")
    .purpose(PURPOSE)
    .usage("Call it without arguments for everything, or name a folder.")
    .example(ListRmd { folder: None }, "All documents and outputs.")
    .category(CATEGORY)
    .naming(Naming::Bare)
    .read_only()
}

async fn answer(documents: &RmdDocuments, given: ListRmd) -> Reply<Listed> {
    match documents.run_blocking(move |store| list(store, given.folder.as_deref())).await {
        Ok(listed) => {
            let content = vec![Content::Text(told(&listed))];
            Reply::ok(listed).content(content)
        }
        Err(failure) => failed(failure),
    }
}

fn list(store: &DocumentStore, folder: Option<&str>) -> Result<Listed, Failure> {
    let below =
        folder.map(|folder| format!("{}/", folder.trim_end_matches('/'))).unwrap_or_default();
    let (documents, outputs) = (store.documents(), store.outputs());
    let truncated = documents.is_cut || outputs.is_cut;
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
    Ok(Listed {
        documents: documents.map(document).collect(),
        outputs: outputs.map(output).collect(),
        truncated,
    })
}

fn told(listed: &Listed) -> String {
    let documents = listed.documents.iter().map(|one| match &one.title {
        Some(title) => format!("{}: {title}", one.filename),
        None => one.filename.clone(),
    });
    let outputs = listed.outputs.iter().map(|one| format!("{} ({} bytes)", one.uri, one.size));
    let more = listed.truncated.then(|| "there are more than are listed".to_owned());
    let lines: Vec<_> = documents.chain(outputs).chain(more).collect();
    if lines.is_empty() {
        "there are no documents yet; `create_rmd` makes one".to_owned()
    } else {
        lines.join("\n")
    }
}
