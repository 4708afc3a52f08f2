//! `validate_rmd`: what is wrong with a document, without running it.

use formats::rmd;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Content, Context, Failure, Naming, Native, Reply};

use super::{CATEGORY, RmdDocuments, reply::failed, store::DocumentStore};
use crate::Finding;

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct ValidateRmd {
    /// Filename of the R Markdown file, with or without its extension
    filename: String,
}

/// What was found in a document.
#[derive(Clone, Debug, JsonSchema, Serialize)]
struct Validated {
    /// Its name.
    filename: String,
    /// Whether no error was found: with one, it cannot be rendered.
    valid: bool,
    /// How many findings are errors.
    errors: usize,
    /// How many are warnings.
    warnings: usize,
    /// Everything that was found, in the order of the lines; at most 200.
    diagnostics: Vec<Finding>,
}

const PURPOSE: &str = "Checks an R Markdown file without running it.\n\nTells what is wrong with its front matter, its chunks (not \
                       closed, labels used twice, unknown engines, options and R code that cannot be read), its parameters, and \
                       which pictures and child documents are missing, each with line, code and what to do.";

pub(super) fn native(documents: &RmdDocuments) -> Native {
    let documents = documents.clone();
    Native::typed("validate_rmd", move |given: ValidateRmd, _: Context| {
        let documents = documents.clone();
        async move { answer(&documents, given).await }
    })
    .title("Check an R Markdown file")
    .purpose(PURPOSE)
    .usage("Name the document; mend what is an error before it is rendered.")
    .example(
        ValidateRmd { filename: "example".to_owned() },
        "What would keep `example.Rmd` from being rendered.",
    )
    .category(CATEGORY)
    .naming(Naming::Bare)
    .read_only()
}

async fn answer(documents: &RmdDocuments, given: ValidateRmd) -> Reply<Validated> {
    match documents.run_blocking(move |store| validate(store, &given.filename)).await {
        Ok(validated) => {
            let content = vec![Content::Text(told(&validated))];
            Reply::ok(validated).content(content)
        }
        Err(failure) => failed(failure),
    }
}

fn validate(store: &DocumentStore, filename: &str) -> Result<Validated, Failure> {
    let document = store.read(&store.find(filename)?)?;
    let problems = rmd::check(&document.text, &|path| store.has_beside(&document.name, path));
    let finding = |problem: rmd::Problem| Finding {
        code: problem.rule.code.to_owned(),
        severity: problem.rule.severity.as_str().to_owned(),
        message: problem.message,
        hint: Some(problem.hint),
        line: Some(problem.line),
        column: None,
        tool: None,
    };
    let diagnostics: Vec<_> = problems.into_iter().map(finding).collect();
    let count =
        |severity: &str| diagnostics.iter().filter(|found| found.severity == severity).count();
    let (errors, warnings) = (count("error"), count("warning"));
    Ok(Validated {
        filename: document.name.to_string(),
        valid: errors == 0,
        errors,
        warnings,
        diagnostics,
    })
}

fn told(validated: &Validated) -> String {
    let name = &validated.filename;
    let line = |found: &Finding| {
        let (line, hint) = (found.line.unwrap_or(1), found.hint.as_deref().unwrap_or_default());
        format!("{name}:{line}: {}: {} [{}]; {hint}", found.severity, found.message, found.code)
    };
    match validated.diagnostics.as_slice() {
        [] => format!("{name}: nothing wrong was found"),
        found => found.iter().map(line).collect::<Vec<_>>().join("\n"),
    }
}
