//! `create_rmd`: a new document.
//!
//! How to write such a tool: crates/toolkit/templates/tool.md.

use formats::rmd::{self, WhatBecame};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Change, Content, Context, Failure, Naming, Native, Reply};

use super::{
    CATEGORY, RmdDocuments,
    name::DocumentName,
    reply::{failed, link},
    store::{DocumentStore, WriteMode},
    uri,
};

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct CreateRmd {
    /// Filename for the R Markdown file (without extension)
    filename: String,
    /// Title for the R Markdown document
    title: String,
    /// Content of the R Markdown file
    content: String,
    /// Whether a document of this name is replaced; otherwise it stays, and the call fails
    #[serde(default)]
    overwrite: bool,
    /// The hash of the document to replace, as an earlier call told it: if it has another by now, it stays
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expected_hash: Option<String>,
}

/// A document that was made.
#[derive(Clone, Debug, JsonSchema, Serialize)]
struct Created {
    /// Its name, with its ending.
    filename: String,
    /// Its address.
    uri: String,
    /// The hash of its text (SHA-256).
    hash: String,
    /// The title that it has.
    title: String,
    /// Whether the title is the one given, or the front matter of the content had one.
    title_from: TitleFrom,
    /// Whether there was a document of this name before.
    replaced: bool,
    /// What is not as it was asked for, or will not work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
enum TitleFrom {
    Argument,
    Content,
}

const PURPOSE: &str = "Creates a new R Markdown file.\n\nThe ending `.Rmd` is added if the name has none (`.qmd` makes a Quarto \
                       document), folders are made as needed. Content without front matter gets one with the title; a title \
                       that the content's own front matter has stays. A document that is there already is not replaced \
                       unless `overwrite` or `expected_hash` says so. Nothing is run.";

pub(super) fn native(documents: &RmdDocuments) -> Native {
    let documents = documents.clone();
    let example = CreateRmd {
        filename: "example".to_owned(),
        title: "Example R Markdown".to_owned(),
        content: "This is an example R Markdown file.\n\n```{r}\nplot(cars)\n```".to_owned(),
        overwrite: false,
        expected_hash: None,
    };
    Native::typed("create_rmd", move |given: CreateRmd, context: Context| {
        let documents = documents.clone();
        async move { answer(&documents, given, &context).await }
    })
    .title("Create an R Markdown file")
    .purpose(PURPOSE)
    .usage("Give a name, a title and the content. The hash in the answer lets a later call replace exactly this version.")
    .example(example, "Makes `example.Rmd` with front matter that has the title.")
    .category(CATEGORY)
    .naming(Naming::Bare)
    .mutating()
}

async fn answer(documents: &RmdDocuments, given: CreateRmd, context: &Context) -> Reply<Created> {
    let created = match documents.run_blocking(move |store| create(store, &given)).await {
        Ok(created) => created,
        Err(failure) => return failed(failure),
    };
    context.notify_changed(Change::Resources).await;
    if created.replaced {
        context.notify_changed(Change::Resource(created.uri.clone())).await;
    }
    let Ok(name) = DocumentName::new(&created.filename) else {
        return Reply::ok(created);
    };
    let said = Content::Text(format!("Created R Markdown file: {name}"));
    let warnings = created.warnings.iter().cloned().map(Content::Text);
    let content = [said].into_iter().chain(warnings).chain([link(&name)]).collect();
    Reply::ok(created).content(content)
}

fn create(store: &DocumentStore, given: &CreateRmd) -> Result<Created, Failure> {
    let name = DocumentName::new(&given.filename)?;
    let existing = match (&given.expected_hash, given.overwrite) {
        (Some(hash), _) => WriteMode::OverwriteIf(hash.clone()),
        (None, true) => WriteMode::Overwrite,
        (None, false) => WriteMode::CreateNew,
    };
    let titled = rmd::titled(&given.content, &given.title);
    let written = store.write(&name, &titled.text, &existing)?;
    let own = |title: &str| (title.to_owned(), TitleFrom::Content);
    let mut warnings = Vec::new();
    let (title, title_from) = match &titled.became {
        WhatBecame::Added | WhatBecame::Set => (given.title.clone(), TitleFrom::Argument),
        WhatBecame::Kept(title) if *title == given.title => (title.clone(), TitleFrom::Content),
        WhatBecame::Kept(title) => {
            warnings
                .push(format!("the content's own title `{title}` was kept, not `{}`", given.title));
            own(title)
        }
        WhatBecame::Unread(error) => {
            let (line, why) = (error.line, &error.message);
            warnings.push(format!(
                "the front matter cannot be read, so the title was not set: line {line}: {why}"
            ));
            own(name.as_str())
        }
    };
    let uri = uri::for_document(&name);
    Ok(Created {
        filename: name.to_string(),
        uri,
        hash: written.hash,
        title,
        title_from,
        replaced: written.replaced,
        warnings,
    })
}
