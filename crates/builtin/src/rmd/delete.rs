//! `delete_rmd`: deletes a document.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Change, Content, Context, Naming, Native, Reply};

use super::{CATEGORY, RmdDocuments, reply::failure_reply, uri};

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct DeleteRmd {
    /// Filename of the R Markdown file, with or without its extension
    filename: String,
    /// The hash of the document, from an earlier call; the call fails if the document has changed since
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expected_hash: Option<String>,
}

/// A deleted document.
#[derive(Clone, Debug, JsonSchema, Serialize)]
struct Deleted {
    /// Name with extension.
    filename: String,
    /// Former URI.
    uri: String,
}

const PURPOSE: &str = "Deletes an R Markdown file.\n\nKeeps its rendered outputs. Each call needs a person's approval. A deleted \
                       document cannot be restored.";

pub(super) fn native(documents: &RmdDocuments) -> Native {
    let documents = documents.clone();
    let example = DeleteRmd { filename: "example".to_owned(), expected_hash: None };
    Native::typed("delete_rmd", move |given: DeleteRmd, context: Context| {
        let documents = documents.clone();
        async move { run(&documents, given, &context).await }
    })
    .title("Delete an R Markdown file")
    .purpose(PURPOSE)
    .usage(
        "Pass the name of the document. With the hash from an earlier call, only that version is deleted.",
    )
    .example(example, "Deletes `example.Rmd`.")
    .category(CATEGORY)
    .naming(Naming::Bare)
    .dangerous()
}

async fn run(documents: &RmdDocuments, given: DeleteRmd, context: &Context) -> Reply<Deleted> {
    let removed = documents.run_blocking(move |store| {
        let name = store.find(&given.filename)?;
        store.remove(&name, given.expected_hash.as_deref()).map(|()| name)
    });
    let name = match removed.await {
        Ok(name) => name,
        Err(failure) => return failure_reply(failure),
    };
    let uri = uri::for_document(&name);
    context.notify_changed(Change::Resources).await;
    context.notify_changed(Change::Resource(uri.clone())).await;
    let message = Content::Text(format!("Deleted R Markdown file: {name}"));
    Reply::ok(Deleted { filename: name.to_string(), uri }).content(vec![message])
}
