//! `delete_rmd`: one document less.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Change, Content, Context, Naming, Native, Reply};

use super::{CATEGORY, RmdDocuments, reply::failed, uri};

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct DeleteRmd {
    /// Filename of the R Markdown file, with or without its extension
    filename: String,
    /// The hash of the document, as an earlier call told it: if it has another by now, it stays
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expected_hash: Option<String>,
}

/// A document that is gone.
#[derive(Clone, Debug, JsonSchema, Serialize)]
struct Deleted {
    /// Its name.
    filename: String,
    /// The address that it had.
    uri: String,
}

const PURPOSE: &str = "Deletes an R Markdown file.\n\nWhat was rendered of it stays. A person must agree to each call, and what \
                       is deleted cannot be brought back.";

pub(super) fn native(documents: &RmdDocuments) -> Native {
    let documents = documents.clone();
    let example = DeleteRmd { filename: "example".to_owned(), expected_hash: None };
    Native::typed("delete_rmd", move |given: DeleteRmd, context: Context| {
        let documents = documents.clone();
        async move { answer(&documents, given, &context).await }
    })
    .title("Delete an R Markdown file")
    .purpose(PURPOSE)
    .usage(
        "Name the document. With the hash that an earlier call told, only that version is deleted.",
    )
    .example(example, "Deletes `example.Rmd`.")
    .category(CATEGORY)
    .naming(Naming::Bare)
    .dangerous()
}

async fn answer(documents: &RmdDocuments, given: DeleteRmd, context: &Context) -> Reply<Deleted> {
    let removed = documents.run_blocking(move |store| {
        let name = store.find(&given.filename)?;
        store.remove(&name, given.expected_hash.as_deref()).map(|()| name)
    });
    let name = match removed.await {
        Ok(name) => name,
        Err(failure) => return failed(failure),
    };
    let uri = uri::for_document(&name);
    context.notify_changed(Change::Resources).await;
    context.notify_changed(Change::Resource(uri.clone())).await;
    let said = Content::Text(format!("Deleted R Markdown file: {name}"));
    Reply::ok(Deleted { filename: name.to_string(), uri }).content(vec![said])
}
