//! `validate_rmd`: checks a document without running it.

use formats::rmd;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Content, Context, Failure, Naming, Native, Reply};

use super::{CATEGORY, RmdDocuments, reply::failure_reply, store::DocumentStore};
use crate::Finding;

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct ValidateRmd {
    /// Filename of the R Markdown file, with or without its extension
    filename: String,
}

/// The findings in a document.
#[derive(Clone, Debug, JsonSchema, Serialize)]
struct Validated {
    /// Name with extension.
    filename: String,
    /// Whether there are no errors. A document with errors cannot be rendered.
    valid: bool,
    /// Number of errors.
    errors: usize,
    /// Number of warnings.
    warnings: usize,
    /// The findings in the order of the lines, at most 200.
    diagnostics: Vec<Finding>,
}

const PURPOSE: &str = "Checks an R Markdown file without running it.\n\nReports problems in the front matter, the chunks (unclosed, \
                       duplicate labels, unknown engines, invalid options or R code) and the parameters, and missing images and \
                       child documents, each with line, rule and how to fix it.";

pub(super) fn native(documents: &RmdDocuments) -> Native {
    let documents = documents.clone();
    Native::typed("validate_rmd", move |given: ValidateRmd, _: Context| {
        let documents = documents.clone();
        async move { run(&documents, given).await }
    })
    .title("Check an R Markdown file")
    .purpose(PURPOSE)
    .usage("Pass the name of the document, and fix the errors before you render it.")
    .example(
        ValidateRmd { filename: "example".to_owned() },
        "Reports what would prevent `example.Rmd` from being rendered.",
    )
    .category(CATEGORY)
    .naming(Naming::Bare)
    .read_only()
}

async fn run(documents: &RmdDocuments, given: ValidateRmd) -> Reply<Validated> {
    match documents.run_blocking(move |store| validate(store, &given.filename)).await {
        Ok(validated) => {
            let content = vec![Content::Text(render_text(&validated))];
            Reply::ok(validated).content(content)
        }
        Err(failure) => failure_reply(failure),
    }
}

fn validate(store: &DocumentStore, filename: &str) -> Result<Validated, Failure> {
    let document = store.read(&store.find(filename)?)?;
    let problems = rmd::check(&document.text, &|path| store.has_relative(&document.name, path));
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

fn render_text(validated: &Validated) -> String {
    let name = &validated.filename;
    let line = |found: &Finding| {
        let (line, hint) = (found.line.unwrap_or(1), found.hint.as_deref().unwrap_or_default());
        format!("{name}:{line}: {}: {} [{}]; {hint}", found.severity, found.message, found.code)
    };
    match validated.diagnostics.as_slice() {
        [] => format!("{name}: no problems found"),
        found => found.iter().map(line).collect::<Vec<_>>().join("\n"),
    }
}
