//! `new`: a definition or document to start from.

mod native;

use std::{io::ErrorKind, path::Path, process::ExitCode};

use atomic_file::Access;
use builtin::rmd::DocumentName;
use clap::builder::TypedValueParser;
use formats::{FORMATS, Format};
use workspace::Crib;

use super::{CommandContext, CommandResult, schema};
use crate::{
    choice::{self, Choice},
    error::CommandError,
    terminal,
};

/// Write a definition or document to start from; never overwrites a file.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Format of the file.
    #[arg(value_parser = kind_parser())]
    format: NewFileKind,
    /// Name of the tool or document.
    name: String,
}

/// The folder of a crib for JSON Schemas, to which templates refer.
const SCHEMAS: &str = ".schemas";

/// Aliases of formats, for people who do not know the names of the formats.
const OTHER_NAMES: [(&str, &str); 3] = [("cli", "mtdf"), ("r", "rave"), ("markdown", "spec")];

/// What to start.
#[derive(Clone, Copy)]
enum NewFileKind {
    Definition(&'static Format),
    Document,
    Native,
}

/// Accepts every format that has a template, and R Markdown.
fn kind_parser() -> impl TypedValueParser<Value = NewFileKind> {
    let of_format = |format: &&'static formats::Format| {
        let help = format.template.as_ref()?.help;
        Some(Choice { name: format.name, help, value: NewFileKind::Definition(format) })
    };
    let other_name = |(name, of): (&'static str, &str)| {
        let format = formats::find_format(of)?;
        let help = format.template.as_ref()?.help;
        Some(Choice { name, help, value: NewFileKind::Definition(format) })
    };
    let document = Choice {
        name: "rmd",
        help: "A report in R Markdown, in the folder of documents; NAME may contain folders",
        value: NewFileKind::Document,
    };
    let native = Choice {
        name: "native",
        help: "A crate for a tool in Rust, in a folder of its own",
        value: NewFileKind::Native,
    };
    let others = OTHER_NAMES.into_iter().filter_map(other_name);
    choice::parser(
        FORMATS.iter().filter_map(of_format).chain(others).chain([document, native]).collect(),
    )
}

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    let crib = context.crib()?;
    match args.format {
        NewFileKind::Definition(format) => create_definition(&crib, format, &args.name),
        NewFileKind::Document => create_document(&crib, &args.name),
        NewFileKind::Native => native::create(&crib, &args.name),
    }
}

fn create_definition(crib: &Crib, format: &Format, name: &str) -> CommandResult {
    let template = format.template.as_ref().expect("only formats with a template are accepted");
    let draft = template
        .fill(name)
        .map_err(|error| CommandError::machine(error.message).hint(error.hint))?;
    if let Err(problem) = catalog::name::check(name) {
        return Err(CommandError::machine(format!("`{name}` is not a valid tool name: {problem}"))
            .hint("use letters, digits, `_` and `-`"));
    }
    let path = crib.folder.join("tools").join(&draft.file.name);
    write(&path, &draft.file.text)?;
    write_schema(crib, format)?;
    terminal::note(&format!("wrote {}: {}", path.display(), draft.next_step));
    Ok(ExitCode::SUCCESS)
}

/// Writes the JSON Schema that the new definition refers to, for editors.
fn write_schema(crib: &Crib, format: &Format) -> Result<(), CommandError> {
    let Some(schema) = format.schema else { return Ok(()) };
    let path = crib.folder.join(SCHEMAS).join(format!("{}.json", format.name));
    let text = schema::render(format.name, schema);
    atomic_file::replace(&path, text.as_bytes(), Access::Usual)
        .map_err(|error| CommandError::io("write", &path, &error))
}

fn create_document(crib: &Crib, name: &str) -> CommandResult {
    let name = DocumentName::new(name).map_err(|failure| CommandError::machine(failure.message))?;
    let title = name.stem().rsplit('/').next().unwrap_or_default().replace(['-', '_'], " ");
    let path = crib.documents_folder().join(name.as_str());
    write(&path, &formats::rmd::set_title(include_str!("new/report.Rmd"), &title).text)?;
    let next = match crib.documents {
        Some(_) => "its parts describe what to write there",
        None => "to serve it, set `enabled = true` in `[documents]` of toolcrib.toml",
    };
    terminal::note(&format!("wrote {}: {next}", path.display()));
    Ok(ExitCode::SUCCESS)
}

/// Writes a new file; fails if it exists.
fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    atomic_file::create(path, text.as_bytes(), Access::Usual).map_err(|error| {
        let hint = match error.kind() {
            ErrorKind::AlreadyExists => "choose another name, or remove the file",
            _ => "check the folder, its permissions and the space on its disk",
        };
        CommandError::io("create", path, &error).hint(hint)
    })
}
