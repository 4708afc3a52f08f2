//! `create_rmd`: creates a document.
//!
//! How to write such a tool: crates/toolkit/templates/tool.md.

use formats::rmd::{self, TitleOutcome};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Change, Content, Context, Failure, Naming, Native, Reply};

use super::{
    CATEGORY, RmdDocuments,
    name::DocumentName,
    reply::{failure_reply, link},
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
    /// Whether to replace an existing document; otherwise the call fails if there is one
    #[serde(default)]
    overwrite: bool,
    /// The hash of the document to replace, from an earlier call; the call fails if the document has changed since
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expected_hash: Option<String>,
}

/// A created document.
#[derive(Clone, Debug, JsonSchema, Serialize)]
struct Created {
    /// Name with extension.
    filename: String,
    /// URI of the document.
    uri: String,
    /// SHA-256 of the text.
    hash: String,
    /// Title of the document.
    title: String,
    /// Whether the title comes from the argument or from the front matter of the content.
    title_from: TitleFrom,
    /// Whether an existing document was replaced.
    replaced: bool,
    /// Deviations from the request, and problems with the content.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
enum TitleFrom {
    Argument,
    Content,
}

const PURPOSE: &str = "Creates a new R Markdown file.\n\nAdds the extension `.Rmd` if it is missing (`.qmd` creates a Quarto \
                       document) and creates folders as needed. Content without front matter gets one with the title; a title in \
                       the content's own front matter is kept. An existing document is replaced only with `overwrite` or \
                       `expected_hash`. Runs nothing.";

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
        async move { run(&documents, given, &context).await }
    })
    .title("Create an R Markdown file")
    .purpose(PURPOSE)
    .usage("Pass a name, a title and the content. With the returned hash, a later call can replace exactly this version.")
    .example(example, "Creates `example.Rmd` with the title in its front matter.")
    .category(CATEGORY)
    .naming(Naming::Bare)
    .mutating()
}

async fn run(documents: &RmdDocuments, given: CreateRmd, context: &Context) -> Reply<Created> {
    let created = match documents.run_blocking(move |store| create(store, &given)).await {
        Ok(created) => created,
        Err(failure) => return failure_reply(failure),
    };
    // Replacing a document changes the list as well, because it contains titles.
    context.notify_changed(Change::Resources).await;
    if created.replaced {
        context.notify_changed(Change::Resource(created.uri.clone())).await;
    }
    let Ok(name) = DocumentName::new(&created.filename) else {
        return Reply::ok(created);
    };
    let message = Content::Text(format!("Created R Markdown file: {name}"));
    let warnings = created.warnings.iter().cloned().map(Content::Text);
    let content = [message].into_iter().chain(warnings).chain([link(&name)]).collect();
    Reply::ok(created).content(content)
}

fn create(store: &DocumentStore, given: &CreateRmd) -> Result<Created, Failure> {
    let name = DocumentName::new(&given.filename)?;
    let existing = match (&given.expected_hash, given.overwrite) {
        // The stricter condition wins: a caller that knows the version must not replace another
        // one.
        (Some(hash), _) => WriteMode::OverwriteIf(hash.clone()),
        (None, true) => WriteMode::Overwrite,
        (None, false) => WriteMode::CreateNew,
    };
    let titled = rmd::set_title(&given.content, &given.title);
    let written = store.write(&name, &titled.text, &existing)?;
    let own = |title: &str| (title.to_owned(), TitleFrom::Content);
    let mut warnings = Vec::new();
    let (title, title_from) = match &titled.outcome {
        TitleOutcome::Added | TitleOutcome::Set => (given.title.clone(), TitleFrom::Argument),
        TitleOutcome::Kept(title) if *title == given.title => (title.clone(), TitleFrom::Content),
        TitleOutcome::Kept(title) => {
            warnings.push(format!(
                "kept the title `{title}` of the content instead of `{}`",
                given.title
            ));
            own(title)
        }
        TitleOutcome::Failed(error) => {
            let (line, why) = (error.line, &error.message);
            warnings.push(format!(
                "did not set the title, because the front matter is invalid: line {line}: {why}"
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
